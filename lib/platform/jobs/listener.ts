import "server-only";
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { log } from "@/lib/platform/log";
import { denyEndpoint } from "@/lib/platform/net/own-endpoints";
import { isSameSignature } from "@/lib/platform/secrets/signing-secret";
import { collections } from "./collections";
import { EventsRefused, toEventDocs } from "./events";
import type { Executor } from "./executor";
import { EVENTS_BYTES_MAX } from "./limits";
import type { RunnerKeys } from "./runner";
import { Runs } from "./runs";
import { hashSigningKey } from "./signature";

const LOOPBACK = "127.0.0.1";
const SEED_HEADER = "x-inngest-event-id-seed";

export type Listener = { url: string; close: () => Promise<void> };

class Refused extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

/**
 * Starts the job runner's API that this process's SDK expects: it accepts events, and returns the state of runs that is
 * too large for a call. It listens on a separate loopback port and requires the keys.
 */
export async function startListener(executor: Executor, keys: RunnerKeys): Promise<Listener> {
  const server = createServer((request, response) => void serve(executor, keys, request, response));
  server.listen(0, LOOPBACK);
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const allowAgain = denyEndpoint({ host: LOOPBACK, port });
  return {
    url: `http://${LOOPBACK}:${port}`,
    close: async () => {
      await close(server);
      allowAgain();
    },
  };
}

async function close(server: Server): Promise<void> {
  const closed = once(server, "close");
  server.close();
  server.closeIdleConnections();
  server.closeAllConnections();
  await closed;
}

async function serve(
  executor: Executor,
  keys: RunnerKeys,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  try {
    answer(response, 200, await route(executor, keys, request));
  } catch (error) {
    if (!(error instanceof Refused) && !(error instanceof EventsRefused)) {
      // The SDK retries.
      log.error({ err: error }, "failed to receive events");
    }
    const status = error instanceof Refused || error instanceof EventsRefused ? error.status : 503;
    const message = status === 503 ? "Couldn't store the events." : (error as Error).message;
    answer(response, status, { ids: [], status, error: message });
  }
}

async function route(executor: Executor, keys: RunnerKeys, request: IncomingMessage): Promise<unknown> {
  const { pathname } = new URL(request.url ?? "/", `http://${LOOPBACK}`);
  const [, eventKey] = /^\/e\/([^/]+)$/.exec(pathname) ?? [];
  if (request.method === "POST" && eventKey !== undefined) {
    if (!isSameSignature(decodeURIComponent(eventKey), keys.eventKey)) throw new Refused(401, "Event key not found");
    return takeEvents(executor, request);
  }
  const [, runId, part] = /^\/v0\/runs\/(\w+)\/(batch|actions)$/.exec(pathname) ?? [];
  if (request.method === "GET" && runId !== undefined) {
    const expected = `Bearer ${hashSigningKey(keys.signingKey)}`;
    if (!isSameSignature(request.headers.authorization ?? "", expected)) throw new Refused(401, "Unauthorized");
    return stateOf(runId, part === "batch");
  }
  throw new Refused(404, "Not found");
}

async function takeEvents(executor: Executor, request: IncomingMessage): Promise<unknown> {
  const seed = request.headers[SEED_HEADER];
  const docs = toEventDocs(
    parse(await readBody(request)),
    typeof seed === "string" ? seed : null,
    executor.id,
    executor.clock.now(),
  );
  await executor.accept(docs);
  return { ids: docs.map((doc) => doc._id), status: 200 };
}

async function stateOf(runId: string, isBatch: boolean): Promise<unknown> {
  const run = await collections.jobRuns().findOne({ _id: runId, status: "active" });
  if (!run) throw new Refused(404, "Run not found");
  return isBatch ? [JSON.parse(run.payload)] : Runs.stepsOf(run);
}

async function readBody(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of request) {
    bytes += (part as Buffer).length;
    if (bytes > EVENTS_BYTES_MAX) throw new Refused(413, `Requests are limited to ${EVENTS_BYTES_MAX} bytes.`);
    parts.push(part as Buffer);
  }
  return Buffer.concat(parts).toString("utf8");
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Refused(400, "The events are not valid JSON.");
  }
}

function answer(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { "Content-Type": "application/json" }).end(JSON.stringify(body));
}
