"use client";

import { SquareTerminal } from "lucide-react";
import { useState } from "react";
import { MiniGrid, SHOWN_ROWS } from "@/components/agent/mini-grid";
import { CardHead } from "@/components/agent/step-line";
import { type ToolPart, toQueryOutput } from "@/components/agent/tool-parts";
import { uncoverWork } from "@/components/agent/use-agent-panel";
import { useDialect } from "@/components/connections/use-connection-types";
import { useConsoleActions } from "@/components/consoles/use-console-actions";
import { SqlCode } from "@/components/editor/sql-code";
import { useFindConnection } from "@/components/schema/use-schema";
import { lazyComponent } from "@/components/ui/lazy-component";
import { toOutcomeWords } from "@/lib/features/results/browser/result-words";
import { formatCountOf } from "@/lib/platform/browser/format";
import { loadAgain } from "@/lib/platform/browser/load-again";

// The grid and its row reader are not part of the panel's bundle.
const WholeResult = lazyComponent(
  () => loadAgain(() => import("@/components/agent/whole-result")),
  (module) => module.WholeResult,
);

type QueryCardProps = { tool: ToolPart; chatId: string; isBusy: boolean; isLast: boolean };

/**
 * A query of the agent: its text, the first rows, and a link into a console. Collapsed if it failed or another one
 * followed.
 */
export function QueryCard({ tool, chatId, isBusy, isLast }: QueryCardProps) {
  const { create } = useConsoleActions();
  const { connectionId } = tool.input;
  const connection = useFindConnection()(typeof connectionId === "string" ? connectionId : null);
  const dialect = useDialect(connection?.type);
  const isFailed = tool.state === "failed";
  const isRunning = tool.state === "running" && isBusy;
  const [isOpen, setIsOpen] = useState<boolean | null>(null);
  const [isWhole, setIsWhole] = useState(false);
  const isShown = isOpen ?? (isLast && !isFailed);
  const sql = String(tool.input.query ?? "");
  const output = toQueryOutput(tool);
  const open = () => {
    create(connection?.id ?? null, { content: sql });
    uncoverWork();
  };
  return (
    <div className="tool">
      <CardHead
        icon={SquareTerminal}
        title={isFailed ? "Query failed" : isRunning ? "Running query" : tool.state === "done" ? "Ran query" : "Query"}
        detail={connection ? `${connection.name}${connection.readOnly ? ", read-only" : ""}` : ""}
        end={
          tool.state === "done"
            ? `${toOutcomeWords(output, sql)}, ${Math.round(output.durationMs)} ms`
            : isRunning
              ? "..."
              : undefined
        }
        isFailed={isFailed}
        isOpen={isShown}
        onToggle={() => setIsOpen(!isShown)}
      />
      {isShown && (
        <>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls has to be reachable by the keyboard */}
          <pre className="sqls" tabIndex={0}>
            <SqlCode text={sql} dialect={dialect} />
          </pre>
          {isFailed && <p className="tool-error">{tool.errorText}</p>}
          {tool.state === "done" && output.fields.length > 0 && <MiniGrid output={output} />}
          {tool.state !== "running" && (
            <div className="row tool-foot xs t3">
              <span className="grow">{tool.state === "done" ? toShownWords(output) : ""}</span>
              {output.resultId !== null && output.rowCount > 0 && (
                <button type="button" className="link" onClick={() => setIsWhole(true)}>
                  View full result
                </button>
              )}
              <button type="button" className="link" onClick={open}>
                Open in console
              </button>
            </div>
          )}
        </>
      )}
      {isWhole && output.resultId !== null && (
        <WholeResult
          chatId={chatId}
          resultId={output.resultId}
          rowCount={output.rowCount}
          query={sql}
          dialect={dialect}
          onClose={() => setIsWhole(false)}
        />
      )}
    </div>
  );
}

function toShownWords({
  rows,
  rowCount,
  truncated,
}: {
  rows: unknown[];
  rowCount: number;
  truncated: boolean;
}): string {
  const shown = Math.min(SHOWN_ROWS, rows.length);
  if (rowCount === 0) return "No rows";
  return shown < rowCount || truncated ? `${shown} of ${formatCountOf(rowCount, "row")}` : "";
}
