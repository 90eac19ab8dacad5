"use client";

import { useVirtualizer } from "@tanstack/react-virtual";
import { type RefObject, useEffect, useMemo, useRef, useState } from "react";
import type { PlacedColumn } from "@/components/grid/grid-row";
import { placeColumns } from "@/components/grid/place-columns";
import type { GridColumn } from "@/components/grid/use-result-columns";
import { useScaledScroll } from "@/components/grid/use-scaled-scroll";
import type { CellPosition } from "@/lib/features/results/browser/grid-selection";
import type { RowsSource } from "@/lib/features/results/browser/rows-source";

const INDEX_PX = { min: 46, padding: 24, digit: 8 };
/** Rows rendered above and below the visible ones. */
const OVERSCAN_ROWS = 6;
/** Rows fetched around the visible ones while scrolling is slow enough to reach them row by row. */
const NEAR_ROWS = 128;

/** The rendered part of a grid. Sizes and positions are CSS pixels; `from` and `to` are rows, `to` is excluded. */
export type GridLayout = {
  scroll: ReturnType<typeof useScaledScroll>;
  width: number;
  indexWidth: number;
  /** The rendered columns: the pinned ones, and those in sight. */
  drawn: PlacedColumn[];
  from: number;
  to: number;
  /** Number of elements that rows reuse: as many as fit, rounded up, so that none is shared. */
  slots: number;
  /** Scrolls a cell into view. A row below 0 is the head, which is always visible. */
  show: (cell: CellPosition) => void;
};

/** Lays out virtual rows and columns with pinned ones at the left, and requests the rows around the visible ones. */
export function useGridLayout(
  scrollRef: RefObject<HTMLDivElement | null>,
  { source, columns, rowPx, headPx }: { source: RowsSource; columns: GridColumn[]; rowPx: number; headPx: number },
): GridLayout {
  const { count, version } = source;
  const viewWidth = useWidth(scrollRef);
  const indexWidth = Math.max(INDEX_PX.min, INDEX_PX.padding + String(source.total).length * INDEX_PX.digit);
  const scroll = useScaledScroll(scrollRef, count, rowPx, headPx);
  const { width, placed, pinnedWidth } = useMemo(
    () => placeColumns(columns, indexWidth, viewWidth),
    [columns, indexWidth, viewWidth],
  );
  const loose = useMemo(() => placed.filter(({ isPinned }) => !isPinned), [placed]);
  const columnVirtual = useVirtualizer({
    horizontal: true,
    count: loose.length,
    getScrollElement: () => scrollRef.current,
    estimateSize: (i) => loose[i]?.width ?? 0,
    paddingStart: pinnedWidth,
    scrollPaddingStart: pinnedWidth,
    overscan: 3,
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: the columns are measured again after one has changed
  useEffect(() => columnVirtual.measure(), [loose, columnVirtual]);
  const inSight = columnVirtual.getVirtualItems();
  const firstLoose = inSight[0]?.index ?? 0;
  const lastLoose = inSight.at(-1)?.index ?? -1;
  // Kept while the same columns are visible, so that rows that only move are not rendered again.
  const drawn = useMemo(
    () => [...placed.filter(({ isPinned }) => isPinned), ...loose.slice(firstLoose, lastLoose + 1)],
    [placed, loose, firstLoose, lastLoose],
  );
  const from = Math.max(0, scroll.first - OVERSCAN_ROWS);
  const to = Math.min(count, scroll.last + OVERSCAN_ROWS);
  const lastFrom = useRef(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: in another order the same places have other rows
  useEffect(() => {
    const isNear = Math.abs(from - lastFrom.current) < NEAR_ROWS;
    lastFrom.current = from;
    // Visible rows come first: while scrolling fast, no surrounding rows are fetched.
    source.want(from, to);
    if (isNear) source.want(Math.max(0, from - NEAR_ROWS), Math.min(count, to + NEAR_ROWS), false);
  }, [source, version, from, to, count]);
  const show = ({ row, column }: CellPosition) => {
    if (row >= 0) scroll.scrollToRow(row);
    const at = loose.findIndex(({ place }) => place === column);
    if (at >= 0) columnVirtual.scrollToIndex(at, { align: "auto" });
  };
  const slots = Math.ceil(scroll.viewPx / rowPx) + 2 * OVERSCAN_ROWS + 2;
  return { scroll, width, indexWidth, drawn, from, to, slots, show };
}

function useWidth(ref: RefObject<HTMLElement | null>): number {
  const [width, setWidth] = useState(0);
  useEffect(() => {
    const element = ref.current;
    if (!element) return;
    const observer = new ResizeObserver(() => setWidth(element.clientWidth));
    observer.observe(element);
    return () => observer.disconnect();
  }, [ref]);
  return width;
}
