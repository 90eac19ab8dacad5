import { spawn } from "node:child_process";
import { constants, networkInterfaces } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath, pathToFileURL } from "node:url";
import { buildIfStale } from "./build.mjs";
import { inRoot, ROOT } from "./support/paths.mjs";
import { main, ScriptError } from "./support/run.mjs";
import { ensureRuntime } from "./support/runtime.mjs";
import { loadDotenv } from "./support/settings.mjs";

const DEFAULT_PORT = 3000;
/**
 * Timeout of an idle connection, in ms: longer than balancers keep one (60 s is common), so that none sends a request
 * into a closing one.
 */
const KEEP_ALIVE_MS = 75_000;
/**
 * Size of the young generation, in MiB. Streamed answers leave many objects that live for a second or two. With the 16
 * MiB that Node.js reserves, these are promoted to the old generation, and collecting that stops every request for a
 * few hundred milliseconds while 500 answers run.
 */
const YOUNG_MEMORY_MIB = 64;
/**
 * Maximum size of headers: an address with filters of 8,000 characters, each up to nine bytes, beside all other
 * headers.
 */
const HEADER_BYTES_MAX = 128 * 1024;
const HEALTH_POLL_MS = 50;
const HEALTH_TIMEOUT_MS = 5000;

await main(async () => {
  await ensureRuntime(fileURLToPath(import.meta.url));
  await loadDotenv();
  const port = readPort(process.env.PORT);
  const host = process.env.HOST || undefined;
  // It imports the product's modules, which need the pinned Node.js.
  const listen = await import("./support/listen.ts");
  await listen.refuseBusyPort(port, host);
  await buildIfStale({ keepsCache: false });
  console.log("Starting ...");
  return serve(port, host, listen);
});

function readPort(text) {
  if (!text) return DEFAULT_PORT;
  const port = Number(text);
  if (!Number.isInteger(port) || port < 1 || port > 65_535) {
    throw new ScriptError(`PORT must be a port number, 1 to 65535; it is "${text}".`);
  }
  return port;
}

/** Starts the server and prints its address once it responds. Returns its exit code when it has ended. */
async function serve(port, host, { toLocalUrl, toReachNotice, toShownUrl }) {
  const startedAt = performance.now();
  const server = spawn(
    process.execPath,
    [
      `--max-semi-space-size=${YOUNG_MEMORY_MIB}`,
      `--max-http-header-size=${HEADER_BYTES_MAX}`,
      "--import",
      pathToFileURL(inRoot("scripts", "support", "preload.mjs")).href,
      inRoot("node_modules", "next", "dist", "bin", "next"),
      "start",
      "-p",
      String(port),
      "--keepAliveTimeout",
      String(KEEP_ALIVE_MS),
      ...(host ? ["-H", host] : []),
    ],
    {
      cwd: ROOT,
      // With the IPC channel the server notices when this process is killed, and stops too.
      stdio: ["inherit", "inherit", "inherit", "ipc"],
      env: {
        ...process.env,
        PORT: String(port),
        NODE_ENV: "production",
        NEXT_MANUAL_SIG_HANDLE: "true",
        NEXT_TELEMETRY_DISABLED: "1",
        // Caches compiled code, which took two fifths of a start. The cache belongs to its build.
        NODE_COMPILE_CACHE: inRoot(".next", "compile-cache"),
      },
    },
  );
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"]) {
    process.on(signal, () => server.kill(signal === "SIGHUP" ? "SIGTERM" : signal));
  }
  const ended = new Promise((resolve, reject) => {
    server.once("error", reject);
    server.once("exit", (code, signal) => resolve(code ?? 128 + constants.signals[signal]));
  });
  const stopWatching = new AbortController();
  ended.finally(() => stopWatching.abort()).catch(() => {});
  if (await becomesHealthy(toLocalUrl(host, port), stopWatching.signal)) {
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
    console.log(`\nMillrace is running at ${toShownUrl(host, port)}`);
    console.log(toReachNotice(host, port, networkInterfaces()));
    console.log(`(in ${seconds} s; stop it with Ctrl-C)\n`);
  }
  return ended;
}

async function becomesHealthy(url, signal) {
  while (!signal.aborted) {
    try {
      const timeout = AbortSignal.any([signal, AbortSignal.timeout(HEALTH_TIMEOUT_MS)]);
      const answer = await fetch(`${url}/api/health`, { signal: timeout });
      await answer.arrayBuffer();
      if (answer.ok) return true;
    } catch {
      // Not listening yet.
    }
    await sleep(HEALTH_POLL_MS);
  }
  return false;
}
