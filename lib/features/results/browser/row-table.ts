import type { CellTable, CellValue, ResultField, ResultRow } from "@/lib/base/values/json-rows";
import { type Column, columnFor, widen } from "@/lib/features/results/browser/columns";

export type { CellTable };

/** A result in memory, column by column: about a fifth of the same rows as objects. */
export class RowTable implements CellTable {
  rowCount = 0;
  #columns: (Column | null)[];
  readonly #names: readonly string[];

  constructor(readonly fields: readonly ResultField[]) {
    this.#names = fields.map(({ name }) => name);
    this.#columns = fields.map(() => null);
  }

  get bytes(): number {
    return this.#columns.reduce((sum, column) => sum + (column?.bytes ?? 0), 0);
  }

  push(row: ResultRow): void {
    for (let i = 0; i < this.#names.length; i += 1) this.#add(i, row[this.#names[i] ?? ""] ?? null);
    this.rowCount += 1;
  }

  at(row: number, column: number): CellValue {
    return this.#columns[column]?.at(row) ?? null;
  }

  /** Returns the column's storage, for faster access; null while it contains only nulls. */
  column(index: number): Column | null {
    return this.#columns[index] ?? null;
  }

  #add(index: number, value: CellValue): void {
    let column = this.#columns[index] ?? null;
    if (column === null) {
      // The first non-null value determines the kind.
      if (value === null) return;
      column = columnFor(value);
      for (let row = 0; row < this.rowCount; row += 1) column.push(null);
      this.#columns[index] = column;
    }
    while (!column.push(value)) {
      column = widen(column, value);
      this.#columns[index] = column;
    }
  }
}

/** The rows of a JSON response, in their original order. */
export class ObjectTable implements CellTable {
  readonly rowCount: number;

  constructor(
    readonly fields: readonly ResultField[],
    readonly rows: readonly ResultRow[],
  ) {
    this.rowCount = rows.length;
  }

  at(row: number, column: number): CellValue {
    return this.rows[row]?.[this.fields[column]?.name ?? ""] ?? null;
  }
}

/** Returns one row as an object, with the given columns. */
export function toRow(table: CellTable, row: number, columns: readonly number[]): ResultRow {
  // From entries, so that a column called __proto__ is an ordinary key.
  return Object.fromEntries(
    columns.map((column): [string, CellValue] => [table.fields[column]?.name ?? "", table.at(row, column)]),
  );
}
