import type { z } from "zod";
import type { CellValue, ResultField } from "@/lib/base/values/json-rows";
import { isLongNumber } from "@/lib/base/values/long-number";
import type { rowChangesBody } from "@/lib/features/query/schema";
import { toFilterValue } from "@/lib/features/results/browser/column-filter";
import { Source } from "@/lib/features/results/browser/rows-source";

/** Stands for the default of a column. */
export const DEFAULT = Symbol("default");
/** A value to store, as text; null for none. */
export type NewValue = string | null | typeof DEFAULT;
export type SentChange = z.input<typeof rowChangesBody>["changes"][number];
/** Values by column: as read, as text. */
type Texts = Readonly<Record<string, string | null>>;

/** A pending change of one row. `id` is that of a loaded row (`toRowId`), or a new one. */
export type RowEdit =
  | { kind: "update"; id: string; key: Texts; old: Texts; set: ReadonlyMap<string, NewValue> }
  | { kind: "delete"; id: string; key: Texts; old: Texts }
  | { kind: "insert"; id: string; set: ReadonlyMap<string, NewValue> };
/** Present values of a row that differ from those of a change; null for a row that was deleted. */
export type Conflict = Readonly<Record<string, CellValue>> | null;
/** A loaded row: its key and its values. */
export type LoadedRow = { id: string; key: Texts; textOf: (column: string) => string | null };

type State = { edits: ReadonlyMap<string, RowEdit>; seen: ReadonlyMap<string, Readonly<Record<string, CellValue>>> };

/** Maximum number of steps to undo. */
const UNDO_MAX = 200;

/** Pending changes to the rows of a table, which nothing writes before they are submitted. */
export class RowEdits extends Source {
  #state: State = { edits: new Map(), seen: new Map() };
  #past: State[] = [];
  #conflicts: ReadonlyMap<string, Conflict> = new Map();
  #newCount = 0;
  /** Message of the database for a refused change, by the row's id. */
  failure: { id: string; message: string } | null = null;
  isSubmitting = false;

  get all(): RowEdit[] {
    return [...this.#state.edits.values()];
  }

  get inserts(): Extract<RowEdit, { kind: "insert" }>[] {
    return this.all.filter((edit) => edit.kind === "insert");
  }

  get conflicts(): ReadonlyMap<string, Conflict> {
    return this.#conflicts;
  }

  /** Returns whether every row is as it was loaded. */
  get isEmpty(): boolean {
    return this.#state.edits.size === 0 && this.#state.seen.size === 0;
  }

  get canUndo(): boolean {
    return this.#past.length > 0;
  }

  of(id: string): RowEdit | undefined {
    return this.#state.edits.get(id);
  }

  /** Returns a value of a loaded row that a conflict has shown; undefined for none. */
  seen(id: string, column: string): CellValue | undefined {
    const row = this.#state.seen.get(id);
    return row && Object.hasOwn(row, column) ? row[column] : undefined;
  }

  counts(): Record<"edited" | "added" | "deleted" | "conflicts", number> {
    const count = (kind: RowEdit["kind"]) => this.all.filter((edit) => edit.kind === kind).length;
    return {
      edited: count("update"),
      added: count("insert"),
      deleted: count("delete"),
      conflicts: this.#conflicts.size,
    };
  }

  /** Sets a cell of a loaded row. Setting its loaded value removes the change. */
  set(row: LoadedRow, column: string, value: NewValue): void {
    const known = this.of(row.id);
    if (known?.kind === "delete") return;
    const set = new Map(known?.set ?? []);
    const old = known?.kind === "update" ? { ...known.old } : {};
    const loaded = this.#textOf(row, column);
    if (value === loaded) {
      set.delete(column);
      delete old[column];
    } else {
      set.set(column, value);
      old[column] = loaded;
    }
    const edit = set.size === 0 ? null : { kind: "update" as const, id: row.id, key: row.key, old, set };
    this.#put(row.id, edit);
  }

  /** Sets a cell of a new row. */
  setNew(id: string, column: string, value: NewValue): void {
    const edit = this.of(id);
    if (edit?.kind !== "insert") return;
    this.#put(id, { ...edit, set: new Map(edit.set).set(column, value) });
  }

  /** Adds a row, and returns its id. @param values columns without one get their default */
  add(values: Iterable<readonly [string, NewValue]> = []): string {
    this.#newCount += 1;
    const id = `new ${this.#newCount}`;
    this.#put(id, { kind: "insert", id, set: new Map(values) });
    return id;
  }

  /** Deletes a loaded row. @param columns whose values must not have changed */
  delete(row: LoadedRow, columns: readonly string[]): void {
    const old = Object.fromEntries(columns.map((column) => [column, this.#textOf(row, column)]));
    this.#put(row.id, { kind: "delete", id: row.id, key: row.key, old });
  }

  /** Removes the change of a row. */
  revert(id: string): void {
    if (this.of(id)) this.#put(id, null);
  }

  undo(): void {
    const last = this.#past.pop();
    if (!last) return;
    this.#state = last;
    this.#forget([...this.#conflicts.keys()].filter((id) => !last.edits.has(id)));
    this.failure = null;
    this.changed();
  }

  /** Removes all changes. */
  clear(): void {
    this.#state = { edits: new Map(), seen: new Map() };
    this.#past = [];
    this.#conflicts = new Map();
    this.failure = null;
    this.changed();
  }

  /** Returns the changes in the order of their first edit: deletions first, so that their keys are free. */
  toChanges(): SentChange[] {
    return this.#ordered().map((edit) => {
      if (edit.kind === "delete") return { op: "delete", key: edit.key, old: edit.old };
      const values = [...edit.set].flatMap(([name, value]) => (value === DEFAULT ? [] : [[name, value] as const]));
      const defaults = [...edit.set].flatMap(([name, value]) => (value === DEFAULT ? [name] : []));
      const set = Object.fromEntries(values);
      if (edit.kind === "insert") return { op: "insert", set };
      return { op: "update", key: edit.key, old: edit.old, set, defaults };
    });
  }

  /** Returns the change with this index of `toChanges`. */
  at(index: number): RowEdit | undefined {
    return this.#ordered()[index];
  }

  submitting(isSubmitting: boolean): void {
    this.isSubmitting = isSubmitting;
    if (isSubmitting) this.failure = null;
    this.changed();
  }

  fail(index: number, message: string): void {
    const id = this.at(index)?.id;
    this.failure = id === undefined ? null : { id, message };
    this.changed();
  }

  /** Marks the changes that did not match their rows. @param found by the index of `toChanges` */
  conflict(found: readonly { change: number; current: Conflict }[]): void {
    this.#conflicts = new Map(
      found.flatMap(({ change, current }) => {
        const edit = this.at(change);
        return edit ? [[edit.id, current] as const] : [];
      }),
    );
    this.changed();
  }

  /** Keeps the change of a row, on top of its present values. A row that was deleted has none. */
  keepMine(id: string): void {
    const edit = this.of(id);
    const current = this.#conflicts.get(id);
    if (!edit || edit.kind === "insert" || !current) return;
    const old = Object.fromEntries(
      Object.keys(edit.old).map((column) => [column, toFilterValue(current[column])] as const),
    );
    this.#remember();
    this.#state = { edits: new Map(this.#state.edits).set(id, { ...edit, old }), seen: this.#saw(id, current) };
    this.#forget([id]);
    this.changed();
  }

  /** Removes the change of a row, which then shows its present values. */
  takeTheirs(id: string): void {
    const current = this.#conflicts.get(id);
    this.#remember();
    const edits = new Map(this.#state.edits);
    edits.delete(id);
    this.#state = { edits, seen: current ? this.#saw(id, current) : this.#state.seen };
    this.#forget([id]);
    this.changed();
  }

  #ordered(): RowEdit[] {
    return this.all.sort((a, b) => Number(b.kind === "delete") - Number(a.kind === "delete"));
  }

  #textOf(row: LoadedRow, column: string): string | null {
    const seen = this.seen(row.id, column);
    return seen === undefined ? row.textOf(column) : toFilterValue(seen);
  }

  #saw(id: string, current: Readonly<Record<string, CellValue>>): State["seen"] {
    return new Map(this.#state.seen).set(id, { ...this.#state.seen.get(id), ...current });
  }

  #put(id: string, edit: RowEdit | null): void {
    this.#remember();
    const edits = new Map(this.#state.edits);
    if (edit) edits.set(id, edit);
    else edits.delete(id);
    this.#state = { ...this.#state, edits };
    if (this.failure?.id === id) this.failure = null;
    if (edit === null) this.#forget([id]);
    this.changed();
  }

  #remember(): void {
    this.#past = [...this.#past.slice(1 - UNDO_MAX), this.#state];
  }

  #forget(ids: readonly string[]): void {
    const left = new Map(this.#conflicts);
    for (const id of ids) left.delete(id);
    this.#conflicts = left;
  }
}

/** Returns a loaded row by its key; null for a column of the key that was not read. */
export function toLoadedRow(
  fields: readonly ResultField[],
  key: readonly string[],
  cell: (column: number) => CellValue | undefined,
): LoadedRow | null {
  const textOf = (column: string) => toFilterValue(cell(fields.findIndex(({ name }) => name === column)));
  if (key.length === 0 || !key.every((name) => fields.some((field) => field.name === name))) return null;
  const texts = Object.fromEntries(key.map((name) => [name, textOf(name)]));
  return { id: JSON.stringify(Object.values(texts)), key: texts, textOf };
}

/** Parses a block of the clipboard: lines of cells between tabs, quoted where they contain either. */
export function toPastedBlock(text: string): string[][] {
  const rows: string[][] = [[]];
  const cell = /(?:"((?:[^"]|"")*)"(?=[\t\r\n]|$)|([^\t\r\n]*))(\t|\r?\n|$)/y;
  while (cell.lastIndex <= text.length) {
    const found = cell.exec(text);
    if (found === null) break;
    const [, quoted, plain = "", end] = found;
    rows.at(-1)?.push(quoted?.replaceAll('""', '"') ?? plain);
    if (end === "\t") continue;
    if (cell.lastIndex >= text.length) break;
    rows.push([]);
  }
  return rows;
}

/** Returns the text in which a value is edited; null for none. JSON is edited as JSON text. */
export function toEditText(value: CellValue, type: string): string | null {
  return type === "json" && typeof value === "string" ? JSON.stringify(value) : toFilterValue(value);
}

/**
 * Returns whether JSON has a number that is shown as text, since a double does not hold it: editing would store the
 * text.
 */
export function hasLongNumber(value: CellValue, depth = 0): boolean {
  if (typeof value === "string") return depth > 0 && isLongNumber(value);
  if (typeof value !== "object" || value === null) return false;
  return Object.values(value).some((each) => hasLongNumber(each, depth + 1));
}
