import "server-only";
import { setTimeout as sleep } from "node:timers/promises";
import type { Connection, Query } from "mysql2";
import { isJsonText } from "@/lib/tabular/json-text";
import { BatchBuilder, BatchQueue, type Step } from "../shared/batch-queue";
import { tooLargeRow } from "../shared/failures";
import { BATCH_BYTES_TARGET, BATCH_ROWS_MAX, FIRST_BATCH_ROWS } from "../shared/limits";
import type { RunningStatement } from "../shared/statement-run";
import { valueBytes } from "../shared/wire-values";
import { type Column, type ColumnReader, readerOf } from "./types";

/** Rows that are on their way when the reader leaves are let in for so long, which saves the session. */
const LEAVE_GRACE_MS = 50;
/** What a number, a date and the like take in a batch, roughly. */
const SCALAR_BYTES = 12;

export type RowReaderOptions = { cellBytesMax: number | undefined; rowBytesMax: number; jsonAsText?: boolean };
type NamedReader = ColumnReader & { name: string };

/** One statement's rows as they come, in columns; the line is paused while nobody takes them. */
export class RowReader implements RunningStatement {
  readonly #connection: Connection;
  readonly #options: RowReaderOptions;
  readonly #columns = Promise.withResolvers<readonly NamedReader[]>();
  readonly #over = Promise.withResolvers<void>();
  readonly #batches = new BatchQueue();
  #readers: readonly NamedReader[] = [];
  #rows = new BatchBuilder(0);
  #rowsWanted = FIRST_BATCH_ROWS;
  #isCut = false;
  #isLeft = false;
  #isPaused = false;

  constructor(connection: Connection, options: RowReaderOptions) {
    this.#connection = connection;
    this.#options = options;
    this.#columns.promise.catch(() => {});
  }

  /** The result's columns, empty for a statement without a result. */
  get columns(): Promise<readonly NamedReader[]> {
    return this.#columns.promise;
  }

  listen(command: Query): void {
    command.on("fields", (columns: unknown) => this.#begin((columns as Column[] | undefined) ?? []));
    command.on("result", (row: unknown) => {
      if (Array.isArray(row)) this.#take(row);
    });
    command.on("error", (error: unknown) => this.fail(error));
    command.on("end", () => this.#complete());
  }

  next(): Promise<Step> {
    const step = this.#batches.next();
    this.#resume();
    return step;
  }

  async leave(): Promise<boolean> {
    this.#isLeft = true;
    this.#batches.clear();
    this.#resume();
    if (this.#batches.isComplete || this.#batches.isFailed) return true;
    const over = this.#over.promise.then(() => true);
    return Promise.race([over, sleep(LEAVE_GRACE_MS, false)]);
  }

  fail(error: unknown): void {
    if (this.#batches.isComplete) return;
    this.#columns.reject(error);
    this.#batches.fail(error);
    this.#over.resolve();
  }

  /** A row is coming that is too large to be taken in, and the line ends before it. */
  oversize(): void {
    if (this.#options.cellBytesMax === undefined) this.fail(tooLargeRow(this.#options.rowBytesMax));
    else this.#cut();
  }

  #begin(columns: readonly Column[]): void {
    this.#readers = columns.map((column) => ({ name: column.name, ...readerOf(column, this.#options.jsonAsText) }));
    this.#rows = new BatchBuilder(columns.length);
    this.#columns.resolve(this.#readers);
  }

  #take(row: readonly unknown[]): void {
    if (this.#isCut || this.#isLeft) return;
    const values = this.#readers.map(({ read }, index) => {
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
      bytes += typeof value === "string" ? value.length : isJsonText(value) ? value.json.length : SCALAR_BYTES;
    this.#rows.add(values, bytes);
    if (this.#rows.rowCount >= this.#rowsWanted || this.#rows.bytes >= BATCH_BYTES_TARGET) this.#push();
  }

  #cut(): void {
    this.#isCut = true;
    this.#batches.push({ ...this.#rows.take(), isCut: true });
  }

  #complete(): void {
    if (this.#batches.isFailed) return;
    this.#columns.resolve([]);
    this.#push();
    this.#batches.complete();
    this.#over.resolve();
  }

  #push(): void {
    if (this.#rows.rowCount === 0 || this.#isLeft || this.#isCut) return;
    this.#rowsWanted = BATCH_ROWS_MAX;
    this.#batches.push(this.#rows.take());
    if (!this.#batches.isFull || this.#isPaused) return;
    this.#isPaused = true;
    this.#connection.pause();
  }

  #resume(): void {
    if (!this.#isPaused || (this.#batches.isFull && !this.#isLeft)) return;
    this.#isPaused = false;
    this.#connection.resume();
  }
}
