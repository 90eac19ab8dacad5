"use client";

import { type KeyboardEvent, useEffect, useEffectEvent, useMemo, useRef, useState } from "react";
import type { CellTests } from "@/components/grid/grid-row";
import type { GridColumn } from "@/components/grid/use-result-columns";
import { announce } from "@/components/ui/live-region";
import type { CellLook } from "@/lib/base/values/cell-look";
import { type Found, findFrom, toCellTest } from "@/lib/features/results/browser/find-rows";
import type { CellPosition, CellRange } from "@/lib/features/results/browser/grid-selection";
import type { RowsSource } from "@/lib/features/results/browser/rows-source";
import { formatCount } from "@/lib/platform/browser/format";

type FindProps = {
  source: RowsSource;
  columns: GridColumn[];
  look: CellLook;
  range: CellRange | null;
  onRange: (range: CellRange) => void;
  show: (cell: CellPosition) => void;
};
/** A finished search: its matches, the number of searched rows, its duration, and the current match, -1 for none. */
type Search = { found: Found; rows: number; ms: number; at: number };
export type Find = ReturnType<typeof useFind>;

/** Searches the loaded rows of a grid, and steps through the matching cells by selecting them. */
export function useFind({ source, columns, look, range, onRange, show }: FindProps) {
  const [isOpen, setIsOpen] = useState(false);
  const [text, setText] = useState("");
  const [only, setOnly] = useState<number | null>(null);
  const [search, setSearch] = useState<Search | null>(null);
  const inputRef = useRef<HTMLInputElement>(null);
  const order = columns.map(({ index }) => index).join();
  const { arrangement, count, isArranging } = source;
  /** The search that has moved the selection: later results of the same search leave it. */
  const moved = useRef("");

  const go = (found: Found, at: number) => {
    const row = found.rows[at];
    if (row === undefined) return;
    const cell = { row, column: found.places[at] ?? 0 };
    onRange({ anchor: cell, head: cell });
    show(cell);
  };
  const onFound = useEffectEvent((found: Found, ms: number) => {
    const { row, column } = range?.head ?? { row: 0, column: 0 };
    const at = findFrom(found, row, column);
    setSearch({ found, rows: count, ms, at });
    const asked = `${only} ${text}`;
    if (moved.current === asked) return;
    moved.current = asked;
    if (at < 0) announce("No matches");
    else go(found, at);
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: another arrangement shows other rows, and more may arrive
  useEffect(() => {
    if (!isOpen || text === "" || isArranging) {
      setSearch(null);
      return;
    }
    let isStale = false;
    const since = performance.now();
    const ask = { text, columns: order === "" ? [] : order.split(",").map(Number), only, look };
    source.find(ask).then(
      (found) => found !== "stale" && !isStale && onFound(found, performance.now() - since),
      () => {},
    );
    return () => {
      isStale = true;
    };
  }, [isOpen, text, only, look, source, order, arrangement, count, isArranging]);

  const tests = useMemo<CellTests | null>(() => {
    if (!isOpen || text === "") return null;
    const searched = source.fields.map((field, index) => ({ field, index }));
    return new Map(
      searched
        .filter(({ index }) => only === null || only === index)
        .map(({ field, index }) => [index, toCellTest(field, text.toLowerCase(), look)]),
    );
  }, [isOpen, text, only, look, source.fields]);

  const focus = () => inputRef.current?.select();
  const close = () => {
    setIsOpen(false);
    moved.current = "";
  };
  return {
    isOpen,
    text,
    setText,
    only,
    setOnly,
    search,
    tests,
    inputRef,
    close,
    /** @param column index of the only column to search; null for all */
    open: (column: number | null) => {
      setOnly(column);
      setIsOpen(true);
      focus();
    },
    /** Selects the next match, or the previous one, from the active cell. */
    step: (by: 1 | -1) => {
      if (search === null || search.at < 0) return;
      const { found } = search;
      const { row, column } = range?.head ?? { row: 0, column: 0 };
      const near = findFrom(found, row, column);
      const isOn = found.rows[near] === row && found.places[near] === column;
      const { length } = found.rows;
      const at = (near + (by < 0 ? -1 : isOn ? 1 : 0) + length) % length;
      setSearch({ ...search, at });
      go(found, at);
      announce(`Match ${formatCount(at + 1)} of ${formatCount(length)}`);
    },
    /** Handles the keys of the grid that open and close the search. @returns whether it was one */
    onKeyDown: (event: KeyboardEvent): boolean => {
      const isFind = (event.metaKey || event.ctrlKey) && !event.shiftKey && !event.altKey && event.key === "f";
      const isClose = isOpen && event.key === "Escape" && event.target === event.currentTarget;
      if (isFind) {
        setIsOpen(true);
        focus();
      } else if (isClose) close();
      if (isFind || isClose) {
        event.preventDefault();
        event.stopPropagation();
      }
      return isFind || isClose;
    },
  };
}
