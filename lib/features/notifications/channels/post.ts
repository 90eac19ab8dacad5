import "server-only";
import { AppError } from "@/lib/platform/http/errors";
import { redact } from "@/lib/platform/log/redact";
import type { KeptFetch } from "@/lib/platform/net/kept-fetch";
import { SNIPPET_CHARS_MAX } from "../limits";
import type { Outcome } from "./channel";

/** docs/develop/notifications.md: for the whole exchange, the name's look-up and the answer's last byte included. */
export const SEND_TIMEOUT_MS = 10_000;
const ANSWER_BYTES_MAX = 64 * 1024;
/** A receiver that asks for more patience than this has it for as long. */
const RETRY_AFTER_MAX_MS = 60 * 60 * 1000;
/** Those whose Retry-After speaks of the next try (RFC 9110, RFC 6585). */
const ASKS_FOR_PATIENCE: ReadonlySet<number> = new Set([429, 503]);

const OWN_HEADERS = {
  "Content-Type": "application/json",
  "User-Agent": "Millrace-Notifications/1",
  // A short answer is read as it is, or not at all.
  "Accept-Encoding": "identity",
};

type Request = {
  url: string;
  body: string;
  headers: Record<string, string>;
  /** What must not show in the log of attempts: the address of a webhook is a secret (T85). */
  secrets: string[];
};

/** Posts JSON to an address that somebody gave, through the egress door; redirects are answers like others (T35). */
export async function postJson({ url, body, headers, secrets }: Request, line: KeptFetch): Promise<Outcome> {
  try {
    const answer = await line.fetch(url, {
      method: "POST",
      headers: { ...OWN_HEADERS, ...headers },
      body,
      timeoutMs: SEND_TIMEOUT_MS,
      maxResponseBytes: ANSWER_BYTES_MAX,
    });
    const { status: httpStatus } = answer;
    const isAccepted = httpStatus >= 200 && httpStatus <= 299;
    const retryAfterMs = isAccepted ? null : retryAfterOf(httpStatus, answer.headers.get("retry-after"));
    return {
      httpStatus,
      error: isAccepted ? null : refusalOf(httpStatus),
      snippet: toSnippet(answer.body, [...secrets, ...secretPartsOf(url)]),
      ...(retryAfterMs !== null && { retryAfterMs }),
    };
  } catch (error) {
    // Whatever else is thrown is a fault of ours.
    if (!(error instanceof AppError)) throw error;
    const isHopeless = error.kind === "address_refused" || error.kind === "invalid_request";
    return { httpStatus: null, error: error.message, snippet: null, ...(isHopeless && { isHopeless }) };
  }
}

function refusalOf(status: number): string {
  const isRedirect = status >= 300 && status <= 399;
  return `The receiver answered ${status}.${isRedirect ? " Redirects are not followed: enter the address that it leads to." : ""}`;
}

/** Seconds or a date (RFC 9110). Null for none, and for what is neither. */
function retryAfterOf(status: number, header: string | null): number | null {
  if (!header || !ASKS_FOR_PATIENCE.has(status)) return null;
  const ms = /^\d{1,9}$/.test(header) ? Number(header) * 1000 : Date.parse(header) - Date.now();
  return Number.isNaN(ms) ? null : Math.min(RETRY_AFTER_MAX_MS, Math.max(0, ms));
}

/** The beginning of an answer as one line of plain text; null for an empty one. */
export function toSnippet(body: Buffer, secrets: string[]): string | null {
  // Cut after the secrets are gone: one across the cut would not be found.
  const text = redact(body.toString("utf8"), secrets)
    .replace(/[\p{Cc}\u2028\u2029]+/gu, " ")
    .trim();
  return text === "" ? null : [...text].slice(0, SNIPPET_CHARS_MAX).join("");
}

/** What of an address is nobody else's: all of it, and all behind its host. */
function secretPartsOf(url: string): string[] {
  const { href, pathname, search } = new URL(url);
  const path = `${pathname}${search}`;
  return path.length > 1 ? [href, url, path, pathname] : [];
}
