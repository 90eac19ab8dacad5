"use client";

import { useVirtualizer } from "@tanstack/react-virtual";
import { useMemo, useRef } from "react";
import type { ResultTable } from "@/components/grid/use-result-table";
import { planCards } from "@/lib/ui/cards";
import { type ResultField, type ResultRow, toCellText } from "@/lib/ui/cell-text";
import type { CellPlace } from "@/lib/ui/grid-selection";

const CARD_PX = 76;

type CardsProps = { table: ResultTable; fields: ResultField[]; onInspect: (place: CellPlace) => void };

/** A result on a phone: a card a row, the first text as its title, the sorted number at the right with a bar. */
export function ResultCards({ table, fields, onInspect }: CardsProps) {
  const scrollRef = useRef<HTMLDivElement>(null);
  const rows = table.getRowModel().rows;
  const plan = planCards(fields, table.state.sorting[0]?.id ?? null);
  const title = fields[plan.title];
  const figure = plan.figure === null ? undefined : fields[plan.figure];
  const largest = useMemo(
    () =>
      findLargest(
        rows.map(({ original }) => original),
        figure,
      ),
    [rows, figure],
  );
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scrollRef.current,
    estimateSize: () => CARD_PX,
    overscan: 6,
  });
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, and the keyboard has to reach it
    <section ref={scrollRef} className="cards" aria-label="Rows" tabIndex={0}>
      <ul style={{ height: virtual.getTotalSize(), position: "relative" }}>
        {virtual.getVirtualItems().map(({ index, start }) => {
          const row = rows[index]?.original;
          if (!row) return null;
          const share = figure && largest > 0 ? Math.max(0, Number(row[figure.name] ?? 0) / largest) : null;
          return (
            <li
              key={index}
              ref={virtual.measureElement}
              data-index={index}
              className="rec"
              style={{ transform: `translateY(${start}px)` }}
            >
              <button type="button" className="big trunc" onClick={() => onInspect({ row: index, column: plan.title })}>
                {toText(row, title)}
              </button>
              {figure && <span className="big fig num">{toText(row, figure)}</span>}
              {plan.rest.length > 0 && (
                <span className="rest num trunc">{plan.rest.map((i) => toNamed(row, fields[i])).join(", ")}</span>
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

function toText(row: ResultRow, field: ResultField | undefined): string {
  const value = field && row[field.name];
  return field === undefined || value === null || value === undefined ? "null" : toCellText(value, field);
}

function toNamed(row: ResultRow, field: ResultField | undefined): string {
  return field === undefined ? "" : `${field.name} ${toText(row, field)}`;
}

function findLargest(rows: ResultRow[], field: ResultField | undefined): number {
  if (field === undefined) return 0;
  return rows.reduce((most, row) => Math.max(most, Number(row[field.name] ?? 0) || 0), 0);
}
