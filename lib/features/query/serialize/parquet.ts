import type { Field } from "@/lib/base/values/fields";
import type { PipedFormat } from "./byte-stream";
import { writeParquet } from "./parquet-thread";

/** Parquet: exact, or aborted with an error that names the column whose value does not fit. */
export function parquet(fields: readonly Field[]): PipedFormat {
  return { pipe: (batches) => writeParquet(fields, batches) };
}
