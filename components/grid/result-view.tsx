"use client";

import { useState } from "react";
import { NoRows } from "@/components/grid/no-rows";
import { ResultSet } from "@/components/grid/result-set";
import type { Run } from "@/components/workspace/run-store";
import type { KeptChart } from "@/components/workspace/use-console-chart";
import type { Connection } from "@/lib/connections/schema";
import { formatRows } from "@/lib/ui/format";

export type ResultViewProps = {
  run: Run;
  connection: Connection | null;
  /** The console's name: files are called after it. */
  consoleName: string;
  canRun: boolean;
  /** The chart that is kept with the console; null when it has none yet. */
  chart: KeptChart | null;
  onChart: (chart: KeptChart) => void;
  onLoadMore: () => void;
  onShowQuery: () => void;
  /** The way back from a kept result to what happened since. */
  back?: { label: string; go: () => void };
};

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
