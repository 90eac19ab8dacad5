"use client";

import { ChartColumn } from "lucide-react";
import { useState } from "react";
import { openedMessages } from "@/components/agent/chats";
import { CardHead } from "@/components/agent/step-line";
import { findRows, type ToolPart, toRecord } from "@/components/agent/tool-parts";
import { useFrame } from "@/components/layout/use-frame";
import { lazyComponent } from "@/components/ui/lazy-component";
import type { ResultRow } from "@/lib/base/values/json-rows";
import { formatCountOf } from "@/lib/platform/browser/format";
import { later } from "@/lib/platform/browser/load-again";

const loadRowsChart = later(() => import("@/components/chart/rows-chart"));
const RowsChart = lazyComponent(
  loadRowsChart,
  (module) => module.RowsChart,
  () => <div className="rows-chart" aria-busy="true" />,
);

/** A chart of the agent, drawn from the rows of its query. */
export function ChartCard({ tool, chatId, isBusy }: { tool: ToolPart; chatId: string; isBusy: boolean }) {
  const chart = toRecord(tool.output.chart);
  const title = String(chart.title ?? tool.input.title ?? "Chart");
  const isFailed = tool.state === "failed";
  const { digits, times } = useFrame().frame;
  const [isOpen, setIsOpen] = useState<boolean | null>(null);
  const isShown = isOpen ?? !isFailed;
  const kept = typeof chart.resultId === "string" ? findRows(openedMessages(chatId), chart.resultId) : null;
  const rows = kept?.rows ?? (Array.isArray(chart.rows) ? chart.rows.map(toRecord) : null);
  return (
    <div className="tool">
      <CardHead
        icon={ChartColumn}
        title={tool.state === "running" && isBusy ? "Creating chart" : isFailed ? "Chart failed" : "Chart"}
        detail={title}
        isFailed={isFailed}
        isOpen={isShown}
        onToggle={() => setIsOpen(!isShown)}
      />
      {isShown && isFailed && <p className="tool-error">{tool.errorText}</p>}
      {isShown &&
        tool.state === "done" &&
        (rows ? (
          <div className="tool-chart">
            <RowsChart
              title={title}
              spec={toRecord(chart.spec)}
              rows={rows as ResultRow[]}
              fields={kept?.fields ?? null}
              look={{ digits, times }}
            />
          </div>
        ) : (
          <p className="tool-error">Chart data not available. Ask for the chart again.</p>
        ))}
      {isShown && kept?.truncated && (
        <p className="tool-foot xs t3">Based on the first {formatCountOf(kept.rows.length, "row")}.</p>
      )}
    </div>
  );
}
