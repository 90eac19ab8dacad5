import "server-only";
import { Connection, type ConnectionConfig } from "pg";
import { GuardedSocket } from "@/lib/net/guarded-socket";
import type { NetworkConfig } from "../shared/config";
import { tlsChoice } from "../shared/failures";

/** Code and length of every message. */
const HEADER_BYTES = 5;

/**
 * How every session prints its values: ISO dates in UTC, so that a result depends on nothing but the statement and the
 * data, and ISO 8601 intervals. All three are settings that poolers in front of PostgreSQL know.
 */
const SESSION_SETTINGS = {
  client_encoding: "UTF8",
  DateStyle: "ISO",
  TimeZone: "UTC",
  IntervalStyle: "iso_8601",
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
  readonly #config: NetworkConfig;

  constructor(config: NetworkConfig) {
    super({
      stream: () => new GuardedSocket("database"),
      ssl: tlsChoice(config.ssl, config.host) ?? false,
      keepAlive: true,
    } as unknown as ConnectionConfig);
    this.#config = config;
  }

  /** Everything that is sent at the start comes from here: nothing of the environment's PG* variables. */
  override startup(): void {
    const { user, database } = this.#config;
    super.startup({ user, database, application_name: "millrace", ...SESSION_SETTINGS });
  }

  override attachListeners(stream: NodeJS.ReadableStream): void {
    const lengths = new MessageLengths();
    stream.on("data", (chunk: Buffer) => {
      if (lengths.push(chunk) <= this.messageBytesMax) return;
      this.onOversize?.();
      this.stream.destroy();
    });
    super.attachListeners(stream);
  }
}

/** Follows the messages of a stream by their headers alone. */
class MessageLengths {
  /** Bytes of the present message that have not come yet. */
  #left = 0;
  #header = Buffer.alloc(0);

  /** @returns the length of the longest message that begins in the chunk, 0 when none does */
  push(chunk: Buffer): number {
    let longest = 0;
    let at = Math.min(this.#left, chunk.length);
    this.#left -= at;
    while (at < chunk.length) {
      const missing = HEADER_BYTES - this.#header.length;
      const isWhole = chunk.length - at >= missing;
      if (!isWhole) {
        this.#header = Buffer.concat([this.#header, chunk.subarray(at)]);
        break;
      }
      const length =
        this.#header.length === 0
          ? chunk.readUInt32BE(at + 1)
          : Buffer.concat([this.#header, chunk.subarray(at, at + missing)]).readUInt32BE(1);
      this.#header = Buffer.alloc(0);
      if (length > longest) longest = length;
      // The length counts itself but not the code.
      const end = at + missing + length - 4;
      at = Math.min(end, chunk.length);
      this.#left = end - at;
    }
    return longest;
  }
}
