import type { Batch } from "@/lib/base/values/fields";
import { isSmallJson } from "@/lib/base/values/json-slices";
import { isLarge } from "@/lib/base/values/slices";

/** Returns whether rows of the batch must be written in pieces: a cell of 16 MiB takes up to a second and a half. */
export function hasLargeCell({ columns }: Batch): boolean {
  return columns.some((column) =>
    column.some((value) =>
      typeof value === "string" ? isLarge(value) : typeof value === "object" && value !== null && !isSmallJson(value),
    ),
  );
}
