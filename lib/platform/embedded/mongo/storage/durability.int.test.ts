import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { MongoClient, MongoServerError } from "mongodb";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { forkStore, startTestStore } from "../../../../../test/fixtures/embedded/mongo/start.ts";
import { startStore } from "../server.ts";
import { backupStore, restoreStore } from "./backup.ts";

/** Stores are started and killed one after another, which takes seconds, or a minute on a busy machine. */
const KILLS_TIMEOUT_MS = 180_000;

let dir: string;

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "durable-"));
});

afterEach(() => {
  rmSync(dir, { recursive: true, force: true });
});

/** Writes concurrently until the connection breaks, and records acknowledged writes. */
async function writeUntilKilled(uri: string, round: number, note: (entry: string) => void): Promise<void> {
  const client = new MongoClient(uri, { retryWrites: false, serverSelectionTimeoutMS: 500, maxPoolSize: 4 });
  const writer = async (side: number): Promise<void> => {
    for (let i = 0; ; i++) {
      const id = `${round}-${side}-${i}`;
      await client.db("t").collection<{ _id: string; n: number }>("c").insertOne({ _id: id, n: 0 });
      note(id);
      await client
        .db("t")
        .collection<{ _id: string; n: number }>("c")
        .updateOne({ _id: id }, { $inc: { n: 1 } });
      note(`${id} updated`);
    }
  };
  await Promise.allSettled([1, 2, 3, 4].map(writer));
  await client.close();
}

describe.each(["normal", "full"])("durability %s", (durability) => {
  test("loses no acknowledged write and applies none partially after repeated kill -9 under load", {
    timeout: KILLS_TIMEOUT_MS,
    tags: durability === "full" ? [] : ["long"],
  }, async () => {
    const acknowledged = new Set<string>();
    for (let round = 0; round < 5; round++) {
      const { child, uri, ended } = await forkStore(dir, ["--port", "0", "--durability", durability]);
      const enough = acknowledged.size + 40 + round * 7;
      await writeUntilKilled(uri, round, (entry) => {
        acknowledged.add(entry);
        // Other writes are in progress at that moment, at a different point in each round.
        if (acknowledged.size >= enough) child.kill("SIGKILL");
      });
      expect(await ended).toBe("SIGKILL");
    }
    const store = await startTestStore({ dataDir: dir });
    const stored = await store.client.db("t").collection<{ _id: string; n: number }>("c").find().toArray();
    const byId = new Map(stored.map(({ _id, n }) => [_id, n]));
    const lost = [...acknowledged].filter((entry) => {
      const [id = "", updated] = entry.split(" ");
      return updated === undefined ? !byId.has(id) : byId.get(id) !== 1;
    });
    expect(lost).toEqual([]);
    expect(
      await store.client
        .db("t")
        .collection("c")
        .countDocuments({ n: { $in: [0, 1] } }),
    ).toBe(stored.length);
    await store.stop();
  });
});

describe("a retryable write", () => {
  test("that is sent again after kill -9 and a restart is answered and not applied twice", {
    timeout: KILLS_TIMEOUT_MS,
  }, async () => {
    const lsid = { id: new (await import("mongodb")).UUID() };
    const command = {
      update: "c",
      updates: [{ q: { _id: 1 }, u: { $inc: { n: 1 } }, upsert: true }],
      lsid,
      txnNumber: 7,
    };
    const first = await forkStore(dir);
    // Its server is gone when it is closed and tries to end its sessions, which must not take the driver's 30 s.
    const before = await new MongoClient(first.uri, { serverSelectionTimeoutMS: 500 }).connect();
    // The driver adds its own session to a command. The raw lsid has to be sent unchanged, without runCursorCommand.
    const answer = await sendRaw(before, command);
    expect(answer).toMatchObject({ n: 1 });
    first.child.kill("SIGKILL");
    await first.ended;
    await before.close();
    const second = await forkStore(dir);
    const after = await new MongoClient(second.uri).connect();
    const again = await sendRaw(after, command);
    expect(again).toMatchObject({ n: answer.n, nModified: answer.nModified, upserted: answer.upserted });
    expect(await after.db("t").collection("c").findOne()).toEqual({ _id: 1, n: 1 });
    await expect(sendRaw(after, { ...command, txnNumber: 6 })).rejects.toMatchObject({ code: 225 });
    await after.close();
    second.child.kill("SIGTERM");
    await second.ended;
  });
});

/** Sends a command with exactly its session and transaction number. */
async function sendRaw(client: MongoClient, command: Record<string, unknown>): Promise<Record<string, unknown>> {
  const { Long } = await import("mongodb");
  const session = client.startSession({ explicit: true } as never);
  try {
    const server = session as unknown as { serverSession: { id: unknown; txnNumber: number } };
    server.serverSession.id = command.lsid;
    const { lsid: _own, ...rest } = command;
    return await client
      .db("t")
      .command({ ...rest, txnNumber: Long.fromNumber(Number(command.txnNumber)) }, { session });
  } finally {
    await session.endSession();
  }
}

describe("a full disk", () => {
  test("returns OutOfDiskSpace, keeps the data, and recovers without a restart", async () => {
    const store = await startTestStore({ dataDir: dir, maxBytes: 1024 * 1024 });
    const c = store.client.db("t").collection<{ _id: number; pad?: string }>("c");
    const pad = "x".repeat(10_000);
    let stored = 0;
    const fill = async (): Promise<void> => {
      for (; stored < 1000; stored++) await c.insertOne({ _id: stored, pad });
    };
    await expect(fill()).rejects.toMatchObject({ code: 14031, codeName: "OutOfDiskSpace" });
    expect(stored).toBeGreaterThan(10);
    expect(await c.countDocuments()).toBe(stored);
    expect(await c.find({ pad }).toArray()).toHaveLength(stored);
    // Reads share a commit with a write that fits and one that fails.
    let shared = 0;
    for (let round = 0; round < 50; round += 1) {
      const [small, count, found, big] = await Promise.allSettled([
        c.updateOne({ _id: 1 }, { $set: { pad: pad.replace("x", "y") } }),
        c.countDocuments(),
        c.find({ _id: { $gt: 1 } }, { batchSize: 5 }).toArray(),
        c.insertOne({ _id: 9000, pad: pad.repeat(9) }),
      ]);
      expect(big).toMatchObject({ status: "rejected", reason: { code: 14031 } });
      if (small.status === "rejected") shared += 1;
      expect(count).toEqual({ status: "fulfilled", value: stored });
      expect(found).toMatchObject({ status: "fulfilled", value: { length: stored - 2 } });
    }
    expect(shared).toBeGreaterThan(0);
    // Freeing space needs some space too; removed documents make room again.
    await c.deleteMany({ _id: { $lt: 20 } });
    await c.insertOne({ _id: 5000, pad });
    expect(await c.countDocuments()).toBe(stored - 20 + 1);
    await store.stop();
  });
});

describe("backup and restore", () => {
  test("includes all writes acknowledged before it started, and each pair completely", async () => {
    const { child, uri, ended } = await forkStore(dir);
    const client = await new MongoClient(uri).connect();
    const [a, b] = ["a", "b"].map((name) => client.db("t").collection<{ _id: number }>(name));
    let isOver = false;
    let acknowledged = 0;
    const writing = (async () => {
      for (let i = 0; !isOver; i++) {
        await client.withSession((session) =>
          session.withTransaction(async () => {
            await a?.insertOne({ _id: i }, { session });
            await b?.insertOne({ _id: i }, { session });
          }),
        );
        acknowledged = i + 1;
      }
    })();
    while (acknowledged < 50) await new Promise((resolve) => setTimeout(resolve, 5));
    const file = join(dir, "copy.backup");
    const before = acknowledged;
    backupStore(dir, file);
    isOver = true;
    await writing;
    await client.close();
    child.kill("SIGTERM");
    await ended;
    const other = join(dir, "other");
    restoreStore(other, file);
    const restored = await startTestStore({ dataDir: other });
    const [inA, inB] = await Promise.all(
      ["a", "b"].map((name) => restored.client.db("t").collection(name).countDocuments()),
    );
    expect(inA).toBe(inB);
    expect(inA).toBeGreaterThanOrEqual(before);
    await restored.stop();
  });

  test("refuses to restore into a running store, over another store without --overwrite, and from an invalid file", async () => {
    const running = await startStore({ dataDir: dir, port: 0 });
    const file = join(dir, "copy.backup");
    backupStore(dir, file);
    expect(() => backupStore(dir, file)).toThrow("exists");
    expect(() => restoreStore(dir, file, { overwrite: true })).toThrow("in use by another process");
    await running.close();
    expect(() => restoreStore(dir, file)).toThrow("already");
    expect(() => restoreStore(dir, import.meta.filename, { overwrite: true })).toThrow();
    restoreStore(dir, file, { overwrite: true });
    await (await startStore({ dataDir: dir, port: 0 })).close();
  });
});

test("throws the driver's MongoServerError with its code", async () => {
  const store = await startTestStore({ dataDir: dir });
  await expect(store.client.db("t").command({ nonsense: 1 })).rejects.toBeInstanceOf(MongoServerError);
  await store.stop();
});
