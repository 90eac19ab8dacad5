import "server-only";
import { ObjectId } from "mongodb";
import type { UserCaller } from "@/lib/access/caller";
import type { ConnectionDoc } from "@/lib/connections/model";
import { getConnectionDocOrThrow, noSuchConnection } from "@/lib/connections/service";
import { AppError } from "@/lib/http/errors";
import type { ExecuteBody, ExecuteOnBody, ResultFormat } from "./schema";
import { executeQuery } from "./service";

/**
 * The workspace that the body of POST /api/execute means: a key has its own and need not name it.
 * @throws AppError `invalid_request` when a session names none
 */
export function workspaceToQuery(body: ExecuteBody, caller: UserCaller): ObjectId {
  if (body.workspaceId) return new ObjectId(body.workspaceId);
  if (caller.via.kind === "key") return caller.via.membership.workspaceId;
  throw new AppError("invalid_request", "Say in which workspace the connection is.", {
    details: [{ path: "workspaceId", message: "Needed, unless an API key says it." }],
  });
}

type EndpointRequest = {
  workspaceId: ObjectId;
  userId: ObjectId;
  body: ExecuteOnBody;
  format: ResultFormat;
  signal: AbortSignal;
};

/**
 * Runs a query on a connection of the workspace and answers it in the format.
 * @throws AppError `not_found` for a connection that is unknown or another workspace's; as `executeQuery` otherwise
 */
export async function executeInWorkspace(
  request: EndpointRequest & { connectionId: ObjectId | string },
): Promise<Response> {
  const connection = await getConnectionDocOrThrow(request.workspaceId, new ObjectId(request.connectionId));
  return executeOn(connection, request);
}

/**
 * The same on a connection that was read already.
 * @param connection one of the workspace; null when it has none of this id
 */
export async function executeOn(
  connection: ConnectionDoc | null,
  { workspaceId, userId, body, format, signal }: EndpointRequest,
): Promise<Response> {
  if (!connection) throw noSuchConnection();
  const { query, params, limit, timeoutMs, executionId } = body;
  return executeQuery(
    { workspaceId, userId, connection, statement: { query, params }, limit, timeoutMs, executionId, signal },
    format,
  );
}
