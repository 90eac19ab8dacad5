"use client";

import { createPortal } from "react-dom";
import type { Edited } from "@/components/grid/edit/use-edited-rows";
import { useRowEditing } from "@/components/grid/edit/use-row-editing";
import { ResultGrid } from "@/components/grid/result-grid";
import type { ResultGridProps } from "@/components/grid/result-grid-props";
import type { Entity } from "@/lib/base/values/fields";

type EditableGridProps = Omit<ResultGridProps, "source" | "editing"> & {
  edited: Edited;
  /** All tables of the connection, to which foreign keys refer. */
  entities: readonly Entity[];
  /** Element of the toolbar for the buttons that edit rows; absent where only the menu of a cell has them. */
  toolsHost?: HTMLElement | null;
  /** Whether no further rows can be loaded. */
  isWhole: boolean;
  /** Loads the rows again. */
  onReload: () => void;
};

/** A grid whose rows can be edited, with the bar of its pending changes. */
export function EditableGrid({ edited, entities, toolsHost, isWhole, onReload, ...grid }: EditableGridProps) {
  const { columns, range, onRange } = grid;
  const editing = useRowEditing(edited, { entities, columns, range, onRange, isWhole, onReload });
  return (
    <>
      {toolsHost && createPortal(editing.tools, toolsHost)}
      <ResultGrid {...grid} takesFocus source={edited.source} editing={editing.grid} />
      {editing.bar}
      {editing.panel}
    </>
  );
}
