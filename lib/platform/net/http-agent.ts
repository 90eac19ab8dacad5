import "server-only";
import { type AgentOptions, Agent as HttpAgent } from "node:http";
import { Agent as HttpsAgent } from "node:https";
import type { Duplex } from "node:stream";
import type { Purpose } from "./address";
import { openSocket, type TlsChoice } from "./connect";
import type { Dialer } from "./dialer";
import { type EgressPolicy, systemPolicy } from "./policy";

/** A connection that takes longer belongs to a host that is not there. */
const CONNECT_TIMEOUT_MS = 10_000;

type AgentChoice = { tls?: TlsChoice; keepAlive?: boolean; maxSockets?: number; dialer?: Dialer };
type Created = (error: Error | null, stream: Duplex) => void;

/**
 * For clients that take an agent of Node's own http module (ClickHouse): each new connection passes the door.
 * @param tls left out: plain http
 * @param dialer left out: straight through the door
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
