"use client";

import { createPortal } from "react-dom";
import type { Edited } from "@/components/grid/edit/use-edited-rows";
import { useRowEditing } from "@/components/grid/edit/use-row-editing";
import { ResultCards } from "@/components/grid/result-cards";
import type { GridColumn } from "@/components/grid/use-result-columns";
import type { Entity } from "@/lib/base/values/fields";
import type { CellPosition, CellRange } from "@/lib/features/results/browser/grid-selection";

type EditableCardsProps = {
  edited: Edited;
  entities: readonly Entity[];
  columns: GridColumn[];
  range: CellRange | null;
  toolsHost?: HTMLElement | null;
  /** Opens the form of a row. */
  onInspect: (place: CellPosition) => void;
  /** Loads the rows again. */
  onReload: () => void;
};

/** Rows on a phone, each edited in its form, with the bar of their pending changes. */
export function EditableCards({
  edited,
  entities,
  columns,
  range,
  toolsHost,
  onInspect,
  onReload,
}: EditableCardsProps) {
  const onRange = ({ head }: CellRange) => onInspect(head);
  const editing = useRowEditing(edited, { entities, columns, range, onRange, isWhole: true, onReload });
  return (
    <>
      {toolsHost && createPortal(editing.tools, toolsHost)}
      <ResultCards source={edited.source} columns={columns} onInspect={onInspect} />
      {editing.bar}
      {editing.panel}
    </>
  );
}
