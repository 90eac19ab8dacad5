import { type ChildProcess, fork, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";
import { closeServerMember } from "./server-context.ts";
import { ensureService, type ServiceSpec, STILL_STARTING } from "./service.ts";

const standIn = fileURLToPath(new URL("../../../test/fixtures/process/stand-in.ts", import.meta.url));
const supervisor = fileURLToPath(new URL("../../../test/fixtures/process/supervisor.ts", import.meta.url));
const WAIT_MS = 10_000;

let folder: string;
let dataDir: string;
let socketPath: string;
let servers: ChildProcess[];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "service-"));
  // Longer than a socket's path may be, with characters of real paths.
  dataDir = join(folder, "A Folder With Capitals And Spaces", "x".repeat(110));
  mkdirSync(dataDir, { recursive: true });
  socketPath = join(folder, "s.sock");
  servers = [];
});

afterEach(async () => {
  await closeServerMember("services");
  for (const server of servers) server.kill("SIGKILL");
  rmSync(folder, { recursive: true, force: true });
});

function spec(extra: Partial<ServiceSpec> = {}): ServiceSpec {
  return { name: "stand-in", entry: standIn, args: [dataDir, socketPath], socketPath, ...extra };
}

type Greeting = { starts: number; pid: number; variables: string[] };

async function greeting(): Promise<Greeting> {
  const socket = connect(socketPath);
  const [data] = await once(socket, "data");
  socket.destroy();
  return JSON.parse(String(data));
}

/** Returns the greeting once the service is back, from a start later than `after`. */
async function nextGreeting(after: number): Promise<Greeting> {
  for (;;) {
    const found = await greeting().catch(() => null);
    if (found && found.starts > after) return found;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

function startServer(): ChildProcess {
  const server = fork(supervisor, [standIn, dataDir, socketPath], {
    stdio: "ignore",
    execPath: process.execPath,
    execArgv: [],
  });
  servers.push(server);
  return server;
}

test("gives the child only the given environment variables", async () => {
  process.env.SECRET_OF_THE_PLATFORM = "x";
  const service = ensureService(spec({ env: { GIVEN: "1" } }));
  await service.whenUp(WAIT_MS);
  const { variables } = await greeting();
  delete process.env.SECRET_OF_THE_PLATFORM;
  const known = ["NODE_ENV", "TZ", "LANG", "TMPDIR", "NODE_CHANNEL_FD", "NODE_CHANNEL_SERIALIZATION_MODE", "GIVEN"];
  expect(variables).toContain("GIVEN");
  expect(variables.filter((name) => !known.includes(name))).toEqual([]);
});

test("shares one service per socket in a process", async () => {
  expect(ensureService(spec())).toBe(ensureService(spec()));
});

test("joins a live socket on a second start", async () => {
  const first = startServer();
  await once(first, "message");
  const service = ensureService(spec());
  await service.whenUp(WAIT_MS);
  expect(service.isOwner()).toBe(false);
  expect((await greeting()).starts).toBe(1);
});

test("starts a child when the process that it joined dies before accepting its connection", async () => {
  // The kernel connects to a listening process that does nothing, and resets the connection when it dies.
  const listen = `require("node:net").createServer().listen(process.argv[1], () => {
    require("node:fs").writeSync(1, "up");
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  });`;
  const idle = spawn(process.execPath, ["-e", listen, socketPath], { stdio: ["ignore", "pipe", "inherit"] });
  servers.push(idle);
  await once(idle.stdout, "data");
  const service = ensureService(spec());
  await service.whenUp(WAIT_MS);
  expect(service.isOwner()).toBe(false);
  idle.kill("SIGKILL");
  expect((await nextGreeting(0)).starts).toBe(1);
  await service.whenUp(WAIT_MS);
  expect(service.isOwner()).toBe(true);
});

test("ends with one child after two concurrent starts", async () => {
  const both = [startServer(), startServer()];
  await Promise.all(both.map((server) => once(server, "message")));
  expect((await greeting()).starts).toBe(1);
});

test("takes over with the data when the first owner is killed", async () => {
  const first = startServer();
  await once(first, "message");
  const second = startServer();
  await once(second, "message");
  first.kill("SIGKILL");
  // The file has counted both starts: it is the same file, opened again.
  expect((await nextGreeting(1)).starts).toBe(2);
});

test("restarts a killed child", async () => {
  const service = ensureService(spec());
  await service.whenUp(WAIT_MS);
  const { pid } = await greeting();
  process.kill(pid, "SIGKILL");
  const again = await nextGreeting(1);
  expect(again.pid).not.toBe(pid);
  await service.whenUp(WAIT_MS);
  expect(service.isOwner()).toBe(true);
});

test("leaves no child after a stop and starts none again", async () => {
  const service = ensureService(spec());
  await service.whenUp(WAIT_MS);
  const pid = service.childPid() ?? 0;
  await service.stop();
  expect(() => process.kill(pid, 0)).toThrow("ESRCH");
  await expect(greeting()).rejects.toThrow();
  await expect(service.whenUp(WAIT_MS)).rejects.toThrow("it was stopped");
});

test("C36 does not fail a start that outlasts the wait of a caller", async () => {
  const service = ensureService(spec());
  await expect(service.whenUp(1)).rejects.toThrow(STILL_STARTING);
  await service.whenUp(WAIT_MS);
});

test("reports at once why a child can't start", async () => {
  const service = ensureService(spec({ args: [dataDir, socketPath, "refuse"] }));
  await expect(service.whenUp(WAIT_MS)).rejects.toThrow("The stand-in is not running: the file has a newer format");
});

test("names a file whose owner can't be joined, after the timeout", async () => {
  const owner = ensureService(spec());
  await owner.whenUp(WAIT_MS);
  const elsewhere = join(folder, "other.sock");
  const service = ensureService(spec({ socketPath: elsewhere, args: [dataDir, elsewhere] }));
  await expect(service.whenUp(1500)).rejects.toThrow("in use by another process");
});

test("shows the message of a program that fails before it is ready", async () => {
  const broken = join(folder, "broken.mjs");
  writeFileSync(broken, 'throw new Error("no such library")\n');
  const service = ensureService(spec({ entry: broken }));
  await expect(service.whenUp(WAIT_MS)).rejects.toThrow("The stand-in is not running: no such library");
});

test("starts an on-demand service for a caller, and keeps it down after its end until the next", async () => {
  const service = ensureService(spec({ restart: "on-demand" }));
  await expect(greeting()).rejects.toThrow();
  await service.whenUp(WAIT_MS);
  const { pid } = await greeting();
  process.kill(pid, "SIGKILL");
  await expect.poll(() => service.isUp()).toBe(false);
  await service.whenUp(WAIT_MS);
  expect((await greeting()).starts).toBe(2);
});
