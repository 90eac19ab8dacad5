import "server-only";
import { RowsReplacedError, readCurrent } from "@/lib/features/results/datasets/read-current";
import type { Caller } from "@/lib/platform/access/caller";
import { readData } from "./data";
import { type BindingData, dataQuery } from "./schema";
import { tryBinding } from "./work";

/** Enough rows to check a statement. */
const PREVIEW_ROWS = 1000;

/**
 * Reads a binding in the caller's version and returns its first rows.
 * @throws AppError as `tryBinding`
 */
export async function previewBinding(
  caller: Caller,
  ref: string,
  name: string,
  signal: AbortSignal,
): Promise<BindingData> {
  return readCurrent(async () => {
    const { kept } = await tryBinding(caller, ref, name, signal);
    if (!kept) throw new RowsReplacedError();
    return readData(kept, dataQuery.parse({ limit: PREVIEW_ROWS }), signal);
  });
}
