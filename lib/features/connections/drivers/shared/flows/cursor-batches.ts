import { hash } from "node:crypto";
import type { Batch, FieldType, WireValue } from "@/lib/base/values/fields";
import { extendBatch } from "@/lib/base/values/row-bytes";
import { AppError } from "@/lib/platform/http/errors";
import type { Checkpoint, ExtractBatch } from "../../../data-source";
import { BatchRows, Gatherer } from "./regroup";

/*
 * Converts ordered rows with a cursor to batches with checkpoints. With a key, a checkpoint records which rows of its
 * value it covers. A reading then starts at the value itself, returns none of these rows again, and finds rows that
 * were written to the same value later. Without a key, rows of one value are indistinguishable, so they stay in one
 * batch.
 */

/**
 * Maximum rows of one value that a checkpoint lists. Above it, the checkpoint has the last key, and earlier ones are
 * missed.
 */
export const SEEN_MAX = 20_000;
/** Maximum rows of one value without a key that are held, since they must not be split. */
const VALUE_ROWS_MAX = 100_000;
const VALUE_BYTES_MAX = 64 * 1024 * 1024;
/** 66 bits: two of SEEN_MAX rows of a value collide once in a hundred billion readings. */
const DIGEST_CHARS = 11;

/** The progress of a reading by a cursor. */
export type CursorCheckpoint = {
  /** The cursor's value; null among the rows without one, which come first. */
  value: WireValue;
  /** Digests of the rows of this value that were read. */
  seen?: string[];
  /** The key of the last row, when there are more than can be listed. */
  key?: WireValue[];
};

/** @returns null for anything but a checkpoint of a reading by a cursor: the reading starts from the beginning */
export function toCursorCheckpoint(from: Checkpoint | null): CursorCheckpoint | null {
  if (typeof from !== "object" || from === null || Array.isArray(from) || !("value" in from)) return null;
  return from as CursorCheckpoint;
}

export type CursorColumns = {
  cursor: number;
  cursorType: FieldType;
  /** Absent where the type does not tell which values exceed all others; then `isEndless` decides. */
  isEndless?: (value: WireValue) => boolean;
  /** Indexes of the key's columns; empty without a key. */
  key: readonly number[];
};

const ENDLESS: ReadonlySet<unknown> = new Set(["NaN", "Infinity", "-Infinity", "infinity", "-infinity"]);
const WITH_ENDLESS: ReadonlySet<FieldType> = new Set(["float64", "decimal", "date", "timestamp", "timestamptz"]);

/**
 * Returns whether a cursor value is infinity or NaN. As a checkpoint it would hide every later row. Texts with these
 * words are ordinary texts.
 */
export function isEndless(value: WireValue, type: FieldType): boolean {
  return WITH_ENDLESS.has(type) && ENDLESS.has(value);
}

/** @throws AppError `invalid_request` for a checkpoint after which nothing would ever be read */
function requireEnding(from: CursorCheckpoint | null, isBad: (value: WireValue) => boolean): void {
  if (from === null || !isBad(from.value)) return;
  throw new AppError(
    "invalid_request",
    `The checkpoint ${shown(from.value)} is above every later row. Backfill from a value of the cursor field.`,
  );
}

/**
 * Yields batches with checkpoints. Rows whose cursor is infinite or not a number are skipped and counted.
 * @param batches in the order of the cursor, rows without a value first, and of the key
 * @throws AppError `invalid_request`
 */
export async function* cursorBatches(
  batches: AsyncIterable<Batch>,
  { cursor, cursorType, key, isEndless: isBad = (value) => isEndless(value, cursorType) }: CursorColumns,
  { width, batchRows, from }: { width: number; batchRows: number; from: CursorCheckpoint | null },
): AsyncGenerator<ExtractBatch> {
  requireEnding(from, isBad);
  const known = new Set(from?.seen);
  let skipped = 0;
  /** A batch without rows repeats it, so that no run ends before the rows that it has written. */
  let last = from;
  const start = from === null ? undefined : sameness(from.value, cursorType);
  const rows = new Gatherer(width, batchRows);
  const place = new Place(from, start);
  /** Without a key: rows of a value that may not be complete. */
  const open = new Gatherer(width, VALUE_ROWS_MAX);
  const settle = () => {
    if (open.rowCount > 0) rows.addAll(open.take());
  };
  const take = (checkpoint: CursorCheckpoint | null): ExtractBatch => {
    const batch: ExtractBatch = extendBatch(rows.take(), {
      checkpoint: checkpoint as Checkpoint | null,
      ...(skipped > 0 && { skipped }),
    });
    skipped = 0;
    last = checkpoint;
    return batch;
  };

  for await (const batch of batches) {
    const given = new BatchRows(batch);
    for (let row = 0; row < batch.rowCount; row += 1) {
      const value = given.value(cursor, row);
      if (isBad(value)) {
        skipped += 1;
        continue;
      }
      const same = sameness(value, cursorType);
      if (key.length > 0) {
        const keyOf = () => key.map((at) => given.value(at, row));
        if (same === start && known.has(digestOf(keyOf()))) continue;
        place.add(value, same, keyOf);
        rows.add(given, row);
        if (rows.isFull) yield take(place.checkpoint());
        continue;
      }
      if (same !== place.same) {
        settle();
        // Only complete values are returned up to here, so the checkpoint is the previous value.
        if (rows.isFull) yield take({ value: place.value });
        place.move(value, same);
      }
      open.add(given, row);
      if (open.rowCount > VALUE_ROWS_MAX || open.bytes > VALUE_BYTES_MAX) throw tooManyOfOne(value);
    }
  }
  settle();
  if (rows.rowCount > 0) yield take(key.length > 0 ? place.checkpoint() : { value: place.value });
  else if (skipped > 0) yield take(last);
}

/** The current position of a reading. */
class Place {
  value: WireValue;
  same: string | undefined;
  /** Digests of keys, or keys that are read only if the checkpoint has them. */
  #seen: (string | (() => WireValue[]))[] | null;
  #key: () => WireValue[];

  constructor(from: CursorCheckpoint | null, same: string | undefined) {
    this.value = from?.value ?? null;
    this.same = same;
    this.#seen = from?.key ? null : [...(from?.seen ?? [])];
    this.#key = () => from?.key ?? [];
  }

  move(value: WireValue, same: string): void {
    this.value = value;
    this.same = same;
    this.#seen = [];
  }

  add(value: WireValue, same: string, key: () => WireValue[]): void {
    if (same !== this.same) this.move(value, same);
    this.#key = key;
    this.#seen?.push(key);
    if (this.#seen && this.#seen.length > SEEN_MAX) this.#seen = null;
  }

  checkpoint(): CursorCheckpoint {
    if (!this.#seen) return { value: this.value, key: this.#key() };
    const seen = this.#seen.map((each) => (typeof each === "string" ? each : digestOf(each())));
    this.#seen = seen;
    return { value: this.value, seen: [...seen] };
  }
}

/** Returns equal texts for values that the database treats as equal: 100, 100.0 and 100.00 are one decimal. */
function sameness(value: WireValue, type: FieldType): string {
  if (type !== "decimal" || value === null || typeof value === "object") return JSON.stringify(value);
  const text = String(value);
  return text.includes(".") ? text.replace(/\.?0+$/, "") : text;
}

function digestOf(key: readonly WireValue[]): string {
  return hash("sha256", JSON.stringify(key), "base64url").slice(0, DIGEST_CHARS);
}

function shown(value: WireValue): string {
  return String(typeof value === "object" ? JSON.stringify(value) : value).slice(0, 60);
}

function tooManyOfOne(value: WireValue): AppError {
  return new AppError(
    "invalid_request",
    `More than ${VALUE_ROWS_MAX} rows, or 64 MiB of them, share the cursor value ${shown(value)}, and there is no primary key. Set a primary key or choose another cursor field.`,
  );
}
