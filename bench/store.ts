import { type ChildProcess, fork } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Collection, type Document, MongoClient } from "mongodb";

/** A measured figure, its result and its budget (docs/develop/design.md, Keyboard). */
type Row = { what: string; result: string; budget: string; isMet: boolean };

type Running = { child: ChildProcess; client: MongoClient; stop: () => Promise<void> };

/** Root of the repository: npm runs scripts from there. */
const ROOT = process.cwd();
const MILLION = 1_000_000;
const BATCH = 10_000;

async function start(dir: string, durability: "normal" | "full"): Promise<Running> {
  const child = fork(join(ROOT, "lib/platform/embedded/mongo/main.ts"), [
    "--data",
    dir,
    "--socket",
    `${dir.toLowerCase()}.sock`,
    "--durability",
    durability,
  ]);
  const uri = await new Promise<string>((resolve, reject) => {
    child.once("message", (message: { uri: string }) => resolve(message.uri));
    child.once("exit", (code) => reject(new Error(`the store ended with ${code}`)));
  });
  const client = await new MongoClient(uri, { maxPoolSize: 20 }).connect();
  const stop = async (): Promise<void> => {
    await client.close();
    const ended = new Promise((resolve) => child.once("exit", resolve));
    child.kill("SIGTERM");
    await ended;
  };
  return { child, client, stop };
}

/** Returns calls per second of a function that is awaited one by one. */
async function rate(times: number, call: (i: number) => Promise<unknown>): Promise<number> {
  const started = performance.now();
  for (let i = 0; i < times; i++) await call(i);
  return (times * 1000) / (performance.now() - started);
}

/** Returns the median duration of a call, in ms. */
async function median(times: number, call: (i: number) => Promise<unknown>): Promise<number> {
  const durations: number[] = [];
  for (let i = 0; i < times; i++) {
    const started = performance.now();
    await call(i);
    durations.push(performance.now() - started);
  }
  return durations.sort((a, b) => a - b)[Math.floor(times / 2)] ?? 0;
}

/** Returns the current and the peak memory of the process, in MB. */
function memoryOf(child: ChildProcess): { now: number; peak: number } {
  const status = readFileSync(`/proc/${child.pid}/status`, "utf8");
  const of = (name: string): number => Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1] ?? 0) / 1024;
  return { now: of("VmRSS"), peak: of("VmHWM") };
}

function makeDoc(i: number): Document {
  return {
    _id: i,
    owner: `user-${i % 5000}`,
    at: new Date(1_700_000_000_000 + i * 1000),
    n: i,
    text: `document number ${i}`,
    tags: [i % 7, i % 11],
  };
}

async function fill(c: Collection<Document>, from: number, to: number): Promise<void> {
  for (let i = from; i < to; i += BATCH) {
    await c.insertMany(Array.from({ length: Math.min(BATCH, to - i) }, (_, k) => makeDoc(i + k)));
  }
}

/** Runs the store's benchmarks and prints a table. @returns whether every budget is met */
export async function run(): Promise<boolean> {
  const rows: Row[] = [];
  const add = (what: string, value: number, unit: string, budget?: { most?: number; least?: number }): void => {
    const isMet =
      (budget?.most === undefined || value <= budget.most) && (budget?.least === undefined || value >= budget.least);
    const limit =
      budget?.most !== undefined ? `<= ${budget.most}` : budget?.least !== undefined ? `>= ${budget.least}` : "";
    rows.push({ what, result: `${value >= 100 ? Math.round(value) : value.toFixed(2)} ${unit}`, budget: limit, isMet });
  };
  const dir = mkdtempSync(join(tmpdir(), "bench-store-"));
  try {
    for (const durability of ["normal", "full"] as const) {
      const running = await start(join(dir, durability), durability);
      const c = running.client.db("b").collection<Document>("w");
      await c.insertOne({ warm: 1 });
      add(
        `inserts one by one, one connection, durability ${durability}`,
        await rate(1500, (i) => c.insertOne({ n: i })),
        "/s",
      );
      const started = performance.now();
      await Promise.all(Array.from({ length: 20 }, () => rate(150, (i) => c.insertOne({ n: i }))));
      add(
        `inserts one by one, 20 connections, durability ${durability}`,
        3_000_000 / (performance.now() - started),
        "/s",
      );
      await running.stop();
    }
    const running = await start(join(dir, "million"), "normal");
    const c = running.client.db("b").collection<Document>("c");
    await c.createIndexes([{ key: { owner: 1, at: -1 } }, { key: { n: 1 } }]);
    const work = async (count: number): Promise<{ find: number; sorted: number; update: number }> => ({
      find: await median(200, (i) => c.find({ n: (i * 7919) % count }).toArray()),
      sorted: await median(200, (i) =>
        c
          .find({ owner: `user-${i}` })
          .sort({ at: -1 })
          .limit(20)
          .toArray(),
      ),
      update: await median(200, (i) => c.updateOne({ n: (i * 7919) % count }, { $inc: { hits: 1 } })),
    });
    await fill(c, 0, MILLION / 100);
    await work(MILLION / 100);
    const small = await work(MILLION / 100);
    await fill(c, MILLION / 100, MILLION / 10);
    const middle = await work(MILLION / 10);
    const inserting = performance.now();
    await fill(c, MILLION / 10, MILLION);
    add(
      "inserts in batches of 10,000 with two indexes",
      (0.9 * MILLION * 1000) / (performance.now() - inserting),
      "/s",
    );
    const large = await work(MILLION);
    await rate(1000, (i) => c.findOne({ _id: i as never }));
    add(
      "findOne by _id, one connection, 1,000,000 documents",
      await rate(10_000, (i) => c.findOne({ _id: ((i * 7919) % MILLION) as never })),
      "/s",
      { least: 3000 },
    );
    for (const [name, unit] of [
      ["find", "indexed find"],
      ["sorted", "indexed find, sorted, 20 of 200"],
      ["update", "indexed update"],
    ] as const) {
      add(`${unit}, 10,000 documents`, small[name], "ms");
      add(`${unit}, 10x`, middle[name], "ms", { most: Math.max(5, small[name] * 3) });
      add(`${unit}, 100x`, large[name], "ms", { most: 5 });
    }
    const before = memoryOf(running.child).now;
    const scanning = performance.now();
    const matched = await c.countDocuments({ text: /nowhere/ });
    add("scan of 1,000,000 documents without an index", performance.now() - scanning, "ms");
    const reading = performance.now();
    let read = 0;
    for await (const document of c.find({}, { batchSize: 10_000 })) read += document.n >= 0 ? 1 : 0;
    add("reading 1,000,000 documents through a cursor", performance.now() - reading, "ms");
    add("memory that scan and reading added", memoryOf(running.child).peak - before, "MB", { most: 100 });
    if (matched !== 0 || read !== MILLION) throw new Error(`the scan found ${matched}, the cursor ${read}`);
    await running.stop();
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
  print(rows);
  return rows.every(({ isMet }) => isMet);
}

function print(rows: readonly Row[]): void {
  const width = Math.max(...rows.map(({ what }) => what.length));
  for (const { what, result, budget, isMet } of rows) {
    console.log(`${what.padEnd(width)}  ${result.padStart(14)}  ${budget.padEnd(10)}${isMet ? "" : " NOT MET"}`);
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) process.exitCode = (await run()) ? 0 : 1;
