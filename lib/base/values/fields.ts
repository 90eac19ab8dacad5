/*
 * The shapes of rows and tables, as databases, engines, serializers and the browser share them. Nothing here depends on
 * anything.
 */

/** The neutral type names of a result's columns (docs/develop/api.md, Queries). */
export const FIELD_TYPES = [
  "int32", "int64", "float64", "decimal", "boolean", "string", "date", "time", "timestamp", "timestamptz",
  "interval", "json", "binary", "objectId", "array", "other",
] as const; // biome-ignore format: one look at the whole list
export type FieldType = (typeof FIELD_TYPES)[number];

/** `dbType` is the engine's own name of the type, for people. Names are as the engine gave them, duplicates included. */
export type Field = { name: string; type: FieldType; dbType: string };

/**
 * A value in the form in which it leaves in JSON: int64 is a number while |x| < 2^53, else a string; decimal and
 * objectId are strings; binary is base64; dates and times are ISO text with all the digits that the database keeps;
 * a float that JSON cannot write is "NaN", "Infinity" or "-Infinity".
 */
export type WireValue = null | boolean | number | string | WireValue[] | { [key: string]: WireValue };

/**
 * A run of rows, column by column: `columns[i][r]` is row r of field i. `isCut` is on the last batch of a result that
 * ended early because of `cellBytesMax`; that batch may have no rows.
 */
export type Batch = { rowCount: number; columns: WireValue[][]; isCut?: true };

export type EntityColumn = { name: string; type: string; nullable: boolean; primaryKey: boolean };
/** Whose rows these belong to, as the database declares it: `columns[i]` holds what is in `references.columns[i]`. */
export type EntityForeignKey = { columns: string[]; references: { schema?: string; name: string; columns: string[] } };
/** Of one entity: a table has a few; more than these say nothing to anybody. */
export const FOREIGN_KEYS_MAX = 50;
export type Entity = {
  name: string;
  schema?: string;
  kind: "table" | "view" | "collection" | "resource";
  columns?: EntityColumn[];
  rowEstimate?: number;
  /** Columns of the engine's own that tell rows apart where no primary key does. */
  rowId?: EntityColumn[];
  /** Left out where none is declared. */
  foreignKeys?: EntityForeignKey[];
};
