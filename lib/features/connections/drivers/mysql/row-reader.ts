import "server-only";
import { setTimeout as sleep } from "node:timers/promises";
import type { Connection, Query } from "mysql2";
import { BatchBuilder, BatchQueue, type Step } from "../shared/batch-queue";
import { tooLargeRow } from "../shared/failures";
import { BATCH_BYTES_TARGET, BATCH_ROWS_MAX, FIRST_BATCH_ROWS } from "../shared/limits";
import type { RunningStatement } from "../shared/statement-run";
import { unparsedChars, valueBytes } from "../shared/wire-values";
import { type Column, type ColumnReader, readerOf } from "./types";

/** Time to receive rows already on the wire when the reader leaves, in ms, which saves the session. */
const LEAVE_GRACE_MS = 50;
/** Approximate bytes of a number, a date and the like in a batch. */
const SCALAR_BYTES = 12;
/** Maximum results that wait for their reader. A reply may hold millions, each with thousands of columns. */
const RESULTS_AHEAD = 4;

export type RowReaderOptions = {
  cellBytesMax: number | undefined;
  rowBytesMax: number;
  jsonAsText?: boolean;
  /** Whether the statement must run to its end, since it or a later part may write. */
  readsToEnd?: boolean;
};
/** The lists in which the library keeps all results of a statement, which its types omit. */
type ResultLists = { _rows: unknown[]; _fields: unknown[]; _resultIndex: number };
type NamedReader = ColumnReader & { name: string };

/** The library's form of the packet that ends a statement without rows. */
export type OkPacket = { affectedRows?: number | string; info?: string };

/** One result of a statement. */
type ReadResult = { columns: readonly NamedReader[]; batches: BatchQueue };

/**
 * Collects one statement's results, in columns; the connection is paused while no one takes them. A reply may contain
 * several results (CALL); those without columns only carry the number of changed rows.
 */
export class RowReader implements RunningStatement {
  readonly #connection: Connection;
  readonly #options: RowReaderOptions;
  readonly #columns = Promise.withResolvers<readonly NamedReader[]>();
  readonly #over = Promise.withResolvers<void>();
  /** Unread results: the first is being read, the last being written. */
  readonly #results: ReadResult[] = [];
  #waiter: { resolve: () => void; reject: (error: unknown) => void } | null = null;
  #failure: { error: unknown } | null = null;
  #rows = new BatchBuilder(0);
  #rowsWanted = FIRST_BATCH_ROWS;
  #isComplete = false;
  #isCut = false;
  #isLeft = false;
  #isPaused = false;
  /** The count of the last result without columns; null when there was none. */
  okAffectedRows: number | null = null;
  /** Rows received, over all results. */
  rowCount = 0;

  constructor(connection: Connection, options: RowReaderOptions) {
    this.#connection = connection;
    this.#options = options;
    this.#columns.promise.catch(() => {});
  }

  /** Resolves to the first result's columns, empty for a statement without a result. */
  get columns(): Promise<readonly NamedReader[]> {
    return this.#columns.promise;
  }

  listen(command: Query): void {
    command.on("fields", (columns: unknown) => {
      forgetResults(command as unknown as ResultLists);
      this.#begin((columns as Column[] | undefined) ?? []);
    });
    command.on("result", (row: unknown) => {
      if (Array.isArray(row)) this.#take(row);
      else this.okAffectedRows = Number((row as OkPacket | null)?.affectedRows ?? 0);
    });
    command.on("error", (error: unknown) => this.fail(error));
    command.on("end", () => this.#complete());
  }

  next(): Promise<Step> {
    const [result] = this.#results;
    if (!result) return this.#failure ? Promise.reject(this.#failure.error) : Promise.resolve({ done: true });
    const step = result.batches.next();
    this.#resume();
    return step;
  }

  /**
   * Advances to the next result after one was read to its end.
   * @returns its columns, null when there is none
   */
  async nextResult(): Promise<readonly NamedReader[] | null> {
    this.#results.shift();
    this.#resume();
    if (this.#results.length === 0 && !this.#isComplete && !this.#failure) {
      await new Promise<void>((resolve, reject) => {
        this.#waiter = { resolve, reject };
      });
    }
    const [result] = this.#results;
    if (!result && this.#failure) throw this.#failure.error;
    return result?.columns ?? null;
  }

  async leave(graceMs = LEAVE_GRACE_MS): Promise<boolean> {
    this.#isLeft = true;
    for (const { batches } of this.#results) batches.clear();
    this.#resume();
    if (this.#isComplete || this.#failure) return true;
    const over = this.#over.promise.then(() => true);
    return Promise.race([over, sleep(graceMs, false, { ref: false })]);
  }

  fail(error: unknown): void {
    if (this.#isComplete) return;
    this.#failure ??= { error };
    this.#columns.reject(error);
    // Complete results are read before the error.
    this.#written?.batches.fail(error);
    this.#waiter?.reject(error);
    this.#waiter = null;
    this.#over.resolve();
  }

  /** Called for a row that is too large to receive; the connection ends before it. */
  oversize(): void {
    // The connection closes here, so the server rolls back or never runs the rest of a statement.
    const isFailure = this.#options.cellBytesMax === undefined || this.#options.readsToEnd === true;
    if (isFailure) this.fail(tooLargeRow(this.#options.rowBytesMax));
    else this.#cut();
  }

  get #written(): ReadResult | undefined {
    return this.#results.at(-1);
  }

  #begin(columns: readonly Column[]): void {
    this.#endResult();
    if (columns.length === 0 || this.#isLeft) return;
    const readers = columns.map((column) => ({ name: column.name, ...readerOf(column, this.#options.jsonAsText) }));
    this.#isCut = false;
    this.#rows = new BatchBuilder(columns.length);
    this.#rowsWanted = FIRST_BATCH_ROWS;
    this.#results.push({ columns: readers, batches: new BatchQueue() });
    this.#columns.resolve(readers);
    this.#waiter?.resolve();
    this.#waiter = null;
    if (this.#results.length > RESULTS_AHEAD) this.#pause();
  }

  #endResult(): void {
    this.#push();
    this.#written?.batches.complete();
  }

  #take(row: readonly unknown[]): void {
    this.rowCount += 1;
    const result = this.#written;
    if (this.#isCut || this.#isLeft || !result) return;
    const values = result.columns.map(({ read }, index) => {
      const value = row[index];
      return value === null || value === undefined ? null : read(value);
    });
    const { cellBytesMax } = this.#options;
    if (cellBytesMax !== undefined && values.some((value) => valueBytes(value) > cellBytesMax)) {
      this.#cut();
      return;
    }
    let bytes = 0;
    for (const value of values)
      bytes += typeof value === "string" ? value.length : Math.max(SCALAR_BYTES, unparsedChars(value));
    this.#rows.add(values, bytes);
    if (this.#rows.rowCount >= this.#rowsWanted || this.#rows.bytes >= BATCH_BYTES_TARGET) this.#push();
  }

  #cut(): void {
    this.#isCut = true;
    this.#written?.batches.push({ ...this.#rows.take(), isCut: true });
  }

  #complete(): void {
    if (this.#failure) return;
    this.#columns.resolve([]);
    this.#endResult();
    this.#isComplete = true;
    this.#waiter?.resolve();
    this.#waiter = null;
    this.#over.resolve();
  }

  #push(): void {
    const batches = this.#written?.batches;
    if (!batches || this.#rows.rowCount === 0 || this.#isLeft || this.#isCut) return;
    this.#rowsWanted = BATCH_ROWS_MAX;
    batches.push(this.#rows.take());
    if (batches.isFull) this.#pause();
  }

  #pause(): void {
    if (this.#isPaused) return;
    this.#isPaused = true;
    this.#connection.pause();
  }

  #resume(): void {
    const isFull = this.#written?.batches.isFull || this.#results.length > RESULTS_AHEAD;
    if (!this.#isPaused || (isFull && !this.#isLeft)) return;
    this.#isPaused = false;
    this.#connection.resume();
  }
}

/** Drops the rows and columns of earlier results when the next ones start, which are the last of each list. */
function forgetResults(command: ResultLists): void {
  command._rows = command._rows.slice(-1);
  command._fields = command._fields.slice(-1);
  command._resultIndex = 0;
}
