/*
 * Declares the shapes of rows and tables that databases, engines, serializers and the browser share. Has no
 * dependencies.
 */

/** Neutral type names of a result's columns (docs/develop/api.md, Queries). */
export const FIELD_TYPES = [
  "int32", "int64", "float64", "decimal", "boolean", "string", "date", "time", "timestamp", "timestamptz",
  "interval", "json", "binary", "objectId", "array", "other",
] as const; // biome-ignore format: one look at the whole list
export type FieldType = (typeof FIELD_TYPES)[number];

/** `dbType` is the engine's name of the type, for display. Names are unchanged, including duplicates. */
export type Field = { name: string; type: FieldType; dbType: string };

/**
 * A value in its JSON form: int64 is a number while |x| < 2^53, else a string; decimal and objectId are strings; binary
 * is base64; dates and times are ISO text with all the digits that the database stores; a float that JSON cannot write
 * is "NaN", "Infinity" or "-Infinity".
 */
export type WireValue = null | boolean | number | string | WireValue[] | { [key: string]: WireValue };

/**
 * A run of rows, column by column: `columns[i][r]` is row r of field i. `isCut` is on the last batch of a result that
 * ended early because of `cellBytesMax`; that batch may have no rows. `raw` has the same rows as the database sent them.
 */
export type Batch = { rowCount: number; columns: WireValue[][]; isCut?: true; raw?: RowBytes };

/**
 * The text of a column's cells, in UTF-8:
 * - `integer`: digits of an integer that a double holds
 * - `int64`: digits of any integer
 * - `float`: the shortest digits of a double, maybe with an exponent; NaN, Infinity or -Infinity
 * - `boolean`: t or f
 * - `plain`: the value, without characters that CSV or JSON escape
 * - `text`: the value
 * - `date`, `timestamp`: PostgreSQL's ISO form; a time with a zone is in UTC
 * - `json`: PostgreSQL's jsonb: each key once, and only necessary escapes
 * - `other`: known to `decode` only
 */
export type CellForm =
  "integer" | "int64" | "float" | "boolean" | "plain" | "text" | "date" | "timestamp" | "json" | "other"; // biome-ignore format: one look at the whole list

/** A column of `RowBytes`. `decode` returns the value of a cell's text, for every form. */
export type ByteColumn = { form: CellForm; decode: (text: string) => WireValue };

/**
 * Rows in the layout of PostgreSQL's DataRow messages. A row has its code, its length without the code (int32,
 * big-endian) and its number of columns (int16). Each cell has a length (int32; -1 for null) and that many bytes.
 */
export type RowBytes = { bytes: Uint8Array; columns: readonly ByteColumn[] };

export type EntityColumn = {
  name: string;
  type: string;
  nullable: boolean;
  primaryKey: boolean;
  /** Values of an enum, where the type does not list them. */
  values?: string[];
};
/** A foreign key as the database declares it: `columns[i]` refers to `references.columns[i]`. */
export type EntityForeignKey = { columns: string[]; references: { schema?: string; name: string; columns: string[] } };
/** Maximum number of an enum's values that a list of tables has: a list of more is useless. */
export const ENUM_VALUES_MAX = 200;
/** Maximum number per entity: a table has a few; more would not be useful. */
export const FOREIGN_KEYS_MAX = 50;
export type Entity = {
  name: string;
  schema?: string;
  kind: "table" | "view" | "collection" | "resource";
  columns?: EntityColumn[];
  rowEstimate?: number;
  /** The engine's internal columns that identify rows without a primary key. */
  rowId?: EntityColumn[];
  /** Absent if none is declared. */
  foreignKeys?: EntityForeignKey[];
};
