import "server-only";
import type { Duplex } from "node:stream";
import { MongoParseError } from "mongodb";
import { Connection } from "mongodb/lib/cmap/connection.js";
import { CONNECT_TIMEOUT_MS } from "../shared/limits";
import { Messages } from "./messages";

/** What ends work on the server is said by whoever has left: nobody's deadline bounds the wait for its answer. */
const GOODBYES = ["killCursors", "killSessions", "endSessions", "abortTransaction"];
const GOODBYE_TIMEOUT_MS = 2000;

/**
 * MongoDB's protocol on a line that gives the library whole messages only, and no other than those it comes to an end with
 * (T47, T54). A server that falls silent in a sign-in or at a goodbye loses the line, for which the library would wait for
 * ever. It takes this class by its option `connectionType`, which its types leave out.
 */
export class GuardedConnection extends Connection {
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
        callback(new MongoParseError(`The server does not keep to MongoDB's protocol: ${(error as Error).message}`));
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

  /** Null for what has the deadline of whoever asked. */
  #limitOf(command: object): number | null {
    if (!this.established) return CONNECT_TIMEOUT_MS;
    return GOODBYES.some((name) => Object.hasOwn(command, name)) ? GOODBYE_TIMEOUT_MS : null;
  }
}
