import "server-only";
import type { ClientSession } from "mongodb";
import { mongoClient } from "./client";

/**
 * Does the work all or nothing. It may run several times (write conflicts are retried), so it must do nothing but
 * queries that carry the session it is given.
 */
export function inTransaction<T>(work: (session: ClientSession) => Promise<T>): Promise<T> {
  return mongoClient().withSession((session) => session.withTransaction(work));
}
