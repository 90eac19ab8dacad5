// biome-ignore-all lint/a11y/useSemanticElements: a table cannot have virtual rows and columns; the roles say what it is
// biome-ignore-all lint/a11y/useFocusableInteractive: the fields inside have the focus
"use client";

import { ListFilter, X } from "lucide-react";
import { useState } from "react";
import type { PlacedColumn } from "@/components/grid/grid-row";
import type { ResultField } from "@/lib/base/values/json-rows";
import {
  type ColumnFilter,
  parseFilter,
  toFilterWords,
  toTypedFilter,
} from "@/lib/features/results/browser/column-filter";

type FilterRowProps = {
  baseId: string;
  columns: PlacedColumn[];
  filters: ColumnFilter[];
  width: number;
  indexWidth: number;
  onFilter: (column: number, filter: ColumnFilter | null) => void;
  /** Moves the focus back to the cells. */
  onLeave: () => void;
};

/** Row of column filters below the heads. An active filter is shown in words. */
export function FilterRow({ baseId, columns, filters, width, indexWidth, onFilter, onLeave }: FilterRowProps) {
  return (
    <div className="rg-filters" role="row" style={{ width }}>
      <div className="rg-index" role="gridcell" aria-colindex={1} aria-label="Filters" style={{ width: indexWidth }}>
        <ListFilter className="s" />
      </div>
      {columns.map(({ index, field, place, left, width: columnWidth, isPinned }) => {
        const filter = filters.find(({ column }) => column === index) ?? null;
        return (
          <div
            key={index}
            role="gridcell"
            aria-colindex={place + 2}
            className={isPinned ? "rg-filter pin" : "rg-filter"}
            style={{ left, width: columnWidth }}
          >
            <FilterField
              // A filter set elsewhere replaces the typed text.
              key={filter === null ? "" : toTypedFilter(filter)}
              id={toFilterId(baseId, index)}
              field={field}
              filter={filter}
              onChange={(typed) => {
                const condition = parseFilter(typed, field);
                onFilter(index, condition && { ...condition, column: index });
              }}
              onLeave={onLeave}
            />
          </div>
        );
      })}
    </div>
  );
}

/** Returns the id of a column's filter input. */
export function toFilterId(baseId: string, column: number): string {
  return `${baseId}-filter-${column}`;
}

type FilterFieldProps = {
  id: string;
  field: ResultField;
  filter: ColumnFilter | null;
  onChange: (typed: string) => void;
  onLeave: () => void;
};

function FilterField({ id, field, filter, onChange, onLeave }: FilterFieldProps) {
  const kept = filter === null ? "" : toTypedFilter(filter);
  const [typed, setTyped] = useState(kept);
  const [isTyping, setIsTyping] = useState(false);
  const isOn = filter !== null;
  return (
    <div className={isOn ? "filter-field on" : "filter-field"}>
      <input
        id={id}
        aria-label={`Filter ${field.name}`}
        title="Examples: >= 300, < 10, != north, null, in (north, coast)"
        placeholder="Filter"
        // Shown in words while the input has no focus.
        value={isOn && !isTyping ? toFilterWords(filter, field) : typed}
        onFocus={() => setIsTyping(true)}
        onChange={(event) => setTyped(event.target.value)}
        onBlur={() => {
          setIsTyping(false);
          if (typed !== kept) onChange(typed);
        }}
        onKeyDown={(event) => {
          // The grid's keys would act on the cells.
          event.stopPropagation();
          if (event.key === "Enter") {
            event.preventDefault();
            if (typed !== kept) onChange(typed);
            onLeave();
          } else if (event.key === "Escape") {
            event.preventDefault();
            setTyped(kept);
            onLeave();
          }
        }}
      />
      {isOn && (
        <button type="button" aria-label={`Clear filter on ${field.name}`} onClick={() => onChange("")}>
          <X className="xs" />
        </button>
      )}
    </div>
  );
}
