"use client";

import { Table2 } from "lucide-react";
import type { ExecuteAnswer } from "@/lib/features/query/browser/api";
import { toChangeWord } from "@/lib/features/results/browser/result-words";
import { formatCountOf, formatDuration } from "@/lib/platform/browser/format";

type NoRowsProps = { answer: ExecuteAnswer; statement: string; onShowQuery: () => void };

/** Empty state of a statement that returned no rows. */
export function NoRows({ answer, statement, onShowQuery }: NoRowsProps) {
  const count = answer.fields.length;
  const { affectedRows } = answer;
  const ran =
    affectedRows === null ? "Statement completed" : `${formatCountOf(affectedRows, "row")} ${toChangeWord(statement)}`;
  return (
    <div className="result-fill center">
      <div className="empty">
        <span className="empty-mark">
          <Table2 />
        </span>
        <h2>{count === 0 ? ran : "No rows"}</h2>
        <p>
          {count === 0
            ? `${affectedRows === null ? "No rows returned. " : ""}${formatDuration(answer.durationMs)}.`
            : `${formatCountOf(count, "column")}, ${formatDuration(answer.durationMs)}. Check your filters and joins.`}
        </p>
        <div className="row">
          <button type="button" className="btn" onClick={onShowQuery}>
            Go to query
          </button>
        </div>
      </div>
    </div>
  );
}
