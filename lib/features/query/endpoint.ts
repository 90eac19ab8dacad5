import "server-only";
import { ObjectId } from "mongodb";
import { driverOf } from "@/lib/features/connections/drivers/registry";
import type { ConnectionDoc } from "@/lib/features/connections/model";
import { getConnectionDocOrThrow, noSuchConnection } from "@/lib/features/connections/service";
import type { Caller, UserCaller } from "@/lib/platform/access/caller";
import { AppError, invalidInput } from "@/lib/platform/http/errors";
import { forwardTo, isForwarded } from "./forward";
import { findSession, type HeldTransaction, sessionEnded } from "./manual-sessions";
import type { ExecuteBody, ExecuteOnBody, ResultFormat } from "./schema";
import { executeQuery } from "./service";
import { type BoundStatement, bindVariables, inSource } from "./variables";

/**
 * Returns the workspace of a POST /api/execute: an API key has one and need not name it.
 * @throws AppError `invalid_request` when a session names none
 */
export function workspaceToQuery({ via }: UserCaller, body: ExecuteBody): ObjectId {
  if (body.workspaceId) return new ObjectId(body.workspaceId);
  if (via.kind === "key") return via.membership.workspaceId;
  throw new AppError("invalid_request", "workspaceId is required.", {
    details: [{ path: "workspaceId", message: "Required without an API key." }],
  });
}

type EndpointRequest = {
  body: ExecuteOnBody;
  format: ResultFormat;
  signal: AbortSignal;
  /** Sent on if another server holds the session. */
  request: Request;
  /** Completes the bound text of an unsaved console, by a feature above this one. */
  expand?: (caller: Caller, connection: ConnectionDoc, bound: BoundStatement) => Promise<BoundStatement>;
};

/**
 * Runs a query on the connection in the body and responds in the requested format.
 * @throws AppError `not_found` for a connection that is unknown or another workspace's; as `executeQuery` otherwise
 */
export async function executeInWorkspace(
  caller: Caller,
  request: EndpointRequest & { body: ExecuteBody },
): Promise<Response> {
  const { connectionId, databaseId } = request.body;
  // The schema requires one of the two.
  const id = new ObjectId(connectionId ?? databaseId ?? "");
  return executeOn(caller, await getConnectionDocOrThrow(caller, id), request);
}

/**
 * Does the same on a connection that was loaded before.
 * @param connection connection of the workspace; null if it has none of this id
 */
export async function executeOn(
  caller: Caller,
  connection: ConnectionDoc | null,
  { body, format, signal, request, expand }: EndpointRequest,
): Promise<Response> {
  if (!connection) throw noSuchConnection();
  const session = await enterSession(caller, connection, { body, request, signal });
  if (session instanceof Response) return session;
  const {
    query,
    params,
    variables,
    timezone,
    limit,
    result,
    timeoutMs,
    executionId,
    readOnly,
    confirm,
    confirmWrites,
  } = body;
  const origin = { kind: "adhoc" as const, id: connection._id };
  const limits = { limit, result, timeoutMs, executionId };
  const rest = { connection, origin, ...limits, readOnly, confirm, confirmWrites, signal, ...(session && { session }) };
  if (variables === undefined) return executeQuery(caller, { ...rest, statement: { query, params } }, format);
  if (typeof query !== "string" || params !== undefined) {
    const message = "variables require a text query and can't be combined with params.";
    throw new AppError("invalid_request", message, { details: [{ path: "variables", message }] });
  }
  const variablesBound = await bindVariables(
    query,
    driverOf(connection.type),
    variables,
    connection.workspaceId,
    timezone,
  );
  const bound = expand ? await expand(caller, connection, variablesBound) : variablesBound;
  try {
    return await executeQuery(caller, { ...rest, statement: { query: bound.query, params: bound.params } }, format);
  } catch (error) {
    throw inSource(error, query, bound);
  }
}

/**
 * Finds the session in which a body asks to run.
 * @returns undefined if it names none; the response of the server that holds the session, if that is another one
 * @throws AppError as `findSession`; `invalid_request` for `readOnly` with a session that may write; `unavailable`
 */
export async function enterSession(
  caller: Caller,
  connection: ConnectionDoc,
  ask: { body: Pick<ExecuteOnBody, "sessionId" | "readOnly">; request: Request; signal: AbortSignal },
): Promise<HeldTransaction | Response | undefined> {
  const { body, request, signal } = ask;
  if (body.sessionId === undefined) return undefined;
  const found = await findSession(caller, connection, new ObjectId(body.sessionId));
  if ("serverUrl" in found) {
    if (isForwarded(request)) throw sessionEnded();
    return forwardTo(found.serverUrl, request, body, signal);
  }
  if (body.readOnly === true && !found.held.readOnly) {
    throw invalidInput("readOnly", "readOnly can't be combined with a session that may write.");
  }
  return found.held;
}
