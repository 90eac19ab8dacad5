import type { CellValue, ResultField, ResultRow } from "@/lib/base/values/json-rows";
import { CHANGED_VALUE_CHARS_MAX } from "@/lib/features/query/limits";
import type { Arrangement } from "@/lib/features/results/browser/arrangement";
import { toFilterValue } from "@/lib/features/results/browser/column-filter";
import type { FindAsk } from "@/lib/features/results/browser/find-rows";
import { copyRows } from "@/lib/features/results/browser/held-rows";
import type { PivotAsk } from "@/lib/features/results/browser/pivot-rows";
import {
  CHECKED_CHARS_MAX,
  type CopiedRow,
  DEFAULT,
  hasLongNumber,
  type LoadedRow,
  type NewValue,
  type RowEdits,
  toEditText,
} from "@/lib/features/results/browser/row-edits";
import { ObjectTable } from "@/lib/features/results/browser/row-table";
import type { RowMark, RowsSource } from "@/lib/features/results/browser/rows-source";
import type { ChartAsk, CopyAsk } from "@/lib/features/results/browser/worker-messages";

/** Types whose values are not compared before a deletion. */
const UNCHECKED = new Set(["json", "binary", "array", "other"]);

/** Edits to which one edition of the rows can be told apart. */
const EDITIONS = 2 ** 24;

const MARKS = {
  insert: { className: "added", sign: "+" },
  delete: { className: "deleted", sign: "−" },
  update: { className: "edited", sign: null },
};

/** Rows with their pending changes: changed cells have their new values, and new rows follow the loaded ones. */
export class EditedRows implements RowsSource {
  #keyOf: readonly ResultField[] | null = null;
  #keyColumns: number[] = [];

  constructor(
    readonly base: RowsSource,
    readonly edits: RowEdits,
    /** Columns that identify a row. */
    readonly key: readonly string[],
    /** See `editsDocuments` of a connection type. */
    readonly areDocuments: boolean = false,
  ) {}

  /** Word for a cell whose value the database sets. */
  get defaultWord(): string {
    return this.areDocuments ? "unset" : "default";
  }

  get fields() {
    return this.base.fields;
  }
  get total() {
    return this.base.total;
  }
  get count() {
    return this.base.count + this.edits.inserts.length;
  }
  get version() {
    return this.base.version + this.edits.version;
  }
  get arrangement() {
    return this.base.arrangement;
  }
  get isArranging() {
    return this.base.isArranging;
  }
  get summedCellsMax() {
    return this.base.summedCellsMax;
  }
  get sample() {
    return this.base.sample;
  }

  subscribe = (listener: () => void): (() => void) => {
    const stops = [this.base.subscribe(listener), this.edits.subscribe(listener)];
    return () => {
      for (const stop of stops) stop();
    };
  };

  cell(row: number, column: number): CellValue | undefined {
    const value = this.#pending(row, column);
    return value === undefined ? this.base.cell(row, column) : value === DEFAULT ? null : value;
  }

  /** Returns the text to edit of a cell; null for NULL, DEFAULT for a default. */
  textAt(row: number, column: number): NewValue {
    const value = this.#pending(row, column);
    // A pending value is a text already: JSON is not encoded twice.
    if (value !== undefined) return value;
    const stored = this.base.cell(row, column) ?? null;
    // A document's value has its own type, which the column's other values do not decide.
    return this.areDocuments ? toFilterValue(stored) : toEditText(stored, this.fields[column]?.type ?? "");
  }

  /** Returns why a cell cannot be edited as text; null if it can. @param text to edit; null and DEFAULT for none */
  refusalAt(row: number, column: number, text: NewValue): string | null {
    if (this.areDocuments && this.key.includes(this.fields[column]?.name ?? "") && this.loaded(row)) {
      return "An _id can't be changed. Duplicate the row, then delete this one.";
    }
    // The text of a document's list or object has the types of its numbers.
    if (!this.areDocuments && hasLongNumber(this.cell(row, column) ?? null)) {
      return "This JSON has numbers that are shown as text. Edit it in a console.";
    }
    const isLong = typeof text === "string" && text.length > CHANGED_VALUE_CHARS_MAX;
    return isLong ? "This value is too long to edit here. Use a console." : null;
  }

  /** Returns the key and values of a loaded row; null for a new one, one without a key, or one that has not arrived. */
  loaded(row: number): LoadedRow | null {
    const id = this.#loadedId(row);
    if (id === null) return null;
    const cell = (name: string) =>
      this.base.cell(
        row,
        this.fields.findIndex((field) => field.name === name),
      );
    const textOf = (name: string) => toFilterValue(cell(name));
    return { id, key: Object.fromEntries(this.key.map((name) => [name, textOf(name)])), textOf };
  }

  /**
   * Returns the key of the stored row that a cell's value is from; null for a pending value, and for a row without a
   * key.
   */
  storedKey(row: number, column: number): LoadedRow["key"] | null {
    const edit = this.#editAt(row);
    if (edit?.kind !== "delete" && edit?.set.has(this.fields[column]?.name ?? "")) return null;
    return (edit?.kind === "insert" ? edit.copied?.key : this.loaded(row)?.key) ?? null;
  }

  /** Returns the pending values of a document and the stored one that its copy copies; null for one without either. */
  #toCopy(row: number): { values: [string, NewValue][]; copied?: CopiedRow | undefined; exact: Set<string> } | null {
    const edit = this.#editAt(row);
    const pending = edit && edit.kind !== "delete" ? edit : null;
    const values = [...(pending?.set ?? [])].filter(([name]) => !this.key.includes(name));
    const exact = new Set(values.map(([name]) => name).filter((name) => pending?.exact?.has(name)));
    if (edit?.kind === "insert") return { values, copied: edit.copied, exact };
    const loaded = this.loaded(row);
    if (loaded === null) return null;
    const texts = Object.fromEntries(this.fields.map(({ name }) => [name, loaded.textOf(name)]));
    return { values, copied: { key: loaded.key, texts }, exact };
  }

  /** Deletes a row, if its short values have not changed. A new row is removed. */
  delete(row: number): void {
    const loaded = this.loaded(row);
    const inserted = this.#insertAt(row);
    if (inserted) this.edits.revert(inserted.id);
    if (!loaded) return;
    const checked = this.fields.filter(({ type }) => !UNCHECKED.has(type)).map(({ name }) => name);
    const short = checked.filter((name) => (loaded.textOf(name)?.length ?? 0) <= CHECKED_CHARS_MAX);
    this.edits.delete(loaded, short);
  }

  /** Adds a copy of a row, without its key. The database copies a document, with the types of its values. */
  duplicate(row: number): void {
    const copy = this.areDocuments ? this.#toCopy(row) : null;
    const values = this.fields.map(({ name }, index): [string, NewValue] => [name, this.textAt(row, index)]);
    if (copy) this.edits.add(copy.values, { copied: copy.copied, exact: copy.exact });
    else this.edits.add(values.filter(([name, value]) => !this.key.includes(name) && value !== DEFAULT));
  }

  /** Returns the id of a row's edits; null while it is not loaded. */
  idAt(row: number): string | null {
    return this.#insertAt(row)?.id ?? this.#loadedId(row);
  }

  /** Returns the number of a row in the grid; -1 for one that is not loaded. Reads all rows. */
  rowOf(id: string): number {
    const at = this.edits.inserts.findIndex((edit) => edit.id === id);
    if (at >= 0) return this.base.count + at;
    for (let row = 0; row < this.base.count; row += 1) if (this.#loadedId(row) === id) return row;
    return -1;
  }

  set(row: number, column: string, value: NewValue): void {
    const inserted = this.#insertAt(row);
    const loaded = this.loaded(row);
    if (inserted) this.edits.setNew(inserted.id, column, value);
    else if (loaded) this.edits.set(loaded, column, value);
  }

  /** Returns the fields that were added to a document, with their values as Extended JSON. */
  addedFields(row: number): [name: string, text: string][] {
    const edit = this.#editAt(row);
    if (!edit || edit.kind === "delete") return [];
    return [...(edit.exact ?? [])].map((name) => [name, String(edit.set.get(name))]);
  }

  /** Returns whether a column, or a field that was added to this document, has the name. */
  hasField(row: number, name: string): boolean {
    return this.fields.some((field) => field.name === name) || this.addedFields(row).some(([added]) => added === name);
  }

  /** Adds a field to a document. @param text its value as Extended JSON */
  addField(row: number, name: string, text: string): void {
    const inserted = this.#insertAt(row);
    const loaded = this.loaded(row);
    if (inserted) this.edits.addNewField(inserted.id, name, text);
    else if (loaded) this.edits.addField(loaded, name, text);
  }

  mark(row: number): RowMark | null {
    const edit = this.#editAt(row);
    if (!edit) return null;
    const { conflicts, failure } = this.edits;
    const current = conflicts.get(edit.id);
    const isConflict = conflicts.has(edit.id);
    const { className, sign } = MARKS[edit.kind];
    const classNames = [className, isConflict && "conflicting", failure?.id === edit.id && "refused"];
    return {
      className: classNames.filter(Boolean).join(" "),
      sign,
      cell: (column) => {
        if (edit.kind === "delete") return null;
        const name = this.fields[column]?.name ?? "";
        const value = edit.set.get(name);
        if (edit.kind === "insert") {
          const isDefault = value === DEFAULT || (value === undefined && !isCopied(edit, name, this.key));
          return isDefault ? { className: "default", substitute: this.defaultWord } : null;
        }
        if (value === undefined) return null;
        const was = edit.old[name] ?? null;
        const isChanged = isConflict && (!current || toFilterValue(current[name]) !== was);
        const isDefault = value === DEFAULT;
        const cellNames = ["changed", isChanged && "conflict", isDefault && "default"];
        const substitute = isDefault ? this.defaultWord : undefined;
        return { className: cellNames.filter(Boolean).join(" "), was, substitute };
      },
    };
  }

  edition(row: number): number {
    return this.base.edition(row) * EDITIONS + (this.edits.version % EDITIONS);
  }

  want(from: number, to: number, isSeen?: boolean): void {
    this.base.want(from, Math.min(to, this.base.count), isSeen);
  }

  arrange(arrangement: Arrangement): void {
    this.base.arrange(arrangement);
  }

  /** Copies rows with their pending changes. */
  copyNow(ask: CopyAsk): string | null {
    if (this.edits.isEmpty) return this.base.copyNow(ask);
    const { count, fields } = this;
    const rows: ResultRow[] = [];
    for (let row = ask.from; row < Math.min(ask.to, count); row += 1) {
      if (!this.#insertAt(row) && this.base.cell(row, 0) === undefined) return null;
      rows.push(Object.fromEntries(ask.columns.map((at) => [fields[at]?.name ?? "", this.cell(row, at) ?? null])));
    }
    return copyRows({ table: new ObjectTable(fields, rows), order: null }, { ...ask, from: 0, to: rows.length });
  }

  /** Copies the stored rows: some of these are not loaded. */
  copy(ask: CopyAsk): Promise<string> {
    return this.base.copy({ ...ask, to: Math.min(ask.to, this.base.count) });
  }

  sum(columns: number[], from: number, to: number) {
    return this.base.sum(columns, from, Math.min(to, this.base.count));
  }

  chart(ask: ChartAsk) {
    return this.base.chart(ask);
  }

  // These regard the stored values.
  stats(column: number) {
    return this.base.stats(column);
  }

  pivot(ask: PivotAsk) {
    return this.base.pivot(ask);
  }

  find(ask: FindAsk) {
    return this.base.find(ask);
  }

  close(): void {
    this.base.close();
  }

  #insertAt(row: number) {
    return row < this.base.count ? undefined : this.edits.inserts[row - this.base.count];
  }

  #loadedId(row: number): string | null {
    if (row >= this.base.count || this.base.cell(row, 0) === undefined) return null;
    if (this.#keyOf !== this.fields) {
      this.#keyOf = this.fields;
      this.#keyColumns = this.key.map((name) => this.fields.findIndex((field) => field.name === name));
    }
    if (this.#keyColumns.length === 0 || this.#keyColumns.includes(-1)) return null;
    const texts = this.#keyColumns.map((column) => toFilterValue(this.base.cell(row, column)));
    // SQLite allows NULL in a primary key: such a row has no identity. One document may have null as its _id.
    return texts.includes(null) && !this.areDocuments ? null : JSON.stringify(texts);
  }

  #editAt(row: number) {
    if (this.edits.isEmpty) return undefined;
    const id = this.#loadedId(row);
    return this.#insertAt(row) ?? (id === null ? undefined : this.edits.of(id));
  }

  /** Returns the pending value of a cell; undefined for none. A new row has a default where it has no value. */
  #pending(row: number, column: number): NewValue | undefined {
    const edit = this.#editAt(row);
    if (!edit || edit.kind === "delete") return undefined;
    const name = this.fields[column]?.name ?? "";
    const value = edit.set.get(name);
    if (value !== undefined || edit.kind !== "insert") return value;
    return isCopied(edit, name, this.key) ? (edit.copied?.texts[name] ?? null) : DEFAULT;
  }
}

/** Returns whether a new row has the value of the row that it is a copy of. */
function isCopied({ copied }: { copied?: CopiedRow | undefined }, name: string, key: readonly string[]): boolean {
  return copied !== undefined && !key.includes(name);
}
