"use client";

import { useMemo } from "react";
import type { Run } from "@/components/console/run-store";
import { isNumericField, type ResultField, type ResultRow, toPlainText } from "@/lib/ui/cell-text";
import { groupDigits, sumNumberTexts } from "@/lib/ui/exact-number";
import { formatClock, formatCount } from "@/lib/ui/format";
import { type CellRange, countCells, toBounds } from "@/lib/ui/grid-selection";

/** Adding up more cells than this would make the selection lag behind the pointer. */
const SUMMED_CELLS_MAX = 100_000;

type FootProps = {
  run: Run;
  shownCount: number;
  totalCount: number;
  range: CellRange | null;
  rows: { original: ResultRow }[];
  fields: ResultField[];
  back?: { label: string; go: () => void };
};

/** Below the grid: how many rows, what the selected cells come to, and when it was run. */
export function SelectionFoot({ run, shownCount, totalCount, range, rows, fields, back }: FootProps) {
  const summary = useMemo(() => summarize(range, rows, fields), [range, rows, fields]);
  const at = new Date(run.endedAt ?? run.startedAt);
  return (
    <div className="foot num">
      <span>
        {formatCount(shownCount)} of {formatCount(totalCount)} {totalCount === 1 ? "row" : "rows"}
      </span>
      {summary && (
        <span>
          {formatCount(summary.count)} cells
          {summary.sum !== null && (
            <>
              : sum <b>{groupDigits(summary.sum)}</b>, avg <b>{groupDigits(summary.average)}</b>
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
      <time className="t3" dateTime={at.toISOString()} title={at.toString()}>
        Ran {formatClock(at)} by you
      </time>
    </div>
  );
}

type Summary = { count: number; sum: string; average: string } | { count: number; sum: null };

/** @returns null for a single cell; without a sum when no selected cell is a number, or there are too many */
function summarize(range: CellRange | null, rows: { original: ResultRow }[], fields: ResultField[]): Summary | null {
  if (range === null) return null;
  const bounds = toBounds(range);
  const count = countCells(bounds);
  if (bounds.top < 0 || count < 2) return null;
  if (count > SUMMED_CELLS_MAX) return { count, sum: null };
  const numeric = fields.slice(bounds.left, bounds.right + 1).filter(isNumericField);
  const texts = rows
    .slice(bounds.top, bounds.bottom + 1)
    .flatMap(({ original }) => numeric.map(({ name }) => toPlainText(original[name])));
  const sums = sumNumberTexts(texts.filter((text) => text !== ""));
  return sums === null ? { count, sum: null } : { count, ...sums };
}
