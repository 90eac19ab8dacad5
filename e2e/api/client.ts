import { Agent, type IncomingHttpHeaders, type OutgoingHttpHeaders, request } from "node:http";
import { connect } from "node:net";

/** Longer than any answer here takes on a busy machine, shorter than a test's time limit. */
const ANSWER_TIMEOUT_MS = 30_000;

/** A response. `json` parses the body, and throws if it is not JSON. */
export type Answer = ReturnType<typeof toAnswer>;

export type Ask = {
  /** Sent as JSON with its content type. */
  readonly json?: unknown;
  /** Sent unchanged, without a default content type. */
  readonly body?: string | Buffer;
  readonly headers?: OutgoingHttpHeaders;
  /** With an unknown length, as for a stream. */
  readonly chunked?: boolean;
  readonly signal?: AbortSignal;
};

const agent = new Agent({ keepAlive: true });

/**
 * A client of the service over real HTTP. Adds nothing to a test's request: only its cookies, no Accept, no redirects
 * followed.
 */
export class Api {
  readonly base: URL;
  private readonly credentials: OutgoingHttpHeaders;

  constructor(base: string, credentials: OutgoingHttpHeaders = {}) {
    this.base = new URL(base);
    this.credentials = credentials;
  }

  /** Returns a client of the same service with other credentials. */
  as(credentials: OutgoingHttpHeaders): Api {
    return new Api(this.base.href, credentials);
  }
  withKey(key: string): Api {
    return this.as({ authorization: `Bearer ${key}` });
  }
  withSession(token: string): Api {
    return this.as({ cookie: `auth_session=${token}` });
  }

  get(path: string, ask?: Ask): Promise<Answer> {
    return this.send("GET", path, ask);
  }
  post(path: string, json?: unknown, ask?: Ask): Promise<Answer> {
    return this.send("POST", path, json === undefined ? ask : { json, ...ask });
  }
  put(path: string, json?: unknown, ask?: Ask): Promise<Answer> {
    return this.send("PUT", path, json === undefined ? ask : { json, ...ask });
  }
  patch(path: string, json?: unknown, ask?: Ask): Promise<Answer> {
    return this.send("PATCH", path, json === undefined ? ask : { json, ...ask });
  }
  delete(path: string, ask?: Ask): Promise<Answer> {
    return this.send("DELETE", path, ask);
  }

  send(method: string, path: string, ask: Ask = {}): Promise<Answer> {
    const body = ask.json === undefined ? ask.body : JSON.stringify(ask.json);
    const headers: OutgoingHttpHeaders = { ...this.credentials };
    if (ask.json !== undefined) headers["content-type"] = "application/json";
    if (body !== undefined && !ask.chunked) headers["content-length"] = Buffer.byteLength(body);
    Object.assign(headers, ask.headers);
    return new Promise((resolve, reject) => {
      const outgoing = request(
        { host: this.base.hostname, port: this.base.port, method, path, headers, agent, signal: ask.signal },
        (incoming) => {
          const chunks: Buffer[] = [];
          incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
          incoming.on("error", reject);
          incoming.on("end", () => {
            const bytes = Buffer.concat(chunks);
            resolve(toAnswer(incoming.statusCode ?? 0, incoming.headers, bytes));
          });
        },
      );
      outgoing.setTimeout(ANSWER_TIMEOUT_MS, () =>
        outgoing.destroy(new Error(`${method} ${path} did not answer in time`)),
      );
      outgoing.on("error", reject);
      if (ask.chunked) outgoing.flushHeaders();
      outgoing.end(body);
    });
  }
}

function toAnswer(status: number, headers: IncomingHttpHeaders, bytes: Buffer) {
  return {
    status,
    headers,
    /** Every `Set-Cookie` line, unparsed. */
    setCookies: headers["set-cookie"] ?? [],
    bytes,
    get text() {
      return bytes.toString("utf8");
    },
    get json() {
      return JSON.parse(bytes.toString("utf8"));
    },
  };
}

/** Returns the session cookie that an answer sets; null if it sets none. A cleared cookie is an empty string. */
export function sessionIn(answer: Answer): string | null {
  const line = answer.setCookies.find((cookie) => cookie.startsWith("auth_session="));
  return line === undefined ? null : (line.slice("auth_session=".length).split(";")[0] ?? "");
}

/**
 * Writes exactly these bytes to the service and returns everything received until it closes, or until `until` matches:
 * for requests that no well-behaved client can send.
 */
export function exchange(base: string, bytes: string | Buffer, until?: RegExp): Promise<string> {
  const { hostname, port } = new URL(base);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname);
    let received = "";
    socket.setTimeout(ANSWER_TIMEOUT_MS, () => socket.destroy(new Error(`No answer in time; so far: ${received}`)));
    socket.on("data", (chunk) => {
      received += chunk.toString("latin1");
      if (until?.test(received)) socket.end();
    });
    socket.on("error", (error: NodeJS.ErrnoException) => {
      // A server may reset the connection after a rejection; data received before counts.
      if (error.code === "ECONNRESET" || error.code === "EPIPE") resolve(received);
      else reject(error);
    });
    socket.on("close", () => resolve(received));
    socket.write(bytes);
  });
}
