import "server-only";
import { request as httpRequest, type IncomingMessage } from "node:http";
import { request as httpsRequest } from "node:https";
import { startDeadline } from "@/lib/platform/net/deadline";
import { guardedHttpAgent } from "@/lib/platform/net/http-agent";
import type { NetworkConfig } from "../shared/config";
import { connectionLost, notItsProtocol, tlsChoice, toSourceFailure } from "../shared/failures";
import { CONNECT_TIMEOUT_MS, sessionsMaxFor } from "../shared/limits";
import type { OnServer } from "../shared/server";
import { toServerFailure } from "./failures";

/** Maximum bytes of an error response, which has a few lines. */
const ERROR_BYTES_MAX = 64 * 1024;

/** Settings for exact values in standard JSON. */
const FORMAT_SETTINGS = {
  default_format: "JSONCompactEachRowWithNamesAndTypes",
  // Unquoted, so that those inside JSON values stay numbers; `source.ts` reads long ones digit by digit.
  output_format_json_quote_64bit_integers: "0",
  output_format_json_quote_denormals: "1",
  output_format_json_quote_decimals: "1",
  output_format_json_named_tuples_as_objects: "1",
  output_format_json_escape_forward_slashes: "0",
  date_time_output_format: "iso",
  cancel_http_readonly_queries_on_client_close: "1",
} as const;

export type ClickHouseRequest = {
  query: string;
  /** Names and values of further settings and parameters. */
  settings: readonly (readonly [string, string])[];
  /** The statement is read-only, so it may be retried. */
  isRead: boolean;
  signal: AbortSignal;
};

/** A connection that the server closed while it was idle. */
class StaleConnection extends Error {}

/** A client of the server's HTTP interface, on sockets of the egress proxy. */
export class ClickHouseClient {
  readonly #config: OnServer<NetworkConfig>;
  readonly #agent;
  readonly #socketsMax: number;

  constructor(config: OnServer<NetworkConfig>) {
    this.#config = config;
    this.#socketsMax = sessionsMaxFor(config.server.queriesMax) * 2;
    this.#agent = guardedHttpAgent("database", {
      tls: tlsChoice(config.ssl, config.host),
      maxSockets: this.#socketsMax,
      dialer: config.server.dialer,
    });
  }

  /**
   * Sends a statement and resolves when the server starts its response.
   * @throws AppError `query_failed` and others of `toServerFailure`, `source_unreachable`, `timeout`, `address_refused`
   */
  async send({ query, settings, isRead, signal }: ClickHouseRequest): Promise<IncomingMessage> {
    // Servers close idle connections after a few seconds, and that may arrive after the request is sent.
    if (!isRead) this.#closeIdle();
    let response: IncomingMessage;
    try {
      // Every idle connection may be stale; the last attempt uses a new one.
      response = await this.#openAgain(isRead ? this.#socketsMax + 1 : 1, () => this.#open(query, settings, signal));
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      const failure = error instanceof Error && "code" in error && String(error.code).startsWith("HPE_");
      throw failure ? notItsProtocol("ClickHouse", error) : toSourceFailure(error);
    }
    const isClickHouse = Object.keys(response.headers).some((name) => name.startsWith("x-clickhouse-"));
    if (!isClickHouse) {
      response.destroy();
      throw notItsProtocol("ClickHouse");
    }
    if (response.statusCode === 200 && response.headers["x-clickhouse-exception-code"] === undefined) return response;
    throw toServerFailure(await readWords(response), query, [this.#config.password]);
  }

  close(): void {
    this.#agent.destroy();
  }

  async #openAgain(attempts: number, open: () => Promise<IncomingMessage>): Promise<IncomingMessage> {
    for (let left = attempts - 1; ; left -= 1) {
      try {
        return await open();
      } catch (error) {
        if (!(error instanceof StaleConnection)) throw error;
        if (left === 0) throw error.cause;
      }
    }
  }

  #closeIdle(): void {
    for (const sockets of Object.values(this.#agent.freeSockets)) {
      for (const socket of sockets ?? []) socket.destroy();
    }
  }

  #open(query: string, settings: ClickHouseRequest["settings"], signal: AbortSignal): Promise<IncomingMessage> {
    const { host, port, user, password, database, ssl } = this.#config;
    const search = new URLSearchParams([
      ["database", database],
      ...Object.entries(FORMAT_SETTINGS),
      ...settings.map(([name, value]) => [name, value] as [string, string]),
    ]);
    const body = Buffer.from(query);
    const make = ssl === "disable" ? httpRequest : httpsRequest;
    return new Promise((resolve, reject) => {
      const request = make(
        {
          host,
          port,
          path: `/?${search}`,
          method: "POST",
          agent: this.#agent,
          signal,
          headers: {
            // Not in the URL, which servers log.
            "X-ClickHouse-User": Buffer.from(user).toString("latin1"),
            "X-ClickHouse-Key": Buffer.from(password).toString("latin1"),
            "Content-Type": "text/plain; charset=utf-8",
            "Content-Length": body.length,
            "Accept-Encoding": "identity",
          },
        },
        resolve,
      );
      request.on("error", (error: NodeJS.ErrnoException) => {
        const isStale = request.reusedSocket && (error.code === "ECONNRESET" || error.code === "EPIPE");
        reject(isStale ? new StaleConnection("The connection was closed.", { cause: error }) : error);
      });
      request.end(body);
    });
  }
}

async function readWords(response: IncomingMessage): Promise<string> {
  let words = "";
  const deadline = startDeadline(CONNECT_TIMEOUT_MS);
  const cut = () => response.destroy();
  deadline.signal.addEventListener("abort", cut, { once: true });
  try {
    response.setEncoding("utf8");
    for await (const chunk of response) {
      words += chunk;
      if (words.length > ERROR_BYTES_MAX) break;
    }
  } catch (error) {
    if (words === "") throw connectionLost(error);
  } finally {
    deadline.signal.removeEventListener("abort", cut);
    response.destroy();
  }
  return words === "" ? `Code: 0. The server returned status ${response.statusCode}` : words;
}
