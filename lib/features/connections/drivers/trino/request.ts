import "server-only";
import { request as httpRequest, type IncomingMessage } from "node:http";
import { request as httpsRequest } from "node:https";
import { AppError } from "@/lib/platform/http/errors";
import { redact } from "@/lib/platform/log/redact";
import { guardedHttpAgent } from "@/lib/platform/net/http-agent";
import { Pacer } from "@/lib/platform/process/pacer";
import { connectionLost, notItsProtocol, signInFailed, tlsChoice, toSourceFailure } from "../shared/failures";
import { sessionsMaxFor } from "../shared/limits";
import type { OnServer } from "../shared/server";
import { parsePaced, protocolValue } from "../shared/wire-values";
import type { TrinoConfig } from "./config";
import type { TrinoError } from "./failures";
import type { TypeSignature } from "./types";

const STATEMENT_PATH = "/v1/statement";
/** Maximum characters of an error from a proxy or the server. */
const WORDS_CHARS_MAX = 1000;
/** Numbers that a double may not hold. Reading those exactly is slower, so others skip it. */
const LONG_NUMBER = /\d{16}/;

/** One response of the server about a statement (Trino's client protocol). */
export type TrinoPage = {
  columns?: { name: string; type: string; typeSignature: TypeSignature }[];
  data?: unknown[][];
  error?: TrinoError;
  /** Length of the response's text. */
  chars: number;
  /** The path of the next response on the same server; null at the end. */
  next: string | null;
  /** Rows that the statement changed; absent for a query. */
  updateCount?: number;
  /** The kind of a statement that is not a query, such as INSERT. */
  updateType?: string;
  /** Set for START TRANSACTION. */
  transactionId: string | null;
};

export type TrinoRequest = {
  method: "GET" | "POST" | "DELETE";
  /** Absent for a new statement. */
  path?: string;
  body?: string;
  headers?: Readonly<Record<string, string>>;
  signal: AbortSignal;
  bytesMax: number;
};

/** A page above the limit; `cause` is the server's error when the limit is the server's. */
export class PageTooLarge extends Error {}
/** The server is temporarily busy, and asks for a retry. */
export class AskAgain extends Error {}

/** A client of the server's REST interface, on sockets of the egress proxy. */
export class TrinoClient {
  readonly #config: OnServer<TrinoConfig>;
  readonly #agent;
  readonly #headers: Readonly<Record<string, string>>;

  constructor(config: OnServer<TrinoConfig>) {
    const { host, ssl, user, password, catalog, schema, server } = config;
    this.#config = config;
    this.#agent = guardedHttpAgent("database", {
      tls: tlsChoice(ssl, host),
      maxSockets: sessionsMaxFor(server.queriesMax) * 2,
      dialer: server.dialer,
    });
    this.#headers = {
      "X-Trino-User": user,
      "X-Trino-Source": "millrace",
      "X-Trino-Catalog": catalog,
      ...(schema !== "" && { "X-Trino-Schema": schema }),
      "X-Trino-Time-Zone": "UTC",
      // Without it times are cut to milliseconds.
      "X-Trino-Client-Capabilities": "PARAMETRIC_DATETIME",
      ...(password !== "" && {
        Authorization: `Basic ${Buffer.from(`${user}:${password}`, "utf8").toString("base64")}`,
      }),
      "Accept-Encoding": "identity",
    };
  }

  /**
   * Sends a request.
   * @throws AppError `source_unreachable`, `timeout`, `address_refused`, `query_failed`; the signal's reason;
   *   PageTooLarge; AskAgain
   */
  async send(request: TrinoRequest): Promise<TrinoPage> {
    try {
      const response = await this.#open(request);
      const text = await readText(response, request.bytesMax);
      return await this.#toPage(request, response, text);
    } catch (error) {
      if (request.signal.aborted) throw request.signal.reason;
      if (error instanceof AppError || error instanceof PageTooLarge || error instanceof AskAgain) throw error;
      const isNoHttp = error instanceof Error && "code" in error && String(error.code).startsWith("HPE_");
      throw isNoHttp ? notItsProtocol("Trino", error) : toSourceFailure(error);
    }
  }

  close(): void {
    this.#agent.destroy();
  }

  async #toPage(
    { path }: TrinoRequest,
    { statusCode = 0, headers }: IncomingMessage,
    text: string,
  ): Promise<TrinoPage> {
    const words = text.slice(0, WORDS_CHARS_MAX).trim();
    const secrets = [this.#config.password];
    if (statusCode === 401 || statusCode === 403) throw signInFailed(words || `HTTP ${statusCode}`, secrets);
    if (statusCode === 502 || statusCode === 503 || statusCode === 504) throw new AskAgain();
    if (statusCode === 204) return { chars: 0, next: null, transactionId: null };
    // The server was restarted since it received the statement.
    if (path !== undefined && (statusCode === 404 || statusCode === 410)) throw connectionLost();
    if (statusCode === 400 && /^text\/plain/.test(headers["content-type"] ?? "") && words !== "") {
      throw new AppError("query_failed", redact(words, secrets));
    }
    const answer = statusCode === 200 ? await parse(text) : null;
    if (!isAnswer(answer)) throw notItsProtocol("Trino");
    const transactionId = headers["x-trino-started-transaction-id"];
    return {
      ...answer,
      chars: text.length,
      next: answer.nextUri === undefined ? null : pathOf(answer.nextUri),
      transactionId: typeof transactionId === "string" ? transactionId : null,
    };
  }

  #open({ method, path = STATEMENT_PATH, body = "", headers, signal }: TrinoRequest): Promise<IncomingMessage> {
    const { host, port, ssl } = this.#config;
    const make = ssl === "disable" ? httpRequest : httpsRequest;
    const bytes = Buffer.from(body);
    const sent = {
      ...this.#headers,
      ...headers,
      "Content-Type": "text/plain; charset=utf-8",
      "Content-Length": bytes.length,
    };
    return new Promise((resolve, reject) => {
      const request = make({ host, port, path, method, agent: this.#agent, signal, headers: sent }, resolve);
      request.on("error", reject);
      request.end(bytes);
    });
  }
}

/**
 * Returns the path of the next response. The server may name another host. Only the path is used, and only below the
 * protocol's prefix: credentials go only to the host that was checked (T30, T37).
 */
function pathOf(nextUri: string): string {
  const url = URL.canParse(nextUri) ? new URL(nextUri) : null;
  if (!url?.pathname.startsWith(`${STATEMENT_PATH}/`)) throw notItsProtocol("Trino");
  return `${url.pathname}${url.search}`;
}

async function readText(response: IncomingMessage, bytesMax: number): Promise<string> {
  const chunks: Buffer[] = [];
  let held = 0;
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      held += chunk.length;
      if (held > bytesMax) throw new PageTooLarge();
      chunks.push(chunk);
    }
  } finally {
    response.destroy();
  }
  return Buffer.concat(chunks, held).toString("utf8");
}

async function parse(text: string): Promise<unknown> {
  const pacer = new Pacer();
  try {
    return await parsePaced(text, () => pacer.restIfLate(), LONG_NUMBER.test(text) ? protocolValue : JSON.parse);
  } catch {
    return null;
  }
}

type Answer = Pick<TrinoPage, "columns" | "data" | "error"> & { id: string; nextUri?: string };

function isAnswer(value: unknown): value is Answer {
  if (typeof value !== "object" || value === null || !("id" in value) || !("stats" in value)) return false;
  return typeof value.id === "string" && (!("nextUri" in value) || typeof value.nextUri === "string");
}
