import "server-only";
import { connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { parseExactJson } from "@/lib/base/values/exact-json";
import type { Batch, Field, WireValue } from "@/lib/base/values/fields";
import { jsonText } from "@/lib/base/values/json-text";
import { parseLargeJson } from "@/lib/base/values/large-json";
import { REQUEST_BYTES_MAX, RESPONSE_BYTES_MAX } from "@/lib/platform/embedded/engine/limits";
import {
  type EngineFailure,
  type EngineRequest,
  type EngineResponse,
  type EngineSessionState,
  type ExecuteRequest,
  encodeFrame,
  FrameReader,
  FrameTooLarge,
  isNegativeZero,
  RESTARTING,
  type SessionRequest,
} from "@/lib/platform/embedded/engine/wire";
import { AppError } from "@/lib/platform/http/errors";
import { Pacer } from "@/lib/platform/process/pacer";
import { raceAbort } from "@/lib/platform/process/race-abort";
import { parseLargeFrame } from "./large-frame";
import { isResponse } from "./messages";
import { engineAway, RESTART_TIMEOUT_MS, RETRY_AFTER_SECONDS } from "./service";

/** Maximum number of idle sockets between queries: one of our connections runs at most five queries at once. */
const IDLE_SOCKETS_MAX = 5;
/** Maximum number of messages that wait for a slow reader before the socket is paused. */
const MESSAGES_AHEAD_MAX = 2;
const RESEND_AFTER_MS = 50;
/** Time in which a killed engine closes its sockets, in ms; one that has not is asked again. */
const CLOSED_WITHIN_MS = 3000;
/** Maximum number of restarts that a read-only query survives, if other statements kill its engine. */
const RESTARTS_MAX = 3;
/** Length of a list beyond which parsing takes more than a few milliseconds. */
const LIST_CHARS_AT_ONCE = 256 * 1024;
/** Size above which a frame has a large cell, and is parsed in slices: batches have a mebibyte. */
const LARGE_FRAME_BYTES = 2 * 1024 * 1024;
/** Errors of a socket before anything was delivered. */
const UNDELIVERED = new Set(["EPIPE", "ECONNREFUSED", "ENOENT"]);

/** A running result: leaving the loop early cancels the statement. Errors while iterating are AppErrors. */
export type EngineRows = { fields: Field[]; batches: AsyncIterable<Batch>; affectedRows: () => number | null };

/** Requests that change a file, which are not sent again if its engine dies. */
const CHANGES: ReadonlySet<EngineRequest["type"]> = new Set(["transact", "import", "drop"]);

type Answered = { channel: Channel; first: EngineResponse };

/** The client side of a file engine's socket; see `lib/platform/embedded/engine/wire.ts`. Safe for concurrent use. */
export class EngineClient {
  readonly #socketPath: () => Promise<string>;
  readonly #onDone: (path: string) => void;
  #idle: Channel[] = [];
  /** Number of running requests, including those that wait for the engine's start. */
  #requests = 0;
  #isClosed = false;
  #whenQuiet: (() => void) | null = null;

  /**
   * @param socketPath resolves once an engine listens there; called for each request
   * @param onDone called once for each path of `socketPath`, when its request has ended
   */
  constructor(socketPath: () => Promise<string>, onDone: (path: string) => void = () => {}) {
    this.#socketPath = socketPath;
    this.#onDone = onDone;
  }

  /**
   * Sends a request with a single answer.
   * @param onSent called once the engine has received the request, or its socket has failed
   * @throws AppError of the engine's failure, `unavailable` if it died
   */
  async ask<T extends EngineResponse["type"]>(
    request: EngineRequest & { type: T },
    signal: AbortSignal,
    onSent?: () => void,
  ): Promise<Extract<EngineResponse, { type: T }>> {
    const { channel, first } = await this.#beginAgain(request, !CHANGES.has(request.type), signal, onSent);
    this.#giveBack(channel);
    if (first.type === "failed") throw toAppError(first.failure);
    if (first.type !== request.type) throw engineAway(new Error(`The engine sent ${first.type} for ${request.type}.`));
    return first as Extract<EngineResponse, { type: T }>;
  }

  /** Starts a statement and resolves when its fields are known. */
  async execute(request: ExecuteRequest, signal: AbortSignal): Promise<EngineRows> {
    const { channel, first } = await this.#beginAgain(request, request.readOnly, signal);
    if (first.type === "fields") {
      const { fields } = first;
      let affected: number | null = null;
      const batches = this.#batches(channel, fields, signal, (count) => {
        affected = count;
      });
      return {
        fields,
        batches: request.jsonAsText ? withJsonTexts(fields, batches) : batches,
        affectedRows: () => affected,
      };
    }
    this.#giveBack(channel);
    if (first.type === "failed") throw toAppError(first.failure);
    throw engineAway(new Error(`The engine sent ${first.type} before the fields.`));
  }

  /**
   * Opens a session for manual transactions, on a separate socket.
   * @throws AppError of the engine's failure, `unavailable` if it died
   */
  async openSession(readOnly: boolean, signal: AbortSignal): Promise<EngineSession> {
    const request = { type: "session" as const, readOnly };
    const { channel, first } = await this.#begin(request, signal);
    if (first.type === "session") {
      channel.finish();
      return new EngineSession(channel, request, first.state, () => {
        this.#onDone(channel.path);
        this.#leave();
      });
    }
    channel.close();
    this.#giveBack(channel);
    throw first.type === "failed" ? toAppError(first.failure) : engineAway(new Error(`The engine sent ${first.type}.`));
  }

  /** Closes after running requests have finished. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const channel of this.#idle.splice(0)) channel.close();
    if (this.#requests === 0) return;
    await new Promise<void>((resolve) => {
      this.#whenQuiet = resolve;
    });
  }

  #batches(
    channel: Channel,
    fields: readonly Field[],
    signal: AbortSignal,
    onEnd: (affectedRows: number | null) => void,
  ): AsyncIterable<Batch> {
    const width = fields.length;
    const floats = fields.flatMap(({ type }, index) => (type === "float64" ? [index] : []));
    const giveBack = (isWhole: boolean) => {
      // Leaving early cancels by closing: the engine stops the statement when its client disconnects.
      if (!isWhole) channel.close();
      this.#giveBack(channel);
    };
    let isOver = false;
    let isAborted = false;
    const end = (isWhole: boolean) => {
      if (isOver) return;
      isOver = true;
      signal.removeEventListener("abort", onAbort);
      giveBack(isWhole);
    };
    // A reader that never asks for rows must be removed, too.
    const onAbort = () => {
      isAborted = true;
      end(false);
    };
    if (signal.aborted) onAbort();
    else signal.addEventListener("abort", onAbort, { once: true });
    const done = { done: true, value: undefined } as const;
    const next = async (): Promise<IteratorResult<Batch>> => {
      if (isAborted) throw signal.reason;
      if (isOver) return done;
      try {
        const message = await channel.next();
        if (message.type === "batch" && message.batch.columns.length === width) {
          for (const index of floats) restoreNegativeZeros(message.batch.columns[index] ?? []);
          return { done: false, value: message.batch };
        }
        if (message.type !== "end" && message.type !== "failed") {
          throw engineAway(new Error(`The engine sent ${message.type} among the rows.`));
        }
        end(true);
        if (message.type === "failed") throw toAppError(message.failure);
        onEnd(message.affectedRows ?? null);
        return message.type === "end" && message.isCut
          ? { done: false, value: { rowCount: 0, columns: [], isCut: true } }
          : done;
      } catch (error) {
        end(false);
        throw error;
      }
    };
    // Not a generator: one that was never started would not notice that its reader has left.
    const iterator = {
      next,
      return: async () => {
        end(false);
        return done;
      },
    };
    return { [Symbol.asyncIterator]: () => iterator };
  }

  /** Calls `#begin`; a read-only request is sent again if another request killed its engine. */
  async #beginAgain(
    request: EngineRequest,
    isReading: boolean,
    signal: AbortSignal,
    onSent?: () => void,
  ): Promise<Answered> {
    let hasLostEngine = false;
    for (let restarts = 0; ; restarts += 1) {
      let answered: Answered;
      try {
        answered = await this.#begin(request, signal, onSent);
      } catch (error) {
        // An engine that is killed now gives no reason. Retried once only: this request may be the cause.
        if (!isReading || hasLostEngine || !(error instanceof AppError) || error.kind !== "unavailable") throw error;
        hasLostEngine = true;
        // They lead to the engine that is gone, even if their ends were not seen yet.
        for (const channel of this.#idle.splice(0)) channel.close();
        signal.throwIfAborted();
        continue;
      }
      if (!isReading || restarts === RESTARTS_MAX || !isRestarting(answered.first)) return answered;
      // The engine is dead once its socket is closed; until then it would accept the request and lose it.
      await answered.channel.whenClosed(CLOSED_WITHIN_MS);
      answered.channel.close();
      this.#giveBack(answered.channel);
      signal.throwIfAborted();
    }
  }

  /** Sends a request and waits for its first answer. A request that cannot have arrived is sent again. */
  async #begin(request: EngineRequest, signal: AbortSignal, onSent?: () => void): Promise<Answered> {
    const frame = toFrame(request);
    this.#requests += 1;
    // A request that did not reach a dying engine is retried for the time of a restart.
    const giveUpAt = performance.now() + RESTART_TIMEOUT_MS;
    try {
      for (;;) {
        const path = await this.#takePath(signal);
        const channel = this.#takeIdle(path) ?? this.#connect(path);
        channel.begin(frame, signal, onSent);
        try {
          return { channel, first: await channel.next() };
        } catch (error) {
          this.#onDone(path);
          if (!channel.isUndelivered || performance.now() > giveUpAt) throw error;
          await sleep(RESEND_AFTER_MS);
        }
      }
    } catch (error) {
      this.#leave();
      throw error;
    }
  }

  /**
   * Waits for the engine's path. Starting may take long: an aborted caller is released at once, and the path is
   * returned once it arrives.
   */
  async #takePath(signal: AbortSignal): Promise<string> {
    const path = this.#socketPath();
    try {
      return await raceAbort(path, signal);
    } catch (error) {
      path.then(this.#onDone, () => {});
      throw error;
    }
  }

  #takeIdle(path: string): Channel | null {
    const index = this.#idle.findIndex((channel) => channel.path === path);
    return index < 0 ? null : (this.#idle.splice(index, 1)[0] ?? null);
  }

  #connect(path: string): Channel {
    const channel: Channel = new Channel(path, () => {
      this.#idle = this.#idle.filter((other) => other !== channel);
    });
    return channel;
  }

  #giveBack(channel: Channel): void {
    channel.finish();
    this.#onDone(channel.path);
    const isKept = channel.isOpen && !this.#isClosed && this.#idle.length < IDLE_SOCKETS_MAX;
    if (isKept) this.#idle.push(channel);
    else channel.close();
    this.#leave();
  }

  #leave(): void {
    this.#requests -= 1;
    if (this.#requests === 0) this.#whenQuiet?.();
  }
}

/** Time that a statement may take to end after its reader left or cancelled it, in ms. Then the session is closed. */
const END_TIMEOUT_MS = 10_000;

/** Maximum time of a rollback before a session is closed, in ms. */
const CLOSE_TIMEOUT_MS = 2000;

/**
 * A session for manual transactions on one socket. It takes one statement at a time, and ends with its socket: the
 * engine then rolls back.
 */
export class EngineSession {
  state: EngineSessionState;
  readonly #channel: Channel;
  readonly #request: SessionRequest;
  readonly #onClosed: () => void;
  #settled: Promise<void> = Promise.resolve();

  constructor(channel: Channel, request: SessionRequest, state: EngineSessionState, onClosed: () => void) {
    this.#channel = channel;
    this.#request = request;
    this.state = state;
    this.#onClosed = onClosed;
  }

  get isAlive(): boolean {
    return this.#channel.isOpen;
  }

  /** Resolves when the last statement is over and `state` is known. */
  get settled(): Promise<void> {
    return this.#settled;
  }

  /** Starts a statement, as `EngineClient.execute`. Aborting cancels the statement and keeps the session if it can. */
  async execute(request: ExecuteRequest, signal: AbortSignal): Promise<EngineRows> {
    await this.#settled;
    signal.throwIfAborted();
    const over = Promise.withResolvers<void>();
    this.#settled = over.promise.then(() => this.#readState());
    const channel = this.#channel;
    let giveUp: NodeJS.Timeout | undefined;
    const stop = (isCancel: boolean) => {
      channel.send(encodeFrame({ type: "stop", isCancel }, REQUEST_BYTES_MAX));
      giveUp ??= setTimeout(() => channel.close(), END_TIMEOUT_MS).unref();
    };
    const onAbort = () => stop(true);
    let isOver = false;
    const end = () => {
      isOver = true;
      clearTimeout(giveUp);
      signal.removeEventListener("abort", onAbort);
      over.resolve();
    };
    /** Reads the next message; the last one ends the statement. */
    const read = async (): Promise<EngineResponse> => {
      try {
        const message = await channel.next();
        if (message.type !== "fields" && message.type !== "batch") end();
        if (message.type === "failed") throw toAppError(message.failure);
        return message;
      } catch (error) {
        end();
        throw signal.aborted ? signal.reason : error;
      }
    };
    signal.addEventListener("abort", onAbort, { once: true });
    channel.begin(toFrame(request), new AbortController().signal);
    const first = await read();
    if (first.type !== "fields") {
      channel.close();
      throw engineAway(new Error(`The engine sent ${first.type} before the fields.`));
    }
    const { fields } = first;
    const floats = fields.flatMap(({ type }, index) => (type === "float64" ? [index] : []));
    let affected: number | null = null;
    const done = { done: true, value: undefined } as const;
    let reading: Promise<unknown> = Promise.resolve();
    const next = async (): Promise<IteratorResult<Batch>> => {
      if (isOver) return done;
      const message = await read();
      if (message.type === "batch" && message.batch.columns.length === fields.length) {
        for (const index of floats) restoreNegativeZeros(message.batch.columns[index] ?? []);
        return signal.aborted ? next() : { done: false, value: message.batch };
      }
      if (message.type !== "end") {
        channel.close();
        throw engineAway(new Error(`The engine sent ${message.type} among the rows.`));
      }
      signal.throwIfAborted();
      affected = message.affectedRows ?? null;
      return message.isCut ? { done: false, value: { rowCount: 0, columns: [], isCut: true } } : done;
    };
    /** Reads past the rows of a statement that no one reads. */
    const drain = async () => {
      await reading.catch(() => {});
      try {
        while (!isOver) await read();
      } catch {
        // The session reads its state afterwards.
      }
    };
    signal.addEventListener("abort", () => void drain(), { once: true });
    const iterator = {
      next: () => {
        const step = next();
        reading = step;
        return step;
      },
      return: async () => {
        if (!isOver && !signal.aborted) stop(false);
        void drain();
        return done;
      },
    };
    const batches = { [Symbol.asyncIterator]: () => iterator };
    return {
      fields,
      batches: request.jsonAsText ? withJsonTexts(fields, batches) : batches,
      affectedRows: () => affected,
    };
  }

  /** Rolls back and closes. Once it resolves, others can write. Never rejects. */
  async close(): Promise<void> {
    try {
      const timeout = AbortSignal.timeout(CLOSE_TIMEOUT_MS);
      await raceAbort(this.#settled, timeout);
      if (this.state !== "idle" && this.isAlive) {
        const { readOnly } = this.#request;
        const request = { type: "execute" as const, query: "rollback", readOnly, cellBytesMax: null };
        const { batches } = await this.execute({ ...request, timeoutMs: CLOSE_TIMEOUT_MS }, timeout);
        for await (const _ of batches);
        await raceAbort(this.#settled, timeout);
      }
    } catch {
      // The engine rolls back when the socket is closed.
    }
    this.#channel.close();
    this.#onClosed();
  }

  async #readState(): Promise<void> {
    try {
      this.#channel.begin(toFrame(this.#request), AbortSignal.timeout(END_TIMEOUT_MS));
      const message = await this.#channel.next();
      this.#channel.finish();
      if (message.type === "session") this.state = message.state;
      else this.#channel.close();
    } catch {
      this.#channel.close();
    }
  }
}

function restoreNegativeZeros(column: WireValue[]): void {
  for (const [row, value] of column.entries()) if (isNegativeZero(value)) column[row] = -0;
}

/** Marks the texts of JSON columns: on the socket they are plain texts. */
function withJsonTexts(fields: readonly Field[], batches: AsyncIterable<Batch>): AsyncIterable<Batch> {
  const marks = fields.map(markOf);
  if (marks.every((mark) => mark === null)) return batches;
  const pacer = new Pacer();
  const rest = () => pacer.restIfLate();
  const toMarked = async (batch: Batch): Promise<Batch> => {
    for (const [index, column] of batch.columns.entries()) {
      const mark = marks[index];
      if (!mark) continue;
      for (const [row, value] of column.entries()) {
        if (typeof value !== "string") continue;
        const marked = mark(value, rest);
        column[row] = marked instanceof Promise ? await marked : marked;
      }
    }
    return batch;
  };
  return {
    [Symbol.asyncIterator]: () => {
      const iterator = batches[Symbol.asyncIterator]();
      return {
        next: async () => {
          const { done, value } = await iterator.next();
          return done ? { done, value } : { done: false, value: await toMarked(value) };
        },
        return: async () => {
          await iterator.return?.();
          return { done: true, value: undefined };
        },
      };
    },
  };
}

/** JSON and objects stay texts; lists are values, since some databases have columns of them. */
function markOf({ type }: Field): ((text: string, rest: () => Promise<void>) => WireValue | Promise<WireValue>) | null {
  if (type === "json") return jsonText;
  if (type !== "array") return null;
  return (text, rest) => {
    const isLarge = text.length > LIST_CHARS_AT_ONCE;
    return (isLarge ? parseLargeJson(text, rest, parseExactJson) : parseExactJson(text)) as WireValue;
  };
}

function toFrame(request: EngineRequest): Buffer {
  try {
    return encodeFrame(request, REQUEST_BYTES_MAX);
  } catch (error) {
    if (!(error instanceof FrameTooLarge)) throw error;
    throw new AppError("too_large", "The query and its parameters are too large.", { cause: error });
  }
}

function isRestarting(message: EngineResponse): boolean {
  return message.type === "failed" && isRestart(message.failure);
}

function isRestart({ details }: EngineFailure): boolean {
  return details?.restarting === RESTARTING.restarting;
}

function toAppError(failure: EngineFailure): AppError {
  if (isRestart(failure)) {
    return new AppError("unavailable", failure.message, { retryAfterSeconds: RETRY_AFTER_SECONDS });
  }
  return new AppError(failure.kind, failure.message, { details: failure.details });
}

/** A large message is still being read. */
type Incoming = EngineResponse | Promise<EngineResponse>;
type Waiter = { resolve: (message: Incoming) => void; reject: (error: unknown) => void };

function parseFrame(bytes: Buffer): Incoming {
  if (bytes.length <= LARGE_FRAME_BYTES) return toResponse(JSON.parse(bytes.toString("utf8")));
  const pacer = new Pacer();
  const read = parseLargeFrame(bytes, () => pacer.restIfLate()).catch((cause: unknown) => {
    throw new AppError("query_failed", "A value in the result is too large. Select part of it.", { cause });
  });
  const message = read.then(toResponse);
  // No one may be left to receive it.
  message.catch(() => {});
  return message;
}

/** @throws AppError `unavailable` for a message outside of the protocol: its sender must not be used again */
function toResponse(message: unknown): EngineResponse {
  if (isResponse(message)) return message;
  throw engineAway(new Error("The engine sent an invalid response."));
}

/** One socket with its received messages. A slow reader pauses it, and thereby the engine. */
class Channel {
  readonly path: string;
  readonly #socket: Socket;
  readonly #frames = new FrameReader<Incoming>(RESPONSE_BYTES_MAX, parseFrame);
  readonly #onClosed: () => void;
  #messages: Incoming[] = [];
  #waiter: Waiter | null = null;
  #isFailed = false;
  #failure: unknown;
  #signal: AbortSignal | null = null;
  #isGreeted = false;
  /** Whether the socket failed before the engine can have seen the request. */
  isUndelivered = false;
  readonly #onAbort = () => this.#fail(this.#signal?.reason);

  constructor(path: string, onClosed: () => void) {
    this.path = path;
    this.#socket = connect(path);
    this.#onClosed = onClosed;
    this.#socket.on("data", (chunk) => this.#receive(chunk));
    this.#socket.on("error", (error: NodeJS.ErrnoException) => {
      this.#lose(error, UNDELIVERED.has(error.code ?? ""));
    });
    this.#socket.on("close", () => this.#lose(new Error("The engine closed its socket."), false));
  }

  get isOpen(): boolean {
    return !this.#isFailed && !this.#socket.destroyed;
  }

  begin(frame: Buffer, signal: AbortSignal, onSent?: () => void): void {
    this.#signal = signal;
    signal.addEventListener("abort", this.#onAbort, { once: true });
    this.#socket.ref();
    this.#socket.write(frame, onSent);
  }

  /** Sends a message that has no answer. */
  send(frame: Buffer): void {
    if (this.isOpen) this.#socket.write(frame);
  }

  /** Marks the request as answered completely: the socket may carry another one. */
  finish(): void {
    this.#signal?.removeEventListener("abort", this.#onAbort);
    this.#signal = null;
    // An idle socket does not keep the process alive.
    this.#socket.unref();
  }

  next(): Promise<EngineResponse> {
    const message = this.#messages.shift();
    if (message) {
      if (this.#messages.length < MESSAGES_AHEAD_MAX) this.#socket.resume();
      return Promise.resolve(message);
    }
    if (this.#isFailed) return Promise.reject(this.#failure);
    return new Promise((resolve, reject) => {
      this.#waiter = { resolve, reject };
    });
  }

  /** Resolves when either side has closed the socket, or the request is aborted; after the timeout at the latest. */
  async whenClosed(timeoutMs: number): Promise<void> {
    if (!this.isOpen) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, timeoutMs);
      this.#socket.once("close", () => {
        clearTimeout(timer);
        resolve();
      });
    });
  }

  close(): void {
    this.#fail(new Error("The connection was closed."));
  }

  /** The kernel accepts a connection for an engine that is dying: only a greeted one reached it. */
  #lose(error: Error, isUnsent: boolean): void {
    if (this.#isFailed) return;
    this.isUndelivered = isUnsent || !this.#isGreeted;
    this.#fail(engineAway(error));
  }

  /** Closes the channel for good; waiting requests fail with the reason. */
  #fail(reason: unknown): void {
    if (this.#isFailed) return;
    this.#isFailed = true;
    this.#failure = reason;
    this.#messages = [];
    this.#signal?.removeEventListener("abort", this.#onAbort);
    this.#socket.destroy();
    this.#waiter?.reject(reason);
    this.#waiter = null;
    this.#onClosed();
  }

  #receive(chunk: Buffer): void {
    let messages: Incoming[];
    try {
      messages = this.#frames.push(chunk);
    } catch (error) {
      this.#fail(error instanceof AppError ? error : engineAway(error));
      return;
    }
    for (const message of messages) {
      if (!this.#isGreeted) {
        if (message instanceof Promise || message.type !== "hello") {
          this.#fail(engineAway(new Error("The engine did not begin with its greeting.")));
          return;
        }
        this.#isGreeted = true;
      } else if (this.#waiter) {
        this.#waiter.resolve(message);
        this.#waiter = null;
      } else this.#messages.push(message);
    }
    if (this.#messages.length >= MESSAGES_AHEAD_MAX) this.#socket.pause();
  }
}
