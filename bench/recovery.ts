import { type ChildProcess, fork } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { ask, sessionOf } from "../test/security/real-servers";
import { freePort } from "../test/servers/free-port";
import { becomesHealthy, childrenOf, startServer, type TestServer } from "../test/servers/millrace";

/*
 * Measures how fast two servers on one store notice a change, and recover from a kill: the built product, over HTTP.
 * Each figure is the longest of several rounds.
 */

const ROUNDS = 5;
const POLL_MS = 5;
const PASSWORD = "seven herons by the mill";
const STORE_PASSWORD = "of no use elsewhere";
const LONG = "select count(*) from range(100000000) a, range(100000) b";

/** Bars, in ms. A cancel request is read once a second; the rest is the end of the statement. */
const BARS = {
  "a deleted key is refused by the other server": 1000,
  "an ended session is refused by the other server": 1000,
  "a running schedule is cancelled": 15_000,
  "an answer 503 while the store is away": 5000,
  "an answer of health while the store is away": 5000,
  "an answer 200 after the store is back": 10_000,
  "a healthy server after a kill": 10_000,
} as const;
type Figure = keyof typeof BARS;

type World = {
  servers: [TestServer, TestServer];
  env: Record<string, string>;
  home: string;
  email: string;
  cookie: string;
  store: { kill(): Promise<void>; start(): Promise<void> };
};

export async function run(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "millrace-recovery-"));
  const store = await openStore(join(folder, "store"));
  const env = {
    DATA_DIR: join(folder, "data"),
    MONGODB_URI: store.uri,
    AUTH_SECRET: "a-secret-of-the-bench-which-guards-nothing",
    ENCRYPTION_KEYS: `bench:${Buffer.alloc(32, 1).toString("base64")}`,
    ALLOW_PRIVATE_NETWORK: "all",
    RATE_LIMIT_SCALE: "1000",
  };
  const started: TestServer[] = [];
  try {
    for (let count = 0; count < 2; count += 1) {
      const server = await startServer(env);
      started.push(server);
      await becomesHealthy(server);
    }
    const servers = started as [TestServer, TestServer];
    const email = "ana@example.com";
    const account = await ask(servers[0], "/api/auth/register", { body: { email, password: PASSWORD, name: "Ana" } });
    const home = `/api/workspaces/${account.json.data.workspace.id}`;
    const world: World = { servers, env, home, email, cookie: sessionOf(account), store };
    const worst = new Map<Figure, number>();
    const note = (figure: Figure, ms: number) => worst.set(figure, Math.max(worst.get(figure) ?? 0, ms));
    for (let round = 0; round < ROUNDS; round += 1) {
      await identities(world, note);
      await storeAway(world, note);
      await serverKilled(world, started, note);
    }
    await schedule(world, note);
    for (const [figure, bar] of Object.entries(BARS)) {
      const ms = worst.get(figure as Figure) ?? Number.POSITIVE_INFINITY;
      console.log(`${figure}: ${ms.toFixed(0)} ms, bar ${bar} ms, ${ms <= bar ? "kept" : "MISSED"}`);
    }
  } finally {
    for (const server of started) server.process.kill("SIGTERM");
    await Promise.all(started.map((server) => server.ended));
    await store.kill();
    rmSync(folder, { recursive: true, force: true });
  }
}

type Note = (figure: Figure, ms: number) => void;

/** Deletes a key and a session at the first server while the second one serves both. */
async function identities({ servers: [first, second], home, email, cookie }: World, note: Note): Promise<void> {
  const made = await expectOk(ask(first, `${home}/api-keys`, { cookie, body: { name: "bench" } }));
  const { id, key } = made.json.data;
  const session = sessionOf(await expectOk(ask(first, "/api/auth/login", { body: { email, password: PASSWORD } })));
  const consoles = `${home}/consoles`;
  for (let count = 0; count < 3; count += 1) {
    await expectOk(ask(second, consoles, { key }));
    await expectOk(ask(second, consoles, { cookie: session }));
  }
  await expectOk(ask(first, `${home}/api-keys/${id}`, { method: "DELETE", cookie }));
  note("a deleted key is refused by the other server", await until(second, consoles, { key }, 401));
  await expectOk(ask(first, "/api/auth/logout", { method: "POST", cookie: session }));
  note("an ended session is refused by the other server", await until(second, consoles, { cookie: session }, 401));
}

async function storeAway({ servers, home, cookie, store }: World, note: Note): Promise<void> {
  await store.kill();
  for (const server of servers) {
    const timed = async (path: string) => {
      const since = performance.now();
      const { status } = await ask(server, path, { cookie });
      if (status !== 503) {
        throw new Error(
          `${path} answered ${status} without a store. The server wrote:\n${server.output().slice(-4000)}`,
        );
      }
      return performance.now() - since;
    };
    note("an answer 503 while the store is away", await timed(`${home}/consoles`));
    note("an answer of health while the store is away", await timed("/api/health"));
  }
  await store.start();
  const back = servers.map((server) => until(server, `${home}/consoles`, { cookie }, 200));
  note("an answer 200 after the store is back", Math.max(...(await Promise.all(back))));
}

/** Kills the serving process of the second server, and starts the server again. */
async function serverKilled({ servers, env }: World, started: TestServer[], note: Note): Promise<void> {
  const [, second] = servers;
  const [web] = childrenOf(second.process.pid);
  if (web === undefined) throw new Error("The web process is missing.");
  process.kill(web, "SIGKILL");
  const since = performance.now();
  await second.ended;
  const server = await startServer(env);
  started[1] = server;
  servers[1] = server;
  await becomesHealthy(server);
  note("a healthy server after a kill", performance.now() - since);
}

async function schedule({ servers: [first], home, cookie }: World, note: Note): Promise<void> {
  const send = async (method: string, path: string, body?: unknown) =>
    (await expectOk(ask(first, home + path, { method, cookie, ...(body !== undefined && { body }) }))).json.data;
  const config = { file: "files.duckdb" };
  const { id: connectionId } = await send("POST", "/connectors", {
    ...{ name: "files", type: "duckdb", config, readOnly: false },
  });
  const content = { name: "long", content: LONG, connectionId, access: "workspace" };
  const { id } = await send("POST", "/consoles", content);
  await send("PUT", `/consoles/${id}/schedule`, { cron: "0 0 1 1 *", timezone: "UTC" });
  for (let round = 0; round < ROUNDS; round += 1) {
    const { run } = await send("POST", `/consoles/${id}/schedule/run`);
    const reached = async (status: string) => {
      while ((await send("GET", `/consoles/${id}/runs`)).items[0]?.status !== status) await sleep(POLL_MS);
    };
    await reached("running");
    const since = performance.now();
    await send("POST", `/consoles/${id}/runs/${run.id}/cancel`);
    await reached("cancelled");
    note("a running schedule is cancelled", performance.now() - since);
  }
}

/** Asks until the status is right. @returns the time it took, in ms */
async function until(
  server: TestServer,
  path: string,
  who: { key?: string; cookie?: string },
  status: number,
): Promise<number> {
  const since = performance.now();
  while ((await ask(server, path, who)).status !== status) await sleep(POLL_MS);
  return performance.now() - since;
}

async function expectOk(asked: ReturnType<typeof ask>): ReturnType<typeof ask> {
  const answer = await asked;
  if (answer.status >= 300) throw new Error(`${answer.status}: ${answer.text}`);
  return answer;
}

/** Starts the built store on a fixed port, so that it can be killed and started again. */
async function openStore(dir: string) {
  // This file is bundled into dist/bench.
  const entry = fileURLToPath(new URL("../store.mjs", import.meta.url));
  const port = await freePort();
  let child: ChildProcess | null = null;
  let uri = "";
  const start = async () => {
    const starting = fork(entry, ["--data", dir, "--port", String(port)], {
      stdio: ["ignore", "ignore", "inherit", "ipc"],
      execArgv: [],
      env: { ...process.env, STORE_PASSWORD },
    });
    child = starting;
    uri = await new Promise<string>((resolve, reject) => {
      starting.once("exit", (code) => reject(new Error(`The store exited with ${code}.`)));
      starting.on("message", (message: { type?: string; uri?: string }) => {
        if (message.type === "ready" && message.uri !== undefined) resolve(message.uri);
      });
    });
  };
  await start();
  return {
    uri: uri.replace("$STORE_PASSWORD", encodeURIComponent(STORE_PASSWORD)),
    start,
    kill: async () => {
      const dying = child;
      if (!dying || dying.exitCode !== null || dying.signalCode !== null) return;
      const ended = new Promise((resolve) => dying.once("exit", resolve));
      dying.kill("SIGKILL");
      await ended;
    },
  };
}
