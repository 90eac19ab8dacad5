import type { PlacedColumn } from "@/components/grid/grid-row";
import type { GridColumn } from "@/components/grid/use-result-columns";
import { isNumericField } from "@/lib/features/results/browser/cell-text";

/**
 * Assigns widths and positions, in CSS pixels. A text column at the end takes the remaining width; a number would be
 * far from its neighbour.
 * @param columns the pinned ones first
 * @param viewWidth visible width; 0 before it is known
 */
export function placeColumns(
  columns: GridColumn[],
  indexWidth: number,
  viewWidth: number,
): { width: number; placed: PlacedColumn[]; pinnedWidth: number } {
  const natural = columns.reduce((sum, { width }) => sum + width, indexWidth);
  const fill = Math.max(0, viewWidth - natural);
  let left = indexWidth;
  const placed = columns.map((column, place): PlacedColumn => {
    const isLast = place === columns.length - 1 && !isNumericField(column.field) && !column.isPinned;
    const width = column.width + (isLast ? fill : 0);
    const at = left;
    left += width;
    return { ...column, place, left: at, width };
  });
  const pinnedWidth = placed.reduce((sum, { isPinned, width }) => sum + (isPinned ? width : 0), indexWidth);
  return { width: natural + fill, placed, pinnedWidth };
}
