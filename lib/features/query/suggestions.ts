import "server-only";
import { describeQueryError } from "@/lib/base/sql/query-error";
import { driverOf } from "@/lib/features/connections/drivers/registry";
import { checkStatementText } from "@/lib/features/connections/drivers/shared/statements/check";
import type { ConnectionDoc } from "@/lib/features/connections/model";
import type { Caller } from "@/lib/platform/access/caller";
import { AppError } from "@/lib/platform/http/errors";
import { log } from "@/lib/platform/log";
import { readKnownEntities } from "./known-entities";

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
    const entities = await readKnownEntities(caller, connection);
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
