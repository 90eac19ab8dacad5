"use client";

import { useVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useMemo, useRef } from "react";
import type { GridColumn } from "@/components/grid/use-result-columns";
import { planCards } from "@/lib/features/results/browser/cards";
import { toCellText } from "@/lib/features/results/browser/cell-text";
import type { CellPosition } from "@/lib/features/results/browser/grid-selection";
import type { RowsSource } from "@/lib/features/results/browser/rows-source";

const CARD_PX = 76;
/** Browsers limit an element's height, and little more fits; cards are read one by one anyway. */
const CARDS_MAX = 100_000;

type CardsProps = { source: RowsSource; columns: GridColumn[]; onInspect: (place: CellPosition) => void };

/** Result on a phone: one card per row, titled by the first text, with the sorted number and a bar at the right. */
export function ResultCards({ source, columns, onInspect }: CardsProps) {
  const scrollRef = useRef<HTMLDivElement>(null);
  const { sort } = source.arrangement;
  const fields = columns.map(({ field }) => field);
  const plan = planCards(fields, sort === null ? null : (source.fields[sort.column]?.name ?? null));
  const figure = plan.figure === null ? undefined : columns[plan.figure];
  const largest = useMemo(() => findLargest(source, figure), [source, figure]);
  const count = Math.min(CARDS_MAX, source.count);
  const virtual = useVirtualizer({
    count,
    getScrollElement: () => scrollRef.current,
    estimateSize: () => CARD_PX,
    overscan: 6,
  });
  const inSight = virtual.getVirtualItems();
  const from = inSight[0]?.index ?? 0;
  const to = (inSight.at(-1)?.index ?? -1) + 1;
  const { version } = source;
  // biome-ignore lint/correctness/useExhaustiveDependencies: in another order the same places have other rows
  useEffect(() => source.want(from, to), [source, version, from, to]);
  const toText = (row: number, column: GridColumn | undefined) => {
    if (column === undefined) return "null";
    const substitute = source.mark?.(row)?.cell(column.index)?.substitute;
    if (substitute !== undefined) return substitute;
    const value = source.cell(row, column.index);
    return value === undefined ? "" : value === null ? "null" : toCellText(value, column.field);
  };
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, and the keyboard has to reach it
    <section ref={scrollRef} className="cards" aria-label="Rows" tabIndex={0}>
      <ul style={{ height: virtual.getTotalSize(), position: "relative" }}>
        {inSight.map(({ index, start }) => {
          const amount = figure && Number(source.cell(index, figure.index) ?? 0);
          const mark = source.mark?.(index) ?? null;
          const share = amount !== undefined && largest > 0 ? Math.max(0, amount / largest) : null;
          return (
            <li
              key={index}
              ref={virtual.measureElement}
              data-index={index}
              className={mark ? `rec ${mark.className}` : "rec"}
              style={{ transform: `translateY(${start}px)` }}
            >
              <button type="button" className="big trunc" onClick={() => onInspect({ row: index, column: plan.title })}>
                {toText(index, columns[plan.title])}
              </button>
              {figure && <span className="big fig num">{toText(index, figure)}</span>}
              {plan.rest.length > 0 && (
                <span className="rest num trunc">
                  {plan.rest.map((i) => `${columns[i]?.field.name} ${toText(index, columns[i])}`).join(", ")}
                </span>
              )}
              {share !== null && (
                <span className="track" aria-hidden="true">
                  <b style={{ width: `${Math.min(100, 100 * share)}%` }} />
                </span>
              )}
            </li>
          );
        })}
      </ul>
    </section>
  );
}

function findLargest({ sample }: RowsSource, figure: GridColumn | undefined): number {
  if (figure === undefined) return 0;
  let largest = 0;
  for (let row = 0; row < sample.rowCount; row += 1) {
    largest = Math.max(largest, Number(sample.at(row, figure.index) ?? 0) || 0);
  }
  return largest;
}
