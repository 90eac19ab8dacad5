"use client";

import { Copy, Plus, Trash2 } from "lucide-react";
import { type KeyboardEvent, type ReactNode, useEffect, useState } from "react";
import { CellEditor } from "@/components/grid/edit/cell-editor";
import { EditBar } from "@/components/grid/edit/edit-bar";
import { EditItems } from "@/components/grid/edit/edit-items";
import { ReviewPanel } from "@/components/grid/edit/review-panel";
import type { Edited } from "@/components/grid/edit/use-edited-rows";
import { useSubmit } from "@/components/grid/edit/use-submit";
import type { GridEditing } from "@/components/grid/result-grid-props";
import { announce } from "@/components/ui/live-region";
import { showFailure } from "@/components/ui/toast";
import type { Entity } from "@/lib/base/values/fields";
import { type CellPosition, type CellRange, toBounds } from "@/lib/features/results/browser/grid-selection";
import { hasLongNumber, type NewValue, toEditText, toPastedBlock } from "@/lib/features/results/browser/row-edits";
import "./edit.css";

/** Maximum length of a value whose row may be deleted only if it has not changed, in characters. */
const CHECKED_LETTERS_MAX = 1000;
/** Types whose values are not compared before a deletion. */
const UNCHECKED = new Set(["json", "binary", "array", "other"]);
/** Maximum number of cells of a pasted block. */
const PASTED_CELLS_MAX = 10_000;

type RowEditingProps = {
  /** All tables of the connection, to which foreign keys refer. */
  entities: readonly Entity[];
  columns: GridEditingColumns;
  range: CellRange | null;
  onRange: (range: CellRange) => void;
  /** Loads the rows again. */
  onSubmitted: () => void;
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
export function useRowEditing({ source, connection, table, entity }: Edited, props: RowEditingProps): RowEditing {
  const { columns, range, onRange } = props;
  const { edits, key } = source;
  const [at, setAt] = useState<(CellPosition & { typed: string | null }) | null>(null);
  const [isReviewing, setIsReviewing] = useState(false);
  const isDirty = edits.all.length > 0;
  useEffect(() => {
    if (!isDirty) return;
    const warn = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener("beforeunload", warn);
    return () => removeEventListener("beforeunload", warn);
  }, [isDirty]);
  const submit = useSubmit({ connection, table, edits, onSubmitted: props.onSubmitted });

  const begin = ({ row, column: place }: CellPosition, typed: string | null = null): boolean => {
    const column = columns[place];
    const mark = source.mark(row);
    if (!column || row < 0 || edits.isSubmitting || source.idAt(row) === null || mark?.state === "deleted")
      return false;
    if (hasLongNumber(source.cell(row, column.index) ?? null)) {
      showFailure("This JSON has numbers that the grid shows as text. Edit it in a console.");
      return true;
    }
    setAt({ row, column: place, typed });
    return true;
  };
  const put = (row: number, place: number, value: NewValue) => {
    const column = columns[place];
    if (column) source.set(row, column.field.name, value);
  };
  /** Runs for each selected row, or that of a cell. */
  const eachRow = (work: (row: number) => void, selected = range) => {
    if (selected === null) return;
    const { top, bottom } = toBounds(selected);
    for (let row = Math.max(0, top); row <= bottom; row += 1) work(row);
  };
  const checked = () => source.fields.filter(({ type }) => !UNCHECKED.has(type)).map(({ name }) => name);
  const deleteRows = () => {
    const ids: string[] = [];
    eachRow((row) => {
      const loaded = source.loaded(row);
      const id = source.idAt(row);
      if (loaded === null) return void (id !== null && ids.push(id));
      const short = checked().filter((name) => (loaded.textOf(name)?.length ?? 0) <= CHECKED_LETTERS_MAX);
      edits.delete(loaded, short);
    });
    for (const id of ids) edits.revert(id);
  };
  const select = (row: number) => onRange({ anchor: { row, column: 0 }, head: { row, column: 0 } });
  const addRow = (values: Iterable<readonly [string, NewValue]> = []) => {
    edits.add(values);
    select(source.count - 1);
    announce("Row added");
  };
  const duplicate = () => {
    const rows: [string, NewValue][][] = [];
    eachRow((row) => {
      const values = source.fields.flatMap(({ name, type }, index): [string, NewValue][] => {
        const value = source.cell(row, index);
        return key.includes(name) || value === undefined ? [] : [[name, toEditText(value, type)]];
      });
      rows.push(values);
    });
    for (const values of rows) addRow(values);
  };
  const setAll = (value: NewValue) => {
    if (range === null) return;
    const { left, right } = toBounds(range);
    eachRow((row) => {
      for (let place = left; place <= right; place += 1) put(row, place, value);
    });
  };
  const paste = (text: string, { head, anchor }: CellRange) => {
    const block = toPastedBlock(text);
    const isSingle = block.length === 1 && block[0]?.length === 1;
    if (block.reduce((sum, row) => sum + row.length, 0) > PASTED_CELLS_MAX) {
      return showFailure("Too many cells to paste. Import a file instead.");
    }
    if (isSingle) return setAll(block[0]?.[0] ?? "");
    const top = Math.max(0, Math.min(head.row, anchor.row));
    const left = Math.min(head.column, anchor.column);
    for (const [i, cells] of block.entries()) {
      // A block that is longer than the rows adds rows.
      if (top + i >= source.count) edits.add();
      for (const [j, value] of cells.entries()) put(top + i, left + j, value);
    }
    announce(`${block.length} rows pasted`);
  };
  const revert = () => {
    const ids: string[] = [];
    eachRow((row) => {
      const id = source.idAt(row);
      if (id !== null) ids.push(id);
    });
    for (const id of ids) edits.revert(id);
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
      value={source.cell(at.row, column.index) ?? null}
      typed={at.typed}
      onDone={(value, step) => {
        if (value !== undefined) put(at.row, at.column, value);
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
  const items = ({ row }: CellPosition) => (
    <EditItems
      isChanged={source.mark(row) !== null}
      onEdit={() => range && begin(range.head)}
      onSet={setAll}
      onAdd={() => addRow()}
      onDuplicate={duplicate}
      onDelete={deleteRows}
      onRevert={revert}
    />
  );
  return {
    grid: { at, editor, begin, onKey, onPaste: paste, items },
    tools: (
      <>
        <button type="button" className="btn ghost sm" aria-label="Add row" onClick={() => addRow()}>
          <Plus className="s" />
          <span className="word">Add row</span>
        </button>
        <button
          type="button"
          className="btn ghost sm"
          aria-label="Duplicate row"
          aria-disabled={!hasRow}
          onClick={() => hasRow && duplicate()}
        >
          <Copy className="s" />
          <span className="word">Duplicate</span>
        </button>
        <button
          type="button"
          className="btn ghost sm"
          aria-label="Delete row"
          aria-disabled={!hasRow}
          onClick={() => hasRow && deleteRows()}
        >
          <Trash2 className="s" />
          <span className="word">Delete</span>
        </button>
      </>
    ),
    bar: isDirty && (
      <EditBar
        source={source}
        tableName={table.name}
        isReviewing={isReviewing}
        onReview={() => setIsReviewing(!isReviewing)}
        onSubmit={() => void submit()}
        onShow={(row) => select(row)}
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
