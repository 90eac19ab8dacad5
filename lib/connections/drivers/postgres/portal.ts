import "server-only";
import { setTimeout as sleep } from "node:timers/promises";
import type { Connection, DatabaseError, FieldDef, Submittable } from "pg";
import { BatchBuilder, BatchQueue, type Step } from "../shared/batch-queue";
import { tooLargeRow } from "../shared/failures";
import { BATCH_BYTES_TARGET, BATCH_ROWS_MAX, FIRST_BATCH_ROWS, ROW_BYTES_MAX } from "../shared/limits";
import type { RunningStatement } from "../shared/statement-run";
import { valueBytes } from "../shared/wire-values";
import type { Decode } from "./decode";

/** A portion of rows that is on its way when the reader leaves is let in for so long, which saves the session. */
const LEAVE_GRACE_MS = 250;
/** Each portion is this much larger than the one before, up to BATCH_ROWS_MAX. */
const GROWTH = 4;

/** The parts of the library's connection that this file writes to. */
type Line = Connection & { stream: { cork?(): void; uncork?(): void; pause(): void; resume(): void } };

export type PortalOptions = {
  /** Statements in front of the query in the same round trip: the transaction and its limits. */
  preamble: readonly string[];
  text: string;
  values: readonly (string | null)[];
  cellBytesMax: number | undefined;
};

/**
 * One statement through the extended protocol, with its transaction in the same round trip. Rows come in portions that
 * the server holds back until they are asked for, and go straight into columns. Portions grow with use, and are asked
 * for while the one before is being read.
 */
export class Portal implements Submittable, RunningStatement {
  readonly #options: PortalOptions;
  readonly #fields = Promise.withResolvers<FieldDef[]>();
  readonly #over = Promise.withResolvers<void>();
  readonly #batches = new BatchQueue();
  #rows = new BatchBuilder(0);
  #line: Line | null = null;
  #commandsLeft: number;
  #decoders: readonly Decode[] = [];
  #rowsAsked = 0;
  #isCut = false;
  #isSuspended = false;
  #isLeft = false;
  #isPaused = false;
  #isSynced = false;

  constructor(options: PortalOptions) {
    this.#options = options;
    this.#commandsLeft = options.preamble.length;
    // Nobody has to wait for them.
    this.#fields.promise.catch(() => {});
    this.#over.promise.catch(() => {});
  }

  /** The result's columns, empty for a statement without a result. */
  get fields(): Promise<FieldDef[]> {
    return this.#fields.promise;
  }

  /** Resolves when the server is ready for something else; rejects with what the statement or the line ended by. */
  get over(): Promise<void> {
    return this.#over.promise;
  }

  /** Rows stay on the server until this is known. */
  readWith(decoders: readonly Decode[]): void {
    this.#decoders = decoders;
    this.#rows = new BatchBuilder(decoders.length);
    this.#ask();
  }

  next(): Promise<Step> {
    const step = this.#batches.next();
    this.#resume();
    if (!this.#batches.isFull) this.#ask();
    return step;
  }

  async leave(): Promise<boolean> {
    const isWorking = !this.#batches.isComplete && !this.#isSuspended && !this.#batches.isFailed;
    this.#isLeft = true;
    this.#batches.clear();
    this.#resume();
    if (!isWorking) {
      this.#sync();
      return true;
    }
    const over = this.over.then(
      () => true,
      () => true,
    );
    return Promise.race([over, sleep(LEAVE_GRACE_MS, false)]);
  }

  fail(error: unknown): void {
    this.#fields.reject(error);
    this.#over.reject(error);
    this.#batches.fail(error);
  }

  /** A row is coming that is too large to be taken in, and the line ends before it. */
  oversize(): void {
    if (this.#options.cellBytesMax === undefined) this.fail(tooLargeRow(ROW_BYTES_MAX));
    else this.#cut();
  }

  // From here on: what the library calls.

  submit(connection: Connection): void {
    const line = connection as Line;
    this.#line = line;
    line.stream.cork?.();
    for (const text of this.#options.preamble) {
      line.parse({ text, name: "", types: [] }, true);
      line.bind({ values: [] }, true);
      line.execute({}, true);
    }
    line.parse({ text: this.#options.text, name: "", types: [] }, true);
    line.bind({ values: [...this.#options.values] }, true);
    line.describe({ type: "P", name: "" }, true);
    line.once("noData", this.#onNoData);
    line.flush();
    line.stream.uncork?.();
  }

  handleRowDescription(message: { fields: FieldDef[] }): void {
    this.#line?.removeListener("noData", this.#onNoData);
    this.#isSuspended = true;
    this.#fields.resolve(message.fields);
  }

  handleDataRow({ fields, length }: { fields: (string | null)[]; length: number }): void {
    if (this.#isLeft || this.#isCut) return;
    const row = this.#decoders.map((decode, index) => {
      const text = fields[index] ?? null;
      return text === null ? null : decode(text);
    });
    const { cellBytesMax } = this.#options;
    const mayBeLarge = cellBytesMax !== undefined && length > cellBytesMax;
    if (mayBeLarge && row.some((value) => valueBytes(value) > cellBytesMax)) {
      this.#cut();
      return;
    }
    this.#rows.add(row, length);
    if (this.#rows.bytes >= BATCH_BYTES_TARGET) this.#push();
  }

  handlePortalSuspended(): void {
    this.#isSuspended = true;
    this.#push();
    if (this.#isLeft) this.#sync();
    else if (!this.#batches.isFull) this.#ask();
  }

  handleCommandComplete(): void {
    if (this.#commandsLeft > 0) this.#commandsLeft -= 1;
    else this.#complete();
  }

  handleEmptyQuery(): void {
    this.#complete();
  }

  handleError(error: DatabaseError | Error, connection?: Connection): void {
    this.#line?.removeListener("noData", this.#onNoData);
    this.fail(error);
    // The server skips everything up to this; on a line that is gone there is nobody to skip.
    if (connection) this.#sync();
  }

  handleReadyForQuery(): void {
    this.#over.resolve();
  }

  handleCopyInResponse(connection: Connection): void {
    (connection as unknown as { sendCopyFail(text: string): void }).sendCopyFail("COPY is not available here");
  }

  handleCopyData(): void {}

  readonly #onNoData = () => {
    this.#fields.resolve([]);
    this.#line?.execute({}, true);
    this.#line?.flush();
  };

  #complete(): void {
    this.#isSuspended = false;
    this.#push();
    this.#batches.complete();
    this.#sync();
  }

  #ask(): void {
    if (!this.#isSuspended || this.#isLeft || this.#isCut || this.#batches.isFailed) return;
    this.#isSuspended = false;
    this.#rowsAsked = this.#rowsAsked === 0 ? FIRST_BATCH_ROWS : Math.min(this.#rowsAsked * GROWTH, BATCH_ROWS_MAX);
    this.#line?.execute({ rows: String(this.#rowsAsked) }, true);
    this.#line?.flush();
  }

  #sync(): void {
    if (this.#isSynced) return;
    this.#isSynced = true;
    this.#line?.sync();
  }

  #cut(): void {
    this.#isCut = true;
    this.#batches.push({ ...this.#rows.take(), isCut: true });
  }

  #push(): void {
    if (this.#rows.rowCount === 0 || this.#isLeft || this.#isCut) return;
    this.#batches.push(this.#rows.take());
    if (!this.#batches.isFull || this.#isPaused) return;
    this.#isPaused = true;
    this.#line?.stream.pause();
  }

  #resume(): void {
    if (!this.#isPaused || (this.#batches.isFull && !this.#isLeft)) return;
    this.#isPaused = false;
    this.#line?.stream.resume();
  }
}
