import { spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Api } from "./client";
import { test as base, expect } from "./fixtures";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
/** The other tests' server has built the tree already; both share two cores. */
const START_TIMEOUT_MS = 120_000;

/** Public address of this server, behind a proxy that terminates TLS. */
export const PUBLIC_URL = "https://millrace.example";

/**
 * Starts a separate server for each test, with production limits, no trusted proxy and a public https address. A limit
 * that one test uses up does not affect the others.
 */
export const test = base.extend<{ strict: Api }>({
  strict: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the names of the fixtures from this pattern.
    async ({}, use) => {
      const dataDir = await mkdtemp(join(tmpdir(), "millrace-strict-"));
      const port = await freePort();
      const { RATE_LIMIT_SCALE: _scale, MONGODB_URI: _uri, TRUST_PROXY: _proxy, ...environment } = process.env;
      const server = spawn(process.execPath, [join(ROOT, "scripts/start.mjs")], {
        cwd: ROOT,
        stdio: "ignore",
        env: { ...environment, PORT: String(port), DATA_DIR: dataDir, PUBLIC_URL },
      });
      const ended = new Promise((resolve) => server.once("exit", resolve));
      try {
        const api = new Api(`http://127.0.0.1:${port}`);
        await expect.poll(() => isUp(api), { timeout: START_TIMEOUT_MS, intervals: [200] }).toBe(true);
        await use(api);
      } finally {
        server.kill("SIGTERM");
        await ended;
        await rm(dataDir, { recursive: true, force: true });
      }
    },
    // Starting and stopping do not count against the test's time.
    { timeout: START_TIMEOUT_MS },
  ],
});

async function isUp(api: Api): Promise<boolean> {
  try {
    return (await api.get("/api/health")).status === 200;
  } catch {
    return false;
  }
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once("error", reject);
    probe.listen(0, () => {
      const address = probe.address();
      probe.close(() => (address !== null && typeof address === "object" ? resolve(address.port) : reject(address)));
    });
  });
}
