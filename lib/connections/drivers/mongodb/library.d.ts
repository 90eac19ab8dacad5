/** What the library's own types leave out, since they describe its front door only. */
declare module "mongodb/lib/cmap/connection.js" {
  import type { Duplex, TransformCallback } from "node:stream";

  export class Connection {
    constructor(stream: Duplex, options: object);
    messageStream: {
      _transform(chunk: Buffer, encoding: BufferEncoding, callback: TransformCallback): void;
    };
  }
}
