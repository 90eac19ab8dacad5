import { randomUUID } from "node:crypto";
import { Agent, type IncomingMessage, request } from "node:http";
import type { Client } from "pg";
import { CONTENT_TYPES } from "../../lib/features/query/schema";
import type { TestServer } from "../../test/servers/postgres";
import { memoryOfTree, startProduct } from "../support/product";
import { MIB, medianMs, type Results, thousands } from "./measure";

/** Budgets (docs/develop/design.md, Keyboard). */
const EXTRA_MS_MAX = 3;
const FIRST_BYTE_MS_MAX = 50;
const RATE_SHARE_MIN = 0.7;
const MEMORY_MIB_MAX = 100;
const EMPTY_SHARE_MIN = 0.75;
const EMPTY_P50_MAX = 1.5;

const AT_ONCE = 10;
const EACH = 200;
const SAMPLES = 400;
const ROUNDS = 3;
const LOOK_AT_MEMORY_EVERY_MS = 50;

type Bare = { client: Client; rowsPerSecond: number };

/**
 * Measures the same through the built product: route, access, store, driver, serializer and socket, as a client uses
 * them.
 * @param server a PostgreSQL that has the table @param bare figures of the library alone in this run
 */
export async function measureProduct(
  results: Results,
  server: TestServer,
  bare: Bare,
  { all, rows }: { all: string; rows: number },
): Promise<void> {
  const product = await startProduct({ env: { BENCH_BUILD: "on", ALLOW_PRIVATE_NETWORK: "all" } });
  const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE });
  try {
    const ask = await connect(product.address, agent, server);
    await measureSmall(results, ask, bare.client);
    await measureEmpty(results, ask, { address: product.address, agent, server });
    for (const count of [1000, 10_000, 50_000]) {
      const alone = await medianMs(async () => {
        const { rows: found } = await bare.client.query(`${all} limit ${count}`);
        return JSON.stringify(found).length;
      }, 20);
      const ours = await medianMs(async () => drain(await ask(all, "json", count)), 20);
      results[`product: ${count} rows as JSON, p50`] =
        `${ours.toFixed(1)} ms, bare ${alone.toFixed(1)} ms = ${(alone / ours).toFixed(2)}x`;
    }
    for (const format of ["ndjson", "csv", "arrow"] as const) {
      await drain(await ask(all, format));
      results[`product: 1,000,000 x 5, ${format}`] = await measureStream(
        () => ask(all, format),
        product.pid,
        rows,
        bare,
      );
    }
  } finally {
    agent.destroy();
    await product.stop();
  }
}

export type Ask = (query: string, format: keyof typeof CONTENT_TYPES, limit?: number) => Promise<IncomingMessage>;

async function measureSmall(results: Results, ask: Ask, client: Client): Promise<void> {
  const work = async () => drain(await ask("select 1 as a", "json"));
  const alone = await medianMs(() => client.query("select 1 as a"), SAMPLES);
  const ours = await medianMs(work, SAMPLES);
  results["product: select 1, p50"] =
    `${ours.toFixed(2)} ms, bare ${alone.toFixed(2)} ms: +${(ours - alone).toFixed(2)} ms, ${verdict(ours - alone <= EXTRA_MS_MAX)} the budget of ${EXTRA_MS_MAX} ms`;
  results["product: select 1, 10 connections"] = `${Math.round(await rateOf(work))} requests/s`;
}

/**
 * Compares with a route of the same build that does nothing: the share of the framework's rate that remains. Also
 * compares with one that does the minimum of every query with the bare libraries: the share of the difference that is
 * our code.
 */
async function measureEmpty(
  results: Results,
  ask: Ask,
  { address, agent, server }: { address: string; agent: Agent; server: TestServer },
): Promise<void> {
  // As a browser: compression has a cost.
  const headers = { "Content-Type": "application/json", "Accept-Encoding": "gzip, br" };
  const post = async (path: string, body: unknown) => {
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
    const sent = request(`${address}${path}`, { method: "POST", agent, headers }, resolve);
    sent.once("error", reject).end(JSON.stringify(body));
    const answer = await promise;
    await drain(answer);
    if (answer.statusCode !== 200) throw new Error(`${path} answered ${answer.statusCode}.`);
  };
  const { host, port, user, password, database } = server;
  const uri = `postgres://${user}:${encodeURIComponent(password)}@${host}:${port}/${database}`;
  const works = {
    query: async () => drain(await ask("select 1 as a", "json")),
    empty: () => post("/api/empty", { query: "select 1 as a" }),
    bare: () => post("/api/empty/bare", { uri }),
  };
  await works.bare();
  // In turns, so that other load on the machine affects all.
  const shares = { rate: [] as number[], p50: [] as number[], bareRate: [] as number[], bareP50: [] as number[] };
  for (let round = 0; round < ROUNDS; round += 1) {
    const rate = { query: await rateOf(works.query), bare: await rateOf(works.bare), empty: await rateOf(works.empty) };
    const p50 = {
      query: await medianMs(works.query, SAMPLES),
      bare: await medianMs(works.bare, SAMPLES),
      empty: await medianMs(works.empty, SAMPLES),
    };
    shares.rate.push(rate.query / rate.empty);
    shares.bareRate.push(rate.bare / rate.empty);
    shares.p50.push(p50.query / p50.empty);
    shares.bareP50.push(p50.bare / p50.empty);
  }
  const rate = middle(shares.rate);
  const p50 = middle(shares.p50);
  results["product: select 1, against an empty route"] =
    `${rate.toFixed(2)}x its rate at ten connections, ${verdict(rate >= EMPTY_SHARE_MIN)} the budget of ${EMPTY_SHARE_MIN}x; ` +
    `${p50.toFixed(2)}x its p50, ${verdict(p50 <= EMPTY_P50_MAX)} the budget of ${EMPTY_P50_MAX}x`;
  results["a bare look-up and a bare select 1, against an empty route"] =
    `${middle(shares.bareRate).toFixed(2)}x its rate at ten connections, ${middle(shares.bareP50).toFixed(2)}x its p50`;
}

async function rateOf(work: () => Promise<void>): Promise<number> {
  const since = performance.now();
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      for (let count = 0; count < EACH; count += 1) await work();
    }),
  );
  return (AT_ONCE * EACH) / ((performance.now() - since) / 1000);
}

function middle(values: number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

async function measureStream(
  open: () => Promise<IncomingMessage>,
  pid: number,
  rows: number,
  bare: Bare,
): Promise<string> {
  const before = memoryOfTree(pid);
  let peak = before ?? 0;
  const timer = setInterval(() => {
    peak = Math.max(peak, memoryOfTree(pid) ?? 0);
  }, LOOK_AT_MEMORY_EVERY_MS);
  const since = performance.now();
  let firstMs = 0;
  let bytes = 0;
  for await (const chunk of await open()) {
    firstMs ||= performance.now() - since;
    bytes += (chunk as Buffer).length;
  }
  const rate = rows / ((performance.now() - since) / 1000);
  clearInterval(timer);
  const share = rate / bare.rowsPerSecond;
  const grown = before === null ? null : (peak - before) / MIB;
  const memory = grown === null ? "memory not measured here" : `memory +${grown.toFixed(0)} MiB`;
  const isWithin =
    share >= RATE_SHARE_MIN && firstMs <= FIRST_BYTE_MS_MAX && (grown === null || grown < MEMORY_MIB_MAX);
  return (
    `${thousands(rate)} rows/s = ${share.toFixed(2)}x bare cursor; first bytes ${firstMs.toFixed(0)} ms; ${memory}; ` +
    `${(bytes / MIB).toFixed(0)} MiB sent: ${verdict(isWithin)} the budget of ${RATE_SHARE_MIN}x, ${FIRST_BYTE_MS_MAX} ms, ${MEMORY_MIB_MAX} MiB`
  );
}

function verdict(isWithin: boolean): string {
  return isWithin ? "within" : "OVER";
}

/** Registers, connects the database and returns a function that queries it. */
export async function connect(address: string, agent: Agent, server: TestServer): Promise<Ask> {
  const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
    new Promise<IncomingMessage>((resolve, reject) => {
      const text = JSON.stringify(body);
      const sent = request(
        `${address}${path}`,
        { method: "POST", agent, headers: { "Content-Type": "application/json", ...headers } },
        resolve,
      );
      sent.once("error", reject);
      sent.end(text);
    });
  const account = { email: `bench-${randomUUID()}@example.com`, password: "seven herons by the mill" };
  const registered = await post("/api/auth/register", account);
  const cookie = registered.headers["set-cookie"]?.[0]?.split(";")[0] ?? "";
  const { id: workspaceId } = (await readData(registered)).workspace as { id: string };
  const home = `/api/workspaces/${workspaceId}`;
  const { host, port, user, password, database } = server;
  const config = { host, port, user, password, database };
  const made = await readData(
    await post(`${home}/connectors`, { name: "bench", type: "postgres", config }, { cookie }),
  );
  return async (query, format, limit) => {
    const answer = await post(
      `${home}/databases/${made.id}/execute`,
      { query, ...(limit !== undefined && { limit }) },
      {
        cookie,
        Accept: CONTENT_TYPES[format],
        // As a browser: compressing a small answer would cost more than the rest of it.
        ...(limit === undefined && { "Accept-Encoding": "gzip, br" }),
      },
    );
    if (answer.statusCode !== 200) throw new Error(`The product answered ${answer.statusCode} to ${query}.`);
    return answer;
  };
}

export async function drain(answer: IncomingMessage): Promise<void> {
  for await (const chunk of answer) void chunk;
}

async function readData(answer: IncomingMessage): Promise<Record<string, unknown>> {
  let text = "";
  for await (const chunk of answer.setEncoding("utf8")) text += chunk;
  return JSON.parse(text).data;
}
