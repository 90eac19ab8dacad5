import "server-only";
import { ObjectId } from "mongodb";
import { getConnectionDocOrThrow } from "@/lib/features/connections/service";
import { accessOf } from "@/lib/features/folders/model";
import { bindConsole } from "@/lib/features/metrics/in-sql";
import { enterSession } from "@/lib/features/query/endpoint";
import type { ResultFormat } from "@/lib/features/query/schema";
import { executeQuery } from "@/lib/features/query/service";
import { inSource } from "@/lib/features/query/variables";
import type { Caller } from "@/lib/platform/access/caller";
import { invalidInput } from "@/lib/platform/http/errors";
import { keepAsLast } from "./last-result";
import type { ExecuteConsoleBody } from "./schema";
import { getConsoleDocOrThrow } from "./service";

/**
 * Runs a console as last saved, or the text sent in its place, with its variables bound as parameters
 * (docs/develop/api.md, Queries and 7).
 * @throws AppError not_found for the console; invalid_request without a connection, and for variables without a value;
 * as `executeQuery` otherwise, with positions in the console's own text
 */
export async function executeConsole(
  caller: Caller,
  consoleId: ObjectId,
  asked: { body: ExecuteConsoleBody; format: ResultFormat; signal: AbortSignal; request: Request },
): Promise<Response> {
  const { body, format, signal, request } = asked;
  const doc = await getConsoleDocOrThrow(caller, consoleId);
  const { content: saved, connectionId: own } = doc;
  const content = body.content ?? saved;
  if (content.trim() === "") throw invalidInput("content", "The console is empty.");
  const connectionId = body.connectionId === undefined ? own : new ObjectId(body.connectionId);
  if (!connectionId) throw invalidInput("connectionId", "Select a connection for the console.");
  const connection = await getConnectionDocOrThrow(caller, connectionId);
  const session = await enterSession(caller, connection, { body, request, signal });
  if (session instanceof Response) return session;
  const variables = { ...doc.variables, ...body.variables };
  const bound = await bindConsole(caller, connection, { content, values: variables, timezone: body.timezone });
  const { query, params } = bound;
  const { limit, result, timeoutMs, executionId, readOnly, confirm, confirmWrites, keep = true } = body;
  const run = { connectionId, statement: content, variables };
  try {
    return await executeQuery(
      caller,
      {
        connection,
        origin: { kind: "console", id: consoleId, isPrivate: accessOf(doc.space) === "private" },
        statement: { query, params },
        limit,
        result,
        timeoutMs,
        executionId,
        readOnly,
        confirm,
        confirmWrites,
        signal,
        ...(session && { session }),
        // Rows of an open transaction are its user's alone.
        ...(keep && !session && { watch: keepAsLast(caller, doc, run) }),
      },
      format,
    );
  } catch (error) {
    throw inSource(error, content, bound);
  }
}
