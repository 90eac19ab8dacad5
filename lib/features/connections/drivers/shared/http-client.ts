import "server-only";
import { setTimeout as sleep } from "node:timers/promises";
import { parseExactJson } from "@/lib/base/values/exact-json";
import { decodeText, Undecodable } from "@/lib/platform/http/charset";
import { AppError } from "@/lib/platform/http/errors";
import { redact } from "@/lib/platform/log/redact";
import { KeepAliveClient } from "@/lib/platform/net/keep-alive-client";
import type { SafeResponse } from "@/lib/platform/net/safe-fetch";
import { yieldToEventLoop } from "@/lib/platform/process/yield-to-event-loop";
import type { ExtractStream } from "../../data-source";
import { RateBucket } from "./rate-bucket";
import { isObject } from "./record-table";
import type { WebConfig } from "./web-config";

/** Maximum bytes of a response, which is read and parsed as a whole; a page of a list has a fraction of it. */
export const ANSWER_BYTES_MAX = 16 * 1024 * 1024;
/** Maximum attempts within 60 s (docs/develop/api.md, Flows). */
export const TRIES_MAX = 3;
const TRIES_TIMEOUT_MS = 60_000;
/** Timeout of an attempt, in ms; a slower one leaves no time for another. */
const TRY_TIMEOUT_MS = 30_000;
/** Maximum wait for a slot when a person waits, in ms: tests and previews do not queue behind the requests of flows. */
const PATIENCE_MS = 3000;
/** Backoff before the second and the third attempt, in ms, where the source names no time. */
const WAITS_MS = [500, 2000];
const REDIRECTS_MAX = 5;
/** Maximum characters of a path in an error, enough to recognise it. */
const PATH_CHARS_MAX = 200;
/** Maximum characters of a service's error message. */
const WORDS_CHARS_MAX = 300;

/** Statuses after which a retry may succeed (RFC 9110; 425 and 429 by RFC 8470 and 6585). */
const PASSING_STATUSES: ReadonlySet<number> = new Set([408, 425, 429, 500, 502, 503, 504]);
const PASSING_REASONS: ReadonlySet<unknown> = new Set(["refused", "unreachable", "closed", "timeout", "name"]);

export type WebRequest = {
  /** On the service's server, without the key of the sign-in. */
  url: URL;
  /** Sent as JSON by POST; absent for a GET. */
  body?: unknown;
  headers?: Readonly<Record<string, string>>;
  signal: AbortSignal;
  /** A person is waiting: one attempt, without a long wait for the rate limit. */
  isForPerson?: boolean;
  /** Checks a successful response. Throws a `PassingFailure` to have the request retried. */
  judge?: (answer: WebAnswer) => void;
};

/** A response. `json` is undefined for one without content. */
export type WebAnswer = { status: number; headers: Headers; json: unknown };

/** Creates the error for an invalid response of the source, for display. */
export function sourceFailure(message: string, details: Record<string, unknown> = {}, cause?: unknown): AppError {
  return new AppError("source_unreachable", message, { details: { reason: "answer", ...details }, cause });
}

/** A failure that a retry may resolve. `afterMs` is null where the source names no time. */
export class PassingFailure extends Error {
  constructor(
    readonly failure: AppError,
    readonly afterMs: number | null,
  ) {
    super(failure.message, { cause: failure });
  }
}

/** A client for a service with JSON over HTTP, through the egress proxy. */
export class HttpClient {
  readonly #config: WebConfig;
  readonly #kept = new KeepAliveClient("http");
  readonly #readings = new Set<Promise<void>>();
  readonly #bucket: RateBucket | null;
  readonly #origin: string;

  /** @param connectionId groups the requests that share a rate limit */
  constructor(config: WebConfig, connectionId: string) {
    this.#config = config;
    this.#bucket = config.perMinute === null ? null : new RateBucket(connectionId, config.perMinute);
    this.#origin = new URL(config.baseUrl).origin;
  }

  /**
   * Sends a request, with retries.
   * @throws AppError `source_unreachable` (details.status has the HTTP status where there was one), `timeout`,
   *   `address_refused`; the signal's reason
   */
  async ask(request: WebRequest): Promise<WebAnswer> {
    const triesMax = request.isForPerson ? 1 : TRIES_MAX;
    const turnMs = this.#bucket?.reserve() ?? 0;
    await this.#wait(request.isForPerson ? Math.min(turnMs, PATIENCE_MS) : turnMs, request.signal);
    const endsAt = performance.now() + TRIES_TIMEOUT_MS;
    for (let tries = 1; ; tries += 1) {
      try {
        const answer = await this.#try(request, Math.min(TRY_TIMEOUT_MS, endsAt - performance.now()));
        request.judge?.(answer);
        return answer;
      } catch (error) {
        if (request.signal.aborted) throw request.signal.reason;
        const passing = toPassing(error);
        if (passing === null) throw error;
        const pauseMs = passing.afterMs ?? WAITS_MS[tries - 1] ?? 0;
        const waitMs = tries < triesMax ? Math.max(pauseMs, this.#bucket?.reserve() ?? 0) : 0;
        if (tries >= triesMax || performance.now() + waitMs >= endsAt) throw finalFailure(passing, tries);
        await this.#wait(waitMs, request.signal);
      }
    }
  }

  /**
   * Resolves a URL from a response: it must be on the same server, and loses the sign-in's key.
   * @throws AppError `source_unreachable` for another server, which must not get the secrets
   */
  ownAddress(named: string, from: URL): URL {
    const url = URL.canParse(named, from.href) ? new URL(named, from.href) : null;
    if (!url) throw sourceFailure("The source returned an invalid next-page URL.");
    // Behind a proxy, a service may assume requests without encryption.
    const isOwn = url.origin === this.#origin || (url.protocol === "http:" && url.host === new URL(this.#origin).host);
    if (!isOwn || url.username !== "" || url.password !== "") {
      throw sourceFailure(
        `The next page is on another host, ${url.host.slice(0, 100)}. Credentials are sent only to the connection's host.`,
      );
    }
    const own = new URL(`${url.pathname}${url.search}`, this.#origin);
    if (this.#config.query) own.searchParams.delete(this.#config.query.name);
    return own;
  }

  /** Returns whether a text to store contains a secret. */
  holdsSecret(text: string): boolean {
    const spellings = this.#config.secrets.flatMap((secret) => {
      const bytes = Buffer.from(secret);
      return [secret, encodeURIComponent(secret.toWellFormed()), bytes.toString("base64"), bytes.toString("base64url")];
    });
    return spellings.some((spelling) => spelling !== "" && text.includes(spelling));
  }

  /** Returns the service's message, without secrets. */
  words(text: string): string {
    return redact(text.slice(0, WORDS_CHARS_MAX).replace(/\s+/g, " ").trim(), this.#config.secrets);
  }

  /**
   * Keeps the client open during a reading: a connection may be closed as idle, or changed, while a flow is still
   * within a list. An abort alone ends the reading; the caller need not leave the loop.
   */
  async whileReading(start: () => Promise<ExtractStream>, signal: AbortSignal): Promise<ExtractStream> {
    const reading = Promise.withResolvers<void>();
    this.#readings.add(reading.promise);
    const leave = () => {
      signal.removeEventListener("abort", leave);
      this.#readings.delete(reading.promise);
      reading.resolve();
    };
    signal.addEventListener("abort", leave, { once: true });
    try {
      const { fields, batches } = await start();
      return { fields, batches: thenLeave(batches, leave) };
    } catch (error) {
      leave();
      throw error;
    }
  }

  /** Waits for running readings. */
  async close(): Promise<void> {
    while (this.#readings.size > 0) await Promise.all(this.#readings);
    await this.#kept.close();
  }

  async #try(request: WebRequest, timeoutMs: number): Promise<WebAnswer> {
    let url = request.url;
    for (let redirects = 0; ; redirects += 1) {
      const response = await this.#send(url, request, timeoutMs);
      const location = response.headers.get("location");
      if (response.status < 300 || response.status > 399 || location === null) return this.#read(response, url);
      if (redirects >= REDIRECTS_MAX) throw sourceFailure(`Too many redirects (more than ${REDIRECTS_MAX}).`);
      if (request.body !== undefined && response.status !== 307 && response.status !== 308) {
        throw sourceFailure(`The source redirects (HTTP ${response.status}). Enter the final URL.`, {
          status: response.status,
        });
      }
      url = this.ownAddress(location, url);
    }
  }

  #send(url: URL, { body, headers, signal }: WebRequest, timeoutMs: number): Promise<SafeResponse> {
    const { query } = this.#config;
    const address = new URL(url);
    if (query) address.searchParams.set(query.name, query.value);
    return this.#kept.fetch(address.href, {
      method: body === undefined ? "GET" : "POST",
      headers: {
        accept: "application/json",
        "user-agent": "Millrace",
        ...(body !== undefined && { "content-type": "application/json" }),
        ...headers,
        ...this.#config.headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      timeoutMs,
      maxResponseBytes: ANSWER_BYTES_MAX,
      signal,
    });
  }

  async #read({ status, headers, body, isTruncated }: SafeResponse, url: URL): Promise<WebAnswer> {
    // Parsing cannot be sliced: it waits until nothing else blocks the event loop.
    await yieldToEventLoop();
    if (status < 200 || status > 299) throw this.#statusFailure(status, headers, body.toString("utf8"));
    if (isTruncated) {
      throw sourceFailure(`The response exceeds ${ANSWER_BYTES_MAX / 1024 / 1024} MiB. Reduce the page size.`, {
        status,
      });
    }
    const text = textOf(body, headers, url);
    if (text.trim() === "") return { status, headers, json: undefined };
    try {
      return { status, headers, json: parseExactJson(text) };
    } catch (error) {
      const type = /^[\w.+-]+\/[\w.+-]+/.exec(headers.get("content-type") ?? "")?.[0] ?? "something";
      const what = /json/.test(type) ? "invalid JSON" : type;
      throw sourceFailure(
        `Expected JSON, but the source returned ${what} (HTTP ${status}). Check the URL.`,
        { status },
        error,
      );
    }
  }

  #statusFailure(status: number, headers: Headers, text: string): AppError | PassingFailure {
    const words = this.words(wordsOf(text, headers.get("content-type") ?? ""));
    const advice = status === 401 || status === 403 ? " Check the credentials." : "";
    const failure = sourceFailure(
      `The source returned HTTP ${status}${words === "" ? "." : `: ${words.replace(/[.!]?$/, ".")}`}${advice}`,
      { status },
    );
    return PASSING_STATUSES.has(status)
      ? new PassingFailure(failure, retryAfterMs(headers.get("retry-after"), Date.now()))
      : failure;
  }

  async #wait(waitMs: number, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (waitMs > 0) await sleep(waitMs, undefined, { signal }).catch(() => signal.throwIfAborted());
  }
}

async function* thenLeave<T>(batches: AsyncIterable<T>, leave: () => void): AsyncGenerator<T, void> {
  try {
    yield* batches;
  } finally {
    leave();
  }
}

/** Statuses with which services answer requests for a page that does not exist. */
const NO_SUCH_PLACE: ReadonlySet<unknown> = new Set([400, 404, 410, 416, 422]);

export function isNoSuchPlace(error: unknown): error is AppError {
  return error instanceof AppError && isObject(error.details) && NO_SUCH_PLACE.has(error.details.status);
}

/** Adds advice to an error within a list: a page token may expire, so the reading should restart. */
export function withResumeAdvice(error: unknown): unknown {
  if (!isNoSuchPlace(error)) return error;
  return new AppError(error.kind, `${error.message} The saved page position may have expired. If so, run a backfill.`, {
    details: error.details,
    cause: error,
  });
}

/** Parses Retry-After: seconds or a date (RFC 9110, 10.2.3). @returns null for neither */
export function retryAfterMs(value: string | null, now: number): number | null {
  if (value === null) return null;
  if (/^\s*\d{1,9}\s*$/.test(value)) return Number(value) * 1000;
  const at = Date.parse(value);
  return Number.isNaN(at) ? null : Math.max(0, at - now);
}

/** Returns a failure of the source that a retry may resolve; null for others. */
function toPassing(error: unknown): PassingFailure | null {
  if (error instanceof PassingFailure) return error;
  if (!(error instanceof AppError)) return null;
  const reason = isObject(error.details) ? error.details.reason : undefined;
  return PASSING_REASONS.has(reason) ? new PassingFailure(error, null) : null;
}

function finalFailure({ failure, afterMs }: PassingFailure, tries: number): AppError {
  const times = tries > 1 ? ` Failed after ${tries} attempts.` : "";
  const wait = afterMs !== null && afterMs > 0 ? ` Retry after ${Math.ceil(afterMs / 1000)} s.` : "";
  return new AppError(failure.kind, `${failure.message}${wait}${times}`, {
    details: failure.details,
    cause: failure.cause,
    ...(afterMs !== null && { retryAfterSeconds: Math.ceil(afterMs / 1000) }),
  });
}

/** Returns the error message of a response, by its usual field names. */
function wordsOf(text: string, contentType: string): string {
  if (/^text\/plain/.test(contentType)) return text;
  if (!/json/.test(contentType) || text.length > ANSWER_BYTES_MAX / 16) return "";
  try {
    return sentenceIn(JSON.parse(text));
  } catch {
    return "";
  }
}

function sentenceIn(value: unknown): string {
  if (typeof value === "string") return value;
  if (Array.isArray(value)) return sentenceIn(value[0]);
  if (!isObject(value)) return "";
  for (const name of ["message", "error_description", "detail", "error", "errors", "title"]) {
    const found = sentenceIn(value[name]);
    if (found !== "") return found;
  }
  return "";
}

/** @throws AppError `source_unreachable` for bytes that are not valid text, which a lenient decoder would change */
function textOf(body: Buffer, headers: Headers, { pathname }: URL): string {
  try {
    return decodeText(body, headers.get("content-type"));
  } catch (error) {
    if (!(error instanceof Undecodable)) throw error;
    throw sourceFailure(
      `Couldn't decode the response of ${pathname.slice(0, PATH_CHARS_MAX)}: ${error.message} The source must declare its charset in Content-Type.`,
      {},
      error,
    );
  }
}
