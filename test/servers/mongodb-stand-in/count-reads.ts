import type { RowSource } from "../../../lib/platform/embedded/mongo/storage/store.ts";

/** Numbers of index entries and documents that a query has read. */
export type Examined = { keys: number; docs: number };

/** Returns a source of the same rows that counts what is read from it. */
export function countReads(source: RowSource): { rows: RowSource; examined: Examined } {
  const examined: Examined = { keys: 0, docs: 0 };
  const rows: RowSource = {
    byId: (...given) => {
      const row = source.byId(...given);
      examined.keys += 1;
      if (row !== undefined) examined.docs += 1;
      return row;
    },
    byRid: (...given) => source.byRid(...given),
    scan: (...given) => {
      const found = source.scan(...given);
      examined.docs += found.length;
      return found;
    },
    range: (...given) => {
      const found = source.range(...given);
      examined.keys += found.length;
      examined.docs += found.length;
      return found;
    },
    sees: (index) => source.sees(index),
    countRange: (...given) => source.countRange(...given),
  };
  return { rows, examined };
}
