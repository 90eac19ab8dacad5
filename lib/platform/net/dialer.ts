import "server-only";
import type { Socket } from "node:net";
import type { Purpose } from "./address";
import { GuardedSocket } from "./guarded-socket";
import { type EgressPolicy, systemPolicy } from "./policy";

/**
 * Opens sockets for drivers, directly through the egress proxy or through a tunnel. Both check every address before
 * they connect.
 */
export interface Dialer {
  /**
   * Returns an unconnected socket; `connect({host, port})` connects it. Refusals and failures arrive as its `error`
   * event. A tunnel's socket supports the parts of Node's socket that `tunnel-socket.ts` lists.
   */
  socket(): Socket;
  /** Called by the TLS client once the connection over one of these sockets is encrypted. */
  secured?(): void;
  /** True when the other end resolves names, which affects certificate checks and refusals. */
  readonly isTunnel: boolean;
}

export function directDialer(purpose: Purpose, policy: EgressPolicy = systemPolicy()): Dialer {
  return { isTunnel: false, socket: () => new GuardedSocket(purpose, policy) };
}
