import type { Batch, Field } from "../../../base/values/fields.ts";

/**
 * Requests to the thread, in the order of one file's parts. `file` distinguishes files that are written concurrently.
 */
export type ParquetRequest =
  | { file: number; kind: "begin"; fields: readonly Field[] }
  | { file: number; kind: "batch"; batch: Batch }
  | { file: number; kind: "end" }
  /** Discards the rest of the file. Not answered. */
  | { file: number; kind: "drop" };

/** Answers come in the order of a file's requests. */
export type ParquetAnswer =
  | { file: number; bytes: Uint8Array }
  | { file: number; unfit: Pick<Field, "name" | "dbType"> }
  | { file: number; error: string };
