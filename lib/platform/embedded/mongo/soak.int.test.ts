import { mkdtempSync, readdirSync, readlinkSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { MongoClient } from "mongodb";
import { expect, test, vi } from "vitest";
import { forkStore } from "../../../../test/fixtures/embedded/mongo/start.ts";
import { MAX_IDLE_READERS } from "./storage/transactions.ts";

const ROUNDS = 12;
/**
 * Allowed difference of the heap between rounds after a garbage collection, in MB: noise, far below a leak under this
 * load.
 */
const HEAP_NOISE_MB = 12;
/** The writer and the idle snapshot readers that are kept for reuse. How many are needed at once varies. */
const CONNECTIONS_MAX = 1 + MAX_IDLE_READERS;
/** Open files of a connection: the database and its log. */
const FILES_OF_CONNECTION = 2;

/** `files` are open handles of the database and its log, `handles` are all others. */
type Sample = { heapMb: number; handles: number; files: number; cursors: number };

test("keeps heap, handles and open cursors constant under a mixed load (F18, shortened)", {
  tags: ["long"],
  timeout: 120_000,
}, async () => {
  const dir = mkdtempSync(join(tmpdir(), "soak-"));
  const { child, uri, ended } = await forkStore(dir);
  const watcher = await new MongoClient(uri, { maxPoolSize: 1 }).connect();
  const sample = async (): Promise<Sample> => {
    const status = await watcher.db("admin").command({ serverStatus: 1 });
    const open = openOf(child.pid as number);
    const files = open.filter((target) => /\.db(-wal)?$/.test(target)).length;
    const cursors = Number(status.metrics.cursor.open.total);
    return { heapMb: status.mem.heapUsed, handles: open.length - files, files, cursors };
  };
  const samples: Sample[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    await load(uri, round);
    const few: Sample[] = [];
    for (let i = 0; i < 5; i++) few.push(await sample());
    samples.push(few.reduce((least, each) => (each.heapMb < least.heapMb ? each : least)));
  }
  const early = Math.min(...samples.slice(2, 6).map(({ heapMb }) => heapMb));
  const late = Math.min(...samples.slice(-4).map(({ heapMb }) => heapMb));
  expect(late - early).toBeLessThan(HEAP_NOISE_MB);
  expect(samples.map(({ cursors }) => cursors)).toEqual(samples.map(() => 0));
  const handles = Math.max(...samples.slice(2, 6).map((each) => each.handles));
  // Connections that clients have closed disappear as soon as the store processes them.
  await vi.waitFor(async () => expect((await sample()).handles).toBeLessThanOrEqual(handles), 30_000);
  expect((await sample()).files).toBeLessThanOrEqual(CONNECTIONS_MAX * FILES_OF_CONNECTION);
  await watcher.close();
  child.kill("SIGTERM");
  expect(await ended).toBe(0);
  rmSync(dir, { recursive: true, force: true });
});

/** Returns the target of each open handle of a process, without handles that close during the call. */
function openOf(pid: number): string[] {
  return readdirSync(`/proc/${pid}/fd`).flatMap((name) => {
    try {
      return [readlinkSync(`/proc/${pid}/fd/${name}`)];
    } catch {
      return [];
    }
  });
}

/** Load of one client: inserts, indexed reads, abandoned cursors, transactions, aggregations, removals. */
async function load(uri: string, round: number): Promise<void> {
  const client = await new MongoClient(uri, { maxPoolSize: 5 }).connect();
  const c = client.db("t").collection<{ k: number; round: number; pad: string }>("c");
  await c.createIndex({ k: 1 });
  const work = async (side: number): Promise<void> => {
    await c.insertMany(Array.from({ length: 200 }, (_, i) => ({ k: side * 1000 + i, round, pad: "x".repeat(500) })));
    for (let i = 0; i < 30; i++) {
      await c.find({ k: side * 1000 + i }).toArray();
      await c.updateOne({ k: side * 1000 + i }, { $set: { pad: "y" } }, { upsert: true });
    }
    const cursor = c.find({}, { batchSize: 2 });
    await cursor.next();
    await cursor.close();
    await client.withSession((session) =>
      session.withTransaction(
        async () => void (await c.updateOne({ k: side * 1000 }, { $inc: { n: 1 } as never }, { session })),
      ),
    );
    await c.aggregate([{ $group: { _id: "$round", n: { $sum: 1 } } }]).toArray();
  };
  await Promise.all([0, 1, 2, 3].map(work));
  await c.deleteMany({});
  await client.close();
}
