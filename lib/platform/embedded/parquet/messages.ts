import type { Batch, Field, WireValue } from "../../../base/values/fields.ts";

/**
 * A column of a row group: its values, or its cells as Parquet stores them. `data` has a place for each row, also for
 * nulls: a number, a bit (booleans), or with `offsets` the bytes of a text. `valid` has a bit for each row.
 */
export type FilledColumn =
  | { values: WireValue[] }
  | {
      nullCount: number;
      valid: Uint8Array;
      data: Int32Array | BigInt64Array | Float64Array | Uint8Array;
      offsets?: Int32Array;
    };

/**
 * Requests to the thread, in the order of one file's parts. `file` distinguishes files that are written concurrently.
 */
export type ParquetRequest =
  | { file: number; kind: "begin"; fields: readonly Field[] }
  | { file: number; kind: "batch"; batch: Batch }
  | { file: number; kind: "columns"; rowCount: number; columns: FilledColumn[] }
  | { file: number; kind: "end" }
  /** Discards the rest of the file. Not answered. */
  | { file: number; kind: "drop" };

/** Answers come in the order of a file's requests. */
export type ParquetAnswer =
  | { file: number; bytes: Uint8Array }
  | { file: number; unfit: Pick<Field, "name" | "dbType"> }
  | { file: number; error: string };
