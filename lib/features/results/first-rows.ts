import "server-only";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { Batch, WireValue } from "@/lib/base/values/fields";
import { log } from "@/lib/platform/log";
import { serverMember } from "@/lib/platform/process/server-context";
import { afterRequests } from "@/lib/platform/process/shutdown";
import { keepLatest, LATEST_BYTES_MAX, LATEST_ROWS_MAX, type NewLatest } from "./latest";
import type { ResultOwner } from "./model";

/** Memory limit of all results being read or stored on this server; beyond it, further results store fewer rows. */
const HELD_BYTES_MAX = 128 * 1024 * 1024;
/** Overhead of a value beside its text. */
const CELL_BYTES = 8;

export type FirstRowsBuffer = {
  heldBytes: number;
  /** By owner: of several waiting results only the newest is written. */
  waiting: Map<string, Job>;
  writing: Promise<void> | null;
  isAtShutdown: boolean;
};
type Job = {
  owner: ResultOwner;
  rows: FirstRows;
  result: Omit<NewLatest, "batches">;
  kept: () => Promise<void> | void;
};

/**
 * The first rows of a result, collected while it passes to a reader, within limits and without copying values. End it
 * with `keepSoon` or `release`.
 */
export class FirstRows {
  readonly batches: Batch[] = [];
  #rows = 0;
  #bytes = 0;
  #isFull = false;
  #isReleased = false;

  take(batch: Batch): void {
    if (this.#isFull || this.#isReleased) return;
    // Only now: rows that are bytes are decoded here.
    const { rowCount, columns } = batch;
    const state = shared();
    const rowsMax = Math.min(rowCount, LATEST_ROWS_MAX - this.#rows);
    let bytes = 0;
    let rows = 0;
    for (; rows < rowsMax; rows += 1) {
      let rowBytes = 0;
      for (const column of columns) rowBytes += sizeOf(column[rows] ?? null);
      const isTooMuch = this.#bytes + bytes + rowBytes > LATEST_BYTES_MAX;
      if (isTooMuch || state.heldBytes + bytes + rowBytes > HELD_BYTES_MAX) break;
      bytes += rowBytes;
    }
    this.#isFull = rows < rowCount || this.#rows + rows === LATEST_ROWS_MAX;
    this.#rows += rows;
    this.#bytes += bytes;
    state.heldBytes += bytes;
    if (rows === 0) return;
    // Copy the lists of a partial batch, so that the rest can be freed.
    const held = rows === rowCount ? columns : columns.map((column) => column.slice(0, rows));
    this.batches.push({ rowCount: rows, columns: held });
  }

  /** Returns the batches up to this many rows: a reader's limit may have cut the last one. */
  upTo(rowCount: number): Batch[] {
    let left = rowCount;
    return this.batches.flatMap((batch) => {
      const take = Math.min(batch.rowCount, left);
      left -= take;
      return take === 0 ? [] : [{ ...batch, rowCount: take }];
    });
  }

  release(): void {
    if (this.#isReleased) return;
    this.#isReleased = true;
    shared().heldBytes -= this.#bytes;
    this.batches.length = 0;
  }
}

/**
 * Stores the first rows of a result as its owner's latest, in the background: the response neither waits for it nor
 * fails with it.
 * @param kept called when they are stored
 */
export function keepSoon(job: Job): void {
  const state = shared();
  const key = `${job.owner.workspaceId.toHexString()}:${job.owner.kind}:${job.owner.id.toHexString()}`;
  const before = state.waiting.get(key);
  if (before && before.result.at > job.result.at) {
    job.rows.release();
    return;
  }
  before?.rows.release();
  state.waiting.set(key, job);
  if (!state.isAtShutdown) {
    state.isAtShutdown = true;
    afterRequests(keptNow);
  }
  state.writing ??= writeAll(state).finally(() => {
    state.writing = null;
  });
}

/** Resolves when everything queued at the call is stored or given up. */
export async function keptNow(): Promise<void> {
  const state = shared();
  while (state.writing) await state.writing;
}

/** Writes results one after another: they are many small pieces of work beside requests that users wait for. */
async function writeAll({ waiting }: FirstRowsBuffer): Promise<void> {
  // Let the response leave first.
  await nextTurn();
  for (let next = waiting.entries().next().value; next; next = waiting.entries().next().value) {
    const [key, { owner, rows, result, kept }] = next;
    waiting.delete(key);
    try {
      await keepLatest(owner, { ...result, batches: rows.upTo(result.rowCount) });
      await kept();
    } catch (error) {
      log.warn({ err: error, kind: owner.kind, ownerId: owner.id.toHexString() }, "failed to store a result");
    } finally {
      rows.release();
    }
  }
}

/** Returns the approximate memory of a value; a character takes one byte or two. */
function sizeOf(value: WireValue): number {
  if (typeof value === "string") return CELL_BYTES + value.length;
  if (typeof value !== "object" || value === null) return CELL_BYTES;
  let bytes = CELL_BYTES;
  if (Array.isArray(value)) for (const each of value) bytes += sizeOf(each);
  else for (const [name, each] of Object.entries(value)) bytes += CELL_BYTES + name.length + sizeOf(each);
  return bytes;
}

const shared = serverMember("firstRows", () => ({
  heldBytes: 0,
  waiting: new Map(),
  writing: null,
  isAtShutdown: false,
}));
