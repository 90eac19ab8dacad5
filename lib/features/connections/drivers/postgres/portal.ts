import "server-only";
import { setTimeout as sleep } from "node:timers/promises";
import type { Connection, DatabaseError, FieldDef, Submittable } from "pg";
import type { CellForm } from "@/lib/base/values/fields";
import { BatchBuilder, BatchQueue, type Step } from "../shared/batch-queue";
import { notItsProtocol, tooLargeRow } from "../shared/failures";
import { BATCH_BYTES_TARGET, BATCH_ROWS_MAX, FIRST_BATCH_ROWS, ROW_BYTES_MAX, ROW_CELLS_MAX } from "../shared/limits";
import type { RunningStatement } from "../shared/statement-run";
import { valueBytes } from "../shared/wire-values";
import type { Decode } from "./decode";
import type { RowSink } from "./guarded-connection";
import { RAW_BATCH_BYTES, RowCollector } from "./row-collector";

/** Time to receive a portion of rows already on the wire when the reader leaves, in ms, which saves the session. */
const LEAVE_GRACE_MS = 250;
/** Maximum rows of a portion that arrives as bytes; a slow reader pauses the connection within it. */
const RAW_PORTION_ROWS = 50_000;
/** Growth of each portion over the previous one, up to the maximum. */
const GROWTH = 4;

/** Internals of the library's connection that this file uses. */
type Line = Connection & {
  stream: { cork?(): void; uncork?(): void; pause(): void; resume(): void };
  rowSink: RowSink | null;
};

/** Tags of statements that change rows; for INSERT the first number is an OID that is always 0. */
const CHANGE_TAG = /^(?:INSERT \d+|UPDATE|DELETE|MERGE) (\d+)$/;

function toAffectedRows(tag: string): number | null {
  const count = CHANGE_TAG.exec(tag)?.[1];
  return count === undefined ? null : Number(count);
}

/**
 * A statement before or after the query, whose rows are ignored. With a name the server keeps it prepared; `isPrepared`
 * if it already does.
 */
export type SideStatement = { text: string; values?: readonly (string | null)[]; name?: string; isPrepared?: boolean };

export type PortalOptions = {
  /**
   * Statements before the query in the same round trip: the transaction, its limits and rights, and the check that the
   * query may run. If one of them fails, the server skips the query.
   */
  preamble: readonly SideStatement[];
  /**
   * Statements after the query, in the round trip that ends it. Only for a query that must not persist: they run before
   * the sync, so a ROLLBACK here undoes the query.
   */
  epilogue: readonly SideStatement[];
  text: string;
  values: readonly (string | null)[];
  cellBytesMax: number | undefined;
  /** Whether the statement runs to its end after a cell that is too large. */
  readsToEnd?: boolean | undefined;
  /**
   * The portal's name and its maximum rows per portion, for servers that need them. Absent: an unnamed portal, with the
   * portions of all drivers.
   */
  portal?: { name: string; rowsMax: number } | undefined;
  /** Returns the decoders of these columns; null when their types must be looked up first (`readWith`). */
  decodersOf: (fields: readonly FieldDef[]) => readonly Decode[] | null;
  /** Returns the forms of these columns' texts, once their types are known. Absent: batches have values only. */
  formsOf?: ((fields: readonly FieldDef[]) => readonly CellForm[]) | undefined;
};

/**
 * One statement through the extended protocol. The transaction and the first rows share a round trip, and the session
 * is cleaned in the last one: a small query costs two. Further rows come in portions that the server holds back until
 * requested, and go straight into columns. Portions grow, and each is requested while the previous one is read.
 */
export class Portal implements Submittable, RunningStatement {
  readonly #options: PortalOptions;
  /** Rows of the query so far, and those among them of complete portions. */
  #rowCount = 0;
  #rowCountBefore = 0;
  readonly #fields = Promise.withResolvers<FieldDef[]>();
  readonly #over = Promise.withResolvers<void>();
  readonly #batches = new BatchQueue();
  #rows = new BatchBuilder(0);
  /** Rows as bytes, for results that are written and not read. */
  #collector: RowCollector | null = null;
  #columns: readonly FieldDef[] = [];
  #line: Line | null = null;
  #commandsLeft: number;
  #decoders: readonly Decode[] = [];
  /** Messages from before the decoders were known; null when nothing has to wait. */
  #early: (() => void)[] | null = null;
  #rowsAsked = FIRST_BATCH_ROWS;
  #epilogueLeft = 0;
  #isCut = false;
  #isSuspended = false;
  #isLeft = false;
  #isPaused = false;
  #isSynced = false;
  /** Returns true while the server works on a statement of the preamble. */
  get isInPreamble(): boolean {
    return this.#commandsLeft > 0;
  }

  /** Rows that the statement changed, once it is complete; null for statements that change none. */
  affectedRows: number | null = null;

  /** True once the epilogue has run: the session is clean. */
  isCleaned = false;

  constructor(options: PortalOptions) {
    this.#options = options;
    this.#commandsLeft = options.preamble.length;
    // The rejection may have no listener.
    this.#fields.promise.catch(() => {});
    this.#over.promise.catch(() => {});
  }

  /** Resolves to the result's columns, empty for a statement without a result. */
  get fields(): Promise<FieldDef[]> {
    return this.#fields.promise;
  }

  /**
   * Resolves when the server is ready for the next query; rejects with the error of the statement or the connection.
   */
  get over(): Promise<void> {
    return this.#over.promise;
  }

  /**
   * Sets the decoders. If `decodersOf` returned null, the connection is paused until this call; otherwise it has no
   * effect.
   */
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

  async leave(graceMs = LEAVE_GRACE_MS): Promise<boolean> {
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
    return Promise.race([over, sleep(graceMs, false, { ref: false })]);
  }

  fail(error: unknown): void {
    this.#fields.reject(error);
    this.#over.reject(error);
    this.#batches.fail(error);
  }

  /** Called for a row that is too large to receive; the connection ends before it. */
  oversize(): void {
    const { cellBytesMax, readsToEnd } = this.#options;
    // The connection closes here, and the server rolls the statement back.
    if (cellBytesMax === undefined) this.fail(tooLargeRow(ROW_BYTES_MAX));
    else if (readsToEnd) this.fail(tooLargeRow(cellBytesMax * ROW_CELLS_MAX));
    else this.#cut();
  }

  // Methods that the library calls.

  submit(connection: Connection): void {
    const line = connection as Line;
    this.#line = line;
    line.once("noData", this.#onNoData);
    this.#inOnePiece(() => {
      for (const statement of this.#options.preamble) this.#send(statement);
      line.parse({ text: this.#options.text, name: "", types: [] }, true);
      const name = this.#options.portal?.name ?? "";
      line.bind({ portal: name, values: [...this.#options.values] }, true);
      line.describe({ type: "P", name }, true);
      line.execute({ portal: name, rows: String(this.#rowsAsked) }, true);
      line.flush();
    });
  }

  handleRowDescription({ fields }: { fields: FieldDef[] }): void {
    this.#line?.removeListener("noData", this.#onNoData);
    this.#columns = fields;
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
      // The tag counts only the rows of the last portion.
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
    // After the whole result only the clean-up failed: the reader has lost nothing.
    if (this.#epilogueLeft > 0) this.#over.reject(error);
    else this.fail(error);
    // The server skips everything up to the sync; a lost connection has no server to skip.
    if (connection) this.#sync();
  }

  handleReadyForQuery(): void {
    if (!this.#isSynced) {
      // No sync was requested, so the next message belongs to nothing. The library has already dropped this query.
      const failure = notItsProtocol("PostgreSQL");
      this.fail(failure);
      throw failure;
    }
    this.isCleaned = this.#options.epilogue.length > 0 && this.#epilogueLeft === 0;
    this.#over.resolve();
  }

  handleCopyInResponse(connection: Connection): void {
    (connection as unknown as { sendCopyFail(text: string): void }).sendCopyFail("COPY is not supported");
  }

  handleCopyData(): void {}

  readonly #onNoData = () => this.#fields.resolve([]);

  #decodeBy(decoders: readonly Decode[]): void {
    this.#decoders = decoders;
    this.#rows = new BatchBuilder(decoders.length);
    const forms = this.#options.formsOf?.(this.#columns);
    // A row without columns has no cell to write.
    if (!forms || forms.length === 0 || !this.#line) return;
    const columns = decoders.map((decode, index) => ({ decode, form: forms[index] ?? ("other" as const) }));
    const collector = new RowCollector(columns);
    this.#collector = collector;
    this.#line.rowSink = {
      begin: (length) => collector.begin(length),
      add: (bytes, rowCount, end) => {
        this.#rowCount += rowCount;
        if (this.#isLeft) return;
        collector.add(bytes, rowCount, end);
        if (collector.bytes >= RAW_BATCH_BYTES) this.#push();
      },
    };
  }

  #send({ text, values = [], name = "", isPrepared = false }: SideStatement): void {
    if (!isPrepared) this.#line?.parse({ text, name, types: [] }, true);
    this.#line?.bind({ statement: name, values: [...values] }, true);
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
    const portionRows = this.#collector ? RAW_PORTION_ROWS : BATCH_ROWS_MAX;
    const { name: portal = "", rowsMax = portionRows } = this.#options.portal ?? {};
    this.#rowsAsked = Math.min(this.#rowsAsked * GROWTH, rowsMax);
    this.#inOnePiece((line) => {
      line.execute({ portal, rows: String(this.#rowsAsked) }, true);
      line.flush();
    });
  }

  #sync(): void {
    if (this.#isSynced) return;
    this.#isSynced = true;
    if (this.#line) this.#line.rowSink = null;
    this.#inOnePiece((line) => {
      if (!this.#batches.isFailed) {
        this.#epilogueLeft = this.#options.epilogue.length;
        for (const statement of this.#options.epilogue) this.#send(statement);
      }
      line.sync();
    });
  }

  /** Combines writes: the library writes each message separately, and a system call costs more than its content. */
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
    const ready = [this.#rows, this.#collector].filter((each) => each !== null && each.rowCount > 0);
    if (ready.length === 0 || this.#isLeft || this.#isCut) return;
    for (const each of ready) if (each) this.#batches.push(each.take());
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
