import "server-only";
import { type ClientSession, type MongoClient, MongoError, MongoErrorLabel, MongoNetworkError } from "mongodb";
import { withCommitCounted } from "./changes";
import { mongoClient } from "./client";

/**
 * Does the work all or nothing. It may run several times (write conflicts are retried), so it must do nothing but
 * queries that carry the session it is given.
 */
export function inTransaction<T>(work: (session: ClientSession) => Promise<T>): Promise<T> {
  return withCommitCounted(transactionOf(mongoClient(), work));
}

/** The same on a client of one's own. */
export function transactionOf<T>(client: MongoClient, work: (session: ClientSession) => Promise<T>): Promise<T> {
  return client.withSession((session) => {
    const commit = session.commitTransaction.bind(session);
    // A socket that breaks under a commit leaves the driver as what the socket said, over which its retries stumble.
    session.commitTransaction = (options) => commit(options).catch((error: unknown) => Promise.reject(asLost(error)));
    return session.withTransaction(work);
  });
}

/** What is none of the driver's own errors says that the connection was lost, and nothing of the commit: it is tried again. */
function asLost(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof MongoError) return error;
  const lost = new MongoNetworkError(error.message, { cause: error });
  lost.addErrorLabel(MongoErrorLabel.UnknownTransactionCommitResult);
  return lost;
}
