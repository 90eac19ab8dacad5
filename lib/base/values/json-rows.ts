/* Rows as an answer in JSON carries them to a client. */

/** A value as it arrives in JSON (docs/develop/api.md, Queries). */
export type CellValue = null | boolean | number | string | CellValue[] | { [key: string]: CellValue };
export type ResultField = { name: string; type: string; dbType?: string };
export type ResultRow = Record<string, CellValue>;

/** Rows that can be read cell by cell: what sorting, filtering, adding up and charts work on. */
export interface CellTable {
  readonly fields: readonly ResultField[];
  readonly rowCount: number;
  at(row: number, column: number): CellValue;
}
