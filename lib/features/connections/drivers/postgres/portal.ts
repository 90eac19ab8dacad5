import "server-only";
import { setTimeout as sleep } from "node:timers/promises";
import type { Connection, DatabaseError, FieldDef, Submittable } from "pg";
import { BatchBuilder, BatchQueue, type Step } from "../shared/batch-queue";
import { notItsProtocol, tooLargeRow } from "../shared/failures";
import { BATCH_BYTES_TARGET, BATCH_ROWS_MAX, FIRST_BATCH_ROWS, ROW_BYTES_MAX, ROW_CELLS_MAX } from "../shared/limits";
import type { RunningStatement } from "../shared/statement-run";
import { valueBytes } from "../shared/wire-values";
import type { Decode } from "./decode";

/** A portion of rows that is on its way when the reader leaves is let in for so long, which saves the session. */
const LEAVE_GRACE_MS = 250;
/** Each portion is this much larger than the one before, up to BATCH_ROWS_MAX. */
const GROWTH = 4;

/** The parts of the library's connection that this file writes to. */
type Line = Connection & { stream: { cork?(): void; uncork?(): void; pause(): void; resume(): void } };

/** The tags of statements that change rows; of INSERT the first number is an OID that is always 0. */
const CHANGE_TAG = /^(?:INSERT \d+|UPDATE|DELETE|MERGE) (\d+)$/;

function toAffectedRows(tag: string): number | null {
  const count = CHANGE_TAG.exec(tag)?.[1];
  return count === undefined ? null : Number(count);
}

/** A statement around the query; nobody reads its rows. */
export type SideStatement = { text: string; values?: readonly (string | null)[] };

export type PortalOptions = {
  /**
   * Statements in front of the query in the same round trip: the transaction, its limits and rights, and whether the
   * query may run at all. When one of them fails the server skips the query.
   */
  preamble: readonly SideStatement[];
  /**
   * Statements behind it, in the round trip that ends it. Only for a query that must not count: they come before the
   * server is asked to settle, so a ROLLBACK here takes the query back.
   */
  epilogue: readonly SideStatement[];
  text: string;
  values: readonly (string | null)[];
  cellBytesMax: number | undefined;
  /** Whether the statement runs to its end behind a cell that is too large. */
  readsToEnd?: boolean | undefined;
  /** How the values of these columns are read; null when their types have to be looked up first (`readWith`). */
  decodersOf: (fields: readonly FieldDef[]) => readonly Decode[] | null;
};

/**
 * One statement through the extended protocol. Its transaction and its first rows are in the same round trip, and what
 * cleans the session up behind it is in the one that ends it: a small query costs two. Further rows come in portions
 * that the server holds back until they are asked for, and go straight into columns. Portions grow with use, and are
 * asked for while the one before is being read.
 */
export class Portal implements Submittable, RunningStatement {
  readonly #options: PortalOptions;
  /** Rows of the query that came so far, and those among them of portions that are over. */
  #rowCount = 0;
  #rowCountBefore = 0;
  readonly #fields = Promise.withResolvers<FieldDef[]>();
  readonly #over = Promise.withResolvers<void>();
  readonly #batches = new BatchQueue();
  #rows = new BatchBuilder(0);
  #line: Line | null = null;
  #commandsLeft: number;
  #decoders: readonly Decode[] = [];
  /** What came before it was known how to read it; null when nothing has to wait. */
  #early: (() => void)[] | null = null;
  #rowsAsked = FIRST_BATCH_ROWS;
  #epilogueLeft = 0;
  #isCut = false;
  #isSuspended = false;
  #isLeft = false;
  #isPaused = false;
  #isSynced = false;
  /** True while it is one of the preamble's statements that the server works on. */
  get isInPreamble(): boolean {
    return this.#commandsLeft > 0;
  }

  /** Rows that the statement changed, once it is complete; null for a statement of another kind. */
  affectedRows: number | null = null;

  /** True once the epilogue has run: the session is as the epilogue leaves it. */
  isCleaned = false;

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

  /** Where `decodersOf` did not know, the line rests until this; elsewhere it changes nothing. */
  readWith(decoders: readonly Decode[]): void {
    if (this.#early === null) return;
    const early = this.#early;
    this.#early = null;
    this.#decodeBy(decoders);
    for (const take of early) take();
    this.#resume();
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
    this.#early = null;
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
    const { cellBytesMax, readsToEnd } = this.#options;
    // The connection closes here, and the server rolls the statement back.
    if (cellBytesMax === undefined) this.fail(tooLargeRow(ROW_BYTES_MAX));
    else if (readsToEnd) this.fail(tooLargeRow(cellBytesMax * ROW_CELLS_MAX));
    else this.#cut();
  }

  // From here on: what the library calls.

  submit(connection: Connection): void {
    const line = connection as Line;
    this.#line = line;
    line.once("noData", this.#onNoData);
    this.#inOnePiece(() => {
      for (const statement of this.#options.preamble) this.#send(statement);
      line.parse({ text: this.#options.text, name: "", types: [] }, true);
      line.bind({ values: [...this.#options.values] }, true);
      line.describe({ type: "P", name: "" }, true);
      line.execute({ rows: String(this.#rowsAsked) }, true);
      line.flush();
    });
  }

  handleRowDescription({ fields }: { fields: FieldDef[] }): void {
    this.#line?.removeListener("noData", this.#onNoData);
    const decoders = this.#options.decodersOf(fields);
    if (decoders !== null) this.#decodeBy(decoders);
    else if (!this.#isLeft) {
      this.#early = [];
      this.#isPaused = true;
      this.#line?.stream.pause();
    }
    this.#fields.resolve(fields);
  }

  handleDataRow(message: { fields: (string | null)[]; length: number }): void {
    if (this.#commandsLeft > 0 || this.#epilogueLeft > 0) return;
    if (this.#early) {
      this.#early.push(() => this.handleDataRow(message));
      return;
    }
    this.#rowCount += 1;
    if (this.#isLeft || this.#isCut) return;
    const { fields, length } = message;
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
    if (this.#early) {
      this.#early.push(() => this.handlePortalSuspended());
      return;
    }
    this.#isSuspended = true;
    this.#rowCountBefore = this.#rowCount;
    this.#push();
    if (this.#isLeft) this.#sync();
    else if (!this.#batches.isFull) this.#ask();
  }

  handleCommandComplete(message: { text: string }): void {
    if (this.#early) this.#early.push(() => this.handleCommandComplete(message));
    else if (this.#commandsLeft > 0) this.#commandsLeft -= 1;
    else if (this.#epilogueLeft > 0) this.#epilogueLeft -= 1;
    else {
      // The tag counts the rows of the last portion alone.
      const count = toAffectedRows(message.text);
      this.affectedRows = count === null ? null : count + this.#rowCountBefore;
      this.#complete();
    }
  }

  handleEmptyQuery(): void {
    this.#complete();
  }

  handleError(error: DatabaseError | Error, connection?: Connection): void {
    this.#line?.removeListener("noData", this.#onNoData);
    // Behind the whole result it is the cleaning up that failed: the reader has lost nothing.
    if (this.#epilogueLeft > 0) this.#over.reject(error);
    else this.fail(error);
    // The server skips everything up to this; on a line that is gone there is nobody to skip.
    if (connection) this.#sync();
  }

  handleReadyForQuery(): void {
    if (!this.#isSynced) {
      // Nobody has asked for the end, so what comes next belongs to nothing. The library has let go of this query already.
      const failure = notItsProtocol("PostgreSQL");
      this.fail(failure);
      throw failure;
    }
    this.isCleaned = this.#options.epilogue.length > 0 && this.#epilogueLeft === 0;
    this.#over.resolve();
  }

  handleCopyInResponse(connection: Connection): void {
    (connection as unknown as { sendCopyFail(text: string): void }).sendCopyFail("COPY is not available here");
  }

  handleCopyData(): void {}

  readonly #onNoData = () => this.#fields.resolve([]);

  #decodeBy(decoders: readonly Decode[]): void {
    this.#decoders = decoders;
    this.#rows = new BatchBuilder(decoders.length);
  }

  #send({ text, values = [] }: SideStatement): void {
    this.#line?.parse({ text, name: "", types: [] }, true);
    this.#line?.bind({ values: [...values] }, true);
    this.#line?.execute({}, true);
  }

  #complete(): void {
    this.#isSuspended = false;
    this.#push();
    this.#batches.complete();
    this.#sync();
  }

  #ask(): void {
    const isEnough = this.#isLeft || (this.#isCut && !this.#options.readsToEnd);
    if (!this.#isSuspended || isEnough || this.#batches.isFailed) return;
    this.#isSuspended = false;
    this.#rowsAsked = Math.min(this.#rowsAsked * GROWTH, BATCH_ROWS_MAX);
    this.#inOnePiece((line) => {
      line.execute({ rows: String(this.#rowsAsked) }, true);
      line.flush();
    });
  }

  #sync(): void {
    if (this.#isSynced) return;
    this.#isSynced = true;
    this.#inOnePiece((line) => {
      if (!this.#batches.isFailed) {
        this.#epilogueLeft = this.#options.epilogue.length;
        for (const statement of this.#options.epilogue) this.#send(statement);
      }
      line.sync();
    });
  }

  /** The library writes each message by itself, and a system call costs more than what it carries. */
  #inOnePiece(write: (line: Line) => void): void {
    const line = this.#line;
    if (!line) return;
    line.stream.cork?.();
    write(line);
    line.stream.uncork?.();
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
