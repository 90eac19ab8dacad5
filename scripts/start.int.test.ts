import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { networkInterfaces, tmpdir } from "node:os";
import { join } from "node:path";
import { parseEnv } from "node:util";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { freePort } from "@/test/servers/free-port";
import { becomesHealthy, childrenOf, startServer, type TestServer } from "@/test/servers/millrace";

/** Time for a build, if this file runs alone on a changed tree, in ms. */
const BUILD_TIMEOUT_MS = 180_000;
/** Time for two starts, building the sample and a complete shutdown, on a machine that runs other tests, in ms. */
const TEST_TIMEOUT_MS = 120_000;
/** F5 requires 5 s, also without a database; a busy machine gets more. */
const ANSWER_TIMEOUT_MS = 30_000;

vi.setConfig({ testTimeout: TEST_TIMEOUT_MS });

let folder: string;
let dataDir: string;
let servers: TestServer[];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "start-"));
  dataDir = longPathIn(folder);
  servers = [];
});

afterEach(async () => {
  for (const server of servers) server.process.kill("SIGTERM");
  await Promise.all(servers.map((server) => server.ended));
  rmSync(folder, { recursive: true, force: true });
});

/** Returns a path of over 107 bytes, the maximum length of a socket's path. */
function longPathIn(parent: string): string {
  return join(parent, "Our Team's Data", "D".repeat(110));
}

async function start(env: Record<string, string> = {}, port?: number): Promise<TestServer> {
  const server = await startServer({ DATA_DIR: dataDir, ...env }, port);
  servers.push(server);
  return server;
}

function hasIpv6(): boolean {
  return Object.values(networkInterfaces()).some((addresses) => addresses?.some(({ address }) => address === "::1"));
}

function webPid(server: TestServer): number {
  const [pid] = childrenOf(server.process.pid);
  if (pid === undefined) throw new Error("The web process is not there.");
  return pid;
}

const account = { email: "ana@example.com", password: "correct horse battery", name: "Ana" };

function post(server: TestServer, path: string, body: object): Promise<Response> {
  return fetch(server.url + path, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
  });
}

/** Registers a user, and adds a connection to a database file. */
async function registerWithFile(server: TestServer) {
  const registered = await post(server, "/api/auth/register", account);
  const cookie = (registered.headers.getSetCookie()[0] ?? "").split(";")[0] ?? "";
  const headers = { Cookie: cookie, "Content-Type": "application/json" };
  const home = `/api/workspaces/${(await registered.json()).data.workspace.id}`;
  const body = JSON.stringify({ name: "File", type: "duckdb", config: { file: "file.duckdb" }, readOnly: false });
  const made = await fetch(`${server.url}${home}/connectors`, { method: "POST", headers, body });
  expect(made.status).toBe(201);
  return { home, headers, fileId: (await made.json()).data.id as string };
}

/** Returns the text of a page without its markup. */
async function read(server: TestServer, path: string): Promise<string> {
  const page = await (await fetch(server.url + path)).text();
  return page.replace(/<script.*?<\/script>/gs, "").replace(/<[^>]+>/g, "");
}

describe("one server", () => {
  let own: string;
  let server: TestServer;

  beforeAll(async () => {
    own = mkdtempSync(join(tmpdir(), "start-"));
    server = await startServer({ DATA_DIR: longPathIn(own) });
    await becomesHealthy(server);
  }, BUILD_TIMEOUT_MS);
  afterAll(async () => {
    server.process.kill("SIGTERM");
    await server.ended;
    rmSync(own, { recursive: true, force: true });
  });

  test("prints the address of a folder with a long name once it is healthy", async () => {
    const port = new URL(server.url).port;
    await expect.poll(server.output).toContain(`Millrace is running at http://localhost:${port}\n`);
    // Balancers keep idle connections for up to 60 s: one that the server closes first costs a request.
    expect((await fetch(server.url)).headers.get("keep-alive")).toBe("timeout=75");
  });

  test("says who can reach it on all addresses until someone has registered", async () => {
    await expect
      .poll(server.output)
      .toMatch(/Anyone who can reach this machine.* can register\. To restrict access, use HOST=127\.0\.0\.1/);
    const sentence = "Anyone who can reach this machine can register.";
    expect(await read(server, "/register")).toContain(sentence);
    expect((await post(server, "/api/auth/register", account)).status).toBe(201);
    expect(await read(server, "/register")).not.toContain("Anyone who can reach");
  });

  test("restarts a killed store; requests meanwhile wait or get 503", async () => {
    const [killed = 0] = childrenOf(webPid(server));
    process.kill(killed, "SIGKILL");
    const statuses = new Set<number>();
    for (let isBack = false; !isBack; ) {
      statuses.add(
        (await fetch(`${server.url}/api/health`, { signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS) })).status,
      );
      const [store = killed] = childrenOf(webPid(server));
      isBack = store !== killed && statuses.has(200);
    }
    for (const status of statuses) expect([200, 503]).toContain(status);
    expect((await post(server, "/api/auth/login", account)).status).toBe(200);
    expect((await post(server, "/api/auth/register", { ...account, email: "ben@example.com" })).status).toBe(201);
  });

  test("turns health red and names the store while it does not answer", async () => {
    const [store = 0] = childrenOf(webPid(server));
    process.kill(store, "SIGSTOP");
    const look = async () => {
      const answer = await fetch(`${server.url}/api/health`, { signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS) });
      return [answer.status, await answer.json()];
    };
    // A store that is slow for a moment is not unreachable.
    await expect
      .poll(look, { timeout: ANSWER_TIMEOUT_MS })
      .toEqual([503, expect.objectContaining({ failing: "mongo" })]);
    process.kill(store, "SIGCONT");
    await becomesHealthy(server);
  });

  test("stops itself and its store on SIGTERM with code 0 in time", async () => {
    const web = webPid(server);
    const [store] = childrenOf(web);
    server.process.kill("SIGTERM");
    expect(await server.ended).toBe(0);
    for (const pid of [web, store ?? 0]) expect(() => process.kill(pid, 0)).toThrow("ESRCH");
  });
});

test("shares one store between two concurrent first starts, and takes over when its server is killed", {
  tags: ["long"],
}, async () => {
  const both = await Promise.all([start(), start()]);
  await Promise.all(both.map(becomesHealthy));
  const [first, second] = childrenOf(webPid(both[0])).length > 0 ? both : both.toReversed();
  if (!first || !second) throw new Error("Two servers have started.");
  expect((await post(first, "/api/auth/register", account)).status).toBe(201);
  expect((await post(second, "/api/auth/login", account)).status).toBe(200);
  process.kill(webPid(first), "SIGKILL");
  await first.ended;
  await expect.poll(() => childrenOf(webPid(second)).length, { timeout: 30_000 }).toBe(1);
  await becomesHealthy(second);
  expect((await post(second, "/api/auth/login", account)).status).toBe(200);
});

test("loses no acknowledged history entry on SIGTERM under load (F14)", async () => {
  const server = await start();
  await becomesHealthy(server);
  const { home, headers, fileId } = await registerWithFile(server);
  const answered = new Set<string>();
  const ask = async () => {
    const body = JSON.stringify({ query: `select ${answered.size} as n` });
    const answer = await fetch(`${server.url}${home}/databases/${fileId}/execute`, {
      method: "POST",
      headers,
      body,
    });
    if (answer.ok) answered.add((await answer.json()).data.executionId);
  };
  let isStopping = false;
  const client = async () => {
    while (!isStopping) await ask().catch(() => {});
  };
  const clients = Promise.all(Array.from({ length: 5 }, client));
  await expect.poll(() => answered.size, { timeout: 30_000 }).toBeGreaterThan(30);
  server.process.kill("SIGTERM");
  expect(await server.ended).toBe(0);
  isStopping = true;
  await clients;

  const next = await start();
  await becomesHealthy(next);
  const kept = new Map<string, string>();
  for (let cursor: string | null = ""; cursor !== null; ) {
    const page: Response = await fetch(`${next.url}${home}/executions?limit=200${cursor && `&cursor=${cursor}`}`, {
      headers,
    });
    const { items, nextCursor } = (await page.json()).data;
    for (const { executionId, status } of items) kept.set(executionId, status);
    cursor = nextCursor;
  }
  for (const executionId of answered) expect([executionId, kept.get(executionId)]).toEqual([executionId, "success"]);
  // Requests that the shutdown cut off have ended, too.
  expect([...kept.values()].filter((status) => status === "queued" || status === "running")).toEqual([]);
});

// Takes as long as a server's shutdown. lib/platform/process/shutdown.int.test.ts tests its parts.
test("gives a running result time on SIGTERM, then cuts it so that it can't look complete (F14)", {
  tags: ["long"],
}, async () => {
  const server = await start();
  await becomesHealthy(server);
  const { home, headers, fileId } = await registerWithFile(server);
  const stream = await fetch(`${server.url}${home}/databases/${fileId}/execute`, {
    method: "POST",
    headers: { ...headers, Accept: "application/x-ndjson" },
    body: JSON.stringify({ query: "select range as n from range(10000000000)" }),
  });
  const reader = (stream.body as ReadableStream<Uint8Array>).getReader();
  expect((await reader.read()).done).toBe(false);

  server.process.kill("SIGTERM");
  expect(await server.ended).toBe(0);
  const readOn = async () => {
    while (!(await reader.read()).done);
  };
  await expect(readOn()).rejects.toThrow();
});

test("listens only on 127.0.0.1 with HOST=127.0.0.1, and says so", { tags: ["long"] }, async () => {
  const server = await start({ HOST: "127.0.0.1" });
  await becomesHealthy(server);
  await expect.poll(server.output).toContain("Accessible from this machine only.");
  expect(await read(server, "/register")).toContain("reachable from this machine only");
  await expect(fetch(server.url.replace("127.0.0.1", "127.0.0.2"))).rejects.toThrow();
});

test.skipIf(!hasIpv6())("listens on ::1 with HOST=::1", { tags: ["long"] }, async () => {
  const server = await start({ HOST: "::1" });
  await becomesHealthy({ ...server, url: server.url.replace("127.0.0.1", "[::1]") });
  await expect.poll(server.output).toContain("Millrace is running at http://localhost:");
  await expect(fetch(server.url)).rejects.toThrow();
});

test("reports an address of another machine, with instructions", async () => {
  const server = await start({ HOST: "203.0.113.1" });
  expect(await server.ended).toBe(1);
  expect(server.output()).toContain("HOST 203.0.113.1 is not an address of this machine.");
});

test("reports a busy port, with instructions", async () => {
  const port = await freePort();
  const other = createServer();
  await new Promise<void>((resolve) => other.listen(port, resolve));
  const server = await start({}, port);
  expect(await server.ended).toBe(1);
  other.close();
  expect(server.output()).toContain(`Port ${port} is in use.`);
  expect(server.output()).toContain(`PORT=${port + 1} npm start`);
});

test("exits with code 1 and the names of missing secrets for an external store", async () => {
  const server = await start({ MONGODB_URI: "mongodb://127.0.0.1:9/" });
  expect(await server.ended).toBe(1);
  expect(server.output()).toContain("AUTH_SECRET is required because MONGODB_URI is set");
  expect(server.output()).toContain("ENCRYPTION_KEYS is required because MONGODB_URI is set");
});

test("exits with code 1 for the example settings (T23)", async () => {
  const { PORT, DATA_DIR, ...example } = parseEnv(readFileSync(new URL("../.env.example", import.meta.url), "utf8"));
  const server = await start(example as Record<string, string>);
  expect(await server.ended).toBe(1);
  expect(server.output()).toContain("AUTH_SECRET is still the example value");
});
