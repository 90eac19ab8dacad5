import "server-only";
import type { AnyBulkWriteOperation } from "mongodb";
import { CONSOLES } from "@/lib/features/consoles/item-kind";
import { DASHBOARDS } from "@/lib/features/dashboards/item-kind";
import { withKeys } from "@/lib/features/folders/apply-writes";
import { fieldsOf } from "@/lib/features/folders/changes";
import type { ItemKind } from "@/lib/features/folders/item-kind";
import type { ItemDoc } from "@/lib/features/folders/model";

/** Number of documents per command. */
const BATCH = 500;
/** Number of texts per command, of up to 1 MiB each. */
const TEXT_BATCH = 20;

/** Writes the keys of searches by name into consoles and dashboards of earlier versions. */
export async function writeSearchKeys(signal: AbortSignal): Promise<void> {
  for (const itemKind of [CONSOLES, DASHBOARDS]) await writeKeys(itemKind, "searchKeys", ["path"], BATCH, signal);
}

/** Writes the keys of searches of texts into consoles of earlier versions. */
export async function writeTextKeys(signal: AbortSignal): Promise<void> {
  const { searchedFields = [] } = CONSOLES;
  await writeKeys(CONSOLES, "textKeys", searchedFields, TEXT_BATCH, signal);
}

/** @param fields that the keys follow from */
async function writeKeys(
  itemKind: ItemKind,
  keys: "searchKeys" | "textKeys",
  fields: readonly string[],
  batch: number,
  signal: AbortSignal,
): Promise<void> {
  const lacksKeys = { [keys]: { $exists: false } };
  let writes: AnyBulkWriteOperation<ItemDoc>[] = [];
  const flush = async () => {
    signal.throwIfAborted();
    if (writes.length > 0) await itemKind.items().bulkWrite(writes, { ordered: false });
    writes = [];
  };
  const projection = Object.fromEntries(["seq", ...fields].map((name) => [name, 1]));
  for await (const { _id, seq, ...doc } of itemKind.items().find(lacksKeys, { projection }).batchSize(batch)) {
    // An item that has changed in the meantime has its own keys.
    const filter = { _id, seq, ...lacksKeys };
    const set = withKeys(itemKind, fieldsOf(doc as Partial<ItemDoc>, fields));
    writes.push({ updateOne: { filter, update: { $set: { [keys]: set[keys] ?? [] } } } });
    if (writes.length === batch) await flush();
  }
  await flush();
}
