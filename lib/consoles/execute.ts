import "server-only";
import { ObjectId } from "mongodb";
import type { Caller } from "@/lib/access/caller";
import { driverOf } from "@/lib/connections/drivers/registry";
import { getConnectionDocOrThrow } from "@/lib/connections/service";
import { AppError } from "@/lib/http/errors";
import type { ResultFormat } from "@/lib/query/schema";
import { executeQuery } from "@/lib/query/service";
import { accessOf } from "./model";
import type { ExecuteConsoleBody } from "./schema";
import { getConsoleDocOrThrow } from "./service";
import { type BoundStatement, bindVariables } from "./variables";

/**
 * Runs a console as it was last saved, or the text that is sent in its place, its variables bound as parameters
 * (docs/api.md, Queries and 7).
 * @throws AppError not_found for the console; invalid_request without a connection, and for variables without a value;
 *   as `executeQuery` otherwise, with positions of the console's own text
 */
export async function executeConsole(
  caller: Caller,
  consoleId: ObjectId,
  request: { body: ExecuteConsoleBody; format: ResultFormat; signal: AbortSignal },
): Promise<Response> {
  const { body, format, signal } = request;
  const { content: saved, connectionId: own, space } = await getConsoleDocOrThrow(caller, consoleId);
  const content = body.content ?? saved;
  if (content.trim() === "") throw refusal("content", "The console is empty. Write a query first.");
  const connectionId = body.connectionId === undefined ? own : new ObjectId(body.connectionId);
  if (!connectionId) throw refusal("connectionId", "The console has no connection. Choose one.");
  const connection = await getConnectionDocOrThrow(caller, connectionId);
  const bound = bindVariables(content, driverOf(connection.type), body.variables ?? {});
  const { query, params } = bound;
  const { limit, timeoutMs, executionId } = body;
  try {
    return await executeQuery(
      caller,
      {
        connection,
        console: { id: consoleId, isPrivate: accessOf(space) === "private" },
        statement: { query, params },
        limit,
        timeoutMs,
        executionId,
        signal,
      },
      format,
    );
  } catch (error) {
    throw inConsole(error, content, bound);
  }
}

/** The failure with its place in the console's text: placeholders are longer or shorter than the names they stand for. */
function inConsole(error: unknown, content: string, { query, toSource }: BoundStatement): unknown {
  if (query === content || !(error instanceof AppError) || !error.details || Array.isArray(error.details)) return error;
  const { position, line, column } = error.details;
  const offset = typeof position === "number" ? position - 1 : offsetOf(query, line, column);
  if (offset === null) return error;
  const source = toSource(offset);
  const before = content.slice(0, source).split("\n");
  const place = { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
  return new AppError(error.kind, error.message, {
    cause: error.cause,
    retryAfterSeconds: error.retryAfterSeconds,
    headers: error.headers,
    details: { ...error.details, ...(typeof position === "number" && { position: source + 1 }), ...place },
  });
}

/** The offset of a line and column, which count from 1; null when the failure has none. */
function offsetOf(text: string, line: unknown, column: unknown): number | null {
  if (typeof line !== "number") return null;
  const lines = text.split("\n");
  const start = lines.slice(0, line - 1).reduce((sum, each) => sum + each.length + 1, 0);
  return start + (typeof column === "number" ? column - 1 : 0);
}

function refusal(path: string, message: string): AppError {
  return new AppError("invalid_request", message, { details: [{ path, message }] });
}
