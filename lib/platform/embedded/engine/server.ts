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
import { serveRequests } from "./request-server.ts";
import { runStatement } from "./run-statement.ts";
import { runTransaction } from "./run-transaction.ts";
import { type EngineRequest, type EngineResponse, type ExecuteRequest, encodeFrame, sendFrame } from "./wire.ts";

/** Serves one database to the processes of this user. */
export function serve(database: EngineDatabase, socketPath: string, killSwitch: KillSwitch): Promise<Server> {
  const places = new Semaphore(STATEMENTS_AT_ONCE, STATEMENT_QUEUE_MAX);
  // DuckDB does not wait: of two transactions that change one table, one fails. Of two that replace no rows, it keeps
  // both.
  const loads = new Semaphore(1, STATEMENT_QUEUE_MAX);
  return serveRequests(socketPath, async (request, socket, left) =>
    encodeFrame(await answer(database, socket, request, { places, loads, killSwitch }, left), RESPONSE_BYTES_MAX),
  );
}

type Means = { places: Semaphore; loads: Semaphore; killSwitch: KillSwitch };

/** Handles a request and returns the last message of the answer. */
async function answer(
  database: EngineDatabase,
  socket: Socket,
  request: EngineRequest,
  means: Means,
  controller: AbortController,
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
  request: EngineRequest,
  { places, loads }: Means,
  controller: AbortController,
): Promise<EngineResponse> {
  if (request.type === "version") return { type: "version", version: version() };
  if (request.type === "parse") return { type: "parse", fault: await findFault(database, request) };
  if (request.type === "entities") return { type: "entities", entities: await readEntities(database) };
  if (request.type === "transact") {
    await within(request.timeoutMs, loads, controller, () => runTransaction(database, request, controller.signal));
    return { type: "transact" };
  }
  return execute(database, socket, request, places, controller);
}

async function execute(
  database: EngineDatabase,
  socket: Socket,
  request: ExecuteRequest,
  places: Semaphore,
  controller: AbortController,
): Promise<EngineResponse> {
  const send = (response: EngineResponse) => sendFrame(socket, encodeFrame(response, RESPONSE_BYTES_MAX));
  const sink = {
    fields: (fields: Field[]) => send({ type: "fields", fields }),
    batch: (batch: Batch) => send({ type: "batch", batch }),
  };
  const ending = await within(request.timeoutMs, places, controller, () =>
    runStatement(database, request, sink, controller.signal),
  );
  return { type: "end", ...ending };
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
