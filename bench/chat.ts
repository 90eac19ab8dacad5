import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { type ClientRequest, type IncomingMessage, request } from "node:http";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type ModelServer, startModelServer } from "@/lib/agent/testing/model-server";
import { memoryOfTree, startProduct } from "./support/product";

/*
 * Many chats at once (F12): each of 500 open streams gets twenty words a second from a model of our own. Meanwhile the
 * health route is asked every 20 ms. Then the same with readers who leave in the middle. Argument: how many.
 */

const WORDS = 300;
const WORD_EVERY_MS = 50;
/** A hundred turns a second begin, and stay: many times what five hundred people who talk do. */
const BEGIN_EVERY_MS = 10;
const PEOPLE = 20;
const PASSWORD = "seven herons by the mill";
const BUDGET_HEALTH_P99_MS = 200;
const BUDGET_FIRST_WORD_P95_MS = 1000;
const MIB = 1024 * 1024;
/** What the garbage of five hundred streams takes to be collected by itself. */
const SETTLE_MS = 20_000;

type Person = { cookie: string; workspaceId: string };
type Stream = {
  request: ClientRequest;
  firstWordMs: number | null;
  isWhole: boolean;
  isCut: boolean;
  over: Promise<void>;
};

export async function run([count = "500"]: string[]): Promise<void> {
  const streams = Number(count);
  const model = await startModelServer();
  model.script = () => [{ text: "word ".repeat(WORDS), everyMs: WORD_EVERY_MS }];
  const product = await startProduct({
    env: {
      OPENAI_COMPATIBLE_BASE_URL: model.url,
      DEFAULT_MODEL: "compatible/scripted",
      RATE_LIMIT_SCALE: "1000",
      CHAT_TOKENS_PER_DAY: "1000000000",
      SAMPLE_DATA: "off",
    },
  });
  const probe = fork(join(process.cwd(), "bench", "support", "health-probe.ts"), [product.address], { execArgv: [] });
  try {
    const people = await register(product.address);
    // What a first turn loads is no stream's.
    await begin(product.address, people, 0).over;
    await settle();
    const before = facts(product, model);
    const results: Record<string, object> = { "at rest": before };
    for (const [name, leavesAfterMs] of [
      ["read to their end", null],
      ["left in the middle", 3000],
    ] as const) {
      await samplesOf(probe);
      const open: Stream[] = [];
      for (let index = 0; index < streams; index += 1) {
        open.push(begin(product.address, people, index));
        await sleep(BEGIN_EVERY_MS);
      }
      await sleep(leavesAfterMs ?? (WORDS * WORD_EVERY_MS) / 2);
      const peak = facts(product, model);
      if (leavesAfterMs !== null) for (const { request: each } of open) each.destroy();
      await Promise.all(open.map(({ over }) => over));
      results[name] = { ...peak, ...summary(open, await samplesOf(probe), leavesAfterMs === null) };
      await settle();
      results[`${name}, then`] = facts(product, model);
    }
    console.table(results);
  } finally {
    probe.kill();
    await product.stop();
    await model.close();
  }
}

function settle(): Promise<void> {
  return sleep(SETTLE_MS);
}

function facts(
  { pid, address }: { pid: number; address: string },
  model: ModelServer,
): Record<string, string | number> {
  return {
    memory: `${Math.round((memoryOfTree(pid) ?? 0) / MIB)} MiB`,
    sockets: openSockets(Number(new URL(address).port)),
    "at the model": model.open(),
  };
}

/** Connections that stand at the product's port, as the kernel counts them; -1 where it does not tell. */
function openSockets(port: number): number {
  try {
    const own = port.toString(16).toUpperCase().padStart(4, "0");
    const lines = ["tcp", "tcp6"].flatMap((table) => readFileSync(`/proc/net/${table}`, "utf8").split("\n"));
    // Of each: place, own address, other address, state; 01 is an open one.
    return lines.filter((line) => new RegExp(`^\\s*\\d+: \\S+:${own} \\S+ 01 `).test(line)).length;
  } catch {
    return -1;
  }
}

async function register(address: string): Promise<Person[]> {
  const people: Person[] = [];
  for (let index = 0; index < PEOPLE; index += 1) {
    const answer = await fetch(`${address}/api/auth/register`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ email: `chat-${index}@example.com`, password: PASSWORD }),
    });
    const { data } = (await answer.json()) as { data: { workspace: { id: string } } };
    const cookie = answer.headers.getSetCookie()[0]?.split(";")[0] ?? "";
    people.push({ cookie, workspaceId: data.workspace.id });
  }
  return people;
}

function begin(address: string, people: readonly Person[], index: number): Stream {
  const { cookie, workspaceId } = people[index % people.length] as Person;
  const since = performance.now();
  const sent = request(`${address}/api/agent/chat`, {
    method: "POST",
    agent: false,
    headers: { "Content-Type": "application/json", cookie },
  });
  const stream: Stream = { request: sent, firstWordMs: null, isWhole: false, isCut: false, over: Promise.resolve() };
  stream.over = (async () => {
    try {
      const [answer] = (await once(sent, "response")) as [IncomingMessage];
      for await (const text of answer.setEncoding("utf8")) {
        if (stream.firstWordMs === null && text.includes("text-delta")) stream.firstWordMs = performance.now() - since;
        if (text.includes("[DONE]")) stream.isWhole = answer.statusCode === 200;
      }
    } catch {
      stream.isCut = true;
    }
  })();
  const messages = [{ id: "m", role: "user", parts: [{ type: "text", text: "Talk" }] }];
  const chatId = index.toString(16).padStart(8, "0") + crypto.randomUUID().replaceAll("-", "").slice(0, 16);
  sent.end(JSON.stringify({ chatId, workspaceId, messages }));
  return stream;
}

type Sample = { ms: number; status: number };

async function samplesOf(probe: ChildProcess): Promise<Sample[]> {
  probe.send("report");
  const [samples] = await once(probe, "message");
  return samples;
}

function summary(
  streams: readonly Stream[],
  health: readonly Sample[],
  untilEnd: boolean,
): Record<string, string | number> {
  const first = percentile(
    streams.flatMap(({ firstWordMs }) => firstWordMs ?? []),
    0.95,
  );
  const healthP99 = percentile(
    health.map(({ ms }) => ms),
    0.99,
  );
  const failed = streams.filter(({ isWhole, isCut }) => (untilEnd ? !isWhole : !isCut && !isWhole)).length;
  const isWithin = first < BUDGET_FIRST_WORD_P95_MS && healthP99 < BUDGET_HEALTH_P99_MS && failed === 0;
  return {
    failed,
    "first word p95": `${first.toFixed(0)} ms`,
    "health p99": `${healthP99.toFixed(0)} ms`,
    unwell: health.filter(({ status }) => status !== 200).length,
    budget: isWithin ? "within" : "OVER",
  };
}

function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}
