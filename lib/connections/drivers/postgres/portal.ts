import "server-only";
import type { Connection, DatabaseError, FieldDef, Submittable } from "pg";
import type { WireValue } from "../../data-source";
import { tooLargeRow } from "../shared/failures";
import { BATCH_BYTES_TARGET, BATCH_ROWS_MAX, FIRST_BATCH_ROWS, ROW_BYTES_MAX } from "../shared/limits";
import { valueBytes } from "../shared/wire-values";
import type { Decode } from "./decode";

/** Batches that are made ready before somebody asks. */
const BATCHES_AHEAD = 2;

type RawBatch = { rowCount: number; columns: WireValue[][]; isCut: boolean };
type Step = { batch: RawBatch } | { done: true };
type Waiter<T> = { resolve: (value: T) => void; reject: (error: unknown) => void };

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
export class Portal implements Submittable {
  readonly #options: PortalOptions;
  #line: Line | null = null;
  #commandsLeft: number;
  readonly #fields = Promise.withResolvers<FieldDef[]>();
  readonly #over = Promise.withResolvers<void>();
  #decoders: readonly Decode[] = [];
  #ready: RawBatch[] = [];
  #current: RawBatch = { rowCount: 0, columns: [], isCut: false };
  #currentBytes = 0;
  #waiter: Waiter<Step> | null = null;
  #failure: { error: unknown } | null = null;
  #isComplete = false;
  #isSuspended = false;
  #isClosing = false;
  #isPaused = false;
  #isSynced = false;
  #rowsAsked = 0;

  constructor(options: PortalOptions) {
    this.#options = options;
    this.#commandsLeft = options.preamble.length;
    // Whoever waits gets it; nobody has to wait.
    this.#fields.promise.catch(() => {});
    this.#over.promise.catch(() => {});
  }

  /** The result's columns, empty for a statement without a result. */
  get fields(): Promise<FieldDef[]> {
    return this.#fields.promise;
  }

  /** Resolves when the server is ready for something else; rejects with what the connection ended by. */
  get over(): Promise<void> {
    return this.#over.promise;
  }

  /** True while the server works or sends: what then leaves has to cancel. */
  get isWorking(): boolean {
    return !this.#isComplete && !this.#isSuspended && this.#failure === null;
  }

  /** Rows wait on the line until this is known. */
  readWith(decoders: readonly Decode[]): void {
    this.#decoders = decoders;
    this.#current = this.#emptyBatch();
    this.#ask();
  }

  next(): Promise<Step> {
    const batch = this.#ready.shift();
    if (batch) {
      this.#resume();
      if (this.#isSuspended) this.#ask();
      return Promise.resolve({ batch });
    }
    if (this.#failure) return Promise.reject(this.#failure.error);
    if (this.#isComplete) return Promise.resolve({ done: true });
    return new Promise((resolve, reject) => {
      this.#waiter = { resolve, reject };
    });
  }

  /** Ends the statement where it stands. What is still on its way is thrown away. */
  leave(): void {
    this.#isClosing = true;
    this.#ready = [];
    this.#resume();
    if (!this.isWorking) this.#sync();
  }

  /** Ends everything, for a connection that is given up. */
  fail(error: unknown): void {
    if (this.#failure === null) this.#failure = { error };
    this.#fields.reject(error);
    this.#over.reject(error);
    this.#waiter?.reject(error);
    this.#waiter = null;
  }

  /** A row is coming that is too large to be taken in, and the line ends before it. */
  oversize(): void {
    if (this.#options.cellBytesMax === undefined) {
      this.fail(tooLargeRow(ROW_BYTES_MAX));
      return;
    }
    this.#current.isCut = true;
    this.#push();
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

  handleDataRow(message: { fields: (string | null)[]; length: number }): void {
    if (this.#isClosing || this.#current.isCut) return;
    const { cellBytesMax } = this.#options;
    const isLarge = cellBytesMax !== undefined && message.length > cellBytesMax;
    const row = this.#decoders.map((decode, index) => {
      const text = message.fields[index] ?? null;
      return text === null ? null : decode(text);
    });
    if (isLarge && row.some((value) => valueBytes(value) > cellBytesMax)) {
      this.#current.isCut = true;
      this.#push();
      return;
    }
    for (const [index, value] of row.entries()) this.#current.columns[index]?.push(value);
    this.#current.rowCount += 1;
    this.#currentBytes += message.length;
    if (this.#currentBytes >= BATCH_BYTES_TARGET) this.#push();
  }

  handlePortalSuspended(): void {
    this.#isSuspended = true;
    this.#push();
    if (this.#isClosing) this.#sync();
    else if (this.#ready.length < BATCHES_AHEAD) this.#ask();
  }

  handleCommandComplete(_message: unknown, connection?: Connection): void {
    if (this.#commandsLeft > 0) {
      this.#commandsLeft -= 1;
      return;
    }
    this.#complete(connection);
  }

  handleEmptyQuery(connection?: Connection): void {
    this.#complete(connection);
  }

  handleError(error: DatabaseError | Error, connection?: Connection): void {
    this.#line?.removeListener("noData", this.#onNoData);
    const wasOver = this.#isComplete;
    this.fail(error);
    // The server skips all that follows until this; on a line that is gone, nothing is.
    if (connection && !this.#isSynced && !wasOver) this.#sync();
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
    this.#line?.execute({ rows: "0" }, true);
    this.#line?.flush();
  };

  #complete(_connection: Connection | undefined): void {
    this.#isComplete = true;
    this.#isSuspended = false;
    this.#push();
    this.#sync();
    // Nothing is left: the waiter got the last batch, or the end.
    if (this.#ready.length === 0) {
      this.#waiter?.resolve({ done: true });
      this.#waiter = null;
    }
  }

  #ask(): void {
    if (!this.#isSuspended || this.#isClosing || this.#failure !== null) return;
    this.#isSuspended = false;
    this.#rowsAsked = this.#rowsAsked === 0 ? FIRST_BATCH_ROWS : Math.min(this.#rowsAsked * 4, BATCH_ROWS_MAX);
    this.#line?.execute({ rows: String(this.#rowsAsked) }, true);
    this.#line?.flush();
  }

  #sync(): void {
    if (this.#isSynced) return;
    this.#isSynced = true;
    this.#line?.sync();
  }

  #push(): void {
    const batch = this.#current;
    if (batch.rowCount === 0 && !batch.isCut) return;
    this.#current = this.#emptyBatch();
    this.#current.isCut = batch.isCut;
    this.#currentBytes = 0;
    if (this.#isClosing) return;
    if (this.#waiter) {
      this.#waiter.resolve({ batch });
      this.#waiter = null;
      return;
    }
    this.#ready.push(batch);
    if (this.#ready.length >= BATCHES_AHEAD && !this.#isPaused && this.isWorking) {
      this.#isPaused = true;
      this.#line?.stream.pause();
    }
  }

  #resume(): void {
    if (!this.#isPaused || (this.#ready.length >= BATCHES_AHEAD && !this.#isClosing)) return;
    this.#isPaused = false;
    this.#line?.stream.resume();
  }

  #emptyBatch(): RawBatch {
    return { rowCount: 0, columns: this.#decoders.map(() => []), isCut: false };
  }
}

