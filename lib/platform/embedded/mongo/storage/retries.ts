import { decodeDocument, encodeDocument } from "../bson/codec.ts";
import { type Doc, docOf, isDoc, toWholeNumber, type Value } from "../bson/values.ts";
import { StoreError } from "../errors.ts";
import type { Store } from "./store.ts";

/** State kept of a session's last retryable write or transaction. */
type Memory = {
  txn: bigint;
  /** Inserted statements as ranges [from, to], because there may be many. */
  runs: [number, number][];
  /** Results of other statements. */
  results: Map<number, Doc>;
  /** True when the number belongs to a committed transaction. */
  isCommitted: boolean;
};

/** Time without a command after which sessions end, in minutes (logicalSessionTimeoutMinutes). */
export const SESSION_MINUTES = 30;
/** Maximum records that are cached in memory; each is small. */
const MAX_IN_MEMORY = 10_000;

/** A running retryable write: its earlier results and its new ones. */
export class Retry {
  private readonly log: RetryLog;
  private readonly session: string;
  readonly memory: Memory;
  private isChanged = false;
  /** True when an earlier attempt has already completed part of the command. */
  hasEarlierResults: boolean;

  constructor(log: RetryLog, session: string, memory: Memory) {
    this.log = log;
    this.session = session;
    this.memory = memory;
    this.hasEarlierResults = memory.runs.length > 0 || memory.results.size > 0;
  }

  wasInserted(statement: number): boolean {
    return this.memory.runs.some(([from, to]) => statement >= from && statement <= to);
  }

  noteInserted(statement: number): void {
    const last = this.memory.runs.at(-1);
    if (last !== undefined && last[1] === statement - 1) last[1] = statement;
    else this.memory.runs.push([statement, statement]);
    this.isChanged = true;
  }

  result(statement: number): Doc | undefined {
    return this.memory.results.get(statement);
  }

  note(statement: number, result: Doc): void {
    this.memory.results.set(statement, result);
    this.isChanged = true;
  }

  /** Writes the recorded results in the same group as the writes themselves: before every pause and at the end. */
  flush(): void {
    if (!this.isChanged) return;
    this.isChanged = false;
    this.log.save(this.session, this.memory);
  }
}

/**
 * Records the last write of each session in the store's file. A write that a driver retries, even after a restart of
 * the store, is then answered from the record and not applied twice.
 */
export class RetryLog {
  private readonly store: Store;
  private readonly memories = new Map<string, Memory>();

  constructor(store: Store) {
    this.store = store;
    store.whenRolledBack(() => this.memories.clear());
  }

  /** @throws StoreError TransactionTooOld when the session has used a later number */
  begin(session: string, txn: bigint): Retry {
    const memory = this.read(session);
    if (memory !== undefined && memory.txn > txn) throw tooOld(session, txn, memory.txn);
    if (memory !== undefined && memory.txn === txn) {
      if (memory.isCommitted)
        throw new StoreError(
          50911,
          `Retryable write with txnNumber ${txn} is prohibited: the number was used by a transaction`,
        );
      return new Retry(this, session, memory);
    }
    const fresh: Memory = { txn, runs: [], results: new Map(), isCommitted: false };
    this.remember(session, fresh);
    return new Retry(this, session, fresh);
  }

  /** Returns the last number that the session used for a write, and whether it was a committed transaction. */
  last(session: string): { txn: bigint; isCommitted: boolean } | undefined {
    return this.read(session);
  }

  noteCommit(session: string, txn: bigint): void {
    const memory: Memory = { txn, runs: [], results: new Map(), isCommitted: true };
    this.remember(session, memory);
    this.save(session, memory);
  }

  save(session: string, memory: Memory): void {
    const body = docOf({
      runs: memory.runs.map(([from, to]) => [from, to]),
      results: [...memory.results].map(([statement, result]): Value => docOf({ statement, result })),
      isCommitted: memory.isCommitted,
    });
    const bytes = encodeDocument(body, Number.POSITIVE_INFINITY);
    this.store.write(() =>
      this.store.connection.run(
        "INSERT INTO retries(lsid, txn, body, at) VALUES (?, ?, ?, ?) ON CONFLICT(lsid) DO UPDATE SET txn = excluded.txn, body = excluded.body, at = excluded.at",
        Buffer.from(session, "hex"),
        memory.txn,
        bytes,
        Date.now(),
      ),
    );
  }

  private remember(session: string, memory: Memory): void {
    this.memories.delete(session);
    if (this.memories.size >= MAX_IN_MEMORY) {
      const oldest = this.memories.keys().next().value;
      if (oldest !== undefined) this.memories.delete(oldest);
    }
    this.memories.set(session, memory);
  }

  private read(session: string): Memory | undefined {
    const known = this.memories.get(session);
    if (known !== undefined) return known;
    const row = this.store.connection.get<[string, Buffer]>(
      "SELECT CAST(txn AS TEXT), body FROM retries WHERE lsid = ?",
      Buffer.from(session, "hex"),
    );
    if (row === undefined) return undefined;
    const body = decodeDocument(row[1]);
    const runs = body.get("runs");
    const results = body.get("results");
    const memory: Memory = {
      txn: BigInt(row[0]),
      runs: [],
      results: new Map(),
      isCommitted: body.get("isCommitted") === true,
    };
    for (const run of Array.isArray(runs) ? runs : []) {
      if (Array.isArray(run)) memory.runs.push([toWholeNumber(run[0]) ?? 0, toWholeNumber(run[1]) ?? 0]);
    }
    for (const entry of Array.isArray(results) ? results : []) {
      const result = isDoc(entry) ? entry.get("result") : undefined;
      if (isDoc(entry) && isDoc(result)) memory.results.set(toWholeNumber(entry.get("statement")) ?? 0, result);
    }
    this.remember(session, memory);
    return memory;
  }

  /** Deletes records of sessions that ended long ago. */
  sweep(): void {
    this.store.write(() =>
      this.store.connection.run("DELETE FROM retries WHERE at < ?", Date.now() - 2 * SESSION_MINUTES * 60_000),
    );
  }

  /** Removes a session from memory; the file keeps its record until the session is long over. */
  forget(session: string): void {
    this.memories.delete(session);
  }
}

export function tooOld(session: string, txn: bigint, last: bigint): StoreError {
  return new StoreError(
    "TransactionTooOld",
    `Cannot start transaction ${txn} on session ${session} because a newer transaction ${last} has already started`,
  );
}
