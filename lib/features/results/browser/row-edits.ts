import type { z } from "zod";
import type { CellValue } from "@/lib/base/values/json-rows";
import { isLongNumber } from "@/lib/base/values/long-number";
import { ROW_CHANGES_MAX } from "@/lib/features/query/limits";
import type { rowChangesBody } from "@/lib/features/query/schema";
import { toFilterValue } from "@/lib/features/results/browser/column-filter";
import { Source } from "@/lib/features/results/browser/rows-source";
import { newId } from "@/lib/platform/browser/new-id";

/** Stands for the default of a column. */
export const DEFAULT = Symbol("default");
/** A value to store, as text; null for none. */
export type NewValue = string | null | typeof DEFAULT;
export type SentChange = z.input<typeof rowChangesBody>["changes"][number];
/** Values by column: as read, as text. */
type Texts = Readonly<Record<string, string | null>>;

/** Names of new fields of a document, whose values are Extended JSON. */
type Exact = ReadonlySet<string>;

/** A pending change of one row. `id` is that of a loaded row (`toRowId`), or a new one. */
export type RowEdit =
  | { kind: "update"; id: string; key: Texts; old: Texts; set: ReadonlyMap<string, NewValue>; exact?: Exact }
  | { kind: "delete"; id: string; key: Texts; old: Texts }
  | {
      kind: "insert";
      id: string;
      set: ReadonlyMap<string, NewValue>;
      exact?: Exact;
      copied?: CopiedRow | undefined;
      /** The `_id` of a new document. Submitted twice, it is stored once. */
      objectId: string;
    };
type Insert = Extract<RowEdit, { kind: "insert" }>;
/** Present values of a row that differ from those of a change; null for a row that was deleted. */
export type Conflict = Readonly<Record<string, CellValue>> | null;
/** A loaded row: its key and its values. */
export type LoadedRow = { id: string; key: Texts; textOf: (column: string) => string | null };

/** The row that the database copies to a new one: its key and its values, as they were read. */
export type CopiedRow = { key: Texts; texts: Texts };

/** Maximum length of a value whose row may be deleted or copied only if it has not changed, in characters. */
export const CHECKED_CHARS_MAX = 1000;
/** Maximum number of steps to undo. */
const UNDO_MAX = 200;

/** Pending changes to the rows of a table, which nothing writes before they are submitted. */
export class RowEdits extends Source {
  #edits: ReadonlyMap<string, RowEdit> = new Map();
  /** The changes while a step is applied; null between steps. */
  #next: Map<string, RowEdit> | null = null;
  #inserts: readonly Insert[] | null = null;
  #past: ReadonlyMap<string, RowEdit>[] = [];
  #conflicts: ReadonlyMap<string, Conflict> = new Map();
  #newCount = 0;
  /** Why the last submission failed. `id` is that of the refused row; null if no row is the reason. */
  failure: { id: string | null; message: string } | null = null;
  isSubmitting = false;
  /** Number of changes that the last submission wrote before it failed. */
  writtenCount = 0;
  /** Id of the row whose form has a field to add; null for none. */
  addsFieldTo: string | null = null;
  /** Id of the last submission without a response: it may have been written. */
  unansweredId: string | null = null;

  get #all(): ReadonlyMap<string, RowEdit> {
    return this.#next ?? this.#edits;
  }

  get all(): RowEdit[] {
    return [...this.#all.values()];
  }

  get inserts(): readonly Insert[] {
    this.#inserts ??= this.all.filter((edit) => edit.kind === "insert");
    return this.#inserts;
  }

  get conflicts(): ReadonlyMap<string, Conflict> {
    return this.#conflicts;
  }

  /** Returns whether every row is as it was loaded. */
  get isEmpty(): boolean {
    return this.#all.size === 0;
  }

  /** Returns whether submitted changes have no result yet: until then, nothing else changes. */
  get isLocked(): boolean {
    return this.isSubmitting || this.unansweredId !== null;
  }

  get canUndo(): boolean {
    return this.#past.length > 0 && !this.isLocked;
  }

  of(id: string): RowEdit | undefined {
    return this.#all.get(id);
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

  /**
   * Makes the changes of `work` one step to undo.
   * @returns false, with no change, while locked, and for more rows than one submission takes
   */
  step(work: () => void): boolean {
    if (this.isLocked) return false;
    if (this.#next !== null) {
      work();
      return true;
    }
    this.#next = new Map(this.#edits);
    try {
      work();
      if (this.#next.size > ROW_CHANGES_MAX) return false;
      this.#past = [...this.#past.slice(1 - UNDO_MAX), this.#edits];
      this.#edits = this.#next;
    } finally {
      this.#next = null;
      this.#inserts = null;
    }
    this.#settle();
    return true;
  }

  /** Sets a cell of a loaded row. Setting its loaded value removes the change. */
  set(row: LoadedRow, column: string, value: NewValue): void {
    const known = this.of(row.id);
    if (known?.kind === "delete") return;
    const set = new Map(known?.set ?? []);
    const old = known?.kind === "update" ? { ...known.old } : {};
    // A value that a conflict has shown is newer than the loaded one.
    const loaded = Object.hasOwn(old, column) ? (old[column] ?? null) : row.textOf(column);
    if (value === loaded) {
      set.delete(column);
      delete old[column];
    } else {
      set.set(column, value);
      old[column] = loaded;
    }
    const exact = known?.exact && without(known.exact, column);
    const edit = { kind: "update" as const, id: row.id, key: row.key, old, set, ...(exact && { exact }) };
    this.#put(row.id, set.size === 0 ? null : edit);
  }

  /** Adds a field to a loaded document. @param text its value as Extended JSON */
  addField(row: LoadedRow, name: string, text: string): void {
    const known = this.of(row.id);
    if (known?.kind === "delete" || known?.kind === "insert") return;
    const set = new Map(known?.set).set(name, text);
    const old = { ...known?.old, [name]: null };
    this.#put(row.id, { kind: "update", id: row.id, key: row.key, old, set, exact: new Set(known?.exact).add(name) });
  }

  /** Adds a field to a new document. */
  addNewField(id: string, name: string, text: string): void {
    const edit = this.of(id);
    if (edit?.kind !== "insert") return;
    this.#put(id, { ...edit, set: new Map(edit.set).set(name, text), exact: new Set(edit.exact).add(name) });
  }

  /** Removes a field that was added to a document. */
  removeField(id: string, name: string): void {
    const edit = this.of(id);
    if (!edit || edit.kind === "delete") return;
    const set = new Map(edit.set);
    set.delete(name);
    const exact = without(edit.exact ?? new Set(), name);
    if (edit.kind === "insert") this.#put(id, { ...edit, set, exact });
    else {
      const { [name]: _, ...old } = edit.old;
      this.#put(id, set.size === 0 ? null : { ...edit, old, set, exact });
    }
  }

  /** Opens or closes the form of a field to add. @param id of a row; null closes it */
  askForField(id: string | null): void {
    this.addsFieldTo = id;
    this.changed();
  }

  /** Sets a cell of a new row. */
  setNew(id: string, column: string, value: NewValue): void {
    const edit = this.of(id);
    if (edit?.kind !== "insert") return;
    const exact = edit.exact && without(edit.exact, column);
    this.#put(id, { ...edit, set: new Map(edit.set).set(column, value), ...(exact && { exact }) });
  }

  /** Adds a row. @param values columns without one get their default, or the value of the copied row */
  add(values: Iterable<readonly [string, NewValue]> = [], parts: Pick<Insert, "copied" | "exact"> = {}): void {
    this.#newCount += 1;
    const id = `new ${this.#newCount}`;
    this.#put(id, { kind: "insert", id, set: new Map(values), ...parts, objectId: newObjectId() });
  }

  /** Deletes a loaded row. @param columns whose values must not have changed */
  delete(row: LoadedRow, columns: readonly string[]): void {
    const old = Object.fromEntries(columns.map((column) => [column, row.textOf(column)]));
    this.#put(row.id, { kind: "delete", id: row.id, key: row.key, old });
  }

  /** Removes the change of a row. */
  revert(id: string): void {
    if (this.of(id)) this.#put(id, null);
  }

  undo(): void {
    const last = this.canUndo && this.#past.pop();
    if (!last) return;
    this.#edits = last;
    this.failure = null;
    this.#settle();
  }

  /** Removes all changes. */
  clear(): void {
    this.#edits = new Map();
    this.#past = [];
    this.failure = null;
    this.unansweredId = null;
    this.#settle();
  }

  /**
   * Returns the changes in the order of their first edit: deletions first, so that their keys are free.
   * @param areDocuments see `editsDocuments` of a connection type
   */
  toChanges(areDocuments = false): SentChange[] {
    return this.ordered().map((edit) => {
      if (edit.kind === "delete") return { op: "delete", key: edit.key, old: edit.old };
      const values = [...edit.set].flatMap(([name, value]) => (value === DEFAULT ? [] : [[name, value] as const]));
      const defaults = [...edit.set].flatMap(([name, value]) => (value === DEFAULT ? [name] : []));
      const set = Object.fromEntries(values);
      const exact = [...(edit.exact ?? [])];
      const own = {
        ...(exact.length > 0 && { exact }),
        ...(edit.kind === "insert" && areDocuments && { objectId: edit.objectId }),
      };
      if (edit.kind === "insert" && !edit.copied) return { op: "insert", set, ...own };
      if (edit.kind === "insert") return { op: "insert", ...toSource(edit), set, defaults, ...own };
      return { op: "update", key: edit.key, old: edit.old, set, defaults, ...own };
    });
  }

  /** Returns the changes in the order of `toChanges`. */
  ordered(): RowEdit[] {
    return this.all.sort((a, b) => Number(b.kind === "delete") - Number(a.kind === "delete"));
  }

  submitting(isSubmitting: boolean): void {
    this.isSubmitting = isSubmitting;
    if (isSubmitting) {
      this.failure = null;
      this.writtenCount = 0;
    }
    this.changed();
  }

  /** Removes the first changes of `toChanges`, which a failed submission has written. */
  written(count: number): void {
    const written = new Set(
      this.ordered()
        .slice(0, count)
        .map(({ id }) => id),
    );
    this.#edits = new Map([...this.#edits].filter(([id]) => !written.has(id)));
    this.#past = [];
    this.writtenCount = count;
    this.#settle();
  }

  /** @param change index of the refused one in `toChanges`; -1 if none is the reason */
  fail(change: number, message: string): void {
    this.failure = { id: this.ordered()[change]?.id ?? null, message };
    this.changed();
  }

  /** Marks the changes that did not match their rows. @param found by the index of `toChanges` */
  conflict(found: readonly { change: number; current: Conflict }[]): void {
    const ordered = this.ordered();
    this.#conflicts = new Map(
      found.flatMap(({ change, current }) => {
        const edit = ordered[change];
        return edit ? [[edit.id, current] as const] : [];
      }),
    );
    this.changed();
  }

  /** Keeps the change of a row, on top of its present values. A row that was deleted has none. */
  keepMine(id: string): void {
    const edit = this.of(id);
    const current = this.#conflicts.get(id);
    if (!edit || edit.kind === "insert" || !current || this.isLocked) return;
    const old = Object.fromEntries(
      Object.keys(edit.old).map((column) => [column, toFilterValue(current[column])] as const),
    );
    this.#put(id, { ...edit, old });
    this.#conflicts = new Map([...this.#conflicts].filter(([each]) => each !== id));
    this.changed();
  }

  #put(id: string, edit: RowEdit | null): void {
    this.step(() => {
      if (edit) this.#next?.set(id, edit);
      else this.#next?.delete(id);
      this.#inserts = null;
      if (this.failure?.id === id) this.failure = null;
    });
  }

  /** Drops conflicts of changes that are gone. */
  #settle(): void {
    this.#inserts = null;
    this.#conflicts = new Map([...this.#conflicts].filter(([id]) => this.#edits.has(id)));
    this.changed();
  }
}

function without(exact: Exact, name: string): Exact {
  return new Set([...exact].filter((each) => each !== name));
}

/** Returns the row that a new one copies, with the short values that it takes from it. */
function toSource({ copied, set }: Insert): { key: Texts | undefined; old: Texts } {
  const texts = Object.entries(copied?.texts ?? {});
  const checked = texts.filter(([name, text]) => !set.has(name) && (text?.length ?? 0) <= CHECKED_CHARS_MAX);
  return { key: copied?.key, old: Object.fromEntries(checked) };
}

/** Returns a new ObjectId as 24 hexadecimal digits: the time in seconds, so that ids have the order of time, then random. */
function newObjectId(): string {
  const seconds = Math.floor(Date.now() / 1000);
  return `${seconds.toString(16).padStart(8, "0")}${newId().replaceAll("-", "").slice(-16)}`;
}

/**
 * Parses a block of the clipboard: lines of cells between tabs, quoted where they contain either.
 * @returns null for more than `cellsMax` cells
 */
export function toPastedBlock(text: string, cellsMax: number): string[][] | null {
  const rows: string[][] = [[]];
  let cells = 0;
  const cell = /(?:"([^"]*(?:""[^"]*)*)"(?=[\t\r\n]|$)|([^\t\r\n]*))(\t|\r?\n|$)/y;
  while (cell.lastIndex <= text.length) {
    const found = cell.exec(text);
    if (found === null) break;
    cells += 1;
    if (cells > cellsMax) return null;
    const [, quoted, plain = "", end] = found;
    rows.at(-1)?.push(quoted?.replaceAll('""', '"') ?? plain);
    if (end === "\t") continue;
    if (cell.lastIndex >= text.length) break;
    rows.push([]);
  }
  return rows;
}

/** Returns whether a value of a document is edited as Extended JSON. A text is not, even beside nested values. */
export function isNested(value: CellValue): boolean {
  return typeof value === "object" && value !== null;
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
