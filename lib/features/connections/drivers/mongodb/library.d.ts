/** What the library's own types leave out, since they describe its front door only. */
declare module "mongodb/lib/cmap/connection.js" {
  import type { Duplex, TransformCallback } from "node:stream";

  export class Connection {
    constructor(stream: Duplex, options: object);
    /** After the sign-in. */
    established: boolean;
    messageStream: {
      _transform(chunk: Buffer, encoding: BufferEncoding, callback: TransformCallback): void;
    };
    command(ns: object, command: object, options?: object, responseType?: unknown): Promise<unknown>;
    /** Ends the line, and with it what waits for an answer. */
    onTimeout(): void;
  }
}
