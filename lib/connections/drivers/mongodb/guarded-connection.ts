import "server-only";
import type { Duplex } from "node:stream";
import { MongoParseError } from "mongodb";
import { Connection } from "mongodb/lib/cmap/connection.js";
import { Messages } from "./messages";

/**
 * MongoDB's protocol on a line that gives the library whole messages only, and no other than those it comes to an end with
 * (T47, T54). It takes this class by its option `connectionType`, which its types leave out.
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
}
