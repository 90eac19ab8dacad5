import type { Socket } from "node:net";
import { REQUEST_BYTES_MAX, RESPONSE_BYTES_MAX } from "../limits.ts";
import type { Answerable } from "../request-server.ts";
import type { EngineFailure, EngineRequest, EngineResponse } from "../wire.ts";
import { encodeFrame, FrameReader, parseRequest, sendFrame } from "../wire.ts";
import { readEntities } from "./catalog.ts";
import { isUnfinishedJournal, toSqliteFailure } from "./failures.ts";
import { openSqlite } from "./open.ts";
import { findSqliteFault } from "./parse.ts";
import { runSqlite } from "./statement.ts";
import { runSqliteTransaction } from "./transaction.ts";
import { endWithStarter } from "./watchdog.ts";

/**
 * Runs statements of one file, one at a time, from standard input to standard output, as frames of wire.ts. A statement
 * that hangs inside SQLite cannot be interrupted, so the engine kills the runner; SQLite's journal makes that safe.
 * @param isManual runs the statements of one session, which may control transactions
 */
export function runRunner(file: string, readOnly: boolean, isManual: boolean): void {
  endWithStarter();
  let opened = openSqlite(file, readOnly, isManual);
  const frames = new FrameReader<EngineRequest>(REQUEST_BYTES_MAX, parseRequest);
  const output = process.stdout as unknown as Socket;
  const send = (response: EngineResponse) => sendFrame(output, encodeFrame(response, RESPONSE_BYTES_MAX));
  let isStopped = false;
  const work = async (request: Exclude<Answerable, { type: "version" | "parse" }>): Promise<EngineResponse> => {
    if (request.type === "entities") return { type: "entities", entities: readEntities(opened.database) };
    if (request.type === "session") {
      return { type: "session", state: opened.database.isTransaction ? "in_transaction" : "idle" };
    }
    if (request.type === "transact") {
      runSqliteTransaction(opened, request);
      return { type: "transact" };
    }
    if (request.type !== "execute") throw new Error(`The engine of SQLite has no ${request.type}.`);
    const ending = await runSqlite(opened, request, {
      fields: (fields) => send({ type: "fields", fields }),
      batch: async (batch) => {
        await send({ type: "batch", batch });
        // Yields to the event loop once, so that a stop request can arrive.
        await new Promise((resolve) => setImmediate(resolve));
        return !isStopped;
      },
    });
    return { type: "end", ...ending };
  };
  /**
   * Retries a read after a hot journal of a killed writer. A reader may not roll the journal back, so another process
   * does.
   */
  const recovering = async <T>(read: () => Promise<T>): Promise<T> => {
    try {
      return await read();
    } catch (error) {
      // The error comes with the first row, so nothing has been sent.
      if (!isUnfinishedJournal(error)) throw error;
      openSqlite(file, false).database.close();
      return await read();
    }
  };
  const answer = async (request: Answerable): Promise<EngineResponse> => {
    try {
      if (request.type === "version") {
        const row = opened.database.prepare("select sqlite_version() as version").get();
        return { type: "version", version: String(row?.version) };
      }
      if (request.type === "parse") return { type: "parse", fault: findSqliteFault(request.text) };
      return await (isManual ? work(request) : recovering(() => work(request)));
    } catch (error) {
      const failure: EngineFailure = toSqliteFailure(error, request.type === "execute" ? request.query : "");
      return { type: "failed", failure };
    } finally {
      // Temporary objects belong to one statement, like everything else in its session.
      if (opened.authorizer.leavesTraces) {
        opened.database.close();
        opened = openSqlite(file, readOnly);
      }
    }
  };
  process.stdin.on("data", (chunk: Buffer) => {
    for (const request of frames.push(chunk)) {
      if (request.type === "stop") isStopped = true;
      else {
        isStopped = false;
        void answer(request).then(send);
      }
    }
  });
  process.stdin.on("end", () => process.exit(0));
  process.on("SIGTERM", () => process.exit(0));
  process.on("SIGINT", () => {});
}
