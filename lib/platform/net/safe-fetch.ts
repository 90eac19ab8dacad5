import "server-only";
import { Client, type Dispatcher } from "undici";
import { AppError } from "@/lib/platform/http/errors";
import type { Purpose } from "./address";
import { startDeadline } from "./deadline";
import { guardedConnector, RESPONSE_HEADERS_BYTES_MAX } from "./dispatcher";
import { toConnectionFailure } from "./failures";
import { parseWebTarget } from "./host";
import { type EgressPolicy, systemPolicy } from "./policy";

/**
 * Headers that describe the connection or the message's length. We write them; a caller's values could contradict them.
 */
const OWN_HEADERS: ReadonlySet<string> = new Set([
  "connection",
  "content-length",
  "expect",
  "host",
  "keep-alive",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

/** Shared, because creating an error with its stack for each exchange is a tenth of the cost of a short one. */
const OVER = new Error("The request has ended.");

export type SafeFetchOptions = {
  purpose: Purpose;
  method?: "GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE";
  headers?: Record<string, string>;
  /** Sent unchanged, byte for byte. */
  body?: Buffer | string;
  /** Limit for the whole exchange, in ms: look-up, connection, request, and the complete response. */
  timeoutMs: number;
  /** Limit at which reading stops and the connection is closed; see `isTruncated`. */
  maxResponseBytes: number;
  signal?: AbortSignal;
};

export type SafeResponse = {
  /** Any status. Redirects are not followed, so 3xx is returned like any other status (T35). */
  status: number;
  headers: Headers;
  body: Buffer;
  /** True when the response is longer than `maxResponseBytes`. */
  isTruncated: boolean;
};

/**
 * Sends one request through the egress proxy, on a new connection. A response with any status is a success.
 * @throws AppError `invalid_request` for an invalid address or header, `address_refused`, `source_unreachable` (with
 *   the reason in `details.reason`), `timeout`; the signal's reason when the caller aborted
 */
export async function safeFetch(
  address: string,
  options: SafeFetchOptions,
  policy: EgressPolicy = systemPolicy(),
): Promise<SafeResponse> {
  const target = parseWebTarget(address);
  const headers = checkHeaders(options.headers ?? {});
  const { purpose, timeoutMs } = options;
  const deadline = startDeadline(timeoutMs, options.signal);
  const client = new Client(target.url.origin, {
    connect: guardedConnector(purpose, policy, { timeoutMs, signal: deadline.signal }),
    maxHeaderSize: RESPONSE_HEADERS_BYTES_MAX,
    allowH2: false,
    // The deadline covers both.
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  try {
    deadline.signal.throwIfAborted();
    const response = await client.request({
      path: `${target.url.pathname}${target.url.search}`,
      method: options.method ?? "GET",
      // Compressed responses could expand to any size.
      headers: { "accept-encoding": "identity", ...headers },
      body: options.body ?? null,
      signal: deadline.signal,
    });
    const { body, isTruncated } = await readCapped(response.body, options.maxResponseBytes);
    return { status: response.statusCode, headers: toHeaders(response.headers), body, isTruncated };
  } catch (error) {
    throw deadline.signal.aborted ? deadline.reason() : toConnectionFailure(error);
  } finally {
    await client.destroy(OVER);
  }
}

export async function readCapped(
  stream: AsyncIterable<Buffer>,
  maxBytes: number,
): Promise<{ body: Buffer; isTruncated: boolean }> {
  const chunks: Buffer[] = [];
  let left = maxBytes;
  for await (const chunk of stream) {
    if (chunk.length > left) {
      chunks.push(chunk.subarray(0, left));
      return { body: Buffer.concat(chunks), isTruncated: true };
    }
    chunks.push(chunk);
    left -= chunk.length;
  }
  return { body: Buffer.concat(chunks), isTruncated: false };
}

/** @throws AppError `invalid_request` for a header that is malformed or reserved for the connection */
export function checkHeaders(given: Record<string, string>): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(given)) {
    const lower = name.toLowerCase();
    // RFC 9110: a token, and a value of visible characters, spaces and tabs.
    const isWellFormed = /^[!#$%&'*+.^_`|~0-9a-z-]+$/.test(lower) && /^[\t\x20-\x7e\x80-\xff]*$/.test(value);
    if (!isWellFormed || OWN_HEADERS.has(lower)) {
      throw new AppError("invalid_request", "A header is invalid. Fix or remove it.");
    }
    headers[lower] = value;
  }
  return headers;
}

export function toHeaders(received: Dispatcher.ResponseData["headers"]): Headers {
  const headers = new Headers();
  for (const [name, value] of Object.entries(received)) {
    for (const one of Array.isArray(value) ? value : [value]) if (one !== undefined) headers.append(name, one);
  }
  return headers;
}
