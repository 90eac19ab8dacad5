import { spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Api } from "./client";
import { test as base, expect } from "./fixtures";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
/** The tree is built already, by the server that the other tests use; two cores are shared with that one. */
const START_TIMEOUT_MS = 120_000;

/** The address that this server has for the world: behind something that ends TLS. */
export const PUBLIC_URL = "https://millrace.example";

/**
 * A server of its own for each test, with the limits that people get, no proxy to believe and a public https address: a
 * limit that a test uses up is used up for nobody else.
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
    // Starts and stops outside of the test's own time.
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
