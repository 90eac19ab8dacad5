import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";

const web = fileURLToPath(new URL("../../../test/fixtures/process/web.ts", import.meta.url));
const standIn = fileURLToPath(new URL("../../../test/fixtures/process/stand-in.ts", import.meta.url));

/** Twenty clients with this pause send 200 requests a second. */
const CLIENT_PAUSE_MS = 100;
const BALANCER_PAUSE_MS = 250;

let folder: string;
let server: ChildProcess;
let childPid: number;
let address: string;
let ended: Promise<unknown[]>;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "shutdown-"));
  server = fork(web, [standIn, folder, join(folder, "s.sock")], { execArgv: [] });
  ended = once(server, "exit");
  const [ready] = await once(server, "message");
  childPid = ready.childPid;
  address = `http://127.0.0.1:${ready.port}`;
});

afterEach(() => {
  server.kill("SIGKILL");
  rmSync(folder, { recursive: true, force: true });
});

test("ends an open stream with its event on SIGTERM, stops the child and exits with 0 in time (F14)", async () => {
  const stream = await fetch(`${address}/stream`);
  server.kill("SIGTERM");
  expect(await stream.text()).toBe("event: hello\n\nevent: closing\n\n");
  expect(await ended).toEqual([0, null]);
  expect(() => process.kill(childPid, 0)).toThrow("ESRCH");
});

test("finishes a running request while health is red", async () => {
  const slow = fetch(`${address}/slow`);
  // The request must arrive before the signal.
  expect((await fetch(`${address}/health`)).status).toBe(200);
  server.kill("SIGTERM");
  await expect.poll(async () => (await fetch(`${address}/health`)).status).toBe(503);
  const answer = await slow;
  expect([answer.status, await answer.text()]).toEqual([200, "done"]);
  expect(await ended).toEqual([0, null]);
});

test("closes connections with each response while it stops", async () => {
  const slow = fetch(`${address}/slow`);
  await fetch(`${address}/health`);
  server.kill("SIGTERM");
  expect((await slow).headers.get("connection")).toBe("close");
});

test("loses no request of clients that leave when health is red (F14)", async () => {
  const statuses: number[] = [];
  let isRed = false;
  const client = async () => {
    while (!isRed) {
      statuses.push((await fetch(`${address}/quick`)).status);
      await sleep(CLIENT_PAUSE_MS);
    }
  };
  const balancer = async () => {
    while (!isRed) {
      isRed = (await fetch(`${address}/health`)).status === 503;
      await sleep(BALANCER_PAUSE_MS);
    }
  };
  const clients = Promise.all([...Array.from({ length: 20 }, client), balancer()]);
  await expect.poll(() => statuses.length, { timeout: 30_000 }).toBeGreaterThan(100);
  server.kill("SIGTERM");
  await clients;
  expect(new Set(statuses)).toEqual(new Set([200]));
  expect(await ended).toEqual([0, null]);
});

test("ignores a second signal", async () => {
  const slow = fetch(`${address}/slow`);
  await fetch(`${address}/health`);
  server.kill("SIGINT");
  server.kill("SIGTERM");
  expect((await slow).status).toBe(200);
  expect(await ended).toEqual([0, null]);
});

test("stops the server when its parent process ends", async () => {
  server.disconnect();
  expect(await ended).toEqual([0, null]);
});
