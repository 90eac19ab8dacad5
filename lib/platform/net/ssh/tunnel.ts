import "server-only";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { Client } from "ssh2";
import { AppError } from "@/lib/platform/http/errors";
import { raceAbort } from "@/lib/platform/process/race-abort";
import { startDeadline } from "../deadline";
import type { Dialer } from "../dialer";
import { GuardedSocket } from "../guarded-socket";
import { type EgressPolicy, systemPolicy } from "../policy";
import {
  changedHostKey,
  noSsh,
  notForwarded,
  sshSignInFailed,
  toTunnelFailure,
  tunnelClosed,
  unknownHostKey,
} from "./failures";
import { type Fingerprint, fingerprintOf, isSameFingerprint } from "./host-key";
import { checkForwarded } from "./judge-forwarded";
import { TunnelSocket } from "./tunnel-socket";

/**
 * Timeout from the look-up of the name to the end of the sign-in, in ms. Drivers allow as much for a whole connection.
 */
const OPEN_TIMEOUT_MS = 9000;
/** Timeout for a connection within the tunnel, in ms. A server that can reach the database answers at once. */
const CHANNEL_TIMEOUT_MS = 9000;
/**
 * Keep-alive interval, in ms. A tunnel that misses three of these is closed, so that a silently broken connection does
 * not block queries.
 */
const KEEP_ALIVE_MS = 5000;
const KEEP_ALIVES_MAX = 3;

export type SshTarget = {
  host: string;
  port: number;
  user: string;
  /** Exactly one of the two is set. */
  password: string | null;
  privateKey: string | null;
  /** The server's trusted key; null while it is unknown, and then nothing is sent to the server. */
  hostKey: Fingerprint | null;
};

type Opened = { client: Client; line: GuardedSocket; peer: string };

/**
 * A tunnel to databases through an SSH server, which is dialled through the egress proxy. It is opened on first use,
 * shared by all its connections, and reopened after it has failed. Closing it closes them all.
 */
export class SshTunnel implements Dialer {
  readonly isTunnel = true;
  readonly #target: SshTarget;
  readonly #policy: EgressPolicy;
  readonly #sockets = new Set<TunnelSocket>();
  #opened: Promise<Opened> | null = null;
  #isClosed = false;
  #failure: AppError | null = null;
  /** Number of sockets that keep the process alive, and the SSH connection with it. */
  #refs = 0;

  constructor(target: SshTarget, policy: EgressPolicy = systemPolicy()) {
    this.#target = target;
    this.#policy = policy;
  }

  socket(): Socket {
    const socket = new TunnelSocket(
      (endpoint, signal) => this.#dial(endpoint, signal),
      (isRef) => this.#count(isRef),
    );
    this.#sockets.add(socket);
    socket.once("close", () => this.#sockets.delete(socket));
    return socket as unknown as Socket;
  }

  /**
   * Waits until the tunnel is open. Libraries that dial themselves do not report why it is not.
   * @throws AppError as `socket` does; the signal's reason
   */
  async ready(signal: AbortSignal): Promise<void> {
    if (this.#isClosed) throw tunnelClosed();
    await raceAbort(this.#open(), signal);
  }

  /** Failure of the last connection within the tunnel; null when it succeeded. */
  get failure(): AppError | null {
    return this.#failure;
  }

  /** Closes the tunnel and all connections through it. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const socket of this.#sockets) socket.destroy();
    const opened = await this.#opened?.catch(() => null);
    this.#opened = null;
    if (!opened) return;
    opened.client.end();
    opened.line.destroy();
  }

  async #dial(endpoint: { host: string; port: number }, signal: AbortSignal): Promise<Duplex> {
    try {
      const channel = await this.#openChannel(endpoint, signal);
      this.#failure = null;
      return channel;
    } catch (error) {
      if (error instanceof AppError) this.#failure = error;
      throw error;
    }
  }

  async #openChannel(endpoint: { host: string; port: number }, signal: AbortSignal): Promise<Duplex> {
    if (this.#isClosed) throw tunnelClosed();
    // Targets that are always refused are rejected before the tunnel is opened.
    await checkForwarded({ ...endpoint, tunnel: null }, this.#policy);
    const { client, line, peer } = await this.#open();
    const target = await checkForwarded({ ...endpoint, tunnel: peer }, this.#policy);
    signal.throwIfAborted();
    return openChannel(client, line, target, signal);
  }

  #open(): Promise<Opened> {
    if (this.#opened) return this.#opened;
    const opening = openTunnel(this.#target, this.#policy);
    this.#opened = opening;
    const forget = () => {
      if (this.#opened === opening) this.#opened = null;
    };
    opening.then(({ client, line }) => {
      if (this.#refs === 0) line.unref();
      client.once("close", () => {
        forget();
        // The library notifies its open channels. Sockets whose channel it has dropped would otherwise wait forever.
        for (const socket of this.#sockets) if (!socket.connecting) socket.destroy(tunnelClosed());
      });
    }, forget);
    return opening;
  }

  #count(isRef: boolean): void {
    this.#refs += isRef ? 1 : -1;
    const refs = this.#refs;
    void this.#opened?.then(
      ({ line }) => {
        if (refs > 0 && this.#refs > 0) line.ref();
        else if (this.#refs === 0) line.unref();
      },
      () => {},
    );
  }
}

async function openTunnel(target: SshTarget, policy: EgressPolicy): Promise<Opened> {
  const { default: library } = await import("ssh2");
  const deadline = startDeadline(OPEN_TIMEOUT_MS);
  const line = new GuardedSocket("database", policy);
  // Every connection that is being opened in the tunnel listens for its close.
  line.setMaxListeners(0);
  const client = new library.Client();
  let refusal: AppError | null = null;
  let isGreeted = false;
  try {
    await connected(line, target, deadline.signal);
    const peer = line.remoteAddress ?? "";
    await new Promise<void>((resolve, reject) => {
      const onAbort = () => reject(deadline.reason());
      deadline.signal.addEventListener("abort", onAbort, { once: true });
      client.once("ready", resolve);
      client.once("error", reject);
      client.once("close", () => reject(noSsh(undefined)));
      client.on("handshake", () => {
        isGreeted = true;
      });
      client.on("keyboard-interactive", (_name, _words, _language, prompts: { echo?: boolean }[], answer) => {
        // Servers that ask for the password in this way use one prompt without echo.
        const isPassword = prompts.length === 1 && prompts[0]?.echo !== true;
        answer(isPassword && target.password !== null ? [target.password] : []);
      });
      client.connect({
        sock: line,
        username: target.user,
        ...(target.password !== null && { password: target.password, tryKeyboard: true }),
        ...(target.privateKey !== null && { privateKey: target.privateKey }),
        authHandler: target.privateKey === null ? ["password", "keyboard-interactive"] : ["publickey"],
        readyTimeout: OPEN_TIMEOUT_MS,
        keepaliveInterval: KEEP_ALIVE_MS,
        keepaliveCountMax: KEEP_ALIVES_MAX,
        // Signatures with SHA-1 are insecure.
        algorithms: { serverHostKey: { remove: ["ssh-rsa"] } },
        ident: "millrace",
        hostVerifier: (key) => {
          const found = fingerprintOf(key);
          if (target.hostKey === null) refusal = unknownHostKey(found);
          else if (!isSameFingerprint(found, target.hostKey)) refusal = changedHostKey(found);
          return refusal === null;
        },
      });
    });
    client.on("error", () => {});
    return { client, line, peer };
  } catch (error) {
    client.on("error", () => {});
    line.on("error", () => {});
    client.destroy();
    line.destroy();
    if (refusal) throw refusal;
    if (deadline.signal.aborted) throw toTunnelFailure(deadline.reason());
    throw toOpenFailure(error, isGreeted);
  }
}

/** Connects an egress-checked socket to the SSH server itself. */
function connected(line: GuardedSocket, { host, port }: SshTarget, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
    line.once("error", (error) => reject(toTunnelFailure(error)));
    line.once("close", () => reject(toTunnelFailure(Object.assign(new Error("closed"), { code: "ECONNRESET" }))));
    line.once("connect", resolve);
    line.connect({ host, port });
  });
}

/** Maps the library's error by the level at which it failed. */
function toOpenFailure(error: unknown, isGreeted: boolean): AppError {
  if (error instanceof AppError) return error;
  const level = error instanceof Error && "level" in error ? error.level : null;
  if (level === "client-authentication") return sshSignInFailed(error);
  if (level === "client-socket") return toTunnelFailure(error);
  return isGreeted ? tunnelClosed(error) : noSsh(error);
}

function openChannel(
  client: Client,
  line: GuardedSocket,
  { host, port }: { host: string; port: number },
  signal: AbortSignal,
): Promise<Duplex> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => fail(notForwarded(new Error("The peer does not respond."))), CHANNEL_TIMEOUT_MS);
    let isOver = false;
    const settle = (finish: () => void) => {
      if (isOver) return;
      isOver = true;
      clearTimeout(timer);
      signal.removeEventListener("abort", onAbort);
      line.off("close", onClose);
      finish();
    };
    const fail = (error: unknown) => settle(() => reject(error));
    const onAbort = () => fail(signal.reason);
    const onClose = () => fail(tunnelClosed());
    signal.addEventListener("abort", onAbort, { once: true });
    line.once("close", onClose);
    try {
      // The source address of the connection is not disclosed; no known server checks it.
      client.forwardOut("127.0.0.1", 0, host, port, (error, channel) => {
        if (error) return fail(notForwarded(error));
        if (isOver) {
          channel.on("error", () => {});
          channel.destroy();
          return;
        }
        settle(() => resolve(channel));
      });
    } catch (error) {
      fail(tunnelClosed(error));
    }
  });
}
