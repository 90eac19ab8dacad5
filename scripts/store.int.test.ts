import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { MongoClient } from "mongodb";
import { afterEach, beforeEach, expect, test } from "vitest";

const root = fileURLToPath(new URL("../", import.meta.url));
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "store-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

function settings(dataDir: string): NodeJS.ProcessEnv {
  return { ...process.env, NODE_ENV: "test", DATA_DIR: join(folder, dataDir), MONGODB_URI: "" };
}

function script(name: string, args: string[], dataDir: string) {
  return promisify(execFile)(process.execPath, [`scripts/${name}.mjs`, ...args], { cwd: root, env: settings(dataDir) });
}

/** Runs the store alone, and calls `work` with a client of its printed address. */
async function withStore(dataDir: string, work: (client: MongoClient) => Promise<void>): Promise<void> {
  const store = spawn(process.execPath, ["scripts/store.mjs", "--port", "0"], {
    cwd: root,
    env: settings(dataDir),
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [address] = await once(store.stdout, "data");
  const client = new MongoClient(String(address).trim());
  try {
    await work(client);
  } finally {
    await client.close();
    const ended = once(store, "exit");
    store.kill("SIGTERM");
    expect(await ended).toEqual([0, null]);
  }
}

test("prints an address that drivers can use, and its backup can be restored elsewhere", async () => {
  const backup = join(folder, "store.backup");
  await withStore("first", async (client) => {
    await client.db("x").collection("things").insertOne({ name: "wheel" });
    // While it runs: a backup needs no downtime.
    await script("backup", [backup], "first");
  });
  expect(statSync(backup).mode & 0o077).toBe(0);
  await script("restore", [backup], "second");
  await withStore("second", async (client) => {
    expect(
      await client
        .db("x")
        .collection("things")
        .findOne({}, { projection: { _id: 0 } }),
    ).toEqual({ name: "wheel" });
  });
  await expect(script("restore", [backup], "second")).rejects.toMatchObject({ code: 1 });
  await script("restore", [backup, "--overwrite"], "second");
});

test("leaves the backup of an external server to its tools", async () => {
  const env = {
    ...settings("x"),
    MONGODB_URI: "mongodb://127.0.0.1:9/",
    AUTH_SECRET: "s".repeat(32),
    ENCRYPTION_KEYS: `k:${Buffer.alloc(32).toString("base64")}`,
  };
  const backup = promisify(execFile)(process.execPath, ["scripts/backup.mjs", join(folder, "b")], { cwd: root, env });
  await expect(backup).rejects.toMatchObject({ code: 1, stderr: expect.stringContaining("mongodump") });
});
