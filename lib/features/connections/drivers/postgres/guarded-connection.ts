import "server-only";
import { EventEmitter } from "node:events";
import { Connection, type ConnectionConfig } from "pg";
import type { NetworkConfig } from "../shared/config";
import { tlsChoice } from "../shared/failures";
import type { OnServer } from "../shared/server";
import { checkMessage, isChecked } from "./messages";

/** Bytes of a message's code and length. The length includes itself but not the code. */
const HEADER_BYTES = 5;
const LENGTH_BYTES = 4;
/**
 * Maximum bytes of a message that is checked before the library reads it; an error that quotes a large statement is the
 * longest.
 */
const CHECKED_BYTES_MAX = 16 * 1024 * 1024;

/**
 * Settings that fix how every session parses texts and prints values: a backslash is an ordinary character, dates are
 * ISO in UTC, so a result depends only on the statement and the data. Startup settings override those of roles and
 * databases (T43). Poolers refuse others at startup; each transaction sets those again, and more (`pins.ts`).
 */
export const SESSION_SETTINGS: Readonly<Record<string, string>> = {
  client_encoding: "UTF8",
  standard_conforming_strings: "on",
  DateStyle: "ISO, MDY",
  TimeZone: "UTC",
};

// Internals of the library's Connection.
type LineInside = {
  stream: NodeJS.ReadWriteStream & { destroy(error?: Error): void };
  startup(parameters: Record<string, string>): void;
  attachListeners(stream: NodeJS.ReadableStream): void;
  connect(port: number, host: string): void;
  ref(): void;
  unref(): void;
};
const Base = Connection as unknown as new (config: ConnectionConfig & { ssl?: unknown }) => LineInside & Connection;

/**
 * PostgreSQL's protocol on a socket of the egress proxy. It checks the announced length of each message before
 * receiving it, so that a row of half a gigabyte costs nothing (T54).
 */
export class GuardedConnection extends Base {
  /** Messages above this close the connection; see `onOversize`. */
  messageBytesMax = Number.POSITIVE_INFINITY;
  onOversize: (() => void) | null = null;
  /** Receives the rows of the running statement in place of the library. */
  rowSink: RowSink | null = null;
  readonly #config: OnServer<NetworkConfig>;
  readonly #settings: Readonly<Record<string, string>>;

  /** @param settings of the startup message */
  constructor(config: OnServer<NetworkConfig>, settings: Readonly<Record<string, string>>) {
    super({
      stream: () => config.server.dialer.socket(),
      ssl: tlsChoice(config.ssl, config.host) ?? false,
      keepAlive: true,
    } as unknown as ConnectionConfig);
    this.#config = config;
    this.#settings = settings;
    const { dialer } = config.server;
    // The library emits this when it starts, and sends the rest once it is done.
    this.once("sslconnect", () => this.stream.once("secureConnect", () => dialer.secured?.()));
  }

  /** Sends the startup message with nothing from the environment's PG* variables. */
  override startup(): void {
    const { user, database, options } = this.#config;
    // The host's project option; nothing else is passed on (`config.ts`).
    const routing: Record<string, string> = options.options === undefined ? {} : { options: options.options };
    super.startup({ user, database, application_name: "millrace", ...this.#settings, ...routing });
  }

  /**
   * Feeds the library from the guard instead of the socket: an invalid message, or one that the library throws on, ends
   * only this connection.
   */
  override attachListeners(stream: NodeJS.ReadableStream): void {
    const messages = new EventEmitter();
    const guard = new MessageGuard(
      (bytes) => messages.emit("data", bytes),
      () => this.rowSink,
    );
    super.attachListeners(messages as unknown as NodeJS.ReadableStream);
    let isOver = false;
    stream.on("data", (chunk: Buffer) => {
      if (isOver) return;
      try {
        isOver = guard.push(chunk) > this.messageBytesMax;
      } catch (error) {
        isOver = true;
        this.stream.destroy(new BrokenProtocol(error));
        return;
      }
      if (!isOver) return;
      this.onOversize?.();
      this.stream.destroy();
    });
    stream.on("end", () => messages.emit("end"));
  }
}

/** A server message that is invalid, or that cannot follow here. */
export class BrokenProtocol extends Error {
  constructor(cause: unknown) {
    super("The server violated the PostgreSQL protocol.", { cause });
  }
}

/** Receives rows as the server sent them. */
export type RowSink = {
  /** Called when a row begins. @param length its announced length */
  begin(length: number): void;
  /**
   * Adds the next bytes.
   * @param rowCount rows that end in them
   * @param end offset after the last of these rows
   */
  add(bytes: Buffer, rowCount: number, end: number): void;
};

/** The code of a DataRow message. */
const ROW = 0x44;

/**
 * Splits a stream into messages and passes each on; those that contain text are passed whole, after a check. Rows go to
 * the sink, if there is one.
 */
export class MessageGuard {
  readonly #pass: (bytes: Buffer) => void;
  readonly #sink: () => RowSink | null;
  #header = Buffer.alloc(0);
  /** Bytes of the current message that have not arrived. */
  #left = 0;
  /** The current message, when it must be checked. */
  #held: Buffer[] | null = null;
  /** The receiver of the current message, when it is a row for a sink. */
  #rowSink: RowSink | null = null;

  constructor(pass: (bytes: Buffer) => void, sink: () => RowSink | null) {
    this.#pass = pass;
    this.#sink = sink;
  }

  /**
   * @returns the length of the longest message that starts in the chunk, 0 when none does
   * @throws Error for an invalid message, and errors of `pass`
   */
  push(chunk: Buffer): number {
    let longest = 0;
    let at = 0;
    /** Start of the bytes that were not passed on yet. */
    let from = 0;
    /** Rows among these bytes; null when they are other messages. */
    let rows = this.#rowSink && { sink: this.#rowSink, count: 0, end: 0 };
    const passOn = () => {
      const bytes = chunk.subarray(from, at);
      from = at;
      if (bytes.length === 0) return;
      if (rows) rows.sink.add(bytes, rows.count, rows.end);
      else this.#pass(bytes);
    };
    while (at < chunk.length) {
      if (this.#left > 0) {
        const end = Math.min(at + this.#left, chunk.length);
        this.#left -= end - at;
        if (this.#held) {
          this.#held.push(chunk.subarray(at, end));
          from = end;
        }
        at = end;
      } else if (this.#header.length === 0 && chunk.length - at >= HEADER_BYTES && !isChecked(chunk[at])) {
        // Almost always rows, many of which are passed in one piece.
        const sink = chunk[at] === ROW ? this.#sink() : null;
        if (sink !== (rows?.sink ?? null)) {
          passOn();
          rows = sink && { sink, count: 0, end: 0 };
        }
        const length = this.#begin(chunk.readUInt32BE(at + 1));
        longest = Math.max(longest, length);
        this.#rowSink = sink;
        sink?.begin(length);
        at += HEADER_BYTES;
      } else {
        const end = Math.min(at + HEADER_BYTES - this.#header.length, chunk.length);
        this.#header = Buffer.concat([this.#header, chunk.subarray(at, end)]);
        passOn();
        rows = null;
        at = end;
        from = end;
        if (this.#header.length < HEADER_BYTES) break;
        const header = this.#header;
        this.#header = Buffer.alloc(0);
        const length = this.#begin(header.readUInt32BE(1));
        longest = Math.max(longest, length);
        const sink = header[0] === ROW ? this.#sink() : null;
        this.#rowSink = sink;
        if (isChecked(header[0])) this.#hold(header);
        else if (sink) {
          rows = { sink, count: 0, end: 0 };
          sink.begin(length);
          sink.add(header, 0, 0);
        } else this.#pass(header);
      }
      if (this.#left > 0) continue;
      if (rows && this.#rowSink) {
        rows.count += 1;
        rows.end = at - from;
        this.#rowSink = null;
      }
      this.#end();
    }
    passOn();
    return longest;
  }

  #begin(length: number): number {
    if (length < LENGTH_BYTES) throw new Error("Invalid message length.");
    this.#left = length - LENGTH_BYTES;
    return length;
  }

  #hold(header: Buffer): void {
    if (this.#left > CHECKED_BYTES_MAX) throw new Error("Message too long.");
    this.#held = [header];
  }

  #end(): void {
    if (!this.#held) return;
    const message = Buffer.concat(this.#held);
    this.#held = null;
    checkMessage(message);
    this.#pass(message);
  }
}
