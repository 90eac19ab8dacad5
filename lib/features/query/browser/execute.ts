import { deviceZone } from "@/lib/base/values/names";
import type { ConfirmWrites } from "@/lib/features/connections/schema";
import type { ConfirmationDetails, VariableValue } from "@/lib/features/query/schema";
import { ApiError, parseEnvelope, toApiError } from "@/lib/platform/browser/request";

const METRIC_CALL = /\bmetric\s*\(/i;

/** The console of a text, null for one that was never saved, and the values of its variables. */
export type Bound = { consoleId: string | null; variables: Record<string, VariableValue> };
/** Target of a statement; `bound` is null for a text outside a console. */
export type ExecuteTarget = {
  workspaceId: string;
  connectionId: string;
  bound: Bound | null;
  /** Writes to ask about, beyond the setting of the connection. */
  confirmWrites?: ConfirmWrites | undefined;
};
/** Omit `limit` for all rows of a stream (docs/develop/api.md, Queries). */
type ExecuteOptions = {
  executionId: string;
  /** Session for manual transactions to run in. */
  sessionId?: string | undefined;
  limit?: number;
  /** Number of the first result to return, for a statement with several, from 0. */
  result?: number;
  timeoutMs?: number;
  /** False for a result that the console should not store: a plan, or the same rows again. */
  keep?: false;
  /** True allows only reading, even on a writable connection. */
  readOnly?: boolean;
  /** The user has confirmed the write. */
  confirm?: true;
  /** Writes to ask about, beyond the setting of the connection. */
  confirmWrites?: ConfirmWrites;
};
export type ExecuteRequest = { url: string; body: Record<string, unknown> };
/** Request for rows that were read before, with the setting for statements that name no table. */
export type RereadRequest = ExecuteRequest & { setting: ConfirmWrites };

/**
 * Returns the request that runs a text. It names the saved console, since the console's visibility decides who sees the
 * text in the history. Values are sent separately and bound by the server, never written into the text.
 */
export function toExecuteRequest(
  { workspaceId, connectionId, bound }: ExecuteTarget,
  text: string,
  options: ExecuteOptions,
): ExecuteRequest {
  const root = `/api/workspaces/${workspaceId}`;
  const { consoleId = null, variables = {} } = bound ?? {};
  if (consoleId !== null) {
    return {
      url: `${root}/consoles/${consoleId}/execute`,
      body: { content: text, variables, ...zoneOf(variables), connectionId, ...options },
    };
  }
  const { keep: _, ...rest } = options;
  // Sent also for a console that names a metric: only the text of a console is completed.
  const values = Object.keys(variables).length > 0 || METRIC_CALL.test(text) ? { variables, ...zoneOf(variables) } : {};
  return { url: `${root}/databases/${connectionId}/execute`, body: { query: text, ...values, ...rest } };
}

/** Returns the time zone of the user, if date presets depend on it. */
function zoneOf(variables: Bound["variables"]): { timezone?: string } {
  const isNeeded = Object.values(variables).some((value) => typeof value === "object" && value && "preset" in value);
  return isNeeded ? { timezone: deviceZone() } : {};
}

/**
 * Returns the request that runs a statement again for its rows. The server refuses it if the statement writes to a
 * table.
 */
export function toRereadRequest(target: ExecuteTarget, text: string, options: ExecuteOptions): RereadRequest {
  const request = toExecuteRequest(target, text, { ...options, keep: false, confirmWrites: "always" });
  return { ...request, setting: target.confirmWrites ?? "risky" };
}

/**
 * Sends such a request. A statement that names no table, such as CALL, may write or only read: the user asked for its
 * rows, so it runs unless the connection asks about all writes.
 * @throws ApiError when the server refuses
 */
export async function reread(request: RereadRequest, accept: string, signal?: AbortSignal): Promise<Response> {
  const send = (more: { confirmWrites?: ConfirmWrites }) =>
    fetch(request.url, {
      method: "POST",
      headers: { "content-type": "application/json", accept },
      body: JSON.stringify({ ...request.body, ...more }),
      cache: "no-store",
      signal: signal ?? null,
    });
  let response = await send({});
  if (response.ok) return response;
  let error = await errorOf(response);
  if (isUnnamedWrite(error)) {
    response = await send({ confirmWrites: request.setting });
    if (response.ok) return response;
    error = await errorOf(response);
  }
  if (error.code !== "confirmation_required") throw error;
  throw new ApiError(error.status, error.code, "This statement writes, so it isn't run again to read its rows.");
}

function isUnnamedWrite({ code, details }: ApiError): boolean {
  return code === "confirmation_required" && (details as ConfirmationDetails).table === null;
}

async function errorOf(response: Response): Promise<ApiError> {
  return toApiError(response.status, response.headers.get("retry-after"), parseEnvelope(await response.text()));
}
