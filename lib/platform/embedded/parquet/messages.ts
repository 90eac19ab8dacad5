import type { Batch, Field } from "../../../base/values/fields.ts";

/** What the thread is asked for, in the order of one file's parts; `file` tells files apart that are written at once. */
export type ParquetRequest =
  | { file: number; kind: "begin"; fields: readonly Field[] }
  | { file: number; kind: "batch"; batch: Batch }
  | { file: number; kind: "end" }
  /** Nobody wants the rest. Not answered. */
  | { file: number; kind: "drop" };

/** Answers come in the order of the requests of a file. */
export type ParquetAnswer =
  | { file: number; bytes: Uint8Array }
  | { file: number; unfit: Pick<Field, "name" | "dbType"> }
  | { file: number; error: string };
