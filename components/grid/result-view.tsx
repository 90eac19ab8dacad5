"use client";

import { useState } from "react";
import { NoRows } from "@/components/grid/no-rows";
import { ResultSet, type ResultViewProps } from "@/components/grid/result-set";
import { formatRows } from "@/lib/ui/format";

/** The results of a run: one set, or several with a switch between them. */
export function ResultView(props: ResultViewProps) {
  const sets = props.run.statements.flatMap(({ outcome, statement }) =>
    outcome.status === "done" ? [{ answer: outcome.answer, text: statement.text }] : [],
  );
  const [at, setAt] = useState(sets.length - 1);
  const set = sets[at] ?? sets[0];
  if (!set) return null;
  return (
    <>
      {sets.length > 1 && (
        <div className="result-sets" role="tablist" aria-label="Results">
          {sets.map(({ answer, text }, i) => (
            <button
              key={answer.executionId}
              type="button"
              role="tab"
              aria-selected={i === at}
              className={i === at ? "btn sm on" : "btn sm ghost"}
              title={text}
              onClick={() => setAt(i)}
            >
              {i + 1}
              <span className="num">{formatRows(answer.rowCount)}</span>
            </button>
          ))}
        </div>
      )}
      {set.answer.rows.length === 0 ? (
        <NoRows answer={set.answer} onShowQuery={props.onShowQuery} />
      ) : (
        <ResultSet key={set.answer.executionId} {...props} answer={set.answer} statement={set.text} />
      )}
    </>
  );
}
