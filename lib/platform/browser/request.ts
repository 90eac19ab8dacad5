import { parseDashboardJson } from "@/lib/base/values/exact-sources";
import { lastOutage, reportReachable, reportUnreachable } from "@/lib/platform/browser/connectivity";
import { noteServerTime } from "@/lib/platform/browser/server-clock";

/** One problem of the input, as in the envelope. */
export type ApiProblem = { path: string; message: string };

/** A failure that the server answered with, or a missing answer (`status` 0, code `unreachable`). */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly details: unknown = undefined,
    /** Seconds until a retry makes sense; null if the server does not say. */
    readonly retryAfterSeconds: number | null = null,
  ) {
    super(message);
    this.name = "ApiError";
  }

  /** Returns the failure of a request that got no response. */
  static unreachable(): ApiError {
    return new ApiError(0, "unreachable", "The server did not respond. Check your network, then try again.");
  }

  /** Returns the problems by field; empty for failures of another kind. */
  get problems(): ApiProblem[] {
    return Array.isArray(this.details) ? this.details.filter(isProblem) : [];
  }
}

/** `body` is sent as JSON, `bytes` unchanged. With `keepsDigits`, numbers under `source` of the answer stay exact. */
export type RequestOptions = { body?: unknown; bytes?: Blob; signal?: AbortSignal; keepsDigits?: boolean };

/**
 * Sends a request and unwraps its envelope; used by the client of every area.
 * @throws ApiError for every answer that is not a success, and for a missing one
 */
export async function send<T>(method: string, url: string, options: RequestOptions = {}): Promise<T> {
  return (await request<T>(method, url, options)).data;
}

/** `bytes` is the size of the answer. */
export type Received<T> = { data: T; bytes: number; nextCursor: string | null; headers: Headers };

function toContent({ body, bytes }: RequestOptions): Pick<RequestInit, "headers" | "body"> {
  if (bytes !== undefined) return { headers: { "content-type": "application/octet-stream" }, body: bytes };
  return body === undefined ? {} : { headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
}

/**
 * Sends a request and unwraps its envelope, with the answer's size and headers.
 * @throws ApiError as `send`
 */
export async function request<T>(method: string, url: string, options: RequestOptions): Promise<Received<T>> {
  const sentAfter = lastOutage();
  const { response, body } = await exchange(method, url, options);
  const answer = parseEnvelope(await body.text(), options.keepsDigits);
  // A page without an envelope may come from a proxy whose server is gone.
  if (answer !== null) reportReachable(sentAfter);
  if (response.ok && answer?.success === true) {
    const { headers } = response;
    return { data: answer.data as T, bytes: body.size, nextCursor: headers.get("x-next-cursor"), headers };
  }
  throw toApiError(response.status, response.headers.get("retry-after"), answer);
}

/** A name in an address that a browser resolves to a parent: `DELETE /a/b/..` would delete `a`. */
const DOT_NAME = /^[^?#]*\/(?:\.|%2e){1,2}(?:[/?#]|$)/i;

/** Refuses an address with a name that the browser would take for another path. @throws ApiError */
export function refuseDotNames(url: string): void {
  if (!DOT_NAME.test(url)) return;
  throw new ApiError(400, "invalid_request", "The name . or .. can't be part of an address. Rename it first.");
}

/** Returns the raw answer. @throws ApiError if there is none, and for an address with the name `.` or `..` */
export async function exchange(method: string, url: string, options: RequestOptions) {
  refuseDotNames(url);
  const { signal } = options;
  try {
    const response = await fetch(url, { method, ...toContent(options), signal, cache: "no-store" });
    noteServerTime(response.headers.get("date"));
    return { response, body: await response.blob() };
  } catch (cause) {
    if (signal?.aborted) throw cause;
    reportUnreachable();
    throw ApiError.unreachable();
  }
}

type Envelope = { success: boolean; data?: unknown; error?: unknown; code?: unknown; details?: unknown };

export function parseEnvelope(text: string, keepsDigits = false): Envelope | null {
  try {
    const value: unknown = keepsDigits ? parseDashboardJson(text) : JSON.parse(text);
    return typeof value === "object" && value !== null && "success" in value ? (value as Envelope) : null;
  } catch {
    return null;
  }
}

/** @param retryAfterHeader seconds as text; null if the header is absent */
export function toApiError(status: number, retryAfterHeader: string | null, answer: Envelope | null): ApiError {
  const retryAfter = Number(retryAfterHeader ?? Number.NaN);
  return new ApiError(
    status,
    typeof answer?.code === "string" ? answer.code : "internal",
    typeof answer?.error === "string" ? answer.error : `The server returned status ${status}. Try again.`,
    answer?.details,
    Number.isFinite(retryAfter) ? retryAfter : null,
  );
}

function isProblem(item: unknown): item is ApiProblem {
  return typeof item === "object" && item !== null && "path" in item && "message" in item;
}
