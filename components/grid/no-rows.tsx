"use client";

import { Table2 } from "lucide-react";
import type { ExecuteAnswer } from "@/lib/client/api";
import { formatDuration } from "@/lib/ui/format";

/** A statement that ran and gave no rows. */
export function NoRows({ answer, onShowQuery }: { answer: ExecuteAnswer; onShowQuery: () => void }) {
  const count = answer.fields.length;
  return (
    <div className="result-fill center">
      <div className="empty">
        <span className="empty-mark">
          <Table2 />
        </span>
        <h2>{count === 0 ? "The statement ran" : "The query ran and found no rows"}</h2>
        <p>
          {count === 0
            ? `It gives no rows back. ${formatDuration(answer.durationMs)}.`
            : `${count} ${count === 1 ? "column" : "columns"}, ${formatDuration(answer.durationMs)}. Loosen a filter, or look at which join leaves nothing over.`}
        </p>
        <div className="row">
          <button type="button" className="btn" onClick={onShowQuery}>
            Go to the query
          </button>
        </div>
      </div>
    </div>
  );
}
