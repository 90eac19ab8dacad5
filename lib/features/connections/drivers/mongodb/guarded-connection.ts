import "server-only";
import type { Duplex } from "node:stream";
import { MongoParseError } from "mongodb";
import { FailFastConnection } from "@/lib/platform/net/fail-fast-connection";
import { CONNECT_TIMEOUT_MS } from "../shared/limits";
import { Messages } from "./messages";

/**
 * Commands that end work on the server. They are sent after the caller has left, so no caller's deadline limits them.
 */
const GOODBYES = ["killCursors", "killSessions", "endSessions", "abortTransaction"];
const GOODBYE_TIMEOUT_MS = 2000;

/**
 * A connection that passes only complete messages to the library, and only those that it can parse (T47, T54). A server
 * that falls silent during sign-in or a goodbye loses the connection; the library would wait for ever. Passed as the
 * option `connectionType`, which the library's types omit.
 */
export class GuardedConnection extends FailFastConnection {
  constructor(stream: Duplex, options: object) {
    super(stream, options);
    const messages = new Messages();
    const line = this.messageStream;
    const take = line._transform.bind(line);
    line._transform = (chunk, encoding, callback) => {
      let whole: Buffer;
      try {
        whole = messages.push(chunk);
      } catch (error) {
        callback(new MongoParseError(`The server violated the MongoDB protocol: ${(error as Error).message}`));
        return;
      }
      take(whole, encoding, callback);
    };
  }

  override async command(ns: object, command: object, options?: object, responseType?: unknown): Promise<unknown> {
    const limitMs = this.#limitOf(command);
    if (limitMs === null) return super.command(ns, command, options, responseType);
    const timer = setTimeout(() => this.onTimeout(), limitMs);
    try {
      return await super.command(ns, command, options, responseType);
    } finally {
      clearTimeout(timer);
    }
  }

  /** Returns a command's time limit, in ms; null for commands that the caller's deadline limits. */
  #limitOf(command: object): number | null {
    if (!this.established) return CONNECT_TIMEOUT_MS;
    return GOODBYES.some((name) => Object.hasOwn(command, name)) ? GOODBYE_TIMEOUT_MS : null;
  }
}
