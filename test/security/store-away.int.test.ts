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
    GITHUB_CLIENT_ID: "client",
    GITHUB_CLIENT_SECRET: "secret",
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

it("answers every request with 503 while a killed store is away, and loses nothing acknowledged (F5)", {
  tags: ["long"],
  timeout: 120_000,
}, async () => {
  const body = { email: `${randomUUID()}@example.com`, password: PASSWORD, name: "Ana" };
  const account = await ask(server, "/api/auth/register", { body });
  const cookie = sessionOf(account);
  const { workspace } = account.json.data;
  const consoles = `/api/workspaces/${workspace.id}/consoles`;
  const made = await ask(server, `/api/workspaces/${workspace.id}/api-keys`, { body: { name: "away" }, cookie });
  const { key } = made.json.data;
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
  const home = `/api/workspaces/${workspace.id}`;
  const basic = { authorization: `Basic ${Buffer.from(`x:${key}`).toString("base64")}` };
  const message = { jsonrpc: "2.0", id: 1, method: "tools/list" };
  const others: [string, Parameters<typeof ask>[2]?][] = [
    ["/api/health"],
    ["/api/auth/login", { body: { email: body.email, password: PASSWORD } }],
    [`${home}/events`, { cookie }],
    [`${home}/databases/${"0".repeat(24)}/execute`, { cookie, body: { query: "select 1" } }],
    ["/api/mcp", { key, body: message }],
    [`/git/${workspace.slug}.git/info/refs?service=git-upload-pack`, { headers: basic }],
    [`/w/${workspace.slug}`, { cookie }],
    [`/w/${workspace.slug}/settings/members`, { cookie }],
    ["/", { cookie }],
    // A sign-in with a provider ends here.
    ["/login?error=Unavailable"],
    ["/share/unknown"],
  ];
  const answers = await Promise.all(others.map(([path, how]) => ask(server, path, how)));
  expect(answers.map(({ status, headers }, n) => [others[n]?.[0], status, Number(headers["retry-after"]) > 0])).toEqual(
    others.map(([path]) => [path, 503, true]),
  );
  const levels = server.output().matchAll(/^\{"level":(\d+).*$/gm);
  expect([...levels].filter(([, level]) => Number(level) >= 50).map(([line]) => line)).toEqual([]);

  // Next.js also prints its own text, on standard error.
  const failed = [...server.output().matchAll(/^\{"level":.*"a page failed".*$/gm)].map(([line]) => JSON.parse(line));
  expect(new Set(failed.map(({ route }) => route))).toContain("/share/[token]");
  for (const line of failed) {
    expect(line).toMatchObject({
      level: 40,
      err: { type: expect.stringMatching(/^Mongo/) },
      errorId: expect.any(String),
    });
    expect(line.err.stack).toBeUndefined();
  }

  store = await forkStore(folder, storeArgs);
  const isBack = async (): Promise<number> => (await ask(server, consoles, { cookie })).status;
  await expect.poll(isBack, { timeout: RECOVERY_MS }).toBe(200);
  for (const id of acknowledged) expect((await ask(server, `${consoles}/${id}`, { cookie })).status).toBe(200);
});
