import { subscribe } from "node:diagnostics_channel";
import type { Server, ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { stopServices } from "./service.ts";
import { sharedState } from "./shared-state.ts";

/** From the signal to the exit (F14); platforms kill after 30 s. */
export const SHUTDOWN_TIMEOUT_MS = 25_000;
/** Streams say goodbye and jobs give back their leases within this. */
const CALLBACKS_TIMEOUT_MS = 3000;
/**
 * How long the server still accepts after its health turned red. Each answer closes its connection meanwhile, so that
 * balancers and keep-alive clients leave by themselves and no request meets a closed door.
 */
const DRAIN_MS = 1000;
/** What running requests are given; the rest of the time belongs to the callbacks, the drain and the children. */
const REQUESTS_TIMEOUT_MS = 13_000;
/** What the last requests have left to be written; the children that write it are stopped behind it. */
const LAST_WRITES_TIMEOUT_MS = 2000;
const POLL_MS = 20;

type ShutdownState = {
  isInstalled: boolean;
  isShuttingDown: boolean;
  callbacks: Set<() => void | Promise<void>>;
  lastWrites: Set<() => void | Promise<void>>;
  running: Set<ServerResponse>;
  server: Server | null;
};

/**
 * Registers what has to happen when the server is asked to stop: a stream sends its last event and ends, a job gives
 * back its lease. Called at once when the server is stopping already. Not for children: they are stopped afterwards.
 * @returns takes the registration back; call it when the stream has ended by itself
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
 * Registers what has to happen when the last request is over and the store is still there: what was gathered in memory
 * is written.
 * @returns takes the registration back
 */
export function afterRequests(write: () => void | Promise<void>): () => void {
  const { lastWrites } = shutdownState();
  lastWrites.add(write);
  return () => lastWrites.delete(write);
}

/** True from the signal on: health is red, nothing long should begin. */
export function isShuttingDown(): boolean {
  return shutdownState().isShuttingDown;
}

type ShutdownOptions = {
  /** Of the public server; other listeners of this process are left alone. */
  port: number;
  exit?: (code: number) => void;
};

/**
 * Handles SIGTERM, SIGINT and the end of the process that started this one: health red, streams closed with an event,
 * running requests finished, children stopped, exit 0. Does nothing the second time.
 */
export function installShutdown({ port, exit = (code) => process.exit(code) }: ShutdownOptions): void {
  const state = shutdownState();
  if (state.isInstalled) return;
  state.isInstalled = true;
  // The framework keeps its server to itself: the first request gives it away.
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
  await stopServices();
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
    process.stderr.write(`While stopping: ${error instanceof Error ? error.message : String(error)}\n`);
  }
}

function shutdownState(): ShutdownState {
  return sharedState("shutdown", () => ({
    isInstalled: false,
    isShuttingDown: false,
    callbacks: new Set(),
    lastWrites: new Set(),
    running: new Set(),
    server: null,
  }));
}
