import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { InngestFunction } from "inngest";
import { inngest } from "@/inngest/client";
import { connectRunner } from "@/inngest/connect-runner";
import { type JobsHandler, serveFunctions } from "@/inngest/serve";
import { env } from "@/lib/platform/env";
import { Application } from "@/lib/platform/jobs/call";
import { StoreClock } from "@/lib/platform/jobs/clock";
import { collections } from "@/lib/platform/jobs/collections";
import { Executor } from "@/lib/platform/jobs/executor";
import { startListener } from "@/lib/platform/jobs/listener";
import type { RunDoc } from "@/lib/platform/jobs/model";
import { isEmbeddedRunner, runnerKeys, setListenerUrl } from "@/lib/platform/jobs/runner";
import { sign } from "@/lib/platform/jobs/signature";

const ENDPOINT = "/api/inngest";
const CALLS_MAX = 50;
const POLL_MS = 10;
const SETTLED_TIMEOUT_MS = 25_000;
const STOP_TIMEOUT_MS = 2000;

type Options = {
  /** Pause before another attempt, in ms; default 0. */
  backoffMs?: number;
  leaseMs?: number;
};

export type JobServer = {
  /** URL of the endpoint that the runner calls. */
  url: string;
  /** Null with an external runner. */
  executor: Executor | null;
  send: typeof inngest.send;
  /** Waits until nothing is runnable: the remaining runs sleep, wait for an event, or have ended. */
  settled: () => Promise<void>;
  /** Returns all runs of a function, oldest first, with their result or error. */
  runsOf: (functionId: string) => Promise<{ id: string; status: RunDoc["status"]; outcome: unknown }[]>;
  /** Advances time for the executor alone: sleeps end, timers fire, retries start. */
  advance: (ms: number) => void;
  stop: () => Promise<void>;
};

/** The store's time, advanced by a test. */
class MovedClock extends StoreClock {
  movedMs = 0;

  override ms(): number {
    return super.ms() + this.movedMs;
  }
}

/**
 * Serves functions in this process and runs them: with the embedded executor and all state in the test's own database,
 * or with the Inngest server at INNGEST_BASE_URL. Call it after `takeOwnDatabase`.
 */
export async function startJobServer(
  functions: readonly InngestFunction.Any[],
  { backoffMs = 0, leaseMs }: Options = {},
): Promise<JobServer> {
  connectRunner();
  const handler = serveFunctions(functions);
  const server = createServer((request, response) => void pass(handler, request, response));
  server.listen(isEmbeddedRunner() ? 0 : env().PORT, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}${ENDPOINT}`;
  const base = { url, send: inngest.send.bind(inngest), settled, runsOf };
  if (!isEmbeddedRunner()) {
    await registerWith(url);
    return { ...base, executor: null, advance: () => {}, stop: () => closeServer(server) };
  }

  const keys = runnerKeys();
  const clock = new MovedClock();
  const executor = new Executor({
    application: new Application(new URL(url), keys.signingKey, CALLS_MAX),
    backoff: () => backoffMs,
    clock,
    ...(leaseMs !== undefined && { leaseMs }),
  });
  const listener = await startListener(executor, keys);
  setListenerUrl(listener.url);
  executor.start();
  await until(async () => isWorking(executor));
  return {
    ...base,
    executor,
    advance: (ms) => {
      clock.movedMs += ms;
      executor.look();
    },
    stop: async () => {
      await executor.stop(STOP_TIMEOUT_MS);
      await listener.close();
      setListenerUrl(null);
      await closeServer(server);
    },
  };
}

/** Polls for a condition; the test's own timeout ends it. */
export async function until(condition: () => Promise<boolean>): Promise<void> {
  const giveUpAt = performance.now() + SETTLED_TIMEOUT_MS;
  while (!(await condition())) {
    if (performance.now() > giveUpAt) throw new Error("What was waited for has not happened.");
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

/** Passes one request to a handler of the framework. */
export async function pass(handler: JobsHandler, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  const { method = "GET" } = request;
  const headers = Object.entries(request.headers).map(([name, value]) => [name, String(value)] as [string, string]);
  const body = method === "GET" || parts.length === 0 ? undefined : Buffer.concat(parts);
  const answer = await handler(new Request(`http://${request.headers.host}${request.url}`, { method, headers, body }));
  response.writeHead(answer.status, Object.fromEntries(answer.headers)).end(Buffer.from(await answer.arrayBuffer()));
}

function isWorking(executor: Executor): boolean {
  try {
    executor.check();
    return true;
  } catch {
    return false;
  }
}

async function settled(): Promise<void> {
  const open = { $in: ["ready", "leased", "blocked"] as const };
  await until(async () => {
    const counts = await Promise.all([
      collections.jobEvents().countDocuments({ state: { $ne: "done" } }, { limit: 1 }),
      collections.jobRuns().countDocuments({ state: { $in: [...open.$in, "waiting"] } }, { limit: 1 }),
      collections.jobTasks().countDocuments({ state: { $in: [...open.$in] } }, { limit: 1 }),
      collections.jobTasks().countDocuments({ kind: "step" }, { limit: 1 }),
    ]);
    return counts.every((count) => count === 0);
  });
}

async function runsOf(functionId: string): ReturnType<JobServer["runsOf"]> {
  const found = await collections
    .jobRuns()
    .find({ functionId: `${inngest.id}-${functionId}` })
    .sort({ _id: 1 })
    .toArray();
  return found.map(({ _id, status, outcome }) => ({ id: _id, status, outcome: JSON.parse(outcome ?? "null") }));
}

/** Asks the endpoint to register itself, as an operator does with an external runner. */
async function registerWith(url: string): Promise<void> {
  const body = JSON.stringify({ url });
  const headers = { "content-type": "application/json", "x-inngest-signature": sign(body, runnerKeys().signingKey) };
  const answer = await fetch(url, { method: "PUT", headers, body });
  if (!answer.ok) throw new Error(`The runner did not take the functions: ${answer.status} ${await answer.text()}`);
}

async function closeServer(server: Server): Promise<void> {
  const closed = once(server, "close");
  server.close();
  server.closeAllConnections();
  await closed;
}
