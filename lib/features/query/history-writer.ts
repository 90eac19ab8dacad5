import "server-only";
import type { AnyBulkWriteOperation } from "mongodb";
import { indexesOfDuplicates, isDuplicateKey } from "@/lib/platform/db/duplicate-key";
import { AppError } from "@/lib/platform/http/errors";
import { log } from "@/lib/platform/log";
import { serverMember } from "@/lib/platform/process/server-context";
import { afterRequests } from "@/lib/platform/process/shutdown";
import { collections } from "./collections";
import type { ExecutionDoc } from "./model";

/**
 * Interval of writes, in ms. History is at most a second late (docs/develop/api.md, Queries); the write itself gets the
 * other half.
 */
const WRITE_EVERY_MS = 500;
/**
 * Maximum number of records in a group: at 10,000 characters a query it is far below the store's maximum message, 48
 * MB.
 */
const GROUP_MAX = 500;
/**
 * Maximum number of records that wait while the store is unavailable, half a minute on a busy server. Beyond it the
 * oldest are dropped.
 */
const WAITING_MAX = 10_000;

export type HistoryBuffer = {
  /** Records to write, by id: one entry for each, however often it has changed. */
  waiting: Map<string, ExecutionDoc>;
  /** Records that are being written. */
  leaving: readonly ExecutionDoc[];
  writing: Promise<void> | null;
  timer: NodeJS.Timeout | null;
  isAtShutdown: boolean;
};

/**
 * Claims a client's id of a query for good, with the record for its history: no server accepts it a second time.
 * @throws AppError `conflict` when it was used before
 */
export async function claimExecutionId(doc: ExecutionDoc): Promise<void> {
  const { waiting, leaving } = shared();
  if ([...leaving, ...waiting.values()].some(({ claim }) => claim === doc.claim)) throw usedBefore();
  try {
    await collections.executions().insertOne({ ...doc });
  } catch (error) {
    if (!isDuplicateKey(error)) throw error;
    throw usedBefore();
  }
}

/** Returns the error for a used id, the same from every check. */
export function usedBefore(): AppError {
  return new AppError("conflict", "This executionId was already used. Send a new one, or omit it.");
}

/**
 * Writes the latest state of the record within a second, in one write with all others that are due. May be called again
 * for later states of the same record.
 */
export function writeSoon(doc: ExecutionDoc): void {
  const state = shared();
  state.waiting.set(doc._id.toHexString(), doc);
  if (state.waiting.size > WAITING_MAX) giveUpOldest(state);
  if (!state.isAtShutdown) {
    state.isAtShutdown = true;
    afterRequests(writeNow);
  }
  if (state.waiting.size >= GROUP_MAX && !state.writing) void writeNow();
  // Does not keep the process alive: the shutdown writes the rest.
  state.timer ??= setTimeout(() => {
    state.timer = null;
    void writeNow();
  }, WRITE_EVERY_MS).unref();
}

/** Resolves when everything that was due at the call is written, or has failed and waits for the next write. */
export async function writeNow(): Promise<void> {
  const state = shared();
  // The records being written may be older states than those that wait.
  while (state.writing) await state.writing;
  if (state.waiting.size === 0) return;
  state.writing = writeAll(state).finally(() => {
    state.writing = null;
    state.leaving = [];
  });
  await state.writing;
}

/**
 * Writes the records that wait at this time. Later ones are left for the next write: under load this would otherwise
 * never end, and would write no groups.
 */
async function writeAll(state: HistoryBuffer): Promise<void> {
  const all = [...state.waiting.values()];
  state.waiting.clear();
  state.leaving = all;
  for (let start = 0; start < all.length; start += GROUP_MAX) {
    try {
      await writeGroup(all.slice(start, start + GROUP_MAX));
    } catch (error) {
      // History never fails a query. Writing a record twice changes nothing, so the rest waits for the next write.
      for (const doc of all.slice(start)) writeSoon(doc);
      log.warn({ err: error, records: all.length - start }, "failed to write query history; it will be retried");
      return;
    }
  }
}

async function writeGroup(group: readonly ExecutionDoc[]): Promise<void> {
  try {
    await collections.executions().bulkWrite(group.map(toWrite), { ordered: false });
  } catch (error) {
    const taken = indexesOfDuplicates(error);
    if (taken === null) throw error;
    // A client has claimed the id of a query whose record was not written yet. Both stay in history.
    const unclaimed = taken.flatMap((index) => group[index] ?? []).map(({ claim: _, ...doc }) => doc);
    await collections.executions().bulkWrite(unclaimed.map(toWrite), { ordered: false });
  }
}

/** Replaces a record by its id, so that writing it twice changes nothing. Keeps another server's request to cancel. */
function toWrite({ _id, ...doc }: ExecutionDoc): AnyBulkWriteOperation<ExecutionDoc> {
  return { updateOne: { filter: { _id }, update: { $set: doc }, upsert: true } };
}

function giveUpOldest({ waiting }: HistoryBuffer): void {
  const [oldest] = waiting.keys();
  if (oldest !== undefined) waiting.delete(oldest);
  log.error("dropped query history: the store was unavailable for too long");
}

const shared = serverMember("queryHistory", () => ({
  waiting: new Map(),
  leaving: [],
  writing: null,
  timer: null,
  isAtShutdown: false,
}));
