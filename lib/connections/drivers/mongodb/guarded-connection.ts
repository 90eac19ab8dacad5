import "server-only";
import type { Duplex } from "node:stream";
import { MongoParseError } from "mongodb";
import { Connection } from "mongodb/lib/cmap/connection.js";
import { MessageLengths } from "./message-lengths";

/**
 * MongoDB's protocol on a line whose messages have the lengths that messages can have. The library takes messages out of
 * what a server sends by the lengths that it announces: one of 0 makes it take empty messages for ever, in one go, until
 * the process has no memory left (T47, T54). It takes this class by its option `connectionType`, which its types leave out.
 */
export class GuardedConnection extends Connection {
  constructor(stream: Duplex, options: object) {
    super(stream, options);
    const lengths = new MessageLengths();
    const line = this.messageStream;
    const take = line._transform.bind(line);
    line._transform = (chunk, encoding, callback) => {
      if (lengths.take(chunk)) take(chunk, encoding, callback);
      else callback(new MongoParseError("The server announces a message of a length that no message has."));
    };
  }
}
