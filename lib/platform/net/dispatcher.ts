import "server-only";
import { Agent, type buildConnector } from "undici";
import type { Purpose } from "./address";
import { openSocket, type TlsChoice } from "./connect";
import { type EgressPolicy, systemPolicy } from "./policy";

/** Maximum size of response headers: more than any service needs. A sender of endless headers is cut off (T78). */
export const RESPONSE_HEADERS_BYTES_MAX = 16 * 1024;
/** Connect timeout of a request without a deadline, in ms. */
const CONNECT_TIMEOUT_MS = 10_000;
/** The platform speaks HTTP/1.1 only, so that every request has one connection and one check. */
const HTTP_1: TlsChoice = { ALPNProtocols: ["http/1.1"] };

/** Returns a connector for undici, so that even literal addresses pass the egress proxy (T34). */
export function guardedConnector(
  purpose: Purpose,
  policy: EgressPolicy = systemPolicy(),
  { timeoutMs = CONNECT_TIMEOUT_MS, signal }: { timeoutMs?: number; signal?: AbortSignal } = {},
): buildConnector.connector {
  return ({ hostname, port, protocol }, done) => {
    const isTls = protocol === "https:";
    const defaultPort = isTls ? 443 : 80;
    openSocket(
      {
        purpose,
        host: hostname.replace(/^\[(.*)\]$/, "$1"),
        port: port === "" ? defaultPort : Number(port),
        tls: isTls ? HTTP_1 : undefined,
        timeoutMs,
        signal,
      },
      policy,
    ).then(
      (socket) => done(null, socket),
      (error: unknown) => done(error instanceof Error ? error : new Error(String(error)), null),
    );
  };
}

/**
 * Returns a dispatcher for libraries that take one, with a connection pool per origin. It checks addresses only. The
 * caller checks the URL with `parseWebTarget`, as `fetchThrough` does.
 */
export function guardedAgent(purpose: Purpose, policy: EgressPolicy = systemPolicy()): Agent {
  return new Agent({
    connect: guardedConnector(purpose, policy),
    maxHeaderSize: RESPONSE_HEADERS_BYTES_MAX,
    allowH2: false,
  });
}
