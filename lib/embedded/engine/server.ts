import { chmodSync, rmSync } from "node:fs";
import { createServer, type Server, type Socket } from "node:net";
import { version } from "@duckdb/node-api";
import type { Batch, Field } from "../../connections/data-source.ts";
import { QueueFullError, Semaphore } from "../../semaphore.ts";
import { readEntities } from "./catalog.ts";
import type { EngineDatabase } from "./database.ts";
import { StatementFailure, toFailure } from "./failures.ts";
import { REQUEST_BYTES_MAX, RESPONSE_BYTES_MAX, STATEMENT_QUEUE_MAX, STATEMENTS_AT_ONCE } from "./limits.ts";
import { runStatement } from "./run-statement.ts";
import {
  type EngineRequest,
  type EngineResponse,
  type ExecuteRequest,
  encodeFrame,
  FrameReader,
  sendFrame,
} from "./wire.ts";

const OWNER_ONLY = 0o600;

/** Serves one database to the processes of this user. A socket carries one request at a time; see wire.ts. */
export async function serve(database: EngineDatabase, socketPath: string): Promise<Server> {
  const places = new Semaphore(STATEMENTS_AT_ONCE, STATEMENT_QUEUE_MAX);
  const server = createServer((socket) => serveSocket(database, socket, places));
  // Whoever holds the file's lock is the only engine of this file, so a socket that is left over is nobody's.
  rmSync(socketPath, { force: true });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(socketPath, resolve);
  });
  chmodSync(socketPath, OWNER_ONLY);
  return server;
}

function serveSocket(database: EngineDatabase, socket: Socket, places: Semaphore): void {
  const frames = new FrameReader<EngineRequest>(REQUEST_BYTES_MAX);
  let current: AbortController | null = null;
  const leave = () => current?.abort(new StatementFailure("cancelled", "The client has left."));
  socket.on("error", () => socket.destroy());
  socket.on("end", leave);
  socket.on("close", leave);
  socket.on("data", (chunk) => {
    let requests: EngineRequest[];
    try {
      requests = frames.push(chunk);
    } catch {
      socket.destroy();
      return;
    }
    for (const request of requests) {
      // One at a time is the protocol: who breaks it is not our client.
      if (current) {
        socket.destroy();
        return;
      }
      const controller = new AbortController();
      current = controller;
      answer(database, socket, request, places, controller)
        .then((last) => {
          // Before the last frame leaves: the next request may come as soon as the client has it.
          current = null;
          return sendFrame(socket, encodeFrame(last, RESPONSE_BYTES_MAX));
        })
        .catch(() => socket.destroy());
    }
  });
}

/** Does what was asked and returns the last message of the answer. */
async function answer(
  database: EngineDatabase,
  socket: Socket,
  request: EngineRequest,
  places: Semaphore,
  controller: AbortController,
): Promise<EngineResponse> {
  try {
    if (request.type === "version") return { type: "version", version: version() };
    if (request.type === "entities") return { type: "entities", entities: await readEntities(database) };
    return await execute(database, socket, request, places, controller);
  } catch (error) {
    return { type: "failed", failure: toFailure(error, request.type === "execute" ? request.query : "") };
  }
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
  const timer = setTimeout(() => {
    controller.abort(new StatementFailure("timeout", `The query ran longer than ${request.timeoutMs} ms.`));
  }, request.timeoutMs);
  let leave: (() => void) | null = null;
  try {
    leave = await places.acquire(controller.signal);
    const { isCut } = await runStatement(database, request, sink, controller.signal);
    return { type: "end", isCut };
  } catch (error) {
    if (!(error instanceof QueueFullError)) throw error;
    throw new StatementFailure("unavailable", "Too many queries wait for this file. Try again in a moment.");
  } finally {
    leave?.();
    clearTimeout(timer);
  }
}
