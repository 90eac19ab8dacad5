import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { readFileSync, rmSync } from "node:fs";
import { type ClientRequest, type IncomingMessage, request } from "node:http";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type ModelServer, startModelServer } from "@/test/fixtures/agent/model-server";
import { heapSettings, keptHeap, openSockets } from "@/test/servers/kept-heap";
import { childrenOf } from "@/test/servers/millrace";
import { memoryOfTree, startProduct } from "./support/product";

/*
 * Measures many chats at once (F12). Each of 500 open streams gets twenty words a second from a stub model, while the
 * health route is requested every 20 ms. A second round adds readers who leave in the middle. Short turns run first and
 * give the processor time of one turn. Argument: the number of streams.
 */

/** Number of words of a stream. It takes 40 s, so that the first still runs when the last starts. */
const WORDS = 800;
const WORD_EVERY_MS = 50;
/** Interval between new streams, in ms: twenty-five a second, or five hundred users who each ask every 20 s. */
const BEGIN_EVERY_MS = 40;
const PEOPLE = 20;
/** Number of turns with one short sentence, which measure the cost of a turn beside its words. */
const SHORT_TURNS = 400;
const SHORT_AT_ONCE = 10;
const PASSWORD = "seven herons by the mill";
const BUDGET_HEALTH_P99_MS = 200;
const BUDGET_FIRST_WORD_P95_MS = 1000;
/** Budget for the web process's memory after garbage collection, relative to the memory before. */
const BUDGET_KEPT = 1.1;
const BUDGET_MEMORY_MIB = 1536;
const MIB = 1024 * 1024;
/** Time for the garbage of five hundred streams to be collected without a forced collection, in ms. */
const SETTLE_MS = 20_000;

type Person = { cookie: string; workspaceId: string };
type Stream = {
  request: ClientRequest;
  firstWordMs: number | null;
  pieces: number;
  isWhole: boolean;
  isCut: boolean;
  over: Promise<void>;
};

export async function run([count = "500"]: string[]): Promise<void> {
  const streams = Number(count);
  const model = await startModelServer();
  model.script = () => [{ text: "word ".repeat(WORDS), everyMs: WORD_EVERY_MS }];
  const heap = heapSettings(process.cwd());
  const product = await startProduct({
    env: {
      ...heap.env,
      OPENAI_COMPATIBLE_BASE_URL: model.url,
      DEFAULT_MODEL: "compatible/scripted",
      RATE_LIMIT_SCALE: "1000",
      CHAT_TOKENS_PER_DAY: "1000000000",
      SAMPLE_DATA: "off",
    },
  });
  const [web] = childrenOf(product.pid);
  if (web === undefined) throw new Error("The web process is missing.");
  const probe = fork(join(process.cwd(), "bench", "support", "health-probe.ts"), [product.address], { execArgv: [] });
  try {
    const people = await register(product.address);
    // The first turns load and compile code, which belongs to no stream.
    await Promise.all(people.map((_, index) => begin(product.address, people, index).over));
    const shortTurn = await costOfShortTurn(product.address, people, { model, web });
    await settle();
    const kept = await keptHeap(web, heap.folder);
    const results: Record<string, object> = {
      "a short turn": { processor: shortTurn },
      "at rest": { ...facts(product, model), kept: `${mib(kept)} MiB` },
    };
    for (const [name, leavesAfterMs] of [
      ["read to their end", null],
      ["left in the middle", 3000],
    ] as const) {
      await samplesOf(probe);
      const cpuBefore = processorSeconds(web);
      const open: Stream[] = [];
      for (let index = 0; index < streams; index += 1) {
        open.push(begin(product.address, people, index));
        await sleep(BEGIN_EVERY_MS);
      }
      await sleep(leavesAfterMs ?? (WORDS * WORD_EVERY_MS) / 2);
      const peak = facts(product, model);
      const isSmall = mib(memoryOfTree(product.pid) ?? 0) < BUDGET_MEMORY_MIB;
      if (leavesAfterMs !== null) for (const { request: each } of open) each.destroy();
      await Promise.all(open.map(({ over }) => over));
      const cpu = `${(processorSeconds(web) - cpuBefore).toFixed(1)} s`;
      results[name] = {
        ...peak,
        processor: cpu,
        ...summary(open, await samplesOf(probe), { untilEnd: leavesAfterMs === null, isSmall }),
      };
      await settle();
      const left = await keptHeap(web, heap.folder);
      results[`${name}, then`] = {
        ...facts(product, model),
        kept: `${mib(left)} MiB`,
        budget: left <= kept * BUDGET_KEPT ? "within" : "OVER",
      };
    }
    console.table(results);
  } finally {
    probe.kill();
    await product.stop();
    await model.close();
    rmSync(heap.folder, { recursive: true, force: true });
  }
}

/** Measures the web process. Only the second half counts: by then frequent code is compiled. */
async function costOfShortTurn(
  address: string,
  people: readonly Person[],
  { model, web }: { model: ModelServer; web: number },
): Promise<string> {
  const long = model.script;
  model.script = () => [{ text: "Seven herons." }];
  let [before, failed] = [0, 0];
  for (const _ of ["first", "counted"]) {
    before = processorSeconds(web);
    for (let index = 0; index < SHORT_TURNS; index += SHORT_AT_ONCE) {
      const some = Array.from({ length: SHORT_AT_ONCE }, (_, of) => begin(address, people, index + of));
      await Promise.all(some.map(({ over }) => over));
      failed += some.filter(({ isWhole }) => !isWhole).length;
    }
  }
  model.script = long;
  if (failed > 0) throw new Error(`${failed} short turns have failed.`);
  return `${(((processorSeconds(web) - before) / SHORT_TURNS) * 1000).toFixed(1)} ms`;
}

/** Returns the processor time of a process in seconds. Other work on the machine hardly changes it. */
function processorSeconds(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  // After the name, which may contain anything: the 12th and 13th fields, in hundredths of a second.
  const [user, system] = stat
    .slice(stat.lastIndexOf(")") + 2)
    .split(" ")
    .slice(11, 13);
  return (Number(user) + Number(system)) / 100;
}

const mib = (bytes: number) => Math.round(bytes / MIB);

function settle(): Promise<void> {
  return sleep(SETTLE_MS);
}

function facts(
  { pid, address }: { pid: number; address: string },
  model: ModelServer,
): Record<string, string | number> {
  return {
    memory: `${mib(memoryOfTree(pid) ?? 0)} MiB`,
    sockets: openSockets(Number(new URL(address).port)),
    "at the model": model.open(),
  };
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
  const stream: Stream = {
    request: sent,
    firstWordMs: null,
    pieces: 0,
    isWhole: false,
    isCut: false,
    over: Promise.resolve(),
  };
  stream.over = (async () => {
    try {
      const [answer] = (await once(sent, "response")) as [IncomingMessage];
      for await (const text of answer.setEncoding("utf8")) {
        if (stream.firstWordMs === null && text.includes("text-delta")) stream.firstWordMs = performance.now() - since;
        stream.pieces += text.split('"text-delta"').length - 1;
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
  { untilEnd, isSmall }: { untilEnd: boolean; isSmall: boolean },
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
  const isWithin = first < BUDGET_FIRST_WORD_P95_MS && healthP99 < BUDGET_HEALTH_P99_MS && failed === 0 && isSmall;
  return {
    failed,
    pieces: Math.round(streams.reduce((sum, { pieces }) => sum + pieces, 0) / streams.length),
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
