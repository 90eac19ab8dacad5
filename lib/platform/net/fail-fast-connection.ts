import "server-only";
import { MongoError, MongoNetworkError } from "mongodb";
import { Connection } from "mongodb/lib/cmap/connection.js";

type Command = Parameters<Connection["writeCommand"]>;

/**
 * A connection of the MongoDB driver that reports every failed write as the driver's network error, which its retries
 * recognise. The driver's own passes on the socket's errors. It waits forever for a socket that has closed without an
 * error before the write. The store's client and users' connections both use it.
 */
export class FailFastConnection extends Connection {
  override async writeCommand(...[command, options]: Command): Promise<void> {
    const closed = Promise.withResolvers<never>();
    const onClose = () => closed.reject(this.error ?? new MongoNetworkError("The connection has closed."));
    this.once(Connection.CLOSE, onClose);
    try {
      await Promise.race([super.writeCommand(command, options), closed.promise]);
    } catch (error) {
      if (error instanceof MongoError || error === options.signal?.reason) throw error;
      throw new MongoNetworkError(error instanceof Error ? error.message : String(error), { cause: error as Error });
    } finally {
      this.off(Connection.CLOSE, onClose);
    }
  }
}

/** Options of a client whose connections fail fast; the driver's types omit this one. */
export const FAIL_FAST: object = { connectionType: FailFastConnection };
