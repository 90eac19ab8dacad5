import "server-only";
import { finished, pipeline } from "node:stream";
import { createGunzip } from "node:zlib";
import type { AppError } from "@/lib/platform/http/errors";
import type { Purpose } from "./address";
import { startDeadline } from "./deadline";
import { guardedAgent } from "./dispatcher";
import { toConnectionFailure, unusableSource } from "./failures";
import { parseWebTarget } from "./host";
import { type EgressPolicy, systemPolicy } from "./policy";
import { checkHeaders, readCapped, type SafeFetchOptions, type SafeResponse, toHeaders } from "./safe-fetch";

/**
 * A `safeFetch` for repeated requests to one server, such as the pages of a list. It keeps connections alive between
 * requests and accepts gzip, in bounded memory.
 */
export class KeepAliveClient {
  readonly #agent;

  constructor(purpose: Purpose, policy: EgressPolicy = systemPolicy()) {
    this.#agent = guardedAgent(purpose, policy);
  }

  /**
   * Sends one request. A response with any status is a success; redirects are not followed (T35). `maxResponseBytes`
   * counts decompressed bytes.
   * @throws AppError as `safeFetch`
   */
  async fetch(address: string, options: Omit<SafeFetchOptions, "purpose">): Promise<SafeResponse> {
    const { url } = parseWebTarget(address);
    const headers = checkHeaders(options.headers ?? {});
    const deadline = startDeadline(options.timeoutMs, options.signal);
    try {
      deadline.signal.throwIfAborted();
      const response = await this.#agent.request({
        origin: url.origin,
        path: `${url.pathname}${url.search}`,
        method: options.method ?? "GET",
        headers: { "accept-encoding": "gzip", ...headers },
        body: options.body ?? null,
        signal: deadline.signal,
        // The deadline covers both.
        headersTimeout: 0,
        bodyTimeout: 0,
      });
      const received = toHeaders(response.headers);
      const { body, isTruncated } = await readCapped(unpacked(response.body, received), options.maxResponseBytes);
      return { status: response.statusCode, headers: received, body, isTruncated };
    } catch (error) {
      throw deadline.signal.aborted ? deadline.reason() : toConnectionFailure(error);
    }
  }

  /** Rejects new requests, waits for running ones, which their time limits bound, and closes the connections. */
  async close(): Promise<void> {
    await this.#agent.close();
  }
}

function unpacked(body: NodeJS.ReadableStream & AsyncIterable<Buffer>, headers: Headers): AsyncIterable<Buffer> {
  const coding = headers.get("content-encoding")?.trim().toLowerCase() ?? "identity";
  if (coding === "identity" || coding === "") return body;
  // The stream's final error needs a listener.
  finished(body, () => {});
  if (coding !== "gzip" && coding !== "x-gzip") {
    (body as unknown as { destroy: () => void }).destroy();
    throw protocolFailure();
  }
  // Leaving the loop early destroys both streams.
  const gunzip = createGunzip();
  pipeline(body, gunzip, () => {});
  return withFailure(gunzip);
}

async function* withFailure(stream: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void> {
  try {
    yield* stream;
  } catch (error) {
    const isPacking = error instanceof Error && "code" in error && String(error.code).startsWith("Z_");
    throw isPacking ? protocolFailure(error) : error;
  }
}

function protocolFailure(cause?: unknown): AppError {
  return unusableSource("The response has an invalid Content-Encoding.", "protocol", cause);
}
