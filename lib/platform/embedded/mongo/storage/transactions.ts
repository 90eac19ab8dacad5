import { encodeKey } from "../bson/keys.ts";
import type { Doc, Value } from "../bson/values.ts";
import type { Cursors } from "../commands/cursors.ts";
import { ERROR_CODES, StoreError } from "../errors.ts";
import { type Collection, duplicateKey, type Index } from "./collection.ts";
import { Overlay } from "./overlay.ts";
import { type RetryLog, tooOld } from "./retries.ts";
import type { Sqlite } from "./sqlite.ts";
import {
  type Access,
  type DocumentLock,
  DocumentLocked,
  type IndexRow,
  type KeyRange,
  lockName,
  type Row,
  SqlRows,
  type Store,
} from "./store.ts";

/** Time after which a transaction is aborted, in s (MongoDB's transactionLifetimeLimitSeconds). */
export const LIFETIME_SECONDS = 60;
/** Maximum snapshot connections to keep open for the next transactions. */
export const MAX_IDLE_READERS = 4;
/** Entries to count at once inside a transaction. */
const COUNT_CHUNK = 512;

export const TRANSIENT = "TransientTransactionError";

const TRANSIENT_CODES = new Set<number>([
  ERROR_CODES.WriteConflict,
  ERROR_CODES.SnapshotUnavailable,
  ERROR_CODES.NoSuchTransaction,
  ERROR_CODES.LockTimeout,
]);

/** Returns true for failures after which the whole transaction may be retried. */
export function isTransient(error: unknown): boolean {
  return error instanceof StoreError && TRANSIENT_CODES.has(error.code);
}

function writeConflict(): StoreError {
  return new StoreError(
    "WriteConflict",
    "Caused by :: Write conflict during plan execution and yielding is disabled. :: Please retry your operation or multi-document transaction.",
  );
}

type Step =
  | { kind: "insert"; collection: Collection; rid: number; doc: Doc; bytes: Buffer }
  | { kind: "replace"; collection: Collection; rid: number; before: Doc; after: Doc; bytes: Buffer }
  | { kind: "remove"; collection: Collection; rid: number; doc: Doc };

/**
 * A multi-document transaction. Reads come from a snapshot of the file on a separate connection, overlaid with the
 * transaction's own writes. Writes are kept in memory and applied at the commit. The first writer of a document locks
 * it: another transaction gets WriteConflict, a single write waits.
 */
export class Transaction implements Access {
  readonly number: bigint;
  readonly startedAt = performance.now();
  isAborted = false;
  private readonly store: Store;
  private readonly reader: Sqlite;
  private readonly rows: SqlRows;
  private readonly snapshot: number;
  private readonly overlays = new Map<number, Overlay>();
  private readonly journal: Step[] = [];
  private readonly held: string[] = [];
  private readonly lock: DocumentLock;
  private unlock: () => void = () => undefined;
  private readonly created: Collection[] = [];

  constructor(store: Store, reader: Sqlite, number: bigint) {
    this.store = store;
    this.number = number;
    this.reader = reader;
    this.rows = new SqlRows(reader);
    // The snapshot must include acknowledged writes, so the open group is committed first.
    store.commit();
    reader.exec("BEGIN");
    reader.get("SELECT COUNT(*) FROM sqlite_master");
    store.openSnapshots++;
    this.snapshot = store.clock;
    this.lock = {
      released: new Promise((resolve) => {
        this.unlock = resolve;
      }),
    };
  }

  /** Returns true when the collection or index existed when the transaction began. */
  sees(index: Index): boolean {
    return index.createdAt <= this.snapshot;
  }

  private overlayOf(collection: Collection): Overlay | undefined {
    this.check();
    if (collection.createdAt > this.snapshot && !this.created.includes(collection)) {
      throw new StoreError(
        "SnapshotUnavailable",
        `The collection ${collection.namespace} was created or changed after the transaction began.`,
      );
    }
    return this.overlays.get(collection.id);
  }

  private check(): void {
    if (this.isAborted) throw noSuchTransaction(this.number);
  }

  byId(collection: Collection, key: Buffer): Row | undefined {
    const overlay = this.overlayOf(collection);
    if (overlay === undefined) return this.rows.byId(collection, key);
    const row = overlay.isNew ? undefined : this.rows.byId(collection, key);
    if (row !== undefined) {
      const change = overlay.get(row.rid);
      if (change === undefined) return row;
      if (change !== "removed") return { rid: row.rid, bytes: change.bytes };
    }
    return overlay.byId(key);
  }

  byRid(collection: Collection, rid: number): Row | undefined {
    const overlay = this.overlayOf(collection);
    const change = overlay?.get(rid);
    if (change === "removed") return undefined;
    if (change !== undefined) return { rid, bytes: change.bytes };
    return overlay?.isNew ? undefined : this.rows.byRid(collection, rid);
  }

  scan(collection: Collection, after: number | undefined, limit: number): Row[] {
    const overlay = this.overlayOf(collection);
    if (overlay === undefined) return this.rows.scan(collection, after, limit);
    // The transaction's inserts have higher record ids than everything in the snapshot.
    let from = after;
    for (;;) {
      const rows = overlay.isNew ? [] : this.rows.scan(collection, from, limit);
      if (rows.length === 0) return overlay.insertedRows(after);
      const visible = this.laidOver(overlay, rows);
      if (visible.length > 0) return visible;
      from = rows.at(-1)?.rid;
    }
  }

  private laidOver(overlay: Overlay, rows: Row[]): Row[] {
    return rows.flatMap((row) => {
      const change = overlay.get(row.rid);
      if (change === undefined) return [row];
      return change === "removed" ? [] : [{ rid: row.rid, bytes: change.bytes }];
    });
  }

  range(
    collection: Collection,
    index: Index,
    range: KeyRange,
    after: IndexRow | undefined,
    isReverse: boolean,
    limit: number,
  ): IndexRow[] {
    const overlay = this.overlayOf(collection);
    if (overlay === undefined) return this.rows.range(collection, index, range, after, isReverse, limit);
    const direction = isReverse ? -1 : 1;
    const compare = (a: IndexRow, b: IndexRow): number => (Buffer.compare(a.key, b.key) || a.rid - b.rid) * direction;
    const own = overlay.range(index, range, after, isReverse);
    let from = after;
    for (;;) {
      const rows = overlay.isNew ? [] : this.rows.range(collection, index, range, from, isReverse, limit);
      const last = rows.at(-1);
      if (last === undefined) return own;
      const unchanged = rows.filter((row) => !overlay.has(row.rid));
      const reached = own.filter((row) => compare(row, last) <= 0);
      const visible = [...unchanged, ...reached].sort(compare);
      if (visible.length > 0) return visible;
      from = last;
    }
  }

  countRange(collection: Collection, index: Index, range: KeyRange, most: number): number {
    const overlay = this.overlayOf(collection);
    if (overlay === undefined) return this.rows.countRange(collection, index, range, most);
    let count = 0;
    let after: IndexRow | undefined;
    while (count < most) {
      const rows = this.range(collection, index, range, after, false, COUNT_CHUNK);
      if (rows.length === 0) break;
      count += rows.length;
      after = rows.at(-1);
    }
    return Math.min(count, most);
  }

  /** Records that the transaction created a collection, which is dropped if it aborts. */
  adopt(collection: Collection): void {
    this.created.push(collection);
    const overlay = new Overlay();
    overlay.isNew = true;
    this.overlays.set(collection.id, overlay);
  }

  private overlayForWrite(collection: Collection): Overlay {
    let overlay = this.overlayOf(collection);
    if (overlay === undefined) {
      overlay = new Overlay();
      this.overlays.set(collection.id, overlay);
    }
    return overlay;
  }

  insert(collection: Collection, doc: Doc, bytes: Buffer): void {
    const overlay = this.overlayForWrite(collection);
    const id = doc.get("_id") as Value;
    const key = encodeKey(id);
    if (this.byId(collection, key) !== undefined) throw duplicateKey(collection, collection.indexes[0] as Index, [id]);
    if (this.store.byId(collection, key) !== undefined && this.isNewerThanSnapshot(collection, key))
      throw writeConflict();
    this.refuseDuplicates(collection, doc, undefined);
    const rid = collection.nextRid++;
    overlay.insert(rid, doc, bytes);
    this.journal.push({ kind: "insert", collection, rid, doc, bytes });
  }

  /** Returns whether the store has a document with this _id that did not exist when the transaction began. */
  private isNewerThanSnapshot(collection: Collection, key: Buffer): boolean {
    return this.overlays.get(collection.id)?.isNew === true || this.rows.byId(collection, key) === undefined;
  }

  replace(collection: Collection, row: Row, before: Doc, after: Doc, bytes: Buffer): void {
    const overlay = this.overlayForWrite(collection);
    this.hold(collection, overlay, row.rid);
    this.refuseDuplicates(collection, after, row.rid);
    overlay.set(row.rid, { bytes, doc: after });
    this.journal.push({ kind: "replace", collection, rid: row.rid, before, after, bytes });
  }

  remove(collection: Collection, row: Row, doc: Doc): void {
    const overlay = this.overlayForWrite(collection);
    this.hold(collection, overlay, row.rid);
    overlay.set(row.rid, "removed");
    this.journal.push({ kind: "remove", collection, rid: row.rid, doc });
  }

  private hold(collection: Collection, overlay: Overlay, rid: number): void {
    if (overlay.isInserted(rid)) return;
    const name = lockName(collection, rid);
    const holder = this.store.locks.get(name);
    if (holder === this.lock) return;
    if (holder !== undefined || this.store.wasWrittenSince(collection, rid, this.snapshot)) throw writeConflict();
    this.store.locks.set(name, this.lock);
    this.held.push(name);
  }

  private refuseDuplicates(collection: Collection, doc: Doc, ownRid: number | undefined): void {
    for (const index of collection.indexes) {
      if (index.id === 0) continue;
      const entries = index.entries(doc);
      if (entries.isMultikey) this.store.markMultikey(index);
      if (!index.isUnique || !this.sees(index)) continue;
      for (const key of entries.keys) {
        const range = { low: key, high: Buffer.concat([key, Buffer.from([0])]) };
        const others = this.range(collection, index, range, undefined, false, 2);
        if (others.some((row) => row.rid !== ownRid)) throw duplicateKey(collection, index, entries.values);
      }
    }
  }

  /**
   * Applies the transaction's writes to the store, all or none.
   * @throws StoreError WriteConflict when a concurrently committed write conflicts with them
   */
  commit(afterwards: () => void): void {
    this.check();
    this.releaseLocks();
    if (this.journal.length > 0) {
      this.store.atomically(() => {
        try {
          for (const step of this.journal) this.apply(step);
        } catch (error) {
          const isCollision =
            error instanceof DocumentLocked || (error instanceof StoreError && error.code === ERROR_CODES.DuplicateKey);
          throw isCollision ? writeConflict() : error;
        }
        afterwards();
      });
    } else this.store.write(afterwards);
    this.created.length = 0;
  }

  private apply(step: Step): void {
    const { collection, rid } = step;
    if (collection.isDropped) throw writeConflict();
    if (step.kind === "insert") this.store.insert(collection, step.doc, step.bytes, rid);
    else if (step.kind === "replace")
      this.store.replace(collection, { rid, bytes: step.bytes }, step.before, step.after, step.bytes);
    else this.store.remove(collection, { rid, bytes: Buffer.alloc(0) }, step.doc);
  }

  private releaseLocks(): void {
    for (const name of this.held) this.store.locks.delete(name);
    this.held.length = 0;
  }

  private dropCreated(): void {
    try {
      for (const collection of this.created) {
        if (!collection.isDropped && collection.count === 0) this.store.dropCollection(collection);
      }
    } catch (error) {
      // With a full disk or at shutdown, the empty collection remains, which is harmless.
      if (!(error instanceof StoreError)) throw error;
    }
  }

  /** Releases everything. Uncommitted writes are discarded. */
  end(): Sqlite {
    this.isAborted = true;
    this.releaseLocks();
    this.unlock();
    this.store.closeSnapshot();
    this.reader.exec("ROLLBACK");
    this.dropCreated();
    return this.reader;
  }
}

function noSuchTransaction(number: bigint): StoreError {
  return new StoreError(
    "NoSuchTransaction",
    `Given transaction number ${number} does not match any in-progress transactions. It was aborted, or never began.`,
  );
}

/** The open transactions, at most one per session. */
export class Sessions {
  private readonly store: Store;
  private readonly retries: RetryLog;
  private readonly cursors: Cursors;
  private readonly open = new Map<string, Transaction>();
  private readonly idleReaders: Sqlite[] = [];

  constructor(store: Store, retries: RetryLog, cursors: Cursors) {
    this.store = store;
    this.retries = retries;
    this.cursors = cursors;
    // A rollback reloads collections and counters, so the state of open transactions is obsolete.
    store.whenRolledBack(() => {
      for (const session of [...this.open.keys()]) this.abort(session);
    });
  }

  get openTransactions(): number {
    return this.open.size;
  }

  begin(session: string, number: bigint): Transaction {
    const last = this.retries.last(session);
    const current = this.open.get(session);
    if (last !== undefined && last.txn > number) throw tooOld(session, number, last.txn);
    if (current !== undefined && current.number > number) throw tooOld(session, number, current.number);
    if (current?.number === number || (last?.txn === number && last.isCommitted)) {
      throw new StoreError(
        50911,
        `Cannot start a transaction at given transaction number ${number}: a transaction with the same number is in progress or was committed`,
      );
    }
    this.abort(session);
    const transaction = new Transaction(this.store, this.idleReaders.pop() ?? this.store.openReader(), number);
    this.open.set(session, transaction);
    return transaction;
  }

  /** @throws StoreError NoSuchTransaction, or TransactionCommitted */
  continue(session: string, number: bigint): Transaction {
    const transaction = this.open.get(session);
    if (transaction?.number === number) return transaction;
    if (transaction !== undefined && transaction.number > number) throw tooOld(session, number, transaction.number);
    const last = this.retries.last(session);
    if (last?.txn === number && last.isCommitted)
      throw new StoreError("TransactionCommitted", `Transaction ${number} has been committed.`);
    throw noSuchTransaction(number);
  }

  /** Commits. A repeated commit returns the same answer. */
  commit(session: string, number: bigint): void {
    const last = this.retries.last(session);
    if (last?.txn === number && last.isCommitted) return;
    const transaction = this.continue(session, number);
    try {
      transaction.commit(() => this.retries.noteCommit(session, number));
    } finally {
      this.abort(session);
    }
  }

  /** Aborts the session's transaction, if there is one. */
  abort(session: string): void {
    const transaction = this.open.get(session);
    if (transaction === undefined) return;
    this.open.delete(session);
    this.cursors.killOf((cursor) => cursor.transaction === transactionName(session, transaction.number));
    const reader = transaction.end();
    if (this.idleReaders.length < MAX_IDLE_READERS) this.idleReaders.push(reader);
    else reader.close();
  }

  /** Ends a session with its transaction and its cursors. */
  end(session: string): void {
    this.abort(session);
    this.cursors.killOf((cursor) => cursor.session === session);
    this.retries.forget(session);
  }

  sweep(): void {
    const now = performance.now();
    for (const [session, transaction] of [...this.open]) {
      if (now - transaction.startedAt > LIFETIME_SECONDS * 1000) this.abort(session);
    }
  }

  close(): void {
    for (const session of [...this.open.keys()]) this.abort(session);
    for (const reader of this.idleReaders) reader.close();
    this.idleReaders.length = 0;
  }
}

export function transactionName(session: string, number: bigint): string {
  return `${session}/${number}`;
}
