import type { Field } from "@/lib/base/values/fields";
import type { PipedFormat } from "./byte-stream";
import { writeParquet } from "./parquet-thread";

/** Parquet: exact, or ended by a refusal that says which column has a value that the format does not hold. */
export function parquet(fields: readonly Field[]): PipedFormat {
  return { pipe: (batches) => writeParquet(fields, batches) };
}
