import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { forkStore, type StoreChild } from "@/test/fixtures/embedded/mongo/start";
import { PASSWORD } from "@/test/seed";
import { freePort } from "@/test/servers/free-port";
import { becomesHealthy, startServer, type TestServer } from "@/test/servers/millrace";
import { ask, sessionOf } from "./real-servers";

/** Includes a build if this file runs alone on a changed tree. */
const START_TIMEOUT_MS = 240_000;
/** F5 says 10 s; a busy machine gets more. */
const RECOVERY_MS = 60_000;
/** Reads one after another while the store is unavailable; each waits for the product's timeout. */
const READS = 3;

let folder: string;
let storeArgs: string[];
let store: StoreChild;
let server: TestServer;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "store-away-"));
  storeArgs = ["--port", String(await freePort())];
  store = await forkStore(folder, storeArgs);
  server = await startServer({
    DATA_DIR: folder,
    MONGODB_URI: store.uri,
    AUTH_SECRET: "a-secret-of-the-tests-which-guards-nothing",
    ENCRYPTION_KEYS: `test:${Buffer.alloc(32, 1).toString("base64")}`,
  });
  await becomesHealthy(server);
}, START_TIMEOUT_MS);

afterAll(async () => {
  server?.process.kill("SIGTERM");
  await server?.ended;
  store?.child.kill("SIGTERM");
  await store?.ended;
  rmSync(folder, { recursive: true, force: true });
});

it("answers reads with 503 while a killed store is away, and loses nothing acknowledged (F5)", async () => {
  const body = { email: `${randomUUID()}@example.com`, password: PASSWORD, name: "Ana" };
  const account = await ask(server, "/api/auth/register", { body });
  const cookie = sessionOf(account);
  const consoles = `/api/workspaces/${account.json.data.workspace.id}/consoles`;
  const acknowledged: string[] = [];
  const save = async (side: number): Promise<void> => {
    for (let n = 0; ; n++) {
      const name = `Side ${side}, ${n}`;
      const saved = await ask(server, consoles, { body: { name, content: "select 1" }, cookie });
      if (saved.status === 503) return;
      expect([name, saved.status]).toEqual([name, 201]);
      acknowledged.push(saved.json.data.id);
      if (acknowledged.length === 10) store.child.kill("SIGKILL");
    }
  };
  await Promise.all([1, 2, 3].map(save));
  await store.ended;
  expect(acknowledged.length).toBeGreaterThanOrEqual(10);

  for (let n = 0; n < READS; n++) {
    const read = await ask(server, consoles, { cookie });
    expect(read.status).toBe(503);
    expect(Number(read.headers["retry-after"])).toBeGreaterThan(0);
  }
  expect((await ask(server, "/api/health")).status).toBe(503);

  store = await forkStore(folder, storeArgs);
  const isBack = async (): Promise<number> => (await ask(server, consoles, { cookie })).status;
  await expect.poll(isBack, { timeout: RECOVERY_MS }).toBe(200);
  for (const id of acknowledged) expect((await ask(server, `${consoles}/${id}`, { cookie })).status).toBe(200);
}, 120_000);
