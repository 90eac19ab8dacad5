/** Declarations of the library's internals, which its public types omit. */
declare module "mongodb/lib/cmap/connection.js" {
  import type { Duplex, TransformCallback } from "node:stream";

  export class Connection {
    constructor(stream: Duplex, options: object);
    /** True after sign-in. */
    established: boolean;
    messageStream: {
      _transform(chunk: Buffer, encoding: BufferEncoding, callback: TransformCallback): void;
    };
    command(ns: object, command: object, options?: object, responseType?: unknown): Promise<unknown>;
    /** Closes the connection and fails pending commands. */
    onTimeout(): void;
  }
}
