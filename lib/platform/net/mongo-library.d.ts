/** Declarations of the driver's internals, which its public types omit. */
declare module "mongodb/lib/cmap/connection.js" {
  import { EventEmitter } from "node:events";
  import type { Duplex, TransformCallback } from "node:stream";

  export class Connection extends EventEmitter {
    static readonly CLOSE: "close";
    constructor(stream: Duplex, options: object);
    /** Reason of its end; null while it is open. */
    error: Error | null;
    /** True after sign-in. */
    established: boolean;
    messageStream: {
      _transform(chunk: Buffer, encoding: BufferEncoding, callback: TransformCallback): void;
    };
    command(ns: object, command: object, options?: object, responseType?: unknown): Promise<unknown>;
    writeCommand(command: object, options: { signal?: AbortSignal }): Promise<void>;
    /** Closes the connection and fails pending commands. */
    onTimeout(): void;
  }
}
