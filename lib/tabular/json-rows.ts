/* Rows as an answer in JSON carries them to a client. */

/** A value as it arrives in JSON (docs/api.md, Queries). */
export type CellValue = null | boolean | number | string | CellValue[] | { [key: string]: CellValue };
export type ResultField = { name: string; type: string; dbType?: string };
export type ResultRow = Record<string, CellValue>;
