import "server-only";
import { setTimeout as sleep } from "node:timers/promises";
import type { Batch, Field, FieldType } from "@/lib/base/values/fields";
import type {
  Checkpoint,
  ExtractBatch,
  ExtractStream,
  Load,
  LoadRequest,
  RejectedRow,
} from "@/lib/features/connections/data-source";
import { NoColumns } from "@/lib/features/connections/drivers/shared/flows/sql-load";
import { RunGoesOn } from "@/lib/features/runs/goes-on";
import { AppError, type ErrorKind } from "@/lib/platform/http/errors";
import { raceAbort } from "@/lib/platform/process/race-abort";
import { GROWTHS_MAX, SILENCE_MS, TRIES_MAX, TRIES_TIMEOUT_MS, TRY_WAITS_MS } from "./limits";

/*
 * Moves rows from a source into a table. The destination stores the position of a run together with the rows (`Load`);
 * the position stored here only saves a look-up. So a run that is killed at any point continues after the last row that
 * was written, and the server that resumes it needs nothing from the previous one.
 */

export type Visible = LoadRequest["visible"];

export type Move = {
  /** Name for display. */
  name: string;
  runId: string;
  /** Start of a run that is not resumed. `continue`: the end of the previous run. */
  start: { at: Checkpoint | null } | "continue";
  /** Recorded position and visibility; null for none. */
  note: { checkpoint: Checkpoint | null; visible: Visible | null };
  /** The source retries by its own rules, so its errors are final. */
  isPatient: boolean;
  /** The checkpoints of this source may sometimes be null. */
  isUnsteady: boolean;
  read(from: Checkpoint | null, signal: AbortSignal): Promise<ExtractStream>;
  load(columns: Field[], visible: Visible, signal: AbortSignal): Promise<Load>;
  /** Stored before the first row is written. */
  noteVisible(visible: Visible): Promise<void>;
  /** Number of rows that may still be rejected. */
  rejectsLeft(): number;
  moved(counts: { read: number; written: number }, checkpoint: Checkpoint | null): Promise<void>;
  /** Called for rows that were skipped, since their cursor is infinite or not a number. */
  skipped?(count: number): Promise<void>;
  rejected(rows: readonly { row: number; rejected: RejectedRow }[]): Promise<void>;
  retrying(error: AppError, waitMs: number): Promise<void>;
  signal: AbortSignal;
};

/** Position that the destination stores with the rows. */
type Position = {
  /** Run that wrote it. If it is another run, that run has ended. */
  run: string;
  checkpoint: Checkpoint | null;
  /** Number of rows that this run has read so far. */
  read: number;
  /** All rows were read. */
  isEnd: boolean;
};

/**
 * Maximum number of reads that one attempt opens before the first row: one at the recorded checkpoint, one at the
 * destination's. Each other run that moves the load in between costs one more.
 */
const BEGIN_TRIES_MAX = 5;

const PASSING: ReadonlySet<ErrorKind> = new Set(["source_unreachable", "timeout", "unavailable", "rate_limited"]);

/**
 * Moves all rows, from the position that the destination has stored.
 * @throws AppError the last error of the source or the destination; the signal's reason
 */
export async function moveEntity(move: Move): Promise<void> {
  let tries = 0;
  let triesEndAt = 0;
  let growths = 0;
  let columns: Field[] = [];
  for (;;) {
    const attempt = new Attempt(move, columns);
    try {
      return await attempt.run();
    } catch (error) {
      if (move.signal.aborted) return attempt.leave(move.signal.reason);
      if (error instanceof FieldsGrown) {
        growths += 1;
        if (growths > GROWTHS_MAX) return attempt.leave(tooManyGrowths(move.name));
        columns = error.fields;
        continue;
      }
      if (attempt.hasMoved || tries === 0) {
        tries = 0;
        triesEndAt = performance.now() + TRIES_TIMEOUT_MS;
      }
      tries += 1;
      const failure = error instanceof ReadFailure ? error.failure : error;
      const isFinal = error instanceof ReadFailure && move.isPatient;
      if (!(failure instanceof AppError) || !PASSING.has(failure.kind) || isFinal || tries >= TRIES_MAX)
        return attempt.leave(failure);
      const waitMs = Math.max(TRY_WAITS_MS[tries - 1] ?? 0, (failure.retryAfterSeconds ?? 0) * 1000);
      if (performance.now() + waitMs > triesEndAt) return attempt.leave(failure);
      await move.retrying(failure, waitMs);
      await sleep(waitMs, undefined, { signal: move.signal }).catch(() => {});
      if (move.signal.aborted) return attempt.leave(move.signal.reason);
    }
  }
}

/** The source failed, rather than the destination. */
class ReadFailure extends Error {
  constructor(readonly failure: unknown) {
    super("The source failed.", { cause: failure });
  }
}

/**
 * The source has new fields. Rows that are not visible yet are in a table that cannot gain columns, so it is created
 * again with these.
 */
class FieldsGrown extends Error {
  constructor(readonly fields: Field[]) {
    super("The source has new fields.");
  }
}

/** One attempt, from its first request to the last row. */
class Attempt {
  readonly #move: Move;
  /** Columns of the table. */
  #columns: Field[];
  #load: Load | null = null;
  #visible: Visible = "batch";
  #read = 0;
  #written = 0;
  #checkpoint: Checkpoint | null = null;
  /** Whether something was written that the next attempt can continue after. */
  hasMoved = false;

  constructor(move: Move, columns: Field[]) {
    this.#move = move;
    this.#columns = columns;
  }

  async run(): Promise<void> {
    const reading = await this.#begin();
    try {
      if (reading) await this.#moveAll(reading);
    } finally {
      await reading?.close();
    }
    await this.#load?.finish();
  }

  /**
   * Ends the last attempt with its error. Deletes rows that are not visible yet, unless the run continues on another
   * server.
   */
  async leave(reason: unknown): Promise<never> {
    if (!(reason instanceof RunGoesOn)) await this.#abandon();
    throw reason;
  }

  /** @returns null when there is nothing left to read */
  async #begin(): Promise<Reading | null> {
    const move = this.#move;
    let from = this.#firstGuess();
    for (let tries = 1; ; tries += 1) {
      if (tries > BEGIN_TRIES_MAX) throw unsteadyPosition(move.name);
      const reading = await Reading.open(move, from);
      try {
        const start = await this.#open(reading);
        if (start === DONE) return await reading.close();
        if (isSame(start.at, from)) return reading;
        // The recorded position is older than the written one.
        from = start.at;
      } catch (error) {
        await reading.close();
        if (!(error instanceof NoColumns)) throw error;
        // No rows were read and none exist, so neither would have revealed a wrong checkpoint.
        const beginning = move.start === "continue" ? null : move.start.at;
        if (isSame(from, beginning)) return null;
        from = beginning;
        continue;
      }
      await reading.close();
    }
  }

  async #open(reading: Reading): Promise<typeof DONE | { at: Checkpoint | null }> {
    const move = this.#move;
    this.#visible = move.note.visible ?? (move.isUnsteady || reading.isWithoutCheckpoint ? "end" : "batch");
    if (move.note.visible === null) {
      await move.noteVisible(this.#visible);
      move.note.visible = this.#visible;
    }
    this.#columns = union(this.#columns, reading.firstFields);
    const load = await move.load(this.#columns, this.#visible, move.signal);
    this.#load = load;
    const position = load.state.position as Position | null;
    const ours = load.state.isResumed && position?.run === move.runId ? position : null;
    this.#read = ours?.read ?? 0;
    this.#written = ours ? load.state.rowCount : 0;
    const at = ours !== null || move.start === "continue" ? (position?.checkpoint ?? null) : move.start.at;
    await this.#noteMoved(at);
    return load.state.isFinished || ours?.isEnd ? DONE : { at };
  }

  async #noteMoved(checkpoint: Checkpoint | null): Promise<void> {
    this.#checkpoint = checkpoint;
    this.#move.note.checkpoint = checkpoint;
    await this.#move.moved({ read: this.#read, written: this.#written }, checkpoint);
  }

  #firstGuess(): Checkpoint | null {
    const { start, note } = this.#move;
    return note.checkpoint ?? (start === "continue" ? null : start.at);
  }

  /** While a batch is written, the next one is held and the one after it is being read. */
  async #moveAll(reading: Reading): Promise<void> {
    let batch = await reading.next();
    let coming = reading.next();
    coming.catch(() => {});
    while (batch) {
      let following: ExtractBatch | null = null;
      let failure: unknown = null;
      try {
        following = await coming;
      } catch (error) {
        failure = error;
      }
      if (following) {
        coming = reading.next();
        coming.catch(() => {});
      }
      // Rows that were read before the source failed are still written.
      if (failure === null || batch.checkpoint !== null) {
        await this.#write(batch, reading.fieldsOf(batch), {
          isEnd: failure === null && following === null,
          following: following && isAligned(reading.fieldsOf(following), this.#columns) ? following : null,
        });
      }
      if (failure !== null) throw failure;
      batch = following;
    }
  }

  async #write(
    batch: ExtractBatch,
    fields: Field[],
    { isEnd, following }: { isEnd: boolean; following: Batch | null },
  ): Promise<void> {
    const { runId, name } = this.#move;
    if (batch.skipped !== undefined) await this.#move.skipped?.(batch.skipped);
    const load = await this.#loadFor(fields);
    if (batch.checkpoint === null && !isEnd && this.#visible === "batch") {
      throw new Error(`The source of ${name} can't resume from every row.`);
    }
    const read = this.#read + batch.rowCount;
    const checkpoint = batch.checkpoint ?? (isEnd ? this.#checkpoint : null);
    const position: Position | null = checkpoint !== null || isEnd ? { run: runId, checkpoint, read, isEnd } : null;
    const { written, rejected } = await load.write(align(batch, fields, this.#columns), {
      position,
      rejectsMax: this.#move.rejectsLeft(),
      following,
    });
    if (rejected.length > 0) {
      await this.#move.rejected(rejected.map((each) => ({ row: this.#read + each.row + 1, rejected: each })));
    }
    this.#read = read;
    this.#written += written;
    // An empty batch at the same position is no progress, so attempts after it keep counting.
    const isFurther = batch.rowCount > 0 || !isSame(checkpoint, this.#checkpoint);
    this.hasMoved ||= position !== null && isFurther;
    await this.#noteMoved(checkpoint ?? this.#checkpoint);
  }

  async #loadFor(fields: Field[]): Promise<Load> {
    if (!this.#load) throw new Error("The load has not started.");
    const columns = union(this.#columns, fields);
    if (columns === this.#columns) return this.#load;
    if (this.#visible === "end") {
      await this.#abandon();
      throw new FieldsGrown(columns);
    }
    this.#columns = columns;
    this.#load = await this.#move.load(columns, this.#visible, this.#move.signal);
    return this.#load;
  }

  /** Otherwise the next run clears it. */
  async #abandon(): Promise<void> {
    await this.#load?.abandon().catch(() => {});
  }
}

const DONE = "done";

const CLOSE_TIMEOUT_MS = 5_000;

/** A running read whose first batch was examined. */
class Reading {
  readonly #iterator: AsyncIterator<ExtractBatch>;
  readonly #stop: AbortController;
  readonly #signal: AbortSignal;
  #first: ExtractBatch | null = null;
  #hasGivenFirst = false;
  #fields: Field[];
  readonly #grown = new WeakMap<ExtractBatch, Field[]>();
  readonly fields: Field[];

  private constructor(stream: ExtractStream, signal: AbortSignal, stop: AbortController) {
    this.fields = stream.fields;
    this.#fields = stream.fields;
    this.#iterator = stream.batches[Symbol.asyncIterator]();
    this.#signal = signal;
    this.#stop = stop;
  }

  static async open(move: Move, from: Checkpoint | null): Promise<Reading> {
    const stop = new AbortController();
    const signal = AbortSignal.any([move.signal, stop.signal]);
    const stream = await heard(move.read(immutable(from), signal), signal, stop);
    const reading = new Reading(stream, signal, stop);
    reading.#first = await reading.#pull();
    return reading;
  }

  /** Fields of the first rows: the page before them may have been empty. */
  get firstFields(): Field[] {
    return this.#first === null ? this.fields : this.fieldsOf(this.#first);
  }

  get isWithoutCheckpoint(): boolean {
    return this.#first !== null && this.#first.checkpoint === null;
  }

  fieldsOf(batch: ExtractBatch): Field[] {
    return this.#grown.get(batch) ?? this.fields;
  }

  async next(): Promise<ExtractBatch | null> {
    if (this.#hasGivenFirst) return this.#pull();
    this.#hasGivenFirst = true;
    const first = this.#first;
    this.#first = null;
    return first;
  }

  async #pull(): Promise<ExtractBatch | null> {
    const { done, value } = await heard(this.#iterator.next(), this.#signal, this.#stop);
    if (done) return null;
    immutable(value.checkpoint);
    if (value.fields) this.#fields = value.fields;
    this.#grown.set(value, this.#fields);
    return value;
  }

  /** Closes the read, at its end or before. A source that does not close in time is not waited for. */
  async close(): Promise<null> {
    this.#stop.abort(new AppError("cancelled", "The read has ended."));
    const ended = Promise.resolve(this.#iterator.return?.()).catch(() => {});
    await Promise.race([ended, sleep(CLOSE_TIMEOUT_MS, undefined, { ref: false })]);
    return null;
  }
}

/**
 * Returns the source's response, unless it takes too long.
 * @throws ReadFailure; the signal's reason
 */
async function heard<T>(word: Promise<T>, signal: AbortSignal, stop: AbortController): Promise<T> {
  const minutes = SILENCE_MS / 60_000;
  const timer = setTimeout(
    () => stop.abort(new AppError("timeout", `The source sent no data for ${minutes} minutes.`)),
    SILENCE_MS,
  );
  try {
    return await raceAbort(word, signal);
  } catch (error) {
    throw new ReadFailure(signal.aborted ? signal.reason : error);
  } finally {
    clearTimeout(timer);
  }
}

/** Returns the fields with the new ones appended; the same list if there are none. */
function union(known: Field[], found: Field[]): Field[] {
  if (found.length === 0) return known;
  if (known.length === 0) return found;
  const later = new Map(found.map((field) => [field.name, field]));
  // A second attempt begins with the narrow types of the first page, while its table already has the wide ones.
  for (const field of known) {
    const same = later.get(field.name);
    if (same !== undefined && holds(field.type, same.type)) later.set(field.name, field);
  }
  const isWider = known.some((field) => (later.get(field.name)?.type ?? field.type) !== field.type);
  const names = new Set(known.map(({ name }) => name));
  const added = found.filter(({ name }) => !names.has(name));
  if (!isWider && added.length === 0) return known;
  return [...known.map((field) => later.get(field.name) ?? field), ...added];
}

/** Types from the narrowest to the widest; each holds all before it. */
const NUMBERS: readonly FieldType[] = ["int32", "int64", "float64", "decimal"];

function holds(wide: FieldType, narrow: FieldType): boolean {
  if (wide === narrow || wide === "json") return true;
  if (wide === "string") return narrow !== "json";
  return NUMBERS.includes(narrow) && NUMBERS.indexOf(wide) > NUMBERS.indexOf(narrow);
}

function isAligned(fields: readonly Field[], columns: readonly Field[]): boolean {
  return (
    fields === columns ||
    (fields.length === columns.length && fields.every(({ name }, at) => columns[at]?.name === name))
  );
}

/** Returns the batch in the columns of the table: missing values are null. */
function align(batch: Batch, fields: Field[], columns: Field[]): Batch {
  if (isAligned(fields, columns)) return batch;
  const places = new Map(fields.map(({ name }, index) => [name, index]));
  return {
    rowCount: batch.rowCount,
    columns: columns.map(({ name }) => {
      const place = places.get(name);
      return (place === undefined ? undefined : batch.columns[place]) ?? new Array(batch.rowCount).fill(null);
    }),
  };
}

/** Freezes a checkpoint, so that a change to it fails immediately instead of losing rows. */
function immutable(checkpoint: Checkpoint | null): Checkpoint | null {
  const freeze = (part: unknown): void => {
    if (typeof part !== "object" || part === null || Object.isFrozen(part)) return;
    Object.freeze(part);
    Object.values(part).forEach(freeze);
  };
  freeze(checkpoint);
  return checkpoint;
}

function unsteadyPosition(name: string): AppError {
  return new AppError(
    "conflict",
    `The destination reported ${BEGIN_TRIES_MAX} different positions for ${name}. Check whether another run writes to the same table, then retry.`,
  );
}

function isSame(left: Checkpoint | null, right: Checkpoint | null): boolean {
  return JSON.stringify(left) === JSON.stringify(right);
}

function tooManyGrowths(name: string): AppError {
  return new AppError(
    "source_unreachable",
    `${name} gained new fields ${GROWTHS_MAX} times during the run. Use append, which adds columns as needed.`,
  );
}
