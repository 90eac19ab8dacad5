import { subscribe } from "node:diagnostics_channel";
import type { Server, ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { closeServerContext, serverMember } from "./server-context.ts";

/** Maximum time from the signal to the exit, in ms (F14); platforms kill after 30 s. */
export const SHUTDOWN_TIMEOUT_MS = 25_000;
/** Time in which streams send their last event and jobs release their leases, in ms. */
const CALLBACKS_TIMEOUT_MS = 3000;
/**
 * Time for which the server still accepts connections after its health check fails, in ms. Each answer closes its
 * connection, so that balancers and keep-alive clients leave and no request is refused.
 */
const DRAIN_MS = 1000;
/**
 * Maximum time for running requests, in ms; the rest of the time belongs to the callbacks, the drain and the children.
 */
const REQUESTS_TIMEOUT_MS = 13_000;
/** Time for the last requests' writes, in ms; the children that store them are stopped afterwards. */
const LAST_WRITES_TIMEOUT_MS = 2000;
const POLL_MS = 20;

export type ShutdownState = {
  isInstalled: boolean;
  isShuttingDown: boolean;
  callbacks: Set<() => void | Promise<void>>;
  lastWrites: Set<() => void | Promise<void>>;
  running: Set<ServerResponse>;
  server: Server | null;
};

/**
 * Registers work for when the server stops: a stream sends its last event and ends, a job releases its lease. Called at
 * once if the server is already stopping. Not for children: they are stopped afterwards.
 * @returns a function that unregisters; call it when the stream has ended normally
 */
export function onShutdown(callback: () => void | Promise<void>): () => void {
  const state = shutdownState();
  if (state.isShuttingDown) {
    runCallback(callback);
    return () => {};
  }
  state.callbacks.add(callback);
  return () => state.callbacks.delete(callback);
}

/**
 * Registers a write for after the last request, while the database is still available: it stores data gathered in
 * memory.
 * @returns a function that unregisters
 */
export function afterRequests(write: () => void | Promise<void>): () => void {
  const { lastWrites } = shutdownState();
  lastWrites.add(write);
  return () => lastWrites.delete(write);
}

/** Returns true once the signal arrived: health fails, and no long work should start. */
export function isShuttingDown(): boolean {
  return shutdownState().isShuttingDown;
}

type ShutdownOptions = {
  /** Port of the public server; other listeners of this process are left alone. */
  port: number;
  exit?: (code: number) => void;
};

/**
 * Handles SIGTERM, SIGINT and the end of the parent process: health fails, streams are closed with an event, running
 * requests are finished, children are stopped, exit 0. A second call does nothing.
 */
export function installShutdown({ port, exit = (code) => process.exit(code) }: ShutdownOptions): void {
  const state = shutdownState();
  if (state.isInstalled) return;
  state.isInstalled = true;
  // The framework does not expose its server: the first request does.
  subscribe("http.server.request.start", (message) => {
    const { server, response } = message as { server: Server; response: ServerResponse };
    const address = server.address();
    if (address !== null && (typeof address === "string" || address.port !== port)) return;
    state.server = server;
    state.running.add(response);
    response.once("close", () => state.running.delete(response));
    if (state.isShuttingDown) response.setHeader("Connection", "close");
  });
  const stop = () => {
    if (state.isShuttingDown) return;
    state.isShuttingDown = true;
    setTimeout(() => exit(0), SHUTDOWN_TIMEOUT_MS);
    void shutDown(state).finally(() => exit(0));
  };
  process.on("SIGTERM", stop);
  process.on("SIGINT", stop);
  process.on("disconnect", stop);
}

async function shutDown(state: ShutdownState): Promise<void> {
  for (const response of state.running) if (!response.headersSent) response.setHeader("Connection", "close");
  await Promise.race([Promise.all([...state.callbacks].map(runCallback)), sleep(CALLBACKS_TIMEOUT_MS)]);
  if (state.server) await closeServer(state.server, state);
  await Promise.race([Promise.all([...state.lastWrites].map(runCallback)), sleep(LAST_WRITES_TIMEOUT_MS)]);
  await closeServerContext(reportError);
}

async function closeServer(server: Server, state: ShutdownState): Promise<void> {
  const drainUntil = performance.now() + DRAIN_MS;
  while (performance.now() < drainUntil && (await connectionCount(server)) > 0) await sleep(POLL_MS);
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  const requestsUntil = performance.now() + REQUESTS_TIMEOUT_MS;
  while (performance.now() < requestsUntil && state.running.size > 0) {
    server.closeIdleConnections();
    await sleep(POLL_MS);
  }
  server.closeAllConnections();
  await closed;
}

function connectionCount(server: Server): Promise<number> {
  return new Promise((resolve) => server.getConnections((error, count) => resolve(error ? 0 : count)));
}

async function runCallback(callback: () => void | Promise<void>): Promise<void> {
  try {
    await callback();
  } catch (error) {
    reportError(error);
  }
}

function reportError(error: unknown): void {
  process.stderr.write(`While stopping: ${error instanceof Error ? error.message : String(error)}\n`);
}

const shutdownState = serverMember("shutdown", () => ({
  isInstalled: false,
  isShuttingDown: false,
  callbacks: new Set(),
  lastWrites: new Set(),
  running: new Set(),
  server: null,
}));
