import { open } from "node:fs/promises";
import { join } from "node:path";
import { decodeDocument, encodeDocument } from "../bson/codec.ts";
import { encodeKey } from "../bson/keys.ts";
import type { Doc, Value } from "../bson/values.ts";
import { StoreError } from "../errors.ts";
import { uninterrupted } from "../scheduling/effort.ts";
import { Collection, duplicateKey, Index, newUuid, uuidOf } from "./collection.ts";
import { recoverRestore } from "./restore.ts";
import {
  type Durability,
  isSqliteError,
  lockStoreFile,
  openReader,
  openStoreFile,
  type Sqlite,
  toStoreError,
} from "./sqlite.ts";

/** A stored document: its record id, in insertion order, and its bytes. */
export type Row = { rid: number; bytes: Buffer };
/** A document found through an index. */
export type IndexRow = Row & { key: Buffer };
/** Keys from `low` (inclusive) to `high` (exclusive). */
export type KeyRange = { low: Buffer; high: Buffer };

/** Source of documents for reads: the store itself, or a transaction's view of it. */
export type RowSource = {
  byId(collection: Collection, key: Buffer): Row | undefined;
  byRid(collection: Collection, rid: number): Row | undefined;
  /** Returns the next rows in insertion order. @param after record id of the last row; undefined at the start */
  scan(collection: Collection, after: number | undefined, limit: number): Row[];
  /** Returns the next rows in the order of an index. */
  range(
    collection: Collection,
    index: Index,
    range: KeyRange,
    after: IndexRow | undefined,
    isReverse: boolean,
    limit: number,
  ): IndexRow[];
  /** Returns false for an index that a transaction's snapshot does not have. */
  sees(index: Index): boolean;
  /** Counts the entries of a range, up to `most`. */
  countRange(collection: Collection, index: Index, range: KeyRange, most: number): number;
};

/** Target of writes. Every function changes one document completely or throws. */
export type Access = RowSource & {
  insert(collection: Collection, doc: Doc, bytes: Buffer): void;
  replace(collection: Collection, row: Row, before: Doc, after: Doc, bytes: Buffer): void;
  remove(collection: Collection, row: Row, doc: Doc): void;
};

/** Maximum memory of one read's rows beyond the first document, in bytes. */
const READ_CHUNK_BYTES = 1024 * 1024;

export type StoreOptions = { dataDir: string; durability: Durability; maxBytes?: number | undefined };

/** A transaction's lock on a document; see transactions.ts. */
export type DocumentLock = { released: Promise<void> };

/** Thrown when an open transaction holds a document. The command waits for it and retries. */
export class DocumentLocked extends Error {
  readonly lock: DocumentLock;
  constructor(lock: DocumentLock) {
    super("the document is held by a transaction");
    this.lock = lock;
  }
}

export class SqlRows implements RowSource {
  protected readonly sql: Sqlite;

  constructor(sql: Sqlite) {
    this.sql = sql;
  }

  byId(collection: Collection, key: Buffer): Row | undefined {
    const row = this.sql.get<[number, Buffer]>(`SELECT r, d FROM "${collection.table}" WHERE k = ?`, key);
    return row === undefined ? undefined : { rid: row[0], bytes: row[1] };
  }

  byRid(collection: Collection, rid: number): Row | undefined {
    const row = this.sql.get<[Buffer]>(`SELECT d FROM "${collection.table}" WHERE r = ?`, rid);
    return row === undefined ? undefined : { rid, bytes: row[0] };
  }

  scan(collection: Collection, after: number | undefined, limit: number): Row[] {
    const { table } = collection;
    const sql = `SELECT r, d FROM "${table}" WHERE r > ? ORDER BY r LIMIT ?`;
    const rows: Row[] = [];
    let bytes = 0;
    for (const [rid, document] of this.sql.rows(sql).iterate(after ?? -1, limit) as IterableIterator<
      [number, Buffer]
    >) {
      rows.push({ rid, bytes: document });
      bytes += document.length;
      if (bytes > READ_CHUNK_BYTES) break;
    }
    return rows;
  }

  range(
    collection: Collection,
    index: Index,
    range: KeyRange,
    after: IndexRow | undefined,
    isReverse: boolean,
    limit: number,
  ): IndexRow[] {
    const rows: IndexRow[] = [];
    let bytes = 0;
    for (const [key, rid, document] of this.rangeRows(collection, index, range, after, isReverse, limit)) {
      rows.push({ key, rid, bytes: document });
      bytes += document.length;
      if (bytes > READ_CHUNK_BYTES) break;
    }
    return rows;
  }

  private rangeRows(
    collection: Collection,
    index: Index,
    { low, high }: KeyRange,
    after: IndexRow | undefined,
    isReverse: boolean,
    limit: number,
  ): IterableIterator<[Buffer, number, Buffer]> {
    const isId = index.id === 0;
    const source = isId
      ? `"${collection.table}" d`
      : `"${index.table}" i CROSS JOIN "${collection.table}" d ON d.r = i.r`;
    const [key, rid] = isId ? ["d.k", "d.r"] : ["i.k", "i.r"];
    const bounds = after === undefined ? [low, high] : [after.key, after.rid, isReverse ? low : high];
    const isBehind = isReverse
      ? `(${key}, ${rid}) < (?, ?) AND ${key} >= ?`
      : `(${key}, ${rid}) > (?, ?) AND ${key} < ?`;
    const condition = after === undefined ? `${key} >= ? AND ${key} < ?` : isBehind;
    const order = isReverse ? "DESC" : "ASC";
    const sql = `SELECT ${key}, ${rid}, d.d FROM ${source} WHERE ${condition} ORDER BY ${key} ${order}, ${rid} ${order} LIMIT ?`;
    return this.sql.rows(sql).iterate(...bounds, limit) as IterableIterator<[Buffer, number, Buffer]>;
  }

  sees(_index: Index): boolean {
    return true;
  }

  countRange(collection: Collection, index: Index, { low, high }: KeyRange, most: number): number {
    const table = index.id === 0 ? collection.table : index.table;
    const sql = `SELECT COUNT(*) FROM (SELECT 1 FROM "${table}" WHERE k >= ? AND k < ? LIMIT ?)`;
    return this.sql.get<[number]>(sql, low, high, most)?.[0] ?? 0;
  }
}

type Group = { done: Promise<void>; resolve: () => void; reject: (error: unknown) => void };

/**
 * The store's file and its only writer. Commands run one at a time on the event loop. Concurrent writes of all
 * connections share one SQLite transaction ("group"), and a command is answered when its group is committed.
 */
export class Store extends SqlRows implements Access {
  readonly path: string;
  readonly durability: Durability;
  /** A message about this start for the operator; null if there is none. */
  readonly notice: string | null;
  readonly collections = new Map<string, Collection>();
  /** Counts writes while transactions are open; a snapshot records its value at the start. */
  clock = 1;
  /** The clock of each document's last write, kept only while transactions are open. */
  private readonly writtenAt = new Map<string, number>();
  /** Documents that open transactions have changed. */
  readonly locks = new Map<string, DocumentLock>();
  /** Number of syncs of the log that clients requested. */
  syncs = 0;
  /** Number of open transactions. */
  openSnapshots = 0;
  private group: Group | undefined;
  private isClosed = false;
  private readonly release: () => void;
  private readonly onRollback: (() => void)[] = [];

  constructor(options: StoreOptions) {
    const path = join(options.dataDir, "store", "millrace.db");
    const release = lockStoreFile(path);
    let notice: string | null;
    try {
      notice = recoverRestore(path);
      super(openStoreFile(path, options.durability, options.maxBytes));
    } catch (error) {
      release();
      throw error;
    }
    this.path = path;
    this.notice = notice;
    this.durability = options.durability;
    this.release = release;
    this.load();
    this.dropUnfinishedIndexes();
  }

  get connection(): Sqlite {
    return this.sql;
  }

  openReader(): Sqlite {
    return openReader(this.path);
  }

  /** Registers a listener for rollbacks of a group of writes, so that it can reload its in-memory state. */
  whenRolledBack(listener: () => void): void {
    this.onRollback.push(listener);
  }

  /** Reads the catalog. Known collections stay the same objects, because commands hold them. */
  private load(): void {
    const known = new Map([...this.collections.values()].map((collection) => [collection.id, collection]));
    this.collections.clear();
    type CollectionRow = [number, string, string, Buffer, Buffer];
    const byId = new Map<number, Collection>();
    for (const [id, db, name, uuid, options] of this.sql.all<CollectionRow>(
      "SELECT id, db, name, uuid, options FROM collections",
    )) {
      const collection = known.get(id) ?? new Collection(id, db, name, uuidOf(uuid), new Map());
      known.delete(id);
      collection.name = name;
      collection.setOptions(decodeDocument(options));
      collection.indexes.length = 1;
      collection.isDropped = false;
      const counts = this.sql.get<[number, number | null]>(`SELECT COUNT(*), MAX(r) FROM "${collection.table}"`);
      collection.count = counts?.[0] ?? 0;
      collection.nextRid = Math.max(collection.nextRid, (counts?.[1] ?? 0) + 1);
      byId.set(id, collection);
      this.collections.set(collection.namespace, collection);
    }
    for (const gone of known.values()) gone.isDropped = true;
    type IndexRowOfCatalog = [number, number, Buffer, number, number];
    for (const [id, of, spec, multikey, ready] of this.sql.all<IndexRowOfCatalog>(
      "SELECT id, collection, spec, multikey, ready FROM indexes ORDER BY id",
    )) {
      byId.get(of)?.indexes.push(new Index(id, decodeDocument(spec), multikey === 1, ready === 1));
    }
  }

  private dropUnfinishedIndexes(): void {
    for (const collection of this.collections.values()) {
      for (const index of collection.indexes.filter((each) => !each.isReady))
        this.write(() => this.dropIndex(collection, index));
    }
    this.commit();
  }

  /**
   * Runs a change inside the current group.
   * @throws StoreError OutOfDiskSpace and others; then none of the group's writes are kept
   */
  write<T>(change: () => T): T {
    if (this.isClosed) throw new StoreError("ShutdownInProgress", "The store is shutting down.");
    try {
      this.begin();
      return uninterrupted(change);
    } catch (error) {
      if (!isSqliteError(error)) throw error;
      const failure = toStoreError(error);
      this.abandon(failure);
      throw failure;
    }
  }

  /** Applies changes all or none, independently of the rest of the group. */
  atomically(change: () => void): void {
    this.write(() => {
      const counts = [...this.collections.values()].map((collection): [Collection, number] => [
        collection,
        collection.count,
      ]);
      this.sql.exec("SAVEPOINT part");
      try {
        change();
      } catch (error) {
        if (this.sql.db.inTransaction) this.sql.exec("ROLLBACK TO part; RELEASE part");
        for (const [collection, count] of counts) collection.count = count;
        throw error;
      }
      this.sql.exec("RELEASE part");
    });
  }

  private begin(): void {
    if (this.group !== undefined) return;
    this.sql.rows("BEGIN IMMEDIATE").run();
    let resolve: () => void = () => undefined;
    let reject: (error: unknown) => void = () => undefined;
    const done = new Promise<void>((onDone, onError) => {
      resolve = onDone;
      reject = onError;
    });
    // Waiting commands get the rejection. When none waits, the command that failed has already thrown.
    done.catch(() => undefined);
    this.group = { done, resolve, reject };
    setImmediate(() => this.commit());
  }

  /** Resolves when all previous writes are as durable as the store's setting requires. */
  committed(): Promise<void> {
    return this.group?.done ?? Promise.resolve();
  }

  /**
   * Resolves when committed writes are on the disk, even when commits are not synced automatically. A sync of the log
   * file writes its pages regardless of the process that wrote them.
   */
  async synced(): Promise<void> {
    await this.committed();
    if (this.durability === "full") return;
    const log = await open(`${this.path}-wal`, "r");
    try {
      await log.sync();
      this.syncs++;
    } finally {
      await log.close();
    }
  }

  /** Commits the current group now. */
  commit(): void {
    const { group } = this;
    if (group === undefined) return;
    try {
      this.sql.rows("COMMIT").run();
      this.group = undefined;
      group.resolve();
    } catch (error) {
      this.abandon(toStoreError(error));
    }
  }

  private abandon(failure: unknown): void {
    const { group } = this;
    this.group = undefined;
    if (this.sql.db.inTransaction) this.sql.exec("ROLLBACK");
    if (group === undefined) return;
    this.reload();
    group.reject(failure);
  }

  private reload(): void {
    this.load();
    for (const listener of this.onRollback) listener();
  }

  /** Closes the file. A closed store answers nothing. */
  close(): void {
    if (this.isClosed) return;
    this.commit();
    this.isClosed = true;
    try {
      this.sql.db.pragma("wal_checkpoint(TRUNCATE)");
    } finally {
      this.sql.close();
      this.release();
    }
  }

  // Catalog

  find(db: string, name: string): Collection | undefined {
    return this.collections.get(`${db}.${name}`);
  }

  createCollection(db: string, name: string, options: Doc): Collection {
    return this.write(() => {
      const uuid = newUuid();
      this.sql.run(
        "INSERT INTO collections(db, name, uuid, options) VALUES (?, ?, ?, ?)",
        db,
        name,
        Buffer.from(uuid.buffer),
        encodeDocument(options),
      );
      const id = this.sql.get<[number]>("SELECT id FROM collections WHERE db = ? AND name = ?", db, name)?.[0] ?? 0;
      const collection = new Collection(id, db, name, uuid, options);
      this.sql.exec(
        `CREATE TABLE "${collection.table}"(r INTEGER PRIMARY KEY, k BLOB NOT NULL UNIQUE, d BLOB NOT NULL)`,
      );
      collection.createdAt = ++this.clock;
      this.collections.set(collection.namespace, collection);
      return collection;
    });
  }

  dropCollection(collection: Collection): void {
    this.write(() => {
      for (const index of collection.indexes) if (index.id !== 0) this.dropIndexTable(index);
      this.sql.run("DELETE FROM indexes WHERE collection = ?", collection.id);
      this.sql.run("DELETE FROM collections WHERE id = ?", collection.id);
      this.sql.forget(collection.table);
      this.sql.exec(`DROP TABLE "${collection.table}"`);
      collection.isDropped = true;
      this.collections.delete(collection.namespace);
      this.clock++;
    });
  }

  renameCollection(collection: Collection, name: string): void {
    this.write(() => {
      this.sql.run("UPDATE collections SET name = ? WHERE id = ?", name, collection.id);
      this.collections.delete(collection.namespace);
      collection.name = name;
      this.collections.set(collection.namespace, collection);
    });
  }

  setOptions(collection: Collection, options: Doc): void {
    this.write(() => {
      this.sql.run("UPDATE collections SET options = ? WHERE id = ?", encodeDocument(options), collection.id);
      collection.setOptions(options);
    });
  }

  /** Adds an index that writes maintain from now on; `fillIndex` adds the existing documents. */
  addIndex(collection: Collection, spec: Doc): Index {
    return this.write(() => {
      this.sql.run("INSERT INTO indexes(collection, spec) VALUES (?, ?)", collection.id, encodeDocument(spec));
      const id = this.sql.get<[number]>("SELECT MAX(id) FROM indexes")?.[0] ?? 0;
      const index = new Index(id, spec, false, false);
      this.sql.exec(
        `CREATE TABLE "${index.table}"(k BLOB NOT NULL, r INTEGER NOT NULL, PRIMARY KEY(k, r)) WITHOUT ROWID`,
      );
      collection.indexes.push(index);
      return index;
    });
  }

  /**
   * Adds documents to a new index, starting after a record id.
   * @returns the record id to continue from; undefined when all are in
   * @throws StoreError DuplicateKey when a unique index is impossible
   */
  fillIndex(collection: Collection, index: Index, after: number | undefined, limit: number): number | undefined {
    return this.write(() => {
      const rows = this.scan(collection, after, limit);
      for (const row of rows) this.addEntries(collection, index, row.rid, decodeDocument(row.bytes));
      return rows.at(-1)?.rid;
    });
  }

  finishIndex(index: Index): void {
    this.write(() => {
      this.sql.run("UPDATE indexes SET ready = 1 WHERE id = ?", index.id);
      index.isReady = true;
      index.createdAt = ++this.clock;
    });
  }

  dropIndex(collection: Collection, index: Index): void {
    this.write(() => {
      this.sql.run("DELETE FROM indexes WHERE id = ?", index.id);
      this.dropIndexTable(index);
      collection.indexes = collection.indexes.filter((each) => each !== index);
    });
  }

  private dropIndexTable(index: Index): void {
    this.sql.forget(index.table);
    this.sql.exec(`DROP TABLE "${index.table}"`);
  }

  // Documents

  /** @param ownRid the record id that a transaction has already assigned to the document */
  insert(collection: Collection, doc: Doc, bytes: Buffer, ownRid?: number): void {
    this.write(() => {
      const id = doc.get("_id") as Value;
      const key = encodeKey(id);
      const entries = collection.indexes.map((index) => (index.id === 0 ? undefined : index.entries(doc)));
      if (this.byKey(collection, key) !== undefined)
        throw duplicateKey(collection, collection.indexes[0] as Index, [id]);
      collection.indexes.forEach((index, i) => {
        const found = entries[i];
        if (found !== undefined && index.isUnique) this.refuseDuplicates(collection, index, found, undefined);
      });
      const rid = ownRid ?? collection.nextRid++;
      this.sql.run(`INSERT INTO "${collection.table}"(r, k, d) VALUES (?, ?, ?)`, rid, key, bytes);
      collection.indexes.forEach((index, i) => {
        const found = entries[i];
        if (found !== undefined) this.putEntries(index, found, rid);
      });
      collection.count++;
      this.touch(collection, rid);
    });
  }

  replace(collection: Collection, row: Row, before: Doc, after: Doc, bytes: Buffer): void {
    this.refuseLocked(collection, row.rid);
    this.write(() => {
      const changes = collection.indexes
        .filter((index) => index.id !== 0)
        .map((index) => {
          const old = index.entries(before).keys;
          const next = index.entries(after);
          return { index, gone: without(old, next.keys), added: { ...next, keys: without(next.keys, old) } };
        });
      for (const { index, added } of changes) {
        if (index.isUnique && added.keys.length > 0) this.refuseDuplicates(collection, index, added, row.rid);
      }
      this.sql.run(`UPDATE "${collection.table}" SET d = ? WHERE r = ?`, bytes, row.rid);
      for (const { index, gone, added } of changes) {
        this.deleteEntries(index, gone, row.rid);
        this.putEntries(index, added, row.rid);
      }
      this.touch(collection, row.rid);
    });
  }

  remove(collection: Collection, row: Row, doc: Doc): void {
    this.refuseLocked(collection, row.rid);
    this.write(() => {
      for (const index of collection.indexes) {
        if (index.id !== 0) this.deleteEntries(index, index.entries(doc).keys, row.rid);
      }
      this.sql.run(`DELETE FROM "${collection.table}" WHERE r = ?`, row.rid);
      collection.count--;
      this.touch(collection, row.rid);
    });
  }

  private byKey(collection: Collection, key: Buffer): number | undefined {
    return this.sql.get<[number]>(`SELECT r FROM "${collection.table}" WHERE k = ?`, key)?.[0];
  }

  private addEntries(collection: Collection, index: Index, rid: number, doc: Doc): void {
    const entries = index.entries(doc);
    if (index.isUnique) this.refuseDuplicates(collection, index, entries, rid);
    this.putEntries(index, entries, rid);
  }

  private refuseDuplicates(
    collection: Collection,
    index: Index,
    entries: { keys: Buffer[]; values: Value[] },
    ownRid: number | undefined,
  ): void {
    for (const key of entries.keys) {
      const other = this.sql.get<[number]>(
        `SELECT r FROM "${index.table}" WHERE k = ? AND r <> ? LIMIT 1`,
        key,
        ownRid ?? -1,
      );
      if (other !== undefined) throw duplicateKey(collection, index, entries.values);
    }
  }

  private putEntries(index: Index, entries: { keys: Buffer[]; isMultikey: boolean }, rid: number): void {
    if (entries.isMultikey) this.markMultikey(index);
    for (const key of entries.keys)
      this.sql.run(`INSERT OR IGNORE INTO "${index.table}"(k, r) VALUES (?, ?)`, key, rid);
  }

  markMultikey(index: Index): void {
    if (index.isMultikey) return;
    this.write(() => this.sql.run("UPDATE indexes SET multikey = 1 WHERE id = ?", index.id));
    index.isMultikey = true;
  }

  private deleteEntries(index: Index, keys: readonly Buffer[], rid: number): void {
    for (const key of keys) this.sql.run(`DELETE FROM "${index.table}" WHERE k = ? AND r = ?`, key, rid);
  }

  // State that transactions need

  private touch(collection: Collection, rid: number): void {
    if (this.openSnapshots > 0) this.writtenAt.set(lockName(collection, rid), ++this.clock);
  }

  /** Returns true when the document was written after a snapshot was taken. */
  wasWrittenSince(collection: Collection, rid: number, snapshot: number): boolean {
    return (this.writtenAt.get(lockName(collection, rid)) ?? 0) > snapshot;
  }

  closeSnapshot(): void {
    this.openSnapshots--;
    if (this.openSnapshots === 0) this.writtenAt.clear();
  }

  private refuseLocked(collection: Collection, rid: number): void {
    if (this.locks.size === 0) return;
    const lock = this.locks.get(lockName(collection, rid));
    if (lock !== undefined) throw new DocumentLocked(lock);
  }
}

export function lockName(collection: Collection, rid: number): string {
  return `${collection.id}:${rid}`;
}

/** Returns the keys that the others lack. An array may have thousands. */
function without(keys: readonly Buffer[], others: readonly Buffer[]): Buffer[] {
  const known = new Set(others.map((key) => key.toString("latin1")));
  return keys.filter((key) => !known.has(key.toString("latin1")));
}
