import { encodeKey } from "../bson/keys.ts";
import type { Doc, Value } from "../bson/values.ts";
import type { Index } from "./collection.ts";
import type { IndexRow, KeyRange, Row } from "./store.ts";

export type Change = { bytes: Buffer; doc: Doc } | "removed";

type Entry = { key: Buffer; rid: number };

function compareEntries(a: Entry, b: Entry): number {
  return Buffer.compare(a.key, b.key) || a.rid - b.rid;
}

/** Returns the first position in sorted entries that is not before the given entry. */
function positionOf(entries: readonly Entry[], wanted: Entry): number {
  let low = 0;
  let high = entries.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (compareEntries(entries[middle] as Entry, wanted) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Sorts before the entries of all documents with the same key. */
const BEFORE_ALL = -1;

/** Changes of a transaction in one collection, indexed by record id, by _id and by each index that is used. */
export class Overlay {
  /** True when the collection did not exist when the transaction began. */
  isNew = false;
  private readonly changes = new Map<number, Change>();
  /** Record ids of the transaction's inserts, in increasing order. */
  private readonly inserted = new Set<number>();
  private readonly insertedById = new Map<string, number>();
  private readonly entries = new Map<Index, Entry[]>();

  get(rid: number): Change | undefined {
    return this.changes.get(rid);
  }

  has(rid: number): boolean {
    return this.changes.has(rid);
  }

  isInserted(rid: number): boolean {
    return this.inserted.has(rid);
  }

  insert(rid: number, doc: Doc, bytes: Buffer): void {
    this.inserted.add(rid);
    this.insertedById.set(encodeKey(doc.get("_id") as Value).toString("latin1"), rid);
    this.set(rid, { bytes, doc });
  }

  set(rid: number, change: Change): void {
    const before = this.changes.get(rid);
    this.changes.set(rid, change);
    for (const [index, entries] of this.entries) {
      if (before !== undefined && before !== "removed") {
        for (const key of index.entries(before.doc).keys) {
          const place = positionOf(entries, { key, rid });
          const found = entries[place];
          if (found !== undefined && compareEntries(found, { key, rid }) === 0) entries.splice(place, 1);
        }
      }
      if (change === "removed") continue;
      for (const key of index.entries(change.doc).keys)
        entries.splice(positionOf(entries, { key, rid }), 0, { key, rid });
    }
  }

  /** Returns an inserted document that still exists. */
  byId(key: Buffer): Row | undefined {
    const rid = this.insertedById.get(key.toString("latin1"));
    const change = rid === undefined ? undefined : this.changes.get(rid);
    return rid === undefined || change === undefined || change === "removed" ? undefined : { rid, bytes: change.bytes };
  }

  /** Returns inserted documents that still exist, in order, after a record id. */
  insertedRows(after: number | undefined): Row[] {
    const rows: Row[] = [];
    for (const rid of this.inserted) {
      if (after !== undefined && rid <= after) continue;
      const change = this.changes.get(rid);
      if (change !== undefined && change !== "removed") rows.push({ rid, bytes: change.bytes });
    }
    return rows;
  }

  /** Returns the entries of changed documents in a range of an index, in the requested direction. */
  range(index: Index, { low, high }: KeyRange, after: IndexRow | undefined, isReverse: boolean): IndexRow[] {
    const entries = this.entriesOf(index);
    let from = positionOf(entries, { key: low, rid: BEFORE_ALL });
    let to = positionOf(entries, { key: high, rid: BEFORE_ALL });
    if (after !== undefined) {
      if (isReverse) to = Math.min(to, positionOf(entries, after));
      else from = Math.max(from, positionOf(entries, { key: after.key, rid: after.rid + 1 }));
    }
    const rows = entries.slice(from, to).map(({ key, rid }): IndexRow => {
      const { bytes } = this.changes.get(rid) as { bytes: Buffer };
      return { key, rid, bytes };
    });
    return isReverse ? rows.reverse() : rows;
  }

  private entriesOf(index: Index): Entry[] {
    let entries = this.entries.get(index);
    if (entries === undefined) {
      entries = [];
      for (const [rid, change] of this.changes) {
        if (change === "removed") continue;
        for (const key of index.entries(change.doc).keys) entries.push({ key, rid });
      }
      entries.sort(compareEntries);
      this.entries.set(index, entries);
    }
    return entries;
  }
}
