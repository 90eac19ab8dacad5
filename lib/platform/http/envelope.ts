import { isSmallJson, jsonSlices } from "@/lib/base/values/json-slices";
import { log } from "@/lib/platform/log";
import { Pacer } from "@/lib/platform/process/pacer";
import type { AppError } from "./errors";
import { streamOfPieces } from "./pieces";
import { toAppError } from "./to-app-error";

/** Size to which slices are gathered before they are encoded. */
const PIECE_CHARS = 64 * 1024;

/** Returns `{success: true, data, message?}` (docs/develop/api.md, Common rules). */
export function success(data: unknown, options: { status: number; message?: string; headers?: Headers }): Response {
  const headers = options.headers ?? new Headers();
  headers.set("Cache-Control", "no-store");
  const body = { success: true, data: data ?? null, ...(options.message && { message: options.message }) };
  return jsonResponse(body, options.status, headers);
}

/**
 * Returns `success` for data of any size: a large answer is serialised in slices between which the event loop serves
 * others, and sent piece by piece.
 */
export async function successOfAnySize(data: unknown, options: Parameters<typeof success>[1]): Promise<Response> {
  if (isSmallJson(data)) return success(data, options);
  const pieces: Buffer[] = [];
  const pacer = new Pacer();
  let bytes = 0;
  let text = '{"success":true,"data":';
  const flush = () => {
    const piece = Buffer.from(text);
    pieces.push(piece);
    bytes += piece.length;
    text = "";
  };
  for (const slice of jsonSlices(data)) {
    text += slice;
    if (text.length > PIECE_CHARS) {
      flush();
      await pacer.restIfLate();
    } else if (pacer.isDue()) await pacer.rest();
  }
  text += options.message ? `,"message":${JSON.stringify(options.message)}}` : "}";
  flush();
  const headers = options.headers ?? new Headers();
  headers.set("Cache-Control", "no-store");
  headers.set("Content-Type", "application/json");
  headers.set("Content-Length", String(bytes));
  return new Response(streamOfPieces(pieces), { status: options.status, headers });
}

/** Returns JSON with its length, so that a small answer is not compressed (route.ts). */
function jsonResponse(body: unknown, status: number, headers: Headers): Response {
  const bytes = Buffer.from(JSON.stringify(body));
  headers.set("Content-Type", "application/json");
  headers.set("Content-Length", String(bytes.length));
  return new Response(bytes, { status, headers });
}

/** Status in logs and metrics of a request whose client left before the answer, as other servers write it. */
const CLIENT_LEFT_STATUS = 499;

/**
 * Turns a thrown value into an answer: `{success: false, error, code, details?}`. Only this function does. An
 * unexpected error is logged completely, and the caller gets one fixed sentence (T108).
 * @param signal the request's: work that was aborted because its client left has not failed
 */
export function failure(
  thrown: unknown,
  { signal, ...context }: { requestId: string; method: string; route: string; signal: AbortSignal },
): Response {
  if (signal.aborted && thrown === signal.reason) {
    log.info({ ...context, status: CLIENT_LEFT_STATUS }, "The client left before the answer.");
    return new Response(null, { status: CLIENT_LEFT_STATUS });
  }
  const error = logFailure(thrown, context);
  const headers = new Headers({ "Cache-Control": "no-store", ...error.headers });
  if (error.retryAfterSeconds !== undefined) headers.set("Retry-After", String(error.retryAfterSeconds));
  const body = {
    success: false,
    error: error.message,
    code: error.kind,
    ...(error.details && { details: error.details }),
  };
  return jsonResponse(body, error.status, headers);
}

/** Logs a failure of a request, with its reason if callers do not get it. @returns the error for callers */
export function logFailure(thrown: unknown, context: Record<string, unknown>): AppError {
  const error = toAppError(thrown);
  const entry = { ...context, code: error.kind, status: error.status };
  if (error.kind === "internal") log.error({ ...entry, err: error.cause ?? thrown }, error.message);
  // A source, a receiver or the database that does not respond is not a fault of this server: log its reason without a
  // stack.
  else if (error.status >= 500) log.warn({ ...entry, err: error.cause ?? thrown }, error.message);
  else if (error.status === 401 || error.status === 404) log.info(entry, error.message);
  else log.warn(entry, error.message);
  return error;
}
