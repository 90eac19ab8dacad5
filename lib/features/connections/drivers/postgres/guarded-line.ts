import "server-only";
import { EventEmitter } from "node:events";
import { Connection, type ConnectionConfig } from "pg";
import type { NetworkConfig } from "../shared/config";
import { tlsChoice } from "../shared/failures";
import type { OnServer } from "../shared/server";
import { checkMessage, isChecked } from "./messages";

/** Code and length of every message. The length counts itself but not the code. */
const HEADER_BYTES = 5;
const LENGTH_BYTES = 4;
/** A message that is looked into before the library reads it; an error that quotes a large statement is the longest. */
const CHECKED_BYTES_MAX = 16 * 1024 * 1024;

/**
 * How every session reads texts and prints values: a backslash is a letter like any other, dates are ISO in UTC, so that a
 * result depends on nothing but the statement and the data. What is given at the start outweighs the settings of roles
 * and databases (T43). Poolers refuse others at the start; each transaction sets those again, and more (`pins.ts`).
 */
const SESSION_SETTINGS = {
  client_encoding: "UTF8",
  standard_conforming_strings: "on",
  DateStyle: "ISO, MDY",
  TimeZone: "UTC",
} as const;

// What the library's Connection is made of; its own types leave these out.
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
 * PostgreSQL's protocol on a socket of the door. It looks at the announced length of each message before the message is
 * taken in, so that a row of half a gigabyte costs nothing (T54).
 */
export class GuardedLine extends Base {
  /** Messages above this end the line; see `onOversize`. */
  messageBytesMax = Number.POSITIVE_INFINITY;
  onOversize: (() => void) | null = null;
  readonly #config: OnServer<NetworkConfig>;

  constructor(config: OnServer<NetworkConfig>) {
    super({
      stream: () => config.server.dialer.socket(),
      ssl: tlsChoice(config.ssl, config.host) ?? false,
      keepAlive: true,
    } as unknown as ConnectionConfig);
    this.#config = config;
    const { dialer } = config.server;
    // The library says so when it begins, and sends what follows once it is done.
    this.once("sslconnect", () => this.stream.once("secureConnect", () => dialer.secured?.()));
  }

  /** Everything that is sent at the start comes from here: nothing of the environment's PG* variables. */
  override startup(): void {
    const { user, database, options } = this.#config;
    // The host's own way to name a project; nothing else is passed on (`config.ts`).
    const routing: Record<string, string> = options.options === undefined ? {} : { options: options.options };
    super.startup({ user, database, application_name: "millrace", ...SESSION_SETTINGS, ...routing });
  }

  /**
   * The library reads the messages from here, and not from the socket: what is no message of the protocol, or is one that
   * the library throws over, ends this line and nothing else.
   */
  override attachListeners(stream: NodeJS.ReadableStream): void {
    const messages = new EventEmitter();
    const guard = new MessageGuard((bytes) => messages.emit("data", bytes));
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

/** What the server has sent is no message of the protocol, or none that could follow here. */
export class BrokenProtocol extends Error {
  constructor(cause: unknown) {
    super("The server does not keep to PostgreSQL's protocol.", { cause });
  }
}

/** Cuts a stream into its messages, and hands each on; those with texts in them whole, after they were checked. */
class MessageGuard {
  readonly #pass: (bytes: Buffer) => void;
  #header = Buffer.alloc(0);
  /** Bytes of the present message that have not come yet. */
  #left = 0;
  /** The present message, when it is to be checked. */
  #held: Buffer[] | null = null;

  constructor(pass: (bytes: Buffer) => void) {
    this.#pass = pass;
  }

  /**
   * @returns the length of the longest message that begins in the chunk, 0 when none does
   * @throws Error for what is no message; what `pass` throws
   */
  push(chunk: Buffer): number {
    let longest = 0;
    let at = 0;
    /** From here on nothing was handed on yet. */
    let from = 0;
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
        // Rows, nearly always: many of them go on in one piece.
        const length = this.#begin(chunk.readUInt32BE(at + 1));
        longest = Math.max(longest, length);
        at += HEADER_BYTES;
      } else {
        const end = Math.min(at + HEADER_BYTES - this.#header.length, chunk.length);
        this.#header = Buffer.concat([this.#header, chunk.subarray(at, end)]);
        if (from < at) this.#pass(chunk.subarray(from, at));
        at = end;
        from = end;
        if (this.#header.length < HEADER_BYTES) break;
        const header = this.#header;
        this.#header = Buffer.alloc(0);
        longest = Math.max(longest, this.#begin(header.readUInt32BE(1)));
        if (isChecked(header[0])) this.#hold(header);
        else this.#pass(header);
      }
      if (this.#left === 0) this.#end();
    }
    if (from < at) this.#pass(chunk.subarray(from, at));
    return longest;
  }

  #begin(length: number): number {
    if (length < LENGTH_BYTES) throw new Error("The length of a message is less than what it takes to say it.");
    this.#left = length - LENGTH_BYTES;
    return length;
  }

  #hold(header: Buffer): void {
    if (this.#left > CHECKED_BYTES_MAX) throw new Error("A message is too long to be looked into.");
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
