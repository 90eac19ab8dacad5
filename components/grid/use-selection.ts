"use client";

import { useCallback, useEffect, useState } from "react";
import type { Arrangement } from "@/lib/features/results/browser/arrangement";
import type { CellPosition, CellRange } from "@/lib/features/results/browser/grid-selection";
import type { RowsSource } from "@/lib/features/results/browser/rows-source";

type Selected = { range: CellRange | null; isOpen: boolean };

/** Last selection per source. Kept outside components, which unmount when the window's width changes. */
const lastSelected = new WeakMap<object, Selected>();

/**
 * Returns the selection among the rows of a source, and the row that is open beside them.
 * @param of identity of the rows, which outlives their source
 */
export function useSelection(source: RowsSource, of: object = source) {
  const [range, select] = useState<CellRange | null>(() => lastSelected.get(of)?.range ?? null);
  const [isOpen, setIsOpen] = useState(() => lastSelected.get(of)?.isOpen ?? false);
  useEffect(() => void lastSelected.set(of, { range, isOpen }), [of, range, isOpen]);
  const head = isOpen && range !== null && range.head.row >= 0 && range.head.row < source.count ? range.head : null;
  /** After a change of the rows' order, the old selection has no meaning. */
  const arrange = useCallback(
    (change: Partial<Arrangement>) => {
      select(null);
      source.arrange({ ...source.arrangement, ...change });
    },
    [source],
  );
  return {
    range,
    select,
    arrange,
    /** Opens the row of a cell; heads have none. */
    inspect: (place: CellPosition) => {
      if (place.row < 0) return;
      select({ anchor: place, head: place });
      setIsOpen(true);
    },
    /** Props of the panel of the open row; null while none is open. */
    opened: head && {
      row: head.row,
      place: head.column,
      onRow: (row: number) => select({ anchor: { ...head, row }, head: { ...head, row } }),
      onClose: () => setIsOpen(false),
    },
  };
}
