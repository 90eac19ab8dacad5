import "server-only";
import { isIP, type Socket } from "node:net";
import { type ConnectionOptions, connect as startTls } from "node:tls";
import type { Purpose } from "./address";
import { startDeadline } from "./deadline";
import { type Dialer, directDialer } from "./dialer";
import { toConnectionFailure } from "./failures";
import { type EgressPolicy, systemPolicy } from "./policy";

/** TLS options of a driver. The certificate is always checked against the requested host. */
export type TlsChoice = Pick<ConnectionOptions, "ca" | "cert" | "key" | "rejectUnauthorized" | "ALPNProtocols">;

export type OpenSocketOptions = {
  purpose: Purpose;
  host: string;
  port: number;
  /** Default: no TLS. */
  tls?: TlsChoice;
  /** Limit for the look-up, the connection and the TLS handshake together, in ms. */
  timeoutMs: number;
  signal?: AbortSignal;
  /** Default: a direct connection through the egress proxy. */
  dialer?: Dialer;
};

/**
 * Opens a connection through the egress proxy: one look-up, checked, and pinned to the checked addresses.
 * @returns a connected socket, secured when `tls` is given; the caller owns it
 * @throws AppError `invalid_request`, `address_refused`, `source_unreachable`, `timeout`; the signal's reason when
 *   aborted
 */
export async function openSocket(options: OpenSocketOptions, policy: EgressPolicy = systemPolicy()): Promise<Socket> {
  const { purpose, host, port, tls, timeoutMs } = options;
  const deadline = startDeadline(timeoutMs, options.signal);
  const plain = (options.dialer ?? directDialer(purpose, policy)).socket();
  let secured: Socket | null = null;
  try {
    deadline.signal.throwIfAborted();
    await until("connect", plain.connect({ host, port }), deadline.signal);
    if (!tls) return plain;
    secured = startTls({ ...tls, socket: plain, host, ...(isIP(host) ? {} : { servername: host }) });
    await until("secureConnect", secured, deadline.signal);
    options.dialer?.secured?.();
    return secured;
  } catch (error) {
    secured?.destroy();
    plain.destroy();
    throw deadline.signal.aborted ? deadline.reason() : toConnectionFailure(error);
  }
}

function until(event: "connect" | "secureConnect", socket: Socket, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const settle = (finish: () => void) => {
      socket.off(event, succeed).off("error", fail).off("close", close);
      signal.removeEventListener("abort", abort);
      finish();
    };
    const succeed = () => settle(resolve);
    const fail = (error: Error) => settle(() => reject(error));
    const close = () => fail(Object.assign(new Error("The connection was closed."), { code: "ECONNRESET" }));
    const abort = () => {
      // The destroyed socket may still emit an error of the pending operation.
      socket.on("error", () => {});
      fail(new Error("The deadline has passed."));
    };
    socket.once(event, succeed).once("error", fail).once("close", close);
    signal.addEventListener("abort", abort, { once: true });
  });
}
