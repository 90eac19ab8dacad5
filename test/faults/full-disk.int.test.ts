import { spawnSync } from "node:child_process";
import { randomBytes, randomUUID } from "node:crypto";
import { closeSync, mkdirSync, mkdtempSync, openSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ask, type Reply, sessionOf } from "@/test/security/real-servers";
import { PASSWORD } from "@/test/seed";
import { becomesHealthy, childrenOf, startServer, type TestServer } from "@/test/servers/millrace";

/*
 * A real server whose disk is full: nothing is lost or incomplete, operations that need space report it, and they work
 * again once there is space (F11).
 */

/** Includes a build if this file runs alone on a changed tree. */
const START_TIMEOUT_MS = 240_000;
const WAIT = { timeout: 60_000, interval: 100 };
const MIB = 1024 * 1024;
const DISK_BYTES = 160 * MIB;

const folder = mkdtempSync(join(tmpdir(), "full-disk-"));
const dataDir = join(folder, "data");
mkdirSync(dataDir);
const disk = ["bwrap", "--dev-bind", "/", "/", "--size", String(DISK_BYTES), "--tmpfs", dataDir, "--"];
const hasDisk = spawnSync(disk[0] ?? "", [...disk.slice(1), "true"]).status === 0;

let server: TestServer;
let pid: number;
let cookie: string;
let home: string;

beforeAll(async () => {
  if (!hasDisk) return;
  server = await startServer({ DATA_DIR: dataDir, RATE_LIMIT_SCALE: "1000" }, undefined, disk);
  await becomesHealthy(server);
  [pid = 0] = childrenOf(server.process.pid);
  const body = { email: "ana@example.com", password: PASSWORD, name: "Ana" };
  const reply = await ask(server, "/api/auth/register", { body });
  expect(reply.status).toBe(201);
  cookie = sessionOf(reply);
  home = `/api/workspaces/${reply.json.data.workspace.id}`;
}, START_TIMEOUT_MS);
afterAll(async () => {
  if (pid) process.kill(pid, "SIGTERM");
  await server?.ended;
  rmSync(folder, { recursive: true, force: true });
});

const send = (method: string, path: string, body?: unknown): Promise<Reply> =>
  ask(server, home + path, { method, cookie, ...(body !== undefined && { body }) });

function put(appId: string, path: string, content: string | Buffer): Promise<Response> {
  return fetch(`${server.url}${home}/apps/${appId}/files?path=${encodeURIComponent(path)}`, {
    method: "PUT",
    headers: { cookie, "content-type": "application/octet-stream" },
    body: content as BodyInit,
  });
}

async function healthOf({ url }: TestServer): Promise<unknown[]> {
  const answer = await fetch(`${url}/api/health/ready`);
  const { failing, disk: state } = await answer.json();
  return [answer.status, failing, state];
}

async function shown(appId: string): Promise<string> {
  const token = await send("POST", `/apps/${appId}/view-token`);
  const answer = await fetch(new URL(new URL(token.json.data.url).pathname, server.url));
  return `${answer.status} ${await answer.text()}`;
}

/** The server's disk from its own view, accessed from outside. */
const filler = () => `/proc/${pid}/root${join(dataDir, "filler")}`;

function fill(): void {
  const file = openSync(filler(), "a");
  try {
    for (let size = MIB; size >= 1; ) {
      try {
        writeSync(file, Buffer.alloc(size, 1));
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== "ENOSPC") throw error;
        size = Math.floor(size / 2);
      }
    }
  } finally {
    closeSync(file);
  }
}

/** Writes until nothing fits: the store's log keeps room from earlier writes. */
async function useUpLog(appId: string): Promise<void> {
  for (let size = 4 * MIB; size >= 1024; size /= 4) {
    while ((await put(appId, `${randomUUID()}.bin`, randomBytes(size))).status === 200);
  }
}

describe.skipIf(!hasDisk)("C35 on a full disk (F11)", () => {
  it(
    "rejects writes with a message, serves reads, and recovers with free space",
    async () => {
      const { json } = await send("POST", "/apps", { title: "Full" });
      const { id } = json.data;
      const other = await send("POST", "/apps", { title: "Other" });
      expect((await put(id, "index.html", "<h1>One</h1>")).status).toBe(200);
      expect((await send("POST", `/apps/${id}/commit`, { message: "One" })).status).toBe(200);
      expect((await send("POST", `/apps/${id}/publish`)).status).toBe(200);
      expect(await shown(id)).toBe("200 <h1>One</h1>");
      expect((await put(id, "index.html", "<h1>Two</h1>")).status).toBe(200);
      expect((await put(id, "large.bin", Buffer.alloc(6 * MIB, 7))).status).toBe(200);
      expect((await send("POST", `/apps/${id}/commit`, { message: "Two" })).status).toBe(200);

      fill();
      await useUpLog(other.json.data.id);
      const refused = await send("POST", `/apps/${id}/publish`);
      expect([refused.status, refused.json?.code]).toEqual([507, "storage_full"]);
      const upload = await put(id, "more.bin", Buffer.alloc(6 * MIB, 9));
      expect([upload.status, (await upload.json()).code]).toEqual([507, "storage_full"]);
      const saved = await send("POST", "/consoles", { name: "a", content: "-- ".padEnd(900_000, "x") });
      expect([saved.status, saved.json?.code]).toEqual([507, "storage_full"]);
      // Health reports it within two checks.
      await expect.poll(async () => healthOf(server), WAIT).toEqual([503, "disk", "failing"]);
      // Existing data can be read by users who are signed in.
      expect((await ask(server, "/api/auth/me", { cookie })).status).toBe(200);
      expect((await send("GET", `/apps/${id}`)).json.data).toMatchObject({ title: "Full" });
      expect(await shown(id)).toBe("200 <h1>One</h1>");
      expect(server.process.exitCode).toBeNull();

      rmSync(filler());
      await expect.poll(async () => (await send("POST", `/apps/${id}/publish`)).status, WAIT).toBe(200);
      expect(await shown(id)).toBe("200 <h1>Two</h1>");
      expect((await put(id, "more.bin", Buffer.alloc(6 * MIB, 9))).status).toBe(200);
      const text = "-- ".padEnd(900_000, "x");
      expect((await send("POST", "/consoles", { name: "b", content: text })).status).toBe(201);
      // The rejected one is absent or, if only its document lacked space, complete.
      const consoles: { id: string; path: string }[] = (await send("GET", "/consoles")).json.data;
      for (const { id: consoleId } of consoles.filter(({ path }) => path === "a")) {
        expect((await send("GET", `/consoles/${consoleId}`)).json.data.content).toBe(text);
      }
      await expect.poll(async () => healthOf(server), WAIT).toEqual([200, undefined, undefined]);
    },
    START_TIMEOUT_MS,
  );
});
