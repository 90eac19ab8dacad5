import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import Database from "better-sqlite3";
import { MongoClient } from "mongodb";
import { afterEach, describe, expect, test } from "vitest";
import { forkStore } from "../../../../test/fixtures/embedded/mongo/start.ts";
import { startStore } from "./server.ts";

const dirs: string[] = [];

function newDir(): string {
  // Drivers treat a socket's path as a host name and lower-case it.
  const dir = join(tmpdir(), `store-${randomBytes(8).toString("hex")}`);
  mkdirSync(dir, { mode: 0o700 });
  dirs.push(dir);
  return dir;
}

afterEach(() => {
  for (const dir of dirs.splice(0)) rmSync(dir, { recursive: true, force: true });
});

describe("a store as a process", () => {
  test("refuses a second start on its file with the reason, and keeps serving", async () => {
    const dir = newDir();
    const first = await forkStore(dir);
    await expect(forkStore(dir)).rejects.toThrow("is in use by another process");
    const client = await new MongoClient(first.uri).connect();
    expect(await client.db("t").command({ ping: 1 })).toMatchObject({ ok: 1 });
    await client.close();
    first.child.kill("SIGTERM");
    expect(await first.ended).toBe(0);
  });

  test("releases the file at once after kill -9", async () => {
    const dir = newDir();
    const first = await forkStore(dir);
    first.child.kill("SIGKILL");
    await first.ended;
    const second = await forkStore(dir);
    second.child.kill("SIGTERM");
    expect(await second.ended).toBe(0);
  });

  test("exits with all data in its file when its parent process exits", async () => {
    const dir = newDir();
    const { child, ended } = await forkStore(dir);
    child.disconnect();
    expect(await ended).toBe(0);
    expect(existsSync(join(dir, "store", "millrace.db-wal"))).toBe(false);
  });

  test("exits without an error when its parent exits during start-up", async () => {
    const dir = newDir();
    const complaints = join(dir, "complaints");
    const entry = fileURLToPath(new URL("main.ts", import.meta.url));
    const parent = `
      const { fork } = require("node:child_process");
      const stderr = require("node:fs").openSync(${JSON.stringify(complaints)}, "w");
      const args = ["--data", ${JSON.stringify(dir)}, "--port", "0"];
      const child = fork(${JSON.stringify(entry)}, args, { stdio: ["ignore", "pipe", stderr, "ipc"] });
      process.stdout.write(String(child.pid), () => process.exit());
    `;
    const { stdout } = await promisify(execFile)(process.execPath, ["--eval", parent]);
    const isAlive = (): boolean => {
      try {
        return process.kill(Number(stdout), 0);
      } catch {
        return false;
      }
    };
    await expect.poll(isAlive, { timeout: 20_000 }).toBe(false);
    expect(readFileSync(complaints, "utf8")).toBe("");
    expect(existsSync(join(dir, "store", "millrace.db-wal"))).toBe(false);
  });
});

describe("the store's socket", () => {
  test("is accessible to its owner only, and so is its folder", async () => {
    const dir = newDir();
    const socketPath = join(dir, "run", "s.sock");
    const store = await startStore({ dataDir: dir, socketPath });
    expect(statSync(socketPath).mode & 0o777).toBe(0o600);
    expect(statSync(join(dir, "run")).mode & 0o777).toBe(0o700);
    await store.close();
    expect(existsSync(socketPath)).toBe(false);
  });

  test("answers with its own address, as the primary of one member", async () => {
    const dir = newDir();
    const socketPath = join(dir, "s.sock");
    const store = await startStore({ dataDir: dir, socketPath });
    const client = await new MongoClient(store.uri).connect();
    const hello = await client.db("admin").command({ hello: 1 });
    expect(hello).toMatchObject({
      hosts: [socketPath],
      me: socketPath,
      setName: "millrace",
      maxWireVersion: 21,
      isWritablePrimary: true,
    });
    await client.close();
    await store.close();
  });

  test("is replaced if it is stale and kept if it is alive", async () => {
    const dir = newDir();
    const socketPath = join(dir, "s.sock");
    const dead = await forkStore(newDir(), ["--socket", socketPath]);
    dead.child.kill("SIGKILL");
    await dead.ended;
    expect(existsSync(socketPath)).toBe(true);
    const store = await startStore({ dataDir: dir, socketPath });
    await expect(startStore({ dataDir: newDir(), socketPath })).rejects.toThrow("in use by another process");
    await store.close();
  });

  test("of another program is not removed", async () => {
    const dir = newDir();
    const socketPath = join(dir, "s.sock");
    const server: Server = createServer(() => undefined);
    await new Promise<void>((resolve) => server.listen(socketPath, resolve));
    await expect(startStore({ dataDir: dir, socketPath })).rejects.toThrow("in use by another process");
    await new Promise<void>((resolve) => server.close(() => resolve()));
  });

  test("is refused if drivers can't reach it: capitals, or too long", async () => {
    const dir = newDir();
    await expect(startStore({ dataDir: dir, socketPath: join(dir, "S.sock") })).rejects.toThrow("lower case");
    await expect(startStore({ dataDir: dir, socketPath: join(dir, "x".repeat(107)) })).rejects.toThrow("too long");
  });
});

describe("the store's file", () => {
  test("of a newer format is refused by number and not changed", async () => {
    const dir = newDir();
    await (await startStore({ dataDir: dir, port: 0 })).close();
    const path = join(dir, "store", "millrace.db");
    const db = new Database(path);
    db.pragma("user_version = 99");
    db.close();
    const before = readFileSync(path);
    await expect(startStore({ dataDir: dir, port: 0 })).rejects.toThrow("format 99");
    expect(readFileSync(path).equals(before)).toBe(true);
  });

  test("that is another SQLite database is refused", async () => {
    const dir = newDir();
    mkdirSync(join(dir, "store"));
    const db = new Database(join(dir, "store", "millrace.db"));
    db.exec("CREATE TABLE mine(x)");
    db.close();
    await expect(startStore({ dataDir: dir, port: 0 })).rejects.toThrow("not a store of Millrace");
  });

  test("that is not a database is refused", async () => {
    const dir = newDir();
    mkdirSync(join(dir, "store"));
    writeFileSync(join(dir, "store", "millrace.db"), "x".repeat(5000));
    await expect(startStore({ dataDir: dir, port: 0 })).rejects.toThrow();
  });
});

test("sends topology updates to an idle client without work in the store", async () => {
  const dir = newDir();
  const store = await startStore({ dataDir: dir, port: 0 });
  // The driver's monitor asks at least every 500 ms; answers that wait keep it quiet.
  const client = await new MongoClient(store.uri, { heartbeatFrequencyMS: 500 }).connect();
  await client.db("t").command({ ping: 1 });
  const before = store.services.monitor.commands;
  await new Promise((resolve) => setTimeout(resolve, 1600));
  expect(store.services.monitor.commands - before).toBeLessThan(8);
  await client.close();
  await store.close();
});
