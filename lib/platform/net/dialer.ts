import "server-only";
import type { Socket } from "node:net";
import type { Purpose } from "./address";
import { GuardedSocket } from "./guarded-socket";
import { type EgressPolicy, systemPolicy } from "./policy";

/**
 * What drivers make their connections by: straight through the door, or through a tunnel. Either judges what it is told
 * to connect to.
 */
export interface Dialer {
  /**
   * A socket that is not connected yet; `connect({host, port})` does it. Refusals and failures arrive as its `error`.
   * One of a tunnel has of Node's socket what is said in `tunnel-socket.ts`.
   */
  socket(): Socket;
  /** Told by whoever encrypts a line that was made of one of its sockets, once that is done. */
  secured?(): void;
  /** Names are looked up at the other end, by which certificates and refusals differ. */
  readonly isTunnel: boolean;
}

export function directDialer(purpose: Purpose, policy: EgressPolicy = systemPolicy()): Dialer {
  return { isTunnel: false, socket: () => new GuardedSocket(purpose, policy) };
}
