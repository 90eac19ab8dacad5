import { fork, spawn } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { buildIfStale } from "./build.mjs";
import { BUILT } from "./support/build-stamp.mjs";
import { freePort } from "./support/free-port.mjs";
import { inRoot, ROOT } from "./support/paths.mjs";
import { main, ScriptError } from "./support/run.mjs";
import { ensureRuntime } from "./support/runtime.mjs";

/** The platform's limit for an unpacked function with its files. */
const FUNCTION_BYTES_MAX = 250e6;
/** Files that need a long-lived process or a local disk. */
const LEFT_OUT =
  /node_modules\/(better-sqlite3|@duckdb)\/|^dist\/(store|engine|sqlite|sandbox|drawing|thumbnails)\.mjs$|^\.data\//;
/** Files that functions need and no trace finds. */
const NEEDED = [
  "dist/grammar.mjs",
  "dist/statements.mjs",
  "dist/hashing.mjs",
  "dist/parquet.mjs",
  "node_modules/@node-rs/argon2/index.js",
  "node_modules/libpg-query/wasm/libpg-query.wasm",
  "node_modules/hyparquet/src/constants.js",
  "node_modules/hyparquet-writer/src/index.js",
  "node_modules/hysnappy/js/index.js",
];
const DEMANDED = ["MONGODB_URI", "AUTH_SECRET", "ENCRYPTION_KEYS", "INNGEST_EVENT_KEY", "INNGEST_SIGNING_KEY"];
/** Words of a refusal for lack of a process (lib/platform/http/require-process.ts). */
const NO_PROCESS = "require persistent processes";
const READY_TIMEOUT_MS = 60_000;
const POLL_MS = 50;

/**
 * Checks the build as Vercel runs it: the size of each function and its files, that missing settings are reported, that
 * it serves with an external store and starts no process: npm run check:vercel. A build ignores the settings of its
 * machine (lib/platform/env.ts), so Vercel's is the same as `npm start`'s.
 */
await main(async () => {
  await ensureRuntime(fileURLToPath(import.meta.url), { forTests: true });
  const folder = mkdtempSync(join(tmpdir(), "millrace-vercel-"));
  try {
    await buildIfStale();
    const { readFunctions } = await import("./support/functions.ts");
    checkFunctions(readFunctions(BUILT, ROOT));
    await checkMissingSettings();
    await checkServing(folder, prepareRoot(folder));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

function checkFunctions(functions) {
  const [largest] = functions;
  if (!largest) throw new ScriptError("The build has no functions.");
  console.log(`${functions.length} functions; the largest, ${largest.name}, takes ${toMegabytes(largest.bytes)} MB.`);
  const faults = functions.flatMap(({ name, bytes, files }) => [
    ...(bytes > FUNCTION_BYTES_MAX
      ? [`${name} takes ${toMegabytes(bytes)} MB, over ${toMegabytes(FUNCTION_BYTES_MAX)}`]
      : []),
    ...files.filter((file) => LEFT_OUT.test(file)).map((file) => `${name} brings ${file}`),
    ...(name.startsWith("app/api/") ? NEEDED.filter((file) => !files.includes(file)) : []).map(
      (file) => `${name} lacks ${file}`,
    ),
  ]);
  if (faults.length > 0) throw new ScriptError(faults.join("\n"));
}

/** Checks that a function without its settings does not start: it names the missing ones and exits. */
async function checkMissingSettings() {
  const server = startNext(["start", "-p", String(await freePort())], {});
  const code = await server.ended;
  const unnamed = DEMANDED.filter((name) => !server.output().includes(`${name} is required`));
  if (code !== 1 || unnamed.length > 0) {
    throw new ScriptError(
      `Without settings the server exited with ${code} and did not name ${unnamed}:\n${server.output()}`,
    );
  }
  console.log("Without settings the server exits with 1 and names them.");
}

/** Checks a build against the embedded store in place of a cluster: the server only knows its address. */
async function checkServing(folder, cwd) {
  const store = fork(inRoot("dist", "store.mjs"), ["--data", folder, "--port", "0"], {
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  });
  const stored = once(store, "exit");
  const [{ uri }] = await once(store, "message");
  const port = await freePort();
  const server = startNext(
    ["start", "-p", String(port)],
    {
      MONGODB_URI: `${uri}${uri.includes("?") ? "" : "?directConnection=true"}`,
      AUTH_SECRET: "s".repeat(32),
      ENCRYPTION_KEYS: `k:${Buffer.alloc(32, 1).toString("base64")}`,
      INNGEST_EVENT_KEY: "e",
      INNGEST_SIGNING_KEY: "signkey-test-00",
      // The database of the features listens on this machine.
      ALLOW_PRIVATE_NETWORK: "all",
    },
    cwd,
  );
  const { startTrinoStandIn } = await import("../test/servers/trino-stand-in.ts");
  const trino = await startTrinoStandIn();
  try {
    const url = `http://127.0.0.1:${port}`;
    await isHealthy(server, url);
    const registered = await fetch(`${url}/api/auth/register`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ email: "ana@example.com", password: "a short sentence works" }),
    });
    if (registered.status !== 201) throw new ScriptError(`Registration returned ${registered.status}.`);
    const headers = { Cookie: (registered.headers.getSetCookie()[0] ?? "").split(";")[0] };
    const ask = async (path) => (await (await fetch(url + path, { headers })).json()).data;
    const { workspace } = (await registered.json()).data;
    const types = (await ask("/api/connectors/types")).map(({ type }) => type);
    const connections = await ask(`/api/workspaces/${workspace.id}/connectors`);
    if (types.length === 0 || types.some((type) => ["sqlite", "duckdb"].includes(type)) || connections.length > 0) {
      throw new ScriptError(`It offers ${types}, and a new workspace has ${connections.length} connections.`);
    }
    await checkFeatures(url, workspace.id, headers, trino.port);
    const { childrenOf } = await import("../test/servers/millrace.ts");
    const children = childrenOf(server.child.pid);
    if (children.length > 0) throw new ScriptError(`It has started ${children.length} processes.`);
    console.log(`With a store elsewhere it serves, starts no process and offers ${types.join(", ")}.`);
  } finally {
    server.child.kill("SIGTERM");
    store.kill("SIGTERM");
    await Promise.all([server.ended, stored, trino.stop()]);
  }
}

/** Creates a function's root: only the child programs that its trace names. */
function prepareRoot(folder) {
  const root = join(folder, "root");
  mkdirSync(join(root, "dist"), { recursive: true });
  for (const name of [
    "node_modules",
    "public",
    "templates",
    "package.json",
    "next.config.ts",
    "tsconfig.json",
    ".next",
  ]) {
    symlinkSync(inRoot(name), join(root, name));
  }
  for (const file of NEEDED.filter((name) => name.startsWith("dist/"))) copyFileSync(inRoot(file), join(root, file));
  return root;
}

/** Sends requests for each feature of the table in docs/operate/scale.md: it works, or says why it can't. */
async function checkFeatures(url, workspaceId, headers, trinoPort) {
  const home = `${url}/api/workspaces/${workspaceId}`;
  const ask = async (method, path, body, accept = "application/json") => {
    const answer = await fetch(`${home}${path}`, {
      method,
      headers: { ...headers, "Content-Type": "application/json", Accept: accept },
      ...(body && { body: JSON.stringify(body) }),
    });
    return { status: answer.status, text: await answer.text() };
  };
  const fail = (method, path, { status, text }) => {
    throw new ScriptError(`${method} ${path} answered ${status}: ${text.slice(0, 1000)}`);
  };
  const made = async (path, body, method = "POST") => {
    const answer = await ask(method, path, body);
    if (answer.status !== 200 && answer.status !== 201) fail(method, path, answer);
    return JSON.parse(answer.text).data;
  };
  const service = { baseUrl: "https://1.1.1.1", resources: [{ name: "health", path: "/api/health" }] };
  await made("/connectors", { name: "Service", type: "rest", config: service });
  const cluster = {
    host: "127.0.0.1",
    port: trinoPort,
    catalog: "lake",
    schema: "shop",
    user: "reader",
    ssl: "disable",
  };
  const connectionId = (await made("/connectors", { name: "Lake", type: "trino", config: cluster })).id;
  const query = "select * from lied";
  const { rowCount } = await made(`/databases/${connectionId}/execute`, { query });
  if (rowCount !== 3) throw new ScriptError(`A query returned ${rowCount} rows.`);
  for (const accept of ["text/csv", "application/x-ndjson", "application/vnd.apache.arrow.stream"]) {
    const exported = await ask("POST", `/databases/${connectionId}/execute`, { query }, accept);
    if (exported.status !== 200) fail("POST", `an export as ${accept}`, exported);
  }
  const consoleId = (await made("/consoles", { name: "Console", content: query, connectionId })).id;
  await made(`/consoles/${consoleId}/schedule`, { cron: "0 5 * * *", timezone: "UTC" }, "PUT");
  await made("/chats", { title: "Chat" });
  await made("/api-keys", { name: "Key" });
  const appId = (await made("/apps", { title: "App" })).id;

  const source = { connectionId, query };
  const widgets = [{ id: "w", kind: "table", title: "W", source, spec: {} }];
  const dashboardId = (await made("/dashboards", { title: "Dashboard", widgets })).id;
  const refused = {
    "widget data": ["GET", `/dashboards/${dashboardId}/data`],
    "an app's preview": ["POST", `/apps/${appId}/sandbox`],
  };
  for (const [feature, [method, path]] of Object.entries(refused)) {
    const answer = await ask(method, path);
    if (!answer.text.includes(NO_PROCESS)) fail(method, path, answer);
    console.log(`It refuses ${feature} with a message.`);
  }
  console.log("Queries, exports, consoles, schedules, chats, keys, apps and dashboards work.");
}

/** Starts the framework alone, as the platform does, without settings of this environment. */
function startNext(args, settings, cwd = ROOT) {
  const child = spawn(process.execPath, [inRoot("node_modules", "next", "dist", "bin", "next"), ...args], {
    cwd,
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      NODE_ENV: "production",
      NEXT_TELEMETRY_DISABLED: "1",
      VERCEL: "1",
      ...settings,
    },
  });
  let text = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (part) => {
      text += part;
    });
  }
  return { child, output: () => text, ended: once(child, "close").then(([code]) => code) };
}

async function isHealthy(server, url) {
  const until = performance.now() + READY_TIMEOUT_MS;
  while (server.child.exitCode === null && performance.now() < until) {
    const answer = await fetch(`${url}/api/health`).catch(() => null);
    if (answer?.ok) return;
    await sleep(POLL_MS);
  }
  throw new ScriptError(`The server did not become healthy:\n${server.output()}`);
}

function toMegabytes(bytes) {
  return Math.round(bytes / 1e6);
}
