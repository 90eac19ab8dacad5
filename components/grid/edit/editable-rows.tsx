"use client";

import { createPortal } from "react-dom";
import type { Edited } from "@/components/grid/edit/use-edited-rows";
import { useRowEditing } from "@/components/grid/edit/use-row-editing";
import { ResultCards } from "@/components/grid/result-cards";
import { ResultGrid } from "@/components/grid/result-grid";
import type { ResultGridProps } from "@/components/grid/result-grid-props";
import type { Entity } from "@/lib/base/values/fields";
import type { CellRange } from "@/lib/features/results/browser/grid-selection";

type EditableRowsProps = Omit<ResultGridProps, "source" | "editing"> & {
  edited: Edited;
  /** Shows cards, as on a phone: each row is edited in its form. */
  asCards?: boolean;
  /** All tables of the connection, to which foreign keys refer. */
  entities: readonly Entity[];
  /** Element of the toolbar for the buttons that edit rows; absent where only the menu of a cell has them. */
  toolsHost?: HTMLElement | null;
  /** Whether no further rows can be loaded. */
  isWhole: boolean;
  /** Loads the rows again. */
  onReload: () => void;
};

/** A grid or cards whose rows can be edited, with the bar of their pending changes. */
export function EditableRows({
  edited,
  asCards = false,
  entities,
  toolsHost,
  isWhole,
  onReload,
  ...grid
}: EditableRowsProps) {
  const { columns, range, onInspect } = grid;
  const onRange = asCards ? ({ head }: CellRange) => onInspect(head) : grid.onRange;
  const editing = useRowEditing(edited, { entities, columns, range, onRange, isWhole, onReload, onInspect });
  return (
    <>
      {toolsHost && createPortal(editing.tools, toolsHost)}
      {asCards ? (
        <ResultCards source={edited.source} columns={columns} onInspect={onInspect} />
      ) : (
        <ResultGrid {...grid} takesFocus source={edited.source} editing={editing.grid} />
      )}
      {editing.bar}
      {editing.panel}
    </>
  );
}
