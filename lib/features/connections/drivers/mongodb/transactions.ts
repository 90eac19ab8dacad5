import { type ClientSession, type Db, MongoError } from "mongodb";

/** Attempts of a transaction that conflicts with another; the server asks for retries. */
export const TRANSACTION_TRIES = 5;

/** Returns whether the server is a member of a replica set or a router, which have transactions. */
export async function knowsTransactions(db: Db): Promise<boolean> {
  const hello = await db.admin().command({ hello: 1 });
  return hello.setName !== undefined || hello.msg === "isdbgrid";
}

/** Runs work in a transaction and commits it. Repeats it after a conflict with another transaction. */
export async function withTransaction(
  session: ClientSession,
  signal: AbortSignal,
  work: () => Promise<void>,
): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    session.startTransaction();
    try {
      await work();
      signal.throwIfAborted();
      await session.commitTransaction();
      return;
    } catch (error) {
      if (session.inTransaction()) await session.abortTransaction().catch(() => {});
      const isTransient = error instanceof MongoError && error.hasErrorLabel("TransientTransactionError");
      if (!isTransient || tries === TRANSACTION_TRIES) throw error;
    }
  }
}
