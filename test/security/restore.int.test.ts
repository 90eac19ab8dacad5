import { randomUUID } from "node:crypto";
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { PASSWORD } from "@/test/seed";
import { becomesHealthy, startServer, type TestServer } from "@/test/servers/millrace";
import { ask, runScript, sessionOf } from "./real-servers";

/** Includes a build if this file runs alone on a changed tree. */
const START_TIMEOUT_MS = 240_000;
const SECRET = "marker-of-a-backup";
/** Nothing listens there; a test of it still has to decrypt the password first. */
const POSTGRES = { host: "127.0.0.1", port: 9, database: "shop", user: "reader", password: SECRET, ssl: "disable" };

const email = `${randomUUID()}@example.com`;
let folder: string;
let backup: string;
let connectionPath: string;
let executePath: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "restore-"));
  backup = join(folder, "store.backup");
  await withServer("before", async (server) => {
    const account = await ask(server, "/api/auth/register", { body: { email, password: PASSWORD, name: "Ana" } });
    const cookie = sessionOf(account);
    const home = `/api/workspaces/${account.json.data.workspace.id}`;
    const body = { name: "Shop", type: "postgres", config: POSTGRES };
    const { id } = (await ask(server, `${home}/connectors`, { body, cookie })).json.data;
    connectionPath = `${home}/connectors/${id}`;
    executePath = `${home}/databases/${id}/execute`;
    await runScript("backup", join(folder, "before"), [backup]);
  });
}, START_TIMEOUT_MS);

afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function withServer(dataDir: string, work: (server: TestServer) => Promise<void>): Promise<void> {
  const server = await startServer({ DATA_DIR: join(folder, dataDir) });
  try {
    await becomesHealthy(server);
    await work(server);
    // No expected error has a stack.
    expect(server.output()).not.toMatch(/MongoTopologyClosedError|\\n {4}at /);
  } finally {
    server.process.kill("SIGTERM");
    await server.ended;
  }
}

async function signIn(server: TestServer): Promise<string> {
  return sessionOf(await ask(server, "/api/auth/login", { body: { email, password: PASSWORD } }));
}

const testOf = (path: string) => `${path.replace("/connectors/", "/connections/sources/")}/test`;

it("C36 logs no stack, and has every credential after a restore with its keys: people sign in, and each secret decrypts (F19)", async () => {
  const dataDir = join(folder, "with-keys");
  await runScript("restore", dataDir, [backup]);
  copyFileSync(join(folder, "before", "secrets.json"), join(dataDir, "secrets.json"));
  await withServer("with-keys", async (server) => {
    const cookie = await signIn(server);
    const tested = await ask(server, testOf(connectionPath), { method: "POST", cookie });
    expect(tested.json.data).toMatchObject({ ok: false, code: "source_unreachable" });
    expect(tested.text).not.toContain("stored secret");

    // A secret has to be decrypted before it is encrypted again, so this proves all of them.
    const file = join(dataDir, "secrets.json");
    const secrets = JSON.parse(readFileSync(file, "utf8"));
    const fresh = `fresh:${Buffer.alloc(32, 7).toString("base64")}`;
    writeFileSync(file, JSON.stringify({ ...secrets, encryptionKeys: `${fresh},${secrets.encryptionKeys}` }));
    const rotated = await runScript("keys-rotate", dataDir);
    expect(rotated).toContain("connections: 1 record, 1 secret, 1 re-encrypted");
    expect(rotated).toContain("All secrets are encrypted with key fresh.");
  });
}, 120_000);

it("C34 refuses a store restored without its keys; with new ones it names what is missing and accepts a secret again (F19)", async () => {
  const dataDir = join(folder, "without-keys");
  await runScript("restore", dataDir, [backup]);
  const refused = await startServer({ DATA_DIR: dataDir });
  expect(await refused.ended).toBe(1);
  expect(refused.output()).toMatch(/Millrace cannot start\. .*secrets\.json is missing.*npm run secrets:new/);
  await runScript("secrets-new", dataDir, ["--yes"]);
  await withServer("without-keys", async (server) => {
    const cookie = await signIn(server);
    const missing = /Encryption key "\w+" is missing\. Restore it/;
    const tested = await ask(server, testOf(connectionPath), { method: "POST", cookie });
    expect(tested.json.data).toEqual({ ok: false, code: "precondition_failed", error: expect.stringMatching(missing) });
    const shown = await ask(server, connectionPath, { cookie });
    expect(shown.json.data).toMatchObject({ status: "failing", lastError: expect.stringMatching(missing) });
    const executed = await ask(server, executePath, { body: { query: "select 1" }, cookie });
    expect(executed.status).toBe(412);
    expect(executed.json).toMatchObject({ code: "precondition_failed", error: expect.stringMatching(missing) });
    await expect(runScript("keys-rotate", dataDir)).rejects.toMatchObject({
      code: 1,
      stdout: expect.stringContaining("secrets.password: unknown_key"),
    });

    const change = (config: object) => ask(server, connectionPath, { method: "PATCH", body: { config }, cookie });
    const kept = await change({ database: "other", password: { set: true } });
    expect(kept.status).toBe(400);
    expect(kept.json.details).toEqual([{ path: "config.password", message: expect.stringContaining("again") }]);
    expect((await change({ password: SECRET })).status).toBe(200);
    const again = await ask(server, testOf(connectionPath), { method: "POST", cookie });
    expect(again.text).not.toContain("stored secret");
  });
}, 120_000);
