"use client";

import { SquareTerminal } from "lucide-react";
import { useState } from "react";
import { MiniGrid, SHOWN_ROWS } from "@/components/agent/mini-grid";
import { CardHead } from "@/components/agent/step-line";
import { type ToolPart, toQueryOutput } from "@/components/agent/tool-parts";
import { SqlCode } from "@/components/editor/sql-code";
import { useDialect } from "@/components/workspace/use-connection-types";
import { useConsoleActions } from "@/components/workspace/use-console-actions";
import { updateFrame } from "@/components/workspace/use-frame";
import { useConnections } from "@/components/workspace/use-schema";
import { formatRows } from "@/lib/ui/format";

/** A query that the agent runs: its text, the first rows, and the way into a console. Folded when it failed, or another one followed. */
export function QueryCard({ tool, isBusy, isLast }: { tool: ToolPart; isBusy: boolean; isLast: boolean }) {
  const { create } = useConsoleActions();
  const { data: connections = [] } = useConnections();
  const connection = connections.find(({ id }) => id === tool.input.connectionId);
  const dialect = useDialect(connection?.type);
  const isFailed = tool.state === "failed";
  const isRunning = tool.state === "running" && isBusy;
  const [isOpen, setIsOpen] = useState<boolean | null>(null);
  const isShown = isOpen ?? (isLast && !isFailed);
  const sql = String(tool.input.query ?? "");
  const output = toQueryOutput(tool);
  const open = () => {
    create(connection?.id ?? null, { content: sql });
    if (matchMedia("(max-width: 1200px)").matches) updateFrame({ agentOpen: false });
  };
  return (
    <div className="tool">
      <CardHead
        icon={SquareTerminal}
        title={
          isFailed ? "A query failed" : isRunning ? "Running a query" : tool.state === "done" ? "Ran a query" : "Query"
        }
        detail={connection ? `${connection.name}${connection.readOnly ? ", read-only" : ""}` : ""}
        end={
          tool.state === "done"
            ? `${formatRows(output.rowCount)}, ${Math.round(output.durationMs)} ms`
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
              <button type="button" className="link" onClick={open}>
                Open in a console
              </button>
            </div>
          )}
        </>
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
  return shown < rowCount || truncated ? `${shown} of ${rowCount.toLocaleString("en")} rows` : "";
}
