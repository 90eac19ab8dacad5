import "server-only";
import { AppError } from "@/lib/platform/http/errors";
import { redact } from "@/lib/platform/log/redact";
import type { KeepAliveClient } from "@/lib/platform/net/keep-alive-client";
import { SNIPPET_CHARS_MAX } from "../limits";
import type { Outcome } from "./channel";

/**
 * Timeout of the whole exchange, from the look-up of the name to the last byte of the response
 * (docs/develop/notifications.md).
 */
export const SEND_TIMEOUT_MS = 10_000;
const ANSWER_BYTES_MAX = 64 * 1024;
/** Maximum pause that a receiver can ask for, in ms. */
const RETRY_AFTER_MAX_MS = 60 * 60 * 1000;
/** Statuses whose Retry-After is about the next attempt (RFC 9110, RFC 6585). */
const ASKS_FOR_PATIENCE: ReadonlySet<number> = new Set([429, 503]);

const OWN_HEADERS = {
  "Content-Type": "application/json",
  "User-Agent": "Millrace-Notifications/1",
  // The response is short and read uncompressed.
  "Accept-Encoding": "identity",
};

type Request = {
  url: string;
  body: string;
  headers: Record<string, string>;
  /** Texts to remove from the log of attempts: the address of a webhook is a secret (T85). */
  secrets: string[];
  /** Returns the status of a refusal that an accepting response contains; null for none. */
  refusedWithin?: (text: string) => number | null;
};

/** Posts JSON to a user's address, through the egress proxy. A redirect is returned as the response (T35). */
export async function postJson(
  { url, body, headers, secrets, refusedWithin = () => null }: Request,
  line: KeepAliveClient,
): Promise<Outcome> {
  try {
    const answer = await line.fetch(url, {
      method: "POST",
      headers: { ...OWN_HEADERS, ...headers },
      body,
      timeoutMs: SEND_TIMEOUT_MS,
      maxResponseBytes: ANSWER_BYTES_MAX,
    });
    const isOk = answer.status >= 200 && answer.status <= 299;
    const refusal = isOk ? refusedWithin(answer.body.toString("utf8")) : null;
    const httpStatus = refusal ?? answer.status;
    const isAccepted = isOk && refusal === null;
    const retryAfterMs = isAccepted ? null : retryAfterOf(httpStatus, answer.headers.get("retry-after"));
    return {
      httpStatus,
      error: isAccepted ? null : refusalOf(httpStatus),
      snippet: toSnippet(answer.body, [...secrets, ...secretPartsOf(url)]),
      ...(retryAfterMs !== null && { retryAfterMs }),
    };
  } catch (error) {
    // Any other error is a bug.
    if (!(error instanceof AppError)) throw error;
    const isHopeless = error.kind === "address_refused" || error.kind === "invalid_request";
    return { httpStatus: null, error: error.message, snippet: null, ...(isHopeless && { isHopeless }) };
  }
}

function refusalOf(status: number): string {
  const isRedirect = status >= 300 && status <= 399;
  return `The receiver returned ${status}.${isRedirect ? " Redirects are not followed. Enter the final URL." : ""}`;
}

/** Parses Retry-After, in seconds or as a date (RFC 9110). Returns null if it is missing or invalid. */
function retryAfterOf(status: number, header: string | null): number | null {
  if (!header || !ASKS_FOR_PATIENCE.has(status)) return null;
  const ms = /^\d{1,9}$/.test(header) ? Number(header) * 1000 : Date.parse(header) - Date.now();
  return Number.isNaN(ms) ? null : Math.min(RETRY_AFTER_MAX_MS, Math.max(0, ms));
}

/** Returns the beginning of a response as one line of plain text; null for an empty one. */
export function toSnippet(body: Buffer, secrets: string[]): string | null {
  // Cut after the secrets are removed: one that crosses the cut would not be found.
  const text = redact(body.toString("utf8"), secrets)
    .replace(/[\p{Cc}\u2028\u2029]+/gu, " ")
    .trim();
  return text === "" ? null : [...text].slice(0, SNIPPET_CHARS_MAX).join("");
}

/** Minimum length of a part of an address that may be a key, such as a signature in its query. */
const KEY_CHARS_MIN = 16;

/** Returns the secret parts of an address: the whole of it, everything after its host, and the keys therein. */
function secretPartsOf(url: string): string[] {
  const { href, pathname, search, searchParams } = new URL(url);
  const path = `${pathname}${search}`;
  const parts = [...path.split(/[/?&=]/), ...searchParams.values()].filter(({ length }) => length >= KEY_CHARS_MIN);
  return path.length > 1 ? [href, url, path, pathname, ...parts] : [];
}
