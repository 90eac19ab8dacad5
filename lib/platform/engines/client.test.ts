import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, it } from "vitest";

import { type Answer, serveRequests } from "@/lib/platform/embedded/engine/request-server";
import { encodeFrame, type TransactRequest } from "@/lib/platform/embedded/engine/wire";
import { EngineClient } from "./client";

const cleanUps: (() => void)[] = [];
afterEach(() => {
  for (const cleanUp of cleanUps.splice(0)) cleanUp();
});

/** Returns a path for a socket in a folder that is removed after the test. */
function socketPath(): string {
  const folder = mkdtempSync(join(tmpdir(), "engine-client-"));
  cleanUps.push(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, "s");
}

const REQUEST = { type: "execute", query: "select 1", readOnly: true, timeoutMs: 1000, cellBytesMax: null } as const;

it("releases a caller that stops waiting for a starting engine at once, and closing waits for no one", async () => {
  const client = new EngineClient(() => new Promise(() => {}));
  const stop = new AbortController();
  const asked = [client.execute(REQUEST, stop.signal), client.ask({ type: "entities" }, stop.signal)];
  stop.abort(new Error("gone"));
  for (const each of asked) await expect(each).rejects.toThrow("gone");
  await client.close();
});

it("starts nothing for a caller that left before", async () => {
  const stop = new AbortController();
  stop.abort(new Error("gone"));
  const client = new EngineClient(() => Promise.resolve("/nowhere/at.all"));
  await expect(client.execute(REQUEST, stop.signal)).rejects.toThrow("gone");
});

it("sends a request again that a dying engine did not accept, even a write", async () => {
  const path = socketPath();
  let refused = 0;
  // What the kernel does for a process that is being killed: it accepts, and closes without a word.
  const dying = createServer((socket) => {
    refused += 1;
    socket.destroy();
    if (refused === 3) dying.close(() => void revive());
  });
  await new Promise<void>((resolve) => dying.listen(path, resolve));
  let received = 0;
  const answer: Answer = async () => {
    received += 1;
    return encodeFrame({ type: "transact" }, 1024);
  };
  const revive = async () => {
    const server = await serveRequests(path, answer);
    cleanUps.push(() => server.close());
  };
  const client = new EngineClient(async () => path);
  const request: TransactRequest = { type: "transact", steps: [], isProbe: false, timeoutMs: 1000 };
  await client.ask(request, new AbortController().signal);
  expect([refused, received]).toEqual([3, 1]);
  await client.close();
});

it("retries a read on an engine whose sockets broke, but not a write", async () => {
  const path = socketPath();
  const sockets: Socket[] = [];
  const seen: string[] = [];
  let isDead = false;
  const server = await serveRequests(path, async (request, socket) => {
    seen.push(request.type);
    sockets.push(socket);
    if (isDead) {
      for (const each of sockets) each.destroy();
      isDead = false;
    }
    return encodeFrame({ type: "version", version: "1" }, 1024);
  });
  cleanUps.push(() => server.close());
  const client = new EngineClient(async () => path);
  const ask = () => client.ask({ type: "version" }, new AbortController().signal);
  await Promise.all([ask(), ask(), ask(), ask()]);
  isDead = true;
  expect(await ask()).toEqual({ type: "version", version: "1" });
  expect(seen).toHaveLength(6);
  isDead = true;
  const write: TransactRequest = { type: "transact", steps: [], isProbe: false, timeoutMs: 1000 };
  await expect(client.ask(write, new AbortController().signal)).rejects.toMatchObject({ kind: "unavailable" });
  expect(seen).toHaveLength(7);
  await client.close();
});
