import "server-only";
import { Agent, type buildConnector } from "undici";
import type { Purpose } from "./address";
import { openSocket, type TlsChoice } from "./connect";
import { type EgressPolicy, systemPolicy } from "./policy";

/** More than any service needs for its headers; a sender of endless ones is cut off here (T78). */
export const RESPONSE_HEADERS_BYTES_MAX = 16 * 1024;
/** For the connection of a request that has no deadline of its own. */
const CONNECT_TIMEOUT_MS = 10_000;
/** The platform speaks HTTP/1.1 only: one request, one connection, one judgement. */
const HTTP_1: TlsChoice = { ALPNProtocols: ["http/1.1"] };

/** How undici opens its connections, so that even a literal address passes the door (T34). */
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
 * A dispatcher for libraries that take one, with connections kept for each origin apart. It judges addresses only; what
 * `parseWebTarget` refuses in an address is the caller's to check, as `fetchThrough` does.
 */
export function guardedAgent(purpose: Purpose, policy: EgressPolicy = systemPolicy()): Agent {
  return new Agent({
    connect: guardedConnector(purpose, policy),
    maxHeaderSize: RESPONSE_HEADERS_BYTES_MAX,
    allowH2: false,
  });
}
