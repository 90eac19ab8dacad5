import { spawn } from "node:child_process";
import { createServer } from "node:net";
import { constants } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { buildIfStale } from "./build.mjs";
import { inRoot, ROOT } from "./support/paths.mjs";
import { main, ScriptError } from "./support/run.mjs";
import { ensureRuntime } from "./support/runtime.mjs";
import { loadDotenv } from "./support/settings.mjs";

const DEFAULT_PORT = 3000;
const HEALTH_POLL_MS = 50;
const HEALTH_TIMEOUT_MS = 5000;

await main(async () => {
  await ensureRuntime(fileURLToPath(import.meta.url));
  await loadDotenv();
  const port = readPort(process.env.PORT);
  await refuseBusyPort(port);
  await buildIfStale();
  return serve(port);
});

function readPort(text) {
  if (!text) return DEFAULT_PORT;
  const port = Number(text);
  if (!Number.isInteger(port) || port < 1 || port > 65_535) {
    throw new ScriptError(`PORT must be a port number, 1 to 65535; it is "${text}".`);
  }
  return port;
}

/** Tried on all interfaces, as the server listens. */
function refuseBusyPort(port) {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once("error", (error) => {
      if (error.code === "EADDRINUSE") {
        reject(
          new ScriptError(
            `Port ${port} is in use. Stop the program that has it, or choose another: PORT=${port + 1} npm start`,
          ),
        );
      } else if (error.code === "EACCES") {
        reject(
          new ScriptError(
            `Port ${port} needs more rights than this user has. Choose one above 1023: PORT=3000 npm start`,
          ),
        );
      } else {
        reject(error);
      }
    });
    probe.listen(port, () => probe.close(resolve));
  });
}

/** Starts the server and says where it is once it answers. Comes back when it has ended, with its exit code. */
async function serve(port) {
  const startedAt = performance.now();
  const server = spawn(
    process.execPath,
    [inRoot("node_modules", "next", "dist", "bin", "next"), "start", "-p", String(port)],
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
  if (await becomesHealthy(port, stopWatching.signal)) {
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
    console.log(`\nMillrace is ready: http://localhost:${port}\n(in ${seconds} s; stop it with Ctrl-C)\n`);
  }
  return ended;
}

async function becomesHealthy(port, signal) {
  while (!signal.aborted) {
    try {
      const timeout = AbortSignal.any([signal, AbortSignal.timeout(HEALTH_TIMEOUT_MS)]);
      const answer = await fetch(`http://127.0.0.1:${port}/api/health`, { signal: timeout });
      await answer.arrayBuffer();
      if (answer.ok) return true;
    } catch {
      // Not listening yet.
    }
    await sleep(HEALTH_POLL_MS);
  }
  return false;
}
