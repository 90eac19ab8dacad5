import { docOf } from "../bson/values.ts";
import { Found, type Query, runQuery } from "../query/query.ts";
import { NO_DEADLINE } from "../scheduling/deadline.ts";
import { PAUSE, Turns } from "../scheduling/flow.ts";
import type { Collection, Index } from "./collection.ts";
import { DocumentLocked, type Store } from "./store.ts";

/** Interval between removals of expired documents, in ms (MongoDB's ttlMonitorSleepSecs). */
export const TTL_INTERVAL_MS = 60_000;

/** Earliest possible date; a range from here holds only dates. */
const EARLIEST = new Date(-8_640_000_000_000_000);

/** Removes expired documents from all collections, and yields to other commands in between. */
export async function removeExpired(store: Store, now: Date): Promise<number> {
  let removed = 0;
  for (const collection of [...store.collections.values()]) {
    for (const index of collection.indexes) {
      if (index.expireAfterSeconds === undefined || !index.isReady) continue;
      removed += await removeBy(store, collection, index, index.expireAfterSeconds, now);
    }
  }
  return removed;
}

async function removeBy(
  store: Store,
  collection: Collection,
  index: Index,
  seconds: number,
  now: Date,
): Promise<number> {
  const field = index.fields[0]?.path ?? "";
  const end = new Date(now.getTime() - seconds * 1000);
  const filter = docOf({ [field]: docOf({ $gte: EARLIEST, $lte: end }) });
  const partial = index.partial?.filter;
  const query: Query = {
    collection,
    rows: store,
    filter: partial === undefined ? filter : docOf({ $and: [filter, partial] }),
    sort: [],
    hint: index.name,
    variables: { scope: undefined },
  };
  const turns = new Turns(NO_DEADLINE);
  let removed = 0;
  for (const item of runQuery(query)) {
    if (item === PAUSE) {
      await turns.pause();
      continue;
    }
    if (collection.isDropped) break;
    // Read again, because the document may have got a later date since the scan read it.
    const row = store.byRid(collection, item.row.rid);
    if (row === undefined || !row.bytes.equals(item.row.bytes)) continue;
    try {
      store.remove(collection, row, new Found(row).doc);
      removed++;
    } catch (error) {
      // A transaction holds the document; the next sweep tries again.
      if (!(error instanceof DocumentLocked)) throw error;
    }
  }
  await store.committed();
  return removed;
}
