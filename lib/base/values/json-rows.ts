/* Converts rows to their form in JSON answers. */

/** A value as it arrives in JSON (docs/develop/api.md, Queries). */
export type CellValue = null | boolean | number | string | CellValue[] | { [key: string]: CellValue };
export type ResultField = {
  name: string;
  type: string;
  dbType?: string;
  /** Time unit of dates that stand for spans of days, where it is known. */
  grain?: string | undefined;
};
export type ResultRow = Record<string, CellValue>;

/** Rows with access by cell, for sorting, filtering, sums and charts. */
export interface CellTable {
  readonly fields: readonly ResultField[];
  readonly rowCount: number;
  at(row: number, column: number): CellValue;
}
