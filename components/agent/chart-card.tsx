"use client";

import { ChartColumn } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import type { TopLevelSpec } from "vega-lite";
import { openedMessages } from "@/components/agent/chats";
import { CardHead } from "@/components/agent/step-line";
import { findRows, type ToolPart, toRecord } from "@/components/agent/tool-parts";
import { drawChart } from "@/components/results/draw-chart";
import { useChartTheme } from "@/components/results/use-chart-theme";
import type { ChartTheme } from "@/lib/ui/results/chart-spec";

/** A chart of the agent, drawn over the rows that its query has shown. */
export function ChartCard({ tool, chatId, isBusy }: { tool: ToolPart; chatId: string; isBusy: boolean }) {
  const chart = toRecord(tool.output.chart);
  const title = String(chart.title ?? tool.input.title ?? "Chart");
  const isFailed = tool.state === "failed";
  const [isOpen, setIsOpen] = useState<boolean | null>(null);
  const isShown = isOpen ?? !isFailed;
  const kept = typeof chart.resultId === "string" ? findRows(openedMessages(chatId), chart.resultId) : null;
  const rows = kept?.rows ?? (Array.isArray(chart.rows) ? chart.rows.map(toRecord) : null);
  return (
    <div className="tool">
      <CardHead
        icon={ChartColumn}
        title={tool.state === "running" && isBusy ? "Drawing a chart" : isFailed ? "A chart failed" : "Chart"}
        detail={title}
        isFailed={isFailed}
        isOpen={isShown}
        onToggle={() => setIsOpen(!isShown)}
      />
      {isShown && isFailed && <p className="tool-error">{tool.errorText}</p>}
      {isShown &&
        tool.state === "done" &&
        (rows ? (
          <Drawn title={title} spec={toRecord(chart.spec)} rows={rows} />
        ) : (
          <p className="tool-error">Its rows are not in this chat any more. Ask for the chart again.</p>
        ))}
      {isShown && kept?.truncated && <p className="tool-foot xs t3">Drawn from the first {kept.rows.length} rows.</p>}
    </div>
  );
}

const HEIGHT_PX = 200;

type DrawnProps = { title: string; spec: Record<string, unknown>; rows: Record<string, unknown>[] };

function Drawn({ title, spec, rows }: DrawnProps) {
  const hostRef = useRef<HTMLDivElement>(null);
  const theme = useChartTheme();
  const [isFailed, setIsFailed] = useState(false);
  const [width, setWidth] = useState(0);
  const source = JSON.stringify(spec);
  useEffect(() => {
    const host = hostRef.current;
    if (host === null) return;
    const observer = new ResizeObserver(() => setWidth(host.clientWidth));
    observer.observe(host);
    return () => observer.disconnect();
  }, []);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the rows of an answer do not change after it
  useEffect(() => {
    const host = hostRef.current;
    if (host === null || width === 0) return;
    let isStale = false;
    let end: (() => void) | null = null;
    setIsFailed(false);
    drawChart(host, themed(JSON.parse(source), rows, theme, width)).then(
      (finish) => {
        if (isStale) finish();
        else end = finish;
      },
      () => !isStale && setIsFailed(true),
    );
    return () => {
      isStale = true;
      end?.();
    };
  }, [source, theme, width]);
  return (
    <div className="tool-chart" role="img" aria-label={`${title}, ${rows.length} points`}>
      {isFailed && <p className="tool-error">The chart could not be drawn. Ask for another kind.</p>}
      <div ref={hostRef} />
    </div>
  );
}

/** The model's chart in the page's colours. Its own data were refused by the server; they are taken out here, too (T65). */
function themed(
  { data: _, datasets: __, width: ___, height: ____, ...spec }: Record<string, unknown>,
  rows: Record<string, unknown>[],
  theme: ChartTheme,
  width: number,
): TopLevelSpec {
  const axis = {
    gridColor: theme.grid,
    labelColor: theme.axis,
    titleColor: theme.text,
    domain: false,
    ticks: false,
    labelFont: theme.font,
    titleFont: theme.font,
  };
  return {
    ...spec,
    data: { values: rows },
    width,
    height: HEIGHT_PX,
    autosize: { type: "fit", contains: "padding" },
    background: "transparent",
    config: {
      axis,
      view: { stroke: null },
      legend: { labelColor: theme.text, titleColor: theme.text, labelFont: theme.font, titleFont: theme.font },
      title: { color: theme.text, font: theme.font },
      range: { category: theme.series },
      mark: { color: theme.series[0] },
    },
  } as unknown as TopLevelSpec;
}
