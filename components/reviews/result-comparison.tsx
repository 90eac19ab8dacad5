"use client";

import { GitCompare, Square } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { useWorkspace } from "@/components/layout/workspace-context";
import { Notice } from "@/components/ui/notice";
import { toMessage } from "@/components/ui/to-message";
import { useOutage } from "@/components/ui/use-browser";
import type { CellValue, ResultField } from "@/lib/base/values/json-rows";
import { isNumericField, toCellText } from "@/lib/features/results/browser/cell-text";
import { reviewApi } from "@/lib/features/reviews/browser/client";
import type { Comparison, ReviewDetail } from "@/lib/features/reviews/schema";
import { formatCountOf } from "@/lib/platform/browser/format";

type Part = Comparison["parts"][number];
type Side = NonNullable<Part["before"]>;
type State =
  | { kind: "idle" }
  | { kind: "running" }
  | { kind: "failed"; message: string }
  | { kind: "done"; comparison: Comparison };

/** Runs both versions of a file when the user asks for it, and shows which rows differ. */
export function ResultComparison({ review, path }: { review: ReviewDetail; path: string }) {
  const { workspace } = useWorkspace();
  const outage = useOutage();
  const isPublished = review.pullRequest !== null;
  const [state, setState] = useState<State>({ kind: "idle" });
  const running = useRef<AbortController | null>(null);
  useEffect(() => () => running.current?.abort(), []);

  const compare = async () => {
    const stop = new AbortController();
    running.current = stop;
    setState({ kind: "running" });
    try {
      const comparison = await reviewApi.compare(
        workspace.id,
        review.name,
        { path, publish: isPublished },
        stop.signal,
      );
      setState({ kind: "done", comparison });
    } catch (error) {
      setState(stop.signal.aborted ? { kind: "idle" } : { kind: "failed", message: toMessage(error) });
    }
  };
  return (
    <div className="review-results">
      <div className="row xs">
        {state.kind === "running" ? (
          // The second click of a double click on Compare must not cancel.
          <button type="button" className="btn sm" onClick={({ detail }) => detail < 2 && running.current?.abort()}>
            <Square className="s" />
            Cancel
          </button>
        ) : (
          <button type="button" className="btn sm" disabled={outage !== null} onClick={() => void compare()}>
            <GitCompare className="s" />
            Compare results
          </button>
        )}
        <span className="t3" role="status">
          {state.kind === "running"
            ? "Running both versions"
            : `Runs both versions, read-only${isPublished ? ". Adds row counts to the pull request" : ""}`}
        </span>
      </div>
      {state.kind === "failed" && (
        <Notice kind="bad" role="alert">
          {state.message}
        </Notice>
      )}
      {state.kind === "done" && state.comparison.parts.length === 0 && (
        <p className="t2 xs" role="status">
          No changed results.
        </p>
      )}
      {state.kind === "done" &&
        state.comparison.parts.map((part) => (
          <PartView key={part.id} part={part} isTitled={state.comparison.kind === "dashboard"} />
        ))}
    </div>
  );
}

function PartView({ part, isTitled }: { part: Part; isTitled: boolean }) {
  const { before, after, addedCount, removedCount, changedCount } = part;
  const isSame = addedCount + removedCount + changedCount === 0 && !before?.error && !after?.error;
  return (
    <section className="review-part" aria-label={`Results of ${part.title}`}>
      {isTitled && <h3 className="b5">{part.title}</h3>}
      <div className="row xs review-counts">
        <SideWords name="Main" side={before} />
        <SideWords name="Review" side={after} />
        {isSame ? (
          <span className="tag">Same rows</span>
        ) : (
          <>
            <span className="num review-added">{formatCountOf(addedCount, "row")} added</span>
            <span className="num review-deleted">{formatCountOf(removedCount, "row")} removed</span>
            <span className="num">{formatCountOf(changedCount, "row")} changed</span>
          </>
        )}
        {part.key !== null && <span className="t3">by {part.key}</span>}
      </div>
      {!isSame && <DiffTable part={part} />}
    </section>
  );
}

function SideWords({ name, side }: { name: string; side: Side | null }) {
  if (!side) return <span className="t3">{name}: no file</span>;
  if (side.error !== null) {
    return (
      <span className="review-deleted">
        {name}: {side.error}
      </span>
    );
  }
  return (
    <span className="t2 num">
      {name}: {side.truncated ? "first " : ""}
      {formatCountOf(side.rowCount, "row")}
    </span>
  );
}

function DiffTable({ part }: { part: Part }) {
  const names = new Map<string, ResultField>();
  for (const side of [part.before, part.after]) {
    for (const field of side?.fields ?? []) names.set(field.name, field);
  }
  const fields = [...names.values()];
  const rows = [
    ...part.changed.map(({ before, after }) => ({ sign: "±", words: "Changed", before, after })),
    ...part.removed.map((before) => ({ sign: "-", words: "Removed", before, after: null })),
    ...part.added.map((after) => ({ sign: "+", words: "Added", before: null, after })),
  ];
  if (rows.length === 0) return null;
  const shown = part.changed.length + part.removed.length + part.added.length;
  const all = part.changedCount + part.removedCount + part.addedCount;
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls has to be reachable by the keyboard */}
      <section className="review-rows" aria-label={`Changed rows of ${part.title}`} tabIndex={0}>
        <table className="mini" aria-label={`Changed rows of ${part.title}`}>
          <thead>
            <tr>
              <th>
                <span className="sr-only">Change</span>
              </th>
              {fields.map((field) => (
                <th key={field.name} className={isNumericField(field) ? "r" : undefined}>
                  {field.name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map(({ sign, words, before, after }, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: rows have no more than their place
              <tr key={index}>
                <td>
                  <span aria-hidden="true">{sign}</span>
                  <span className="sr-only">{words}</span>
                </td>
                {fields.map((field) => (
                  <Cell key={field.name} field={field} before={before} after={after} />
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      {all > shown && <p className="t3 xs">Only the first {formatCountOf(shown, "row")} are shown.</p>}
    </>
  );
}

type Row = Record<string, unknown> | null;

function Cell({ field, before, after }: { field: ResultField; before: Row; after: Row }) {
  const [old, now] = [before?.[field.name], after?.[field.name]];
  const isChanged = before !== null && after !== null && JSON.stringify(old) !== JSON.stringify(now);
  return (
    <td className={isNumericField(field) ? "r" : undefined}>
      {before !== null && (isChanged || after === null) && (
        <del>
          <Value value={old} field={field} />
        </del>
      )}{" "}
      {after !== null &&
        (isChanged || before === null ? (
          <ins>
            <Value value={now} field={field} />
          </ins>
        ) : (
          <Value value={now} field={field} />
        ))}
    </td>
  );
}

function Value({ value, field }: { value: unknown; field: ResultField }) {
  return value === null || value === undefined ? <i className="t3">null</i> : toCellText(value as CellValue, field);
}
