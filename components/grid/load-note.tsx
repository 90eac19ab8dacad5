"use client";

import { CircleX } from "lucide-react";
import { useNow } from "@/components/ui/use-browser";
import type { LoadState } from "@/lib/features/results/browser/loaded-results";
import { formatCount, formatCountOf, formatDuration, toSize } from "@/lib/platform/browser/format";

type LoadNoteProps = {
  /** Number of loaded rows; there are more. */
  rowCount: number;
  load: LoadState | null;
  /** Next row limit for "Load more"; null if there is no higher one. */
  nextLimit: number | null;
  /** Reason why nothing can be loaded now; null when it can. */
  isDisabled: boolean;
  onLoadMore: () => void;
  onLoadAll: () => void;
  onCancel: () => void;
};

/** Note above a truncated result, with buttons to load more rows or all. */
export function LoadNote({ rowCount, load, nextLimit, isDisabled, onLoadMore, onLoadAll, onCancel }: LoadNoteProps) {
  const startedAt = load?.status === "loading" ? load.startedAt : null;
  const now = useNow(startedAt !== null, 100);
  if (load?.status === "loading") {
    const { value, unit } = toSize(load.progress.bytes);
    return (
      <div className="result-note num">
        <span className="line" aria-hidden="true">
          <i className="m" />
        </span>
        <span>
          Loading all rows: {formatCountOf(load.progress.rows, "row")}, {value} {unit},{" "}
          {formatDuration(Math.max(0, (now ?? load.startedAt) - load.startedAt))}
        </span>
        <button type="button" className="btn sm" onClick={onCancel}>
          Cancel loading
        </button>
      </div>
    );
  }
  if (load?.status === "loaded") {
    if (!load.end.isCut) return null;
    return (
      <div className="result-note" role="status">
        Loaded the first {formatCountOf(load.end.rows, "row")}, the browser limit. Export the result to get all rows.
      </div>
    );
  }
  return (
    <div className="result-note" role="status">
      {load?.status === "failed" && (
        <span className="st bad">
          <CircleX className="s" />
          {load.message}
        </span>
      )}
      {load === null && (
        <span>
          {rowCount === 0
            ? "No rows loaded. The row limit of the run was reached."
            : `First ${formatCountOf(rowCount, "row")}. More are available.`}
        </span>
      )}
      {nextLimit !== null && (
        <button type="button" className="btn sm" aria-disabled={isDisabled} onClick={() => !isDisabled && onLoadMore()}>
          Load up to {formatCount(nextLimit)}
        </button>
      )}
      <button type="button" className="btn sm" aria-disabled={isDisabled} onClick={() => !isDisabled && onLoadAll()}>
        Load all
      </button>
    </div>
  );
}
