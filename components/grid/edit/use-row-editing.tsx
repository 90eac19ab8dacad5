"use client";

import { Copy, Plus, Trash2 } from "lucide-react";
import { type KeyboardEvent, type ReactNode, useState } from "react";
import { CellEditor } from "@/components/grid/edit/cell-editor";
import { EditBar } from "@/components/grid/edit/edit-bar";
import { EditItems } from "@/components/grid/edit/edit-items";
import { ReviewPanel } from "@/components/grid/edit/review-panel";
import type { Edited } from "@/components/grid/edit/use-edited-rows";
import { useExactText } from "@/components/grid/edit/use-exact-text";
import { useSubmit } from "@/components/grid/edit/use-submit";
import type { GridEditing } from "@/components/grid/result-grid-props";
import { announce } from "@/components/ui/live-region";
import { showFailure } from "@/components/ui/toast";
import { ToolButton } from "@/components/ui/tool-button";
import type { Entity } from "@/lib/base/values/fields";
import { ROW_CHANGES_MAX } from "@/lib/features/query/limits";
import { type CellPosition, type CellRange, toBounds } from "@/lib/features/results/browser/grid-selection";
import {
  DEFAULT,
  isNested,
  type NewValue,
  type RowEdits,
  toPastedBlock,
} from "@/lib/features/results/browser/row-edits";
import { formatCountOf } from "@/lib/platform/browser/format";
import "./edit.css";

/** Maximum number of cells of a pasted block. */
const PASTED_CELLS_MAX = 10_000;

type RowEditingProps = {
  /** All tables of the connection, to which foreign keys refer. */
  entities: readonly Entity[];
  columns: GridEditingColumns;
  range: CellRange | null;
  onRange: (range: CellRange) => void;
  /** Whether no further rows can be loaded. */
  isWhole: boolean;
  /** Loads the rows again. */
  onReload: () => void;
  /** Opens the panel of a row. */
  onInspect: (place: CellPosition) => void;
};
type GridEditingColumns = readonly { index: number; field: { name: string; type: string } }[];

/** The parts of a view whose rows can be edited. */
type RowEditing = {
  grid: GridEditing;
  /** Buttons of the toolbar. */
  tools: ReactNode;
  /** Pending changes and conflicts, at the foot. */
  bar: ReactNode;
  panel: ReactNode;
};

/** Edits the rows of a table: nothing is written before they are submitted. */
export function useRowEditing(edited: Edited, props: RowEditingProps): RowEditing {
  const { source, connection, table, entity } = edited;
  const { columns, range, onRange } = props;
  const { edits, areDocuments } = source;
  const [at, setAt] = useState<(CellPosition & { text?: string }) | null>(null);
  const readExact = useExactText(edited);
  const [isReviewing, setIsReviewing] = useState(false);
  const isDirty = !edits.isEmpty;
  const submit = useSubmit({ connection, table, source, onReload: props.onReload });

  const isDeleted = (row: number) => edits.of(source.idAt(row) ?? "")?.kind === "delete";
  const begin = ({ row, column: place }: CellPosition): boolean => {
    const column = columns[place];
    if (!column || row < 0 || edits.isLocked || source.idAt(row) === null || isDeleted(row)) return false;
    const value = source.cell(row, column.index) ?? null;
    const refusal = source.refusalAt(row, column.index, source.textAt(row, column.index));
    if (refusal !== null) {
      showFailure(refusal);
      return true;
    }
    if (areDocuments && isNested(value)) {
      // The text of a list or an object names the types of its values, which the grid does not show.
      void readExact(row, column).then((text) => {
        if (text !== null) setAt({ row, column: place, text });
      });
      return true;
    }
    setAt({ row, column: place });
    return true;
  };
  const put = (row: number, place: number, value: NewValue) => {
    const column = columns[place];
    if (column) source.set(row, column.field.name, value);
  };
  /** Makes changes to some rows one step. @param last excluded @returns false with a message, and no change */
  const change = (first: number, last: number, work: () => void): boolean => {
    const isWithin = last - first <= ROW_CHANGES_MAX;
    const loadedMax = isWithin ? Math.min(last, source.base.count) : 0;
    for (let row = first; row < loadedMax; row += 1) {
      if (source.cell(row, 0) !== undefined) continue;
      source.want(first, loadedMax);
      showFailure("Some of these rows are still loading. Try again in a moment.");
      return false;
    }
    if (isWithin && edits.step(work)) return true;
    showFailure(toRefusal(edits));
    return false;
  };
  /** Runs for each selected row, as one step. */
  const eachRow = (work: (row: number) => void) => {
    if (range === null) return;
    const { top, bottom } = toBounds(range);
    const first = Math.max(0, top);
    change(first, bottom + 1, () => {
      // From the last: a new row that is reverted moves those after it.
      for (let row = bottom; row >= first; row -= 1) work(row);
    });
  };
  const deleteRows = () => eachRow((row) => source.delete(row));
  const select = (row: number) => onRange({ anchor: { row, column: 0 }, head: { row, column: 0 } });
  const addRows = (rows: Iterable<readonly [string, NewValue]>[]) => {
    const isAdded = change(source.count, source.count + rows.length, () => {
      for (const values of rows) edits.add(values);
    });
    if (!isAdded) return;
    select(source.count - 1);
    announce(`${formatCountOf(rows.length, "row")} added`);
  };
  const duplicate = () => {
    if (range === null) return;
    const { top, bottom } = toBounds(range);
    const first = Math.max(0, top);
    const isAdded = change(first, bottom + 1, () => {
      for (let row = first; row <= bottom; row += 1) source.duplicate(row);
    });
    if (!isAdded) return;
    select(source.count - 1);
    announce(`${formatCountOf(bottom - first + 1, "row")} added`);
  };
  const setAll = (value: NewValue) => {
    if (range === null) return;
    const { left, right } = toBounds(range);
    eachRow((row) => {
      for (let place = left; place <= right; place += 1) put(row, place, value);
    });
  };
  const paste = (text: string, selected: CellRange) => {
    const block = toPastedBlock(text, PASTED_CELLS_MAX);
    if (block === null) return showFailure("Too many cells to paste. Import a file instead.");
    if (block.length === 1 && block[0]?.length === 1) return setAll(block[0][0] ?? "");
    const { left, top: first } = toBounds(selected);
    const top = Math.max(0, first);
    // The rows after the loaded ones are meant to change, too, not to stand beside new ones.
    if (!props.isWhole && top + block.length > source.base.count)
      return showFailure("The block is longer than the loaded rows. Scroll down to load more, then paste again.");
    const isPasted = change(top, top + block.length, () => {
      for (const [i, cells] of block.entries()) {
        // A block that is longer than the rows adds rows.
        if (top + i >= source.count) edits.add();
        for (const [j, value] of cells.entries()) put(top + i, left + j, value);
      }
    });
    if (isPasted) announce(`${formatCountOf(block.length, "row")} pasted`);
  };
  const revert = () => {
    eachRow((row) => {
      const id = source.idAt(row);
      if (id !== null) edits.revert(id);
    });
  };
  const onKey = (event: KeyboardEvent, { head }: CellRange): boolean => {
    const isMod = event.metaKey || event.ctrlKey;
    if (isMod && event.key === "Enter" && isDirty) void submit();
    else if (isMod && !event.shiftKey && event.key.toLowerCase() === "z" && edits.canUndo) edits.undo();
    else if (isMod && (event.key === "Backspace" || event.key === "Delete")) deleteRows();
    else if (event.key === "F2" || (event.altKey && event.key === "ArrowDown")) return begin(head);
    else if (event.key === "Enter" && !isMod && !event.altKey && !event.shiftKey) return head.row >= 0 && begin(head);
    else return false;
    return true;
  };

  const column = at && columns[at.column];
  const editor = at && column && (
    <CellEditor
      key={`${at.row}-${at.column}`}
      connectionId={connection.id}
      field={column.field}
      entity={entity}
      entities={props.entities}
      value={at.text ?? toText(source.textAt(at.row, column.index))}
      onDone={(value, step) => {
        if (value !== undefined) change(at.row, at.row + 1, () => put(at.row, at.column, value));
        setAt(null);
        const next = at.column + step;
        if (step !== 0 && columns[next]) {
          onRange({ anchor: { row: at.row, column: next }, head: { row: at.row, column: next } });
          begin({ row: at.row, column: next });
        }
      }}
    />
  );
  const hasRow = range !== null && range.head.row >= 0;
  const addField = (place: CellPosition) => {
    props.onInspect(place);
    edits.askForField(source.idAt(place.row));
  };
  const items = (place: CellPosition) => (
    <EditItems
      defaultLabel={areDocuments ? "Unset field" : "Default"}
      isChanged={source.mark(place.row) !== null}
      onEdit={() => range && begin(range.head)}
      onSet={setAll}
      onAdd={() => addRows([[]])}
      onDuplicate={duplicate}
      onDelete={deleteRows}
      onRevert={revert}
      onAddField={areDocuments && !isDeleted(place.row) ? () => addField(place) : undefined}
    />
  );
  return {
    grid: { at, editor, begin, onKey, onPaste: paste, items },
    tools: (
      <>
        <ToolButton label="Add row" word="Add row" icon={<Plus className="s" />} onClick={() => addRows([[]])} />
        <ToolButton
          label="Duplicate row"
          word="Duplicate"
          icon={<Copy className="s" />}
          isDisabled={!hasRow}
          onClick={duplicate}
        />
        <ToolButton
          label="Delete row"
          word="Delete"
          icon={<Trash2 className="s" />}
          isDisabled={!hasRow}
          onClick={deleteRows}
        />
      </>
    ),
    bar: isDirty && (
      <EditBar
        source={source}
        tableName={table.name}
        isReviewing={isReviewing}
        onReview={() => setIsReviewing(!isReviewing)}
        onSubmit={() => void submit()}
        onShow={(id) => {
          const row = source.rowOf(id);
          if (row >= 0) select(row);
          else showFailure("This row is not loaded. Scroll to it, or filter by its key.");
        }}
        onUseTheirs={(id) => {
          edits.revert(id);
          props.onReload();
        }}
      />
    ),
    panel: isReviewing && isDirty && (
      <ReviewPanel
        connection={connection}
        table={table}
        source={source}
        onSubmit={() => void submit()}
        onClose={() => setIsReviewing(false)}
      />
    ),
  };
}

/** Returns why a step was refused. */
export function toRefusal({ isLocked }: RowEdits): string {
  return isLocked
    ? "The submitted changes have no result yet. Submit them again, or discard them."
    : `Up to ${ROW_CHANGES_MAX} rows can be changed at once. Submit them in parts, or use a console.`;
}

function toText(value: NewValue): string | null {
  return value === DEFAULT ? null : value;
}
