import "server-only";
import { type ClientSession, type MongoClient, MongoError, MongoErrorLabel, MongoNetworkError } from "mongodb";
import { withCommitCounted } from "./changes";
import { mongoClient } from "./client";

/**
 * Runs the work atomically. It may run several times (write conflicts are retried), so it must do nothing but queries
 * with the given session.
 */
export function inTransaction<T>(work: (session: ClientSession) => Promise<T>): Promise<T> {
  return withCommitCounted(transactionOf(mongoClient(), work));
}

/** Runs the same transaction on a given client. */
export function transactionOf<T>(client: MongoClient, work: (session: ClientSession) => Promise<T>): Promise<T> {
  return client.withSession((session) => {
    const commit = session.commitTransaction.bind(session);
    // A socket that breaks during a commit surfaces as the socket's error, which the driver's retries do not recognise.
    session.commitTransaction = (options) => commit(options).catch((error: unknown) => Promise.reject(asLost(error)));
    return session.withTransaction(work);
  });
}

/**
 * Treats errors that are not the driver's as a lost connection, with an unknown outcome of the commit: it is retried.
 */
function asLost(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof MongoError) return error;
  const lost = new MongoNetworkError(error.message, { cause: error });
  lost.addErrorLabel(MongoErrorLabel.UnknownTransactionCommitResult);
  return lost;
}
