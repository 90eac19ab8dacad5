import "server-only";
import type { AnyBulkWriteOperation } from "mongodb";
import { indexesOfDuplicates, isDuplicateKey } from "@/lib/platform/db/duplicate-key";
import { AppError } from "@/lib/platform/http/errors";
import { log } from "@/lib/platform/log";
import { sharedState } from "@/lib/platform/process/shared-state";
import { afterRequests } from "@/lib/platform/process/shutdown";
import { collections } from "./collections";
import type { ExecutionDoc } from "./model";

/** History is at most a second late (docs/develop/api.md, Queries); the write itself gets the other half. */
const WRITE_EVERY_MS = 500;
/** One group: at 10,000 characters a query it stays far below the largest message of the store, 48 MB. */
const GROUP_MAX = 500;
/** Records that wait while the store is away, half a minute of a busy server's; of more the oldest are given up. */
const WAITING_MAX = 10_000;

type Shared = {
  /** What is to be written, by its id: one entry a record, however often it has changed since. */
  waiting: Map<string, ExecutionDoc>;
  /** What is on its way to the store. */
  leaving: readonly ExecutionDoc[];
  writing: Promise<void> | null;
  timer: NodeJS.Timeout | null;
  isAtShutdown: boolean;
};

/**
 * Takes a client's own id of a query for good, with the record that will be its history: nobody, on any server, gets
 * it a second time.
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

/** Of one sentence, wherever it is noticed. */
export function usedBefore(): AppError {
  return new AppError("conflict", "A query with this executionId was run before. Send a new id, or none.");
}

/**
 * Writes the record as it is by then, within a second, in one write with all others that are due. It may be called
 * again for later states of the same record.
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
  // Not what keeps a process alive: the server's end writes by itself.
  state.timer ??= setTimeout(() => {
    state.timer = null;
    void writeNow();
  }, WRITE_EVERY_MS).unref();
}

/** Resolves when everything that was due at the call is written, or has failed to be and waits for the next time. */
export async function writeNow(): Promise<void> {
  const state = shared();
  // What is on its way may be an older state than what waits.
  while (state.writing) await state.writing;
  if (state.waiting.size === 0) return;
  state.writing = writeAll(state).finally(() => {
    state.writing = null;
    state.leaving = [];
  });
  await state.writing;
}

/** What waits now, and nothing that comes meanwhile: under load that would never end, and be no groups. */
async function writeAll(state: Shared): Promise<void> {
  const all = [...state.waiting.values()];
  state.waiting.clear();
  state.leaving = all;
  for (let start = 0; start < all.length; start += GROUP_MAX) {
    try {
      await writeGroup(all.slice(start, start + GROUP_MAX));
    } catch (error) {
      // History never fails a query. Writing a record again changes nothing, so the rest waits for its next turn.
      for (const doc of all.slice(start)) writeSoon(doc);
      log.warn({ err: error, records: all.length - start }, "query history could not be written, and is tried again");
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
    // A client has claimed the id of a query whose record had not been written yet. Both stay in history.
    const unclaimed = taken.flatMap((index) => group[index] ?? []).map(({ claim: _, ...doc }) => doc);
    await collections.executions().bulkWrite(unclaimed.map(toWrite), { ordered: false });
  }
}

/** By its id and whole, so that writing it again changes nothing; a request to cancel that others wrote stays. */
function toWrite({ _id, ...doc }: ExecutionDoc): AnyBulkWriteOperation<ExecutionDoc> {
  return { updateOne: { filter: { _id }, update: { $set: doc }, upsert: true } };
}

function giveUpOldest({ waiting }: Shared): void {
  const [oldest] = waiting.keys();
  if (oldest !== undefined) waiting.delete(oldest);
  log.error("query history is lost: the store has not taken any for too long");
}

function shared(): Shared {
  return sharedState("query-history", () => ({
    waiting: new Map(),
    leaving: [],
    writing: null,
    timer: null,
    isAtShutdown: false,
  }));
}
