"use client";

import { useEffect, useState } from "react";
import type { ConsoleRun } from "@/components/consoles/run-store";
import type { GridColumn } from "@/components/grid/use-result-columns";
import { RanBy } from "@/components/results/ran-by";
import type { Summed } from "@/lib/base/values/exact-sum";
import { isNumericField } from "@/lib/features/results/browser/cell-text";
import { type CellRange, countCells, toBounds } from "@/lib/features/results/browser/grid-selection";
import type { RowsSource } from "@/lib/features/results/browser/rows-source";
import { groupDigits } from "@/lib/platform/browser/exact-number";
import { formatCount, formatCountOf } from "@/lib/platform/browser/format";
import "@/components/ui/foot.css";

type FootProps = {
  run: ConsoleRun;
  source: RowsSource;
  columns: GridColumn[];
  range: CellRange | null;
  back?: { label: string; go: () => void };
  isPinned: boolean;
  onPin: (isPinned: boolean) => void;
  /** Runs a stored result's query again; null for the rows of this page, and if it cannot run. */
  onRunAgain: (() => void) | null;
};

/** Foot of a result: row count, summary of the selected cells, and time of the run. */
export function SelectionFoot({ run, source, columns, range, back, isPinned, onPin, onRunAgain }: FootProps) {
  const summary = useSummary(source, columns, range);
  return (
    <div className="foot num">
      <span>
        {formatCount(source.count)} of {formatCountOf(source.total, "row")}
      </span>
      {source.isArranging && <span className="st run">Sorting rows</span>}
      {summary && (
        <span>
          {formatCount(summary.count)} cells
          {summary.sums && (
            <>
              : sum <b>{groupDigits(summary.sums.sum)}</b>, avg <b>{groupDigits(summary.sums.average)}</b>, min{" "}
              <b>{groupDigits(summary.sums.min)}</b>, max <b>{groupDigits(summary.sums.max)}</b>
            </>
          )}
        </span>
      )}
      <span className="grow" />
      {back && (
        <button type="button" className="link" onClick={back.go}>
          {back.label}
        </button>
      )}
      <button type="button" className="link" aria-pressed={isPinned} onClick={() => onPin(!isPinned)}>
        {isPinned ? "Unpin" : "Pin"}
        <span className="sr-only"> this result</span>
      </button>
      <span className="t3">
        <RanBy run={run} />
      </span>
      {onRunAgain && (
        <button type="button" className="link" onClick={onRunAgain}>
          Run again
        </button>
      )}
    </div>
  );
}

type Summary = { count: number; sums: Summed | null };

/**
 * Summarises the selected cells.
 * @returns null for a single cell; without sums if no selected cell is a number, or there are too many
 */
function useSummary(source: RowsSource, columns: GridColumn[], range: CellRange | null): Summary | null {
  const [sums, setSums] = useState<Summary["sums"]>(null);
  const bounds = range && toBounds(range);
  const count = bounds === null || bounds.top < 0 ? 0 : countCells(bounds);
  const numeric =
    bounds === null || count < 2 || count > source.summedCellsMax
      ? ""
      : columns
          .slice(bounds.left, bounds.right + 1)
          .filter(({ field }) => isNumericField(field))
          .map(({ index }) => index)
          .join();
  const top = bounds?.top ?? 0;
  const bottom = bounds?.bottom ?? 0;
  const { arrangement } = source;
  // biome-ignore lint/correctness/useExhaustiveDependencies: another arrangement puts other rows in the range
  useEffect(() => {
    setSums(null);
    if (numeric === "") return;
    let isStale = false;
    source.sum(numeric.split(",").map(Number), top, bottom + 1).then(
      (summed) => !isStale && setSums(summed),
      () => {},
    );
    return () => {
      isStale = true;
    };
  }, [source, arrangement, numeric, top, bottom]);
  return count < 2 ? null : { count, sums };
}
