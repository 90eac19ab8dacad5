import "server-only";
import type { ClientSession, MongoClient } from "mongodb";
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
  return client.withSession((session) => session.withTransaction(work));
}
