import type { Socket } from "node:net";
import { mayRound, parseExactJson } from "../../../base/values/exact-json.ts";
import type { Batch, Entity, Field, WireValue } from "../../../base/values/fields.ts";

/**
 * Protocol between a file engine and the server: frames of a four-byte length (little endian) and a JSON text. One
 * socket carries one request at a time, so the kernel's socket buffers are the backpressure in both directions, and a
 * client cancels by closing its socket. Every value of a result is JSON by definition (`WireValue`), and V8 parses JSON
 * faster than its own structured format.
 */

export type ExecuteRequest = {
  type: "execute";
  query: string;
  params?: unknown[] | Record<string, unknown>;
  readOnly: boolean;
  timeoutMs: number;
  /** The result is cut before a row with a larger cell. Null: a cell that is too large to send is a failure. */
  cellBytesMax: number | null;
  /** JSON columns are returned as unparsed text. */
  jsonAsText?: true;
};

/** Encoding of a column's cells: 64-bit integers as numbers or text, bytes in base64, NaN and infinities as text. */
export type CellType = "bigint" | "double" | "boolean" | "varchar" | "blob";

export type TransactStep =
  /** The transaction fails when a step affects another number of rows than `mustAffect`. */
  | { run: string; params?: (string | number | null | Buffer)[]; mustAffect?: number }
  /** `into` is the name of a temporary table for DuckDB, and a statement for SQLite. */
  | { into: string; types: CellType[]; rowCount: number; columns: WireValue[][] };

/**
 * Statements of the server itself, run in one transaction, all or none. Its drivers build them and no user writes them,
 * so they are not checked.
 */
export type TransactRequest = {
  type: "transact";
  steps: TransactStep[];
  /** True to roll back at the end: the transaction only tests whether the changes are possible. */
  isProbe: boolean;
  timeoutMs: number;
};

/**
 * Copies rows that the server has staged in another DuckDB file of the folder into a table, in one transaction.
 * The server builds the statements, which name only what the reader of the file has left there.
 */
export type ImportRequest = {
  type: "import";
  /** An import of the same ID is committed once. */
  id: string;
  /** Text to keep with the committed import. */
  note: string;
  /** Path of the staged file, relative to the database's folder. */
  staged: string;
  table: string;
  mode: "create" | "replace" | "append";
  columns: { name: string; dbType: string }[];
  /** Select of the staged rows, with these columns. */
  rows: string;
  /** Table of the rejected rows (line, problem, text) and their select; null for none. */
  rejected: { table: string; rows: string } | null;
  timeoutMs: number;
};

/** Result of a committed import: the number of rows, and the note of the request that was committed. */
export type ImportDone = { rows: number; note: string };

/** Deletes a table; it is `query_failed` with the refusal `missing` if there is none. */
export type DropTableRequest = { type: "drop"; table: string; timeoutMs: number };

/** Reads a text of any number of statements for syntax errors. Nothing runs, and no file is read. */
export type ParseRequest = { type: "parse"; dialect: "duckdb" | "sqlite"; text: string };

/**
 * Opens a session on this socket, which ends with it and rolls back. Statements on the socket then run in the session.
 * Sent again, it only reads the session's state.
 */
export type SessionRequest = { type: "session"; readOnly: boolean };

export type EngineSessionState = "idle" | "in_transaction" | "failed";

/**
 * Ends the running statement of a session and keeps the session. It is not answered. `isCancel` interrupts the
 * statement. Otherwise the statement ends after its current batch.
 */
type StopRequest = { type: "stop"; isCancel: boolean };

/** A syntax error. `offset` is 0-based, in UTF-16 units; null if the parser does not report it. */
export type SyntaxFault = { message: string; offset: number | null };

export type EngineRequest =
  | ExecuteRequest
  | TransactRequest
  | ImportRequest
  | DropTableRequest
  | ParseRequest
  | SessionRequest
  | StopRequest
  | { type: "entities" }
  /** Asks for the bytes that deleted tables have left in a DuckDB file. */
  | { type: "space" }
  | { type: "version" };

/** Reason in the details of a failed transaction. */
export type TransactRefusal = "taken" | "row";

/** Reason in the details of a failed import. */
export type ImportRefusal = "exists" | "missing" | "columns";

/**
 * Details of a failure `unavailable`: the engine ends because another statement could not be stopped. A request that
 * only reads may be retried.
 */
export const RESTARTING = { restarting: true } as const;

/** `kind` is a kind of AppError, which the client creates from it. */
export type EngineFailure = {
  kind: "invalid_request" | "query_failed" | "read_only" | "not_allowed" | "cancelled" | "timeout" | "unavailable";
  message: string;
  details?: Record<string, unknown>;
};

export type EngineResponse =
  /** The first frame of a socket: a request on a socket that closes before it was not received. */
  | { type: "hello" }
  | { type: "fields"; fields: Field[] }
  | { type: "batch"; batch: Batch }
  | { type: "end"; isCut: boolean; affectedRows?: number | null }
  | { type: "failed"; failure: EngineFailure }
  | { type: "entities"; entities: Entity[] }
  | { type: "version"; version: string }
  | { type: "transact" }
  | ({ type: "import" } & ImportDone)
  | { type: "drop" }
  | { type: "space"; freeBytes: number }
  | { type: "session"; state: EngineSessionState }
  /** Null: the text has no syntax error. */
  | { type: "parse"; fault: SyntaxFault | null };

/**
 * Negative zero in a frame, because `JSON.stringify` drops its sign. Only `float64` fields have it: their values are
 * numbers or text, never lists.
 */
export const NEGATIVE_ZERO: WireValue = [0];

export function isNegativeZero(value: WireValue): boolean {
  return Array.isArray(value);
}

const LENGTH_BYTES = 4;
/** First byte of a message whose JSON text is followed by bytes. */
const WITH_BYTES = 0;

/** Parses a request. Parameters of a user's statement keep every digit of their numbers (`ExactNumber`). */
export function parseRequest<T extends { type: string }>(bytes: Buffer): T {
  if (bytes[0] === WITH_BYTES) return parseWithBytes(bytes) as TransactRequest & T;
  const text = bytes.toString("utf8");
  const request = JSON.parse(text) as T & { params?: unknown };
  const isExact = request.type === "execute" && request.params !== undefined && mayRound(text);
  return isExact ? (parseExactJson(text) as T) : request;
}

export class FrameTooLarge extends Error {}

/** @throws FrameTooLarge when the text is longer than the receiver accepts */
export function encodeFrame(message: EngineRequest | EngineResponse, bytesMax: number): Buffer {
  if ("steps" in message && message.steps.some(hasBytes)) return encodeWithBytes(message, bytesMax);
  const text = JSON.stringify(message);
  const bytes = Buffer.byteLength(text);
  if (bytes > bytesMax) throw new FrameTooLarge(`A message of ${bytes} bytes is above the limit of ${bytesMax}.`);
  const frame = Buffer.allocUnsafe(LENGTH_BYTES + bytes);
  frame.writeUInt32LE(bytes, 0);
  frame.write(text, LENGTH_BYTES, "utf8");
  return frame;
}

function hasBytes(step: TransactStep): boolean {
  return "run" in step && step.params?.some((param) => Buffer.isBuffer(param)) === true;
}

/** Stands for a parameter of this many bytes in a message's JSON text. */
type Length = { length: number };

/** Encodes the JSON text with its length, and the bytes of the parameters in their order. */
function encodeWithBytes(request: TransactRequest, bytesMax: number): Buffer {
  const parts: Buffer[] = [];
  const toLength = (param: string | number | null | Buffer) => {
    if (!Buffer.isBuffer(param)) return param;
    parts.push(param);
    return { length: param.length };
  };
  const steps = request.steps.map((step) => {
    return "run" in step && step.params ? { ...step, params: step.params.map(toLength) } : step;
  });
  const text = Buffer.from(JSON.stringify({ ...request, steps }));
  const head = Buffer.alloc(1 + LENGTH_BYTES);
  head[0] = WITH_BYTES;
  head.writeUInt32LE(text.length, 1);
  const bytes = [head, text, ...parts].reduce((sum, { length }) => sum + length, 0);
  if (bytes > bytesMax) throw new FrameTooLarge(`A message of ${bytes} bytes is above the limit of ${bytesMax}.`);
  const frameLength = Buffer.allocUnsafe(LENGTH_BYTES);
  frameLength.writeUInt32LE(bytes, 0);
  return Buffer.concat([frameLength, head, text, ...parts], LENGTH_BYTES + bytes);
}

function parseWithBytes(bytes: Buffer): TransactRequest {
  let at = 1 + LENGTH_BYTES;
  const take = (length: number): Buffer => {
    const end = at + length;
    if (end > bytes.length) throw new SyntaxError("A message ends within its bytes.");
    const part = bytes.subarray(at, end);
    at = end;
    return part;
  };
  const request = JSON.parse(take(bytes.readUInt32LE(1)).toString("utf8")) as TransactRequest;
  for (const step of request.steps) {
    if (!("run" in step) || !step.params) continue;
    const params: readonly (string | number | null | Length)[] = step.params;
    step.params = params.map((param) => (typeof param === "object" && param !== null ? take(param.length) : param));
  }
  return request;
}

/** Resolves when the socket accepts more, immediately if it still does; rejects when it is closed. */
export function sendFrame(socket: Socket, frame: Buffer): Promise<void> {
  return new Promise((resolve, reject) => {
    if (socket.destroyed || socket.writableEnded) {
      reject(new Error("The peer disconnected."));
      return;
    }
    if (socket.write(frame)) {
      resolve();
      return;
    }
    const settle = () => {
      socket.off("drain", settle);
      socket.off("close", settle);
      if (socket.destroyed) reject(new Error("The peer disconnected."));
      else resolve();
    };
    socket.once("drain", settle);
    socket.once("close", settle);
  });
}

/**
 * Splits a stream of bytes into messages. Holds at most one unfinished frame, in its own memory. Each piece is copied
 * when it arrives, because assembling a 64 MiB frame at the end takes 0.1 s.
 */
export class FrameReader<T> {
  readonly #header = Buffer.alloc(LENGTH_BYTES);
  /** Null while the header is being read. */
  #body: Buffer | null = null;
  #filled = 0;
  readonly #bytesMax: number;
  readonly #parse: (bytes: Buffer) => T;

  /**
   * @param parse creates a message from its bytes, which are a copy if they came in more than one piece; may return a
   *   promise of it where T allows
   */
  constructor(bytesMax: number, parse = (bytes: Buffer): T => JSON.parse(bytes.toString("utf8")) as T) {
    this.#bytesMax = bytesMax;
    this.#parse = parse;
  }

  /** @throws FrameTooLarge, SyntaxError: the stream cannot be read further */
  push(chunk: Buffer): T[] {
    const messages: T[] = [];
    let rest = chunk;
    for (;;) {
      if (!this.#body) {
        rest = this.#fill(this.#header, rest);
        if (this.#filled < LENGTH_BYTES) return messages;
        this.#filled = 0;
        const bytes = this.#header.readUInt32LE(0);
        if (bytes > this.#bytesMax) throw new FrameTooLarge(`A frame of ${bytes} bytes was announced.`);
        if (rest.length >= bytes) {
          messages.push(this.#parse(rest.subarray(0, bytes)));
          rest = rest.subarray(bytes);
          continue;
        }
        this.#body = Buffer.allocUnsafeSlow(bytes);
      }
      rest = this.#fill(this.#body, rest);
      if (this.#filled < this.#body.length) return messages;
      const body = this.#body;
      this.#body = null;
      this.#filled = 0;
      messages.push(this.#parse(body));
    }
  }

  /** @returns the rest of the piece */
  #fill(target: Buffer, piece: Buffer): Buffer {
    const count = piece.copy(target, this.#filled, 0, target.length - this.#filled);
    this.#filled += count;
    return piece.subarray(count);
  }
}
