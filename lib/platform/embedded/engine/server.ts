import type { Server, Socket } from "node:net";
import { version } from "@duckdb/node-api";
import type { Batch, Field } from "../../../base/values/fields.ts";
import { QueueFullError, Semaphore } from "../../process/semaphore.ts";
import { readEntities } from "./catalog.ts";
import type { EngineDatabase } from "./database.ts";
import { StatementFailure, toFailure } from "./failures.ts";
import type { KillSwitch } from "./kill-switch.ts";
import { RESPONSE_BYTES_MAX, STATEMENT_QUEUE_MAX, STATEMENTS_AT_ONCE } from "./limits.ts";
import { findFault } from "./parse.ts";
import { type Answerable, type Asked, serveRequests } from "./request-server.ts";
import { dropTable, freeBytesOf, runImport } from "./run-import.ts";
import { type EngineSession, readState, runManually, runStatement } from "./run-statement.ts";
import { runTransaction } from "./run-transaction.ts";
import { type EngineResponse, type ExecuteRequest, encodeFrame, sendFrame } from "./wire.ts";

/** Serves one database to the processes of this user. */
export function serve(database: EngineDatabase, socketPath: string, killSwitch: KillSwitch): Promise<Server> {
  const places = new Semaphore(STATEMENTS_AT_ONCE, STATEMENT_QUEUE_MAX);
  // DuckDB does not wait: of two transactions that change one table, one fails. Of two that replace no rows, it keeps
  // both.
  const loads = new Semaphore(1, STATEMENT_QUEUE_MAX);
  const sessions = new WeakMap<Socket, HeldSession>();
  return serveRequests(socketPath, async (request, socket, asked) =>
    encodeFrame(
      await answer(database, socket, request, { places, loads, killSwitch, sessions }, asked),
      RESPONSE_BYTES_MAX,
    ),
  );
}

/** A session of a socket. Its connection is in use until `turn` ends. */
type HeldSession = EngineSession & { turn: Promise<unknown> };
type Means = {
  places: Semaphore;
  loads: Semaphore;
  killSwitch: KillSwitch;
  sessions: WeakMap<Socket, HeldSession>;
};

/** Handles a request and returns the last message of the answer. */
async function answer(
  database: EngineDatabase,
  socket: Socket,
  request: Answerable,
  means: Means,
  controller: Asked,
): Promise<EngineResponse> {
  try {
    return await means.killSwitch.guard(controller, () => work(database, socket, request, means, controller));
  } catch (error) {
    return { type: "failed", failure: toFailure(error, request.type === "execute" ? request.query : "") };
  }
}

async function work(
  database: EngineDatabase,
  socket: Socket,
  request: Answerable,
  { places, loads, sessions }: Means,
  controller: Asked,
): Promise<EngineResponse> {
  if (request.type === "version") return { type: "version", version: version() };
  if (request.type === "parse") return { type: "parse", fault: await findFault(database, request) };
  if (request.type === "entities") return { type: "entities", entities: await readEntities(database) };
  if (request.type === "transact") {
    await within(request.timeoutMs, loads, controller, () => runTransaction(database, request, controller.signal));
    return { type: "transact" };
  }
  if (request.type === "import") {
    const done = await within(request.timeoutMs, loads, controller, () =>
      runImport(database, request, controller.signal),
    );
    return { type: "import", ...done };
  }
  if (request.type === "drop") {
    await within(request.timeoutMs, loads, controller, () => dropTable(database, request.table));
    return { type: "drop" };
  }
  if (request.type === "space") return { type: "space", freeBytes: await freeBytesOf(database) };
  if (request.type === "session") {
    const session = sessions.get(socket) ?? (await openSession(database, socket, request.readOnly, sessions));
    const state = readState(session.connection);
    session.turn = state;
    return { type: "session", state: await state };
  }
  return execute(database, socket, request, { places, session: sessions.get(socket) }, controller);
}

async function execute(
  database: EngineDatabase,
  socket: Socket,
  request: ExecuteRequest,
  { places, session }: { places: Semaphore; session: HeldSession | undefined },
  controller: Asked,
): Promise<EngineResponse> {
  const send = (response: EngineResponse) => sendFrame(socket, encodeFrame(response, RESPONSE_BYTES_MAX));
  const sink = {
    enough: controller.enough,
    fields: (fields: Field[]) => send({ type: "fields", fields }),
    batch: (batch: Batch) => send({ type: "batch", batch }),
  };
  const ending = await within(request.timeoutMs, places, controller, () => {
    if (!session) return runStatement(database, request, sink, controller.signal);
    const work = runManually(database, session, request, sink, controller.signal);
    session.turn = work.catch(() => {});
    return work;
  });
  return { type: "end", ...ending };
}

async function openSession(
  database: EngineDatabase,
  socket: Socket,
  readOnly: boolean,
  sessions: Means["sessions"],
): Promise<HeldSession> {
  const session: HeldSession = { connection: await database.connect(), readOnly, turn: Promise.resolve() };
  sessions.set(socket, session);
  // Closing rolls back. A running statement is interrupted when its client disconnects.
  const close = () => void session.turn.then(() => session.connection.closeSync());
  if (socket.destroyed) close();
  else socket.once("close", close);
  return session;
}

/** Runs work in a free slot and aborts it at its time limit. */
async function within<T>(
  timeoutMs: number,
  places: Semaphore,
  controller: AbortController,
  work: () => Promise<T>,
): Promise<T> {
  const timer = setTimeout(() => {
    controller.abort(new StatementFailure("timeout", `The query timed out after ${timeoutMs} ms.`));
  }, timeoutMs);
  let leave: (() => void) | null = null;
  try {
    leave = await places.acquire(controller.signal);
    return await work();
  } catch (error) {
    if (!(error instanceof QueueFullError)) throw error;
    throw new StatementFailure("unavailable", "Too many queries are waiting for this file. Try again in a moment.");
  } finally {
    leave?.();
    clearTimeout(timer);
  }
}
