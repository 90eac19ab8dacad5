import "server-only";
import { type AgentOptions, Agent as HttpAgent } from "node:http";
import { Agent as HttpsAgent } from "node:https";
import type { Duplex } from "node:stream";
import type { Purpose } from "./address";
import { openSocket, type TlsChoice } from "./connect";
import type { Dialer } from "./dialer";
import { type EgressPolicy, systemPolicy } from "./policy";

/** Connect timeout, in ms. A slower host counts as unreachable. */
const CONNECT_TIMEOUT_MS = 10_000;

type AgentChoice = { tls?: TlsChoice; keepAlive?: boolean; maxSockets?: number; dialer?: Dialer };
type Created = (error: Error | null, stream: Duplex) => void;

/**
 * Returns an agent for clients of Node's http module (ClickHouse). Each new connection passes the egress proxy.
 * @param tls default: plain HTTP
 * @param dialer default: a direct connection through the egress proxy
 */
export function guardedHttpAgent(
  purpose: Purpose,
  { tls, keepAlive = true, maxSockets, dialer }: AgentChoice = {},
  policy: EgressPolicy = systemPolicy(),
): HttpAgent {
  const agent = tls ? new HttpsAgent({ keepAlive, maxSockets }) : new HttpAgent({ keepAlive, maxSockets });
  agent.createConnection = (
    options: AgentOptions & { host?: string | null; port?: number | string | null },
    created?: Created,
  ) => {
    openSocket(
      { purpose, host: options.host ?? "", port: Number(options.port), tls, timeoutMs: CONNECT_TIMEOUT_MS, dialer },
      policy,
    ).then(
      (socket) => created?.(null, socket),
      (error: unknown) => (created as ((error: unknown) => void) | undefined)?.(error),
    );
    return undefined;
  };
  return agent;
}
