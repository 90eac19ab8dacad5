import type { Socket } from "node:net";
import { mayRound, parseExactJson } from "../../../base/values/exact-json.ts";
import type { Batch, Entity, Field, WireValue } from "../../../base/values/fields.ts";

/**
 * The protocol between a file engine and the server: frames of a four-byte length (little endian) and a JSON text.
 * One socket carries one request at a time, so the kernel's socket buffers are the backpressure in both directions,
 * and a client cancels by closing its socket. Every value of a result is JSON by its definition (`WireValue`), and
 * V8 reads JSON faster than its own structured format.
 */

export type ExecuteRequest = {
  type: "execute";
  query: string;
  params?: unknown[] | Record<string, unknown>;
  readOnly: boolean;
  timeoutMs: number;
  /** The result is cut before a row that has a larger cell. Null: a larger one than can be sent is a failure. */
  cellBytesMax: number | null;
  /** Columns of the type JSON come as texts that nobody has parsed. */
  jsonAsText?: true;
};

/** How the cells of a column come: 64-bit integers as numbers or texts, bytes in base64, NaN and its like as texts. */
export type CellType = "bigint" | "double" | "boolean" | "varchar" | "blob";

export type TransactStep =
  /** `mustAffect` other rows than this end the transaction. */
  | { run: string; params?: (string | number | null)[]; mustAffect?: number }
  /** `into` is what the engine inserts by: DuckDB the name of a temporary table, SQLite a statement. */
  | { into: string; types: CellType[]; rowCount: number; columns: WireValue[][] };

/**
 * Statements of the server's own, all of them in one transaction or none. They are put together by its drivers and are
 * no texts of a person, so they are judged by nobody here.
 */
export type TransactRequest = {
  type: "transact";
  steps: TransactStep[];
  /** Undone in the end: it was to be seen whether it can be done. */
  isProbe: boolean;
  timeoutMs: number;
};

export type EngineRequest = ExecuteRequest | TransactRequest | { type: "entities" } | { type: "version" };

/** In the details of a failure of a transaction: why. */
export type TransactRefusal = "taken" | "row";

/**
 * In the details of a failure `unavailable`: the engine ends because another statement could not be stopped. A request
 * that only reads may be sent again.
 */
export const RESTARTING = { restarting: true } as const;

/** `kind` is one of those that AppError knows; the client makes one of it. */
export type EngineFailure = {
  kind: "invalid_request" | "query_failed" | "read_only" | "not_allowed" | "cancelled" | "timeout" | "unavailable";
  message: string;
  details?: Record<string, unknown>;
};

export type EngineResponse =
  | { type: "fields"; fields: Field[] }
  | { type: "batch"; batch: Batch }
  | { type: "end"; isCut: boolean; affectedRows?: number | null }
  | { type: "failed"; failure: EngineFailure }
  | { type: "entities"; entities: Entity[] }
  | { type: "version"; version: string }
  | { type: "transact" };

/**
 * Negative zero in a frame, where `JSON.stringify` drops its sign. Only fields of the type `float64` have it: their values
 * are numbers or texts, never lists.
 */
export const NEGATIVE_ZERO: WireValue = [0];

export function isNegativeZero(value: WireValue): boolean {
  return Array.isArray(value);
}

const LENGTH_BYTES = 4;

/** The values of a person's statement keep every digit of their numbers (`ExactNumber`). */
export function parseRequest<T extends { type: string }>(bytes: Buffer): T {
  const text = bytes.toString("utf8");
  const request = JSON.parse(text) as T & { params?: unknown };
  const isExact = request.type === "execute" && request.params !== undefined && mayRound(text);
  return isExact ? (parseExactJson(text) as T) : request;
}

export class FrameTooLarge extends Error {}

/** @throws FrameTooLarge when the text is longer than the receiver takes */
export function encodeFrame(message: EngineRequest | EngineResponse, bytesMax: number): Buffer {
  const text = JSON.stringify(message);
  const bytes = Buffer.byteLength(text);
  if (bytes > bytesMax) throw new FrameTooLarge(`A message of ${bytes} bytes is above the limit of ${bytesMax}.`);
  const frame = Buffer.allocUnsafe(LENGTH_BYTES + bytes);
  frame.writeUInt32LE(bytes, 0);
  frame.write(text, LENGTH_BYTES, "utf8");
  return frame;
}

/** Resolves when the socket wants more, at once if it still does; rejects when it is gone. */
export function sendFrame(socket: Socket, frame: Buffer): Promise<void> {
  return new Promise((resolve, reject) => {
    if (socket.destroyed || socket.writableEnded) {
      reject(new Error("The other side has left."));
      return;
    }
    if (socket.write(frame)) {
      resolve();
      return;
    }
    const settle = () => {
      socket.off("drain", settle);
      socket.off("close", settle);
      if (socket.destroyed) reject(new Error("The other side has left."));
      else resolve();
    };
    socket.once("drain", settle);
    socket.once("close", settle);
  });
}

/**
 * Takes a stream of bytes apart into messages. Holds at most one unfinished frame, in memory that is its own: each piece
 * is copied when it comes, since a frame of 64 MiB put together in the end takes a tenth of a second.
 */
export class FrameReader<T> {
  readonly #header = Buffer.alloc(LENGTH_BYTES);
  /** Null while the header is read. */
  #body: Buffer | null = null;
  #filled = 0;
  readonly #bytesMax: number;
  readonly #parse: (bytes: Buffer) => T;

  /**
   * @param parse makes a message of its bytes, which are its own if they came in more than one piece; may answer a promise
   *   of it where T allows
   */
  constructor(bytesMax: number, parse = (bytes: Buffer): T => JSON.parse(bytes.toString("utf8")) as T) {
    this.#bytesMax = bytesMax;
    this.#parse = parse;
  }

  /** @throws FrameTooLarge, SyntaxError: the stream cannot be read any further */
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

  /** @returns what is left of the piece */
  #fill(target: Buffer, piece: Buffer): Buffer {
    const count = piece.copy(target, this.#filled, 0, target.length - this.#filled);
    this.#filled += count;
    return piece.subarray(count);
  }
}
