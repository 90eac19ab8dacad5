import { chmodSync, lstatSync, mkdirSync, unlinkSync } from "node:fs";
import { connect, createServer, type Server, type Socket } from "node:net";
import { dirname } from "node:path";
import type { Services } from "./commands/context.ts";
import { Cursors } from "./commands/cursors.ts";
import { RetryLog } from "./storage/retries.ts";
import type { Durability } from "./storage/sqlite.ts";
import { Store } from "./storage/store.ts";
import { Sessions } from "./storage/transactions.ts";
import { removeExpired, TTL_INTERVAL_MS } from "./storage/ttl.ts";
import { GuessLimit } from "./wire/authentication.ts";
import { Connection } from "./wire/connection.ts";
import { openAccess, STORE_USER } from "./wire/credentials.ts";
import { Monitor } from "./wire/monitor.ts";

export type StartOptions = {
  /** The data directory; the store's file is `store/millrace.db` in it. */
  dataDir: string;
  /**
   * Listens on a unix socket. Its path has to be lower case and under 107 bytes, because drivers lower-case hosts and
   * the kernel limits paths.
   */
  socketPath?: string;
  /** Listens on loopback TCP instead, for clients with the password; 0 takes a free port. */
  port?: number;
  /** "normal" survives kill -9, "full" also power loss. Default "normal". */
  durability?: Durability;
  /**
   * Maximum size of the file, in bytes; beyond it writes fail with OutOfDiskSpace. Default: limited by the disk only.
   */
  maxBytes?: number;
  /** Password of the user that clients on a port sign in as. Default: the stored one, or a new one. */
  password?: string;
  /** Interval between removals of expired documents, in ms. Default 60,000. */
  ttlIntervalMs?: number;
};

export type RunningStore = {
  /** URI for a MongoDB driver. It has no password when only the derived form is stored. */
  uri: string;
  /** The URI for display. It contains the password only when the password was created just now. */
  shownUri: string;
  /** For tests and tools in the same process. */
  services: Services;
  close: () => Promise<void>;
};

const MAX_SOCKET_PATH_BYTES = 106;
const LOOPBACK = "127.0.0.1";
/** Interval at which idle cursors and transactions over their time limit are ended, in ms. */
const SWEEP_MS = 1000;
/** Interval at which retry records of ended sessions are deleted, in ms. */
const FORGET_MS = 10 * 60 * 1000;
/** A socket without an answer within this time is stale, in ms. */
const PROBE_MS = 1000;

/**
 * Starts the store in this process.
 * @throws Error when the file is in use by another process, of a newer format, or the socket is taken
 */
export async function startStore(options: StartOptions): Promise<RunningStore> {
  const { socketPath, port } = options;
  if ((socketPath === undefined) === (port === undefined)) throw new Error("Set either a socket path or a port.");
  if (socketPath !== undefined) {
    checkSocketPath(socketPath);
    await clearSocket(socketPath);
  }
  const store = new Store({
    dataDir: options.dataDir,
    durability: options.durability ?? "normal",
    maxBytes: options.maxBytes,
  });
  try {
    // On a socket, the kernel restricts access to the owner.
    const access = port === undefined ? undefined : openAccess(options.dataDir, options.password);
    const cursors = new Cursors();
    const retries = new RetryLog(store);
    const services: Services = {
      store,
      cursors,
      retries,
      sessions: new Sessions(store, retries, cursors),
      monitor: new Monitor(),
      credentials: access?.credentials,
      guesses: new GuessLimit(),
      address: "",
      startedAt: new Date(),
    };
    const connections = new Set<Connection>();
    const server = createServer((socket: Socket) => {
      const connection = new Connection(socket, services);
      connections.add(connection);
      socket.on("close", () => connections.delete(connection));
    });
    await listen(server, socketPath, port);
    services.address = addressOf(server, socketPath);
    const timers = startTimers(services, options.ttlIntervalMs ?? TTL_INTERVAL_MS);
    const host = socketPath === undefined ? services.address : encodeURIComponent(socketPath);
    const uriWith = (password: string): string =>
      `mongodb://${access === undefined ? "" : `${STORE_USER}:${password}@`}${host}/?directConnection=true`;
    const hidden = uriWith("$STORE_PASSWORD");
    return {
      uri: access?.password === undefined ? hidden : uriWith(encodeURIComponent(access.password)),
      shownUri: access?.isNew === true ? uriWith(access.password ?? "") : hidden,
      services,
      close: closeOnce(services, server, connections, timers, socketPath),
    };
  } catch (error) {
    store.close();
    throw error;
  }
}

function checkSocketPath(path: string): void {
  if (path !== path.toLowerCase())
    throw new Error(`The socket path ${path} must be in lower case, because MongoDB drivers lower-case it.`);
  if (Buffer.byteLength(path) > MAX_SOCKET_PATH_BYTES) {
    throw new Error(
      `The socket path ${path} is too long: at most ${MAX_SOCKET_PATH_BYTES} bytes. Choose a shorter one.`,
    );
  }
}

/** Removes a stale socket file that no process listens on; never touches a live one. */
async function clearSocket(path: string): Promise<void> {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return;
  if (!stats.isSocket()) throw new Error(`${path} exists and is not a socket. Move it or choose another path.`);
  if (await isAlive(path))
    throw new Error(`The socket ${path} is in use by another process. Connect to it, or stop that process.`);
  unlinkSync(path);
}

function isAlive(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = connect(path);
    const finish = (alive: boolean): void => {
      probe.destroy();
      resolve(alive);
    };
    probe.setTimeout(PROBE_MS, () => finish(true));
    probe.once("connect", () => finish(true));
    probe.once("error", (error: NodeJS.ErrnoException) =>
      finish(error.code !== "ECONNREFUSED" && error.code !== "ENOENT"),
    );
  });
}

function listen(server: Server, socketPath: string | undefined, port: number | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    const done = (): void => {
      server.off("error", reject);
      if (socketPath !== undefined) chmodSync(socketPath, 0o600);
      resolve();
    };
    if (socketPath === undefined) server.listen({ host: LOOPBACK, port }, done);
    else server.listen(socketPath, done);
  });
}

function addressOf(server: Server, socketPath: string | undefined): string {
  if (socketPath !== undefined) return socketPath;
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The server has no address.");
  return `${LOOPBACK}:${address.port}`;
}

function startTimers(services: Services, ttlIntervalMs: number): NodeJS.Timeout[] {
  let isExpiring = false;
  const expire = (): void => {
    if (isExpiring) return;
    isExpiring = true;
    removeExpired(services.store, new Date())
      // Documents that cannot be removed now (full disk, shutdown) are retried in the next sweep.
      .catch(() => undefined)
      .finally(() => {
        isExpiring = false;
      });
  };
  const sweep = (): void => {
    services.cursors.sweep();
    services.sessions.sweep();
  };
  const timers = [
    setInterval(expire, ttlIntervalMs),
    setInterval(sweep, SWEEP_MS),
    setInterval(() => services.retries.sweep(), FORGET_MS),
  ];
  for (const timer of timers) timer.unref();
  return timers;
}

function closeOnce(
  services: Services,
  server: Server,
  connections: Set<Connection>,
  timers: NodeJS.Timeout[],
  socketPath: string | undefined,
): () => Promise<void> {
  let closing: Promise<void> | undefined;
  const close = async (): Promise<void> => {
    for (const timer of timers) clearInterval(timer);
    const stopped = new Promise<void>((resolve) => server.close(() => resolve()));
    for (const connection of connections) connection.destroy();
    await stopped;
    services.cursors.killOf(() => true);
    services.sessions.close();
    services.store.close();
    if (socketPath !== undefined && lstatSync(socketPath, { throwIfNoEntry: false })?.isSocket())
      unlinkSync(socketPath);
  };
  return () => {
    closing ??= close();
    return closing;
  };
}
