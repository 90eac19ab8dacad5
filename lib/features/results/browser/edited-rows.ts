import type { CellValue } from "@/lib/base/values/json-rows";
import type { Arrangement } from "@/lib/features/results/browser/arrangement";
import type { FindAsk } from "@/lib/features/results/browser/find-rows";
import type { PivotAsk } from "@/lib/features/results/browser/pivot-rows";
import {
  DEFAULT,
  type LoadedRow,
  type NewValue,
  type RowEdits,
  toLoadedRow,
} from "@/lib/features/results/browser/row-edits";
import type { RowMark, RowsSource } from "@/lib/features/results/browser/rows-source";
import type { ChartAsk, CopyAsk } from "@/lib/features/results/browser/worker-messages";

/** Edits to which one edition of the rows can be told apart. */
const EDITIONS = 2 ** 24;

/** Rows with their pending changes: changed cells have their new values, and new rows follow the loaded ones. */
export class EditedRows implements RowsSource {
  constructor(
    readonly base: RowsSource,
    readonly edits: RowEdits,
    /** Columns that identify a row. */
    readonly key: readonly string[],
  ) {}

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
    if (this.edits.isEmpty) return this.base.cell(row, column);
    const name = this.fields[column]?.name ?? "";
    const inserted = this.#insertAt(row);
    if (inserted) return shown(inserted.set.get(name) ?? null);
    const loaded = this.loaded(row);
    if (!loaded) return this.base.cell(row, column);
    const edit = this.edits.of(loaded.id);
    const value = edit?.kind === "update" ? edit.set.get(name) : undefined;
    if (value !== undefined) return shown(value);
    const seen = this.edits.seen(loaded.id, name);
    return seen === undefined ? this.base.cell(row, column) : seen;
  }

  /** Returns the key and values of a loaded row; null for a new one, or one that has not arrived. */
  loaded(row: number): LoadedRow | null {
    if (row >= this.base.count || this.base.cell(row, 0) === undefined) return null;
    return toLoadedRow(this.fields, this.key, (column) => this.base.cell(row, column));
  }

  /** Returns the id of a row's edits; null while it is not loaded. */
  idAt(row: number): string | null {
    return this.#insertAt(row)?.id ?? this.loaded(row)?.id ?? null;
  }

  /** Returns the number of a row in the grid; -1 for one that is not loaded. */
  rowOf(id: string): number {
    const at = this.edits.inserts.findIndex((edit) => edit.id === id);
    if (at >= 0) return this.base.count + at;
    for (let row = 0; row < this.base.count; row += 1) if (this.loaded(row)?.id === id) return row;
    return -1;
  }

  set(row: number, column: string, value: NewValue): void {
    const inserted = this.#insertAt(row);
    const loaded = this.loaded(row);
    if (inserted) this.edits.setNew(inserted.id, column, value);
    else if (loaded) this.edits.set(loaded, column, value);
  }

  mark(row: number): RowMark | null {
    if (this.edits.isEmpty) return null;
    const id = this.idAt(row);
    const edit = id === null ? undefined : this.edits.of(id);
    if (!edit) return null;
    const { conflicts, failure } = this.edits;
    const current = conflicts.get(edit.id);
    const isConflict = conflicts.has(edit.id);
    const state = { insert: "added", delete: "deleted", update: "edited" }[edit.kind] as RowMark["state"];
    return {
      state,
      isConflict,
      failure: failure?.id === edit.id ? failure.message : null,
      cell: (column) => {
        if (edit.kind === "delete") return null;
        const value = edit.set.get(column);
        const isDefault = value === DEFAULT || (edit.kind === "insert" && value === undefined);
        if (edit.kind === "insert") return isDefault ? { isDefault, old: undefined, isConflict: false } : null;
        if (value === undefined) return null;
        const old = edit.old[column] ?? null;
        const isChanged = isConflict && (!current || (current[column] ?? null) !== old);
        return { isDefault, old, isConflict: isChanged };
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

  copyNow(ask: CopyAsk): string | null {
    return this.base.copyNow(this.#within(ask));
  }

  copy(ask: CopyAsk): Promise<string> {
    return this.base.copy(this.#within(ask));
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

  /** Loaded rows alone are copied and summed. */
  #within(ask: CopyAsk): CopyAsk {
    return { ...ask, to: Math.min(ask.to, this.base.count) };
  }
}

function shown(value: NewValue): CellValue {
  return value === DEFAULT ? null : value;
}
