import "server-only";
import { setTimeout as delay } from "node:timers/promises";
import { Coalescer } from "@/lib/base/async/coalescer";
import { describeQueryError } from "@/lib/base/sql/query-error";
import type { Entity } from "@/lib/base/values/fields";
import { driverOf } from "@/lib/features/connections/drivers/registry";
import { checkStatementText } from "@/lib/features/connections/drivers/shared/statements/check";
import type { ConnectionDoc } from "@/lib/features/connections/model";
import { listEntities } from "@/lib/features/connections/service";
import type { Caller } from "@/lib/platform/access/caller";
import { AppError } from "@/lib/platform/http/errors";
import { log } from "@/lib/platform/log";
import { serverMember } from "@/lib/platform/process/server-context";

/** Maximum delay of an error while the names of the database load, in ms. Names are usually cached. */
const WAIT_MS = 2_500;

/** Readings of names that an error has started: the next error of the connection waits for the same one. */
const readings = serverMember("suggestionReadings", () => new Coalescer<Entity[]>());

/**
 * Adds `details.suggestions` to the error of a statement with an unknown name (docs/develop/api.md, Queries). Returns
 * other errors unchanged, and this one too if the names of the database are not known in time.
 */
export async function withSuggestions(
  caller: Caller,
  { connection, query }: { connection: ConnectionDoc; query: unknown },
  error: unknown,
): Promise<unknown> {
  const { dialect } = driverOf(connection.type);
  if (!(error instanceof AppError) || error.kind !== "query_failed") return error;
  if (typeof query !== "string" || dialect === undefined || Array.isArray(error.details)) return error;
  const { name, unknown, isAmbiguous } = describeQueryError(error.message);
  if (name === null || (unknown === undefined && !isAmbiguous)) return error;
  try {
    const entities = await readNames(caller, connection);
    if (entities === null) return error;
    const tenant = caller.workspaceId.toHexString();
    const request = { query, dialect, message: error.message, details: error.details ?? {}, entities };
    const suggestions = await checkStatementText("suggestions", request, tenant);
    if (suggestions.length === 0) return error;
    return new AppError(error.kind, error.message, {
      cause: error.cause,
      retryAfterSeconds: error.retryAfterSeconds,
      headers: error.headers,
      details: { ...error.details, suggestions },
    });
  } catch (failure) {
    log.info({ err: failure, connectionId: connection._id }, "no suggestions for a failed query");
    return error;
  }
}

/** Returns the tables of a connection; null if they take longer than an error may wait. */
async function readNames(caller: Caller, { _id }: ConnectionDoc): Promise<Entity[] | null> {
  // Continues beyond the wait, so that the next error finds the names in the cache.
  const { signal } = new AbortController();
  const reading = readings().join(_id.toHexString(), () => listEntities(caller, _id, { refresh: false, signal }));
  reading.catch(() => undefined);
  const ended = new AbortController();
  try {
    return await Promise.race([reading, delay(WAIT_MS, null, { signal: ended.signal, ref: false })]);
  } finally {
    ended.abort();
  }
}
