import { existsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { defineConfig, devices } from "@playwright/test";
import { SAMPLE_LAST_DAY } from "./test/fixtures/connections/sample-day";

// `npm test` chooses a free port, a new data folder and the browser. Without it, for one file while it is written:
// npx playwright test --project=ui e2e/ui/x.spec.ts
const port = Number(process.env.E2E_PORT ?? 3210);
const dataDir = process.env.E2E_DATA_DIR ?? join(tmpdir(), `millrace-e2e-${port}`);
const baseURL = `http://localhost:${port}`;
const chromium =
  process.env.CHROMIUM_PATH ??
  ["/usr/bin/chromium-headless-shell", "/usr/bin/chromium"].find((path) => existsSync(path));

/** A cold start of the built tree, its build included when it is stale. */
const SERVER_START_TIMEOUT_MS = 240_000;
/** The server's own limit is 25 s. */
const SERVER_STOP_TIMEOUT_MS = 28_000;

/**
 * What `npm run test:long` looks at, and `npm test` has no time for: the lesser ways through a page, a dark page where the light one
 * was looked at, and limits that take a hundred sign-ins and are held by integration tests as well.
 */
const LONG = /@long/;
/** Limits for tests that run before a release, also on a busy machine: elapsed time proves nothing about them. */
const PATIENT = { timeout: 240_000, expect: { timeout: 40_000 } };

/** Options of the browser for every test with pages. */
const pages = {
  ...devices["Desktop Chrome"],
  viewport: { width: 1440, height: 900 },
  // Pages of the next test find compiled scripts and cached files; what a test stores is removed before.
  reuseContext: true,
  // Drawing transitions takes a sixth of the processor time of all browser tests.
  contextOptions: { reducedMotion: "reduce" as const },
  launchOptions: {
    executablePath: chromium,
    args: [
      // Chromium refuses its own sandbox for root, which is what a container's user often is.
      ...(process.getuid?.() === 0 ? ["--no-sandbox"] : []),
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
    ],
  },
};

export default defineConfig({
  testDir: "e2e",
  outputDir: "test-results/e2e",
  fullyParallel: true,
  forbidOnly: process.env.CI !== undefined,
  // A test that fails once has failed. `.ci/run` repeats a few by name.
  retries: 0,
  workers: 2,
  // Elapsed time proves nothing about these tests: a busy machine must not fail them.
  timeout: 120_000,
  expect: { timeout: 20_000 },
  reporter: process.env.PLAYWRIGHT_REPORT
    ? [["dot"], ["json", { outputFile: process.env.PLAYWRIGHT_REPORT }]]
    : [["list"]],
  // Recording takes a fifth of the time of a test: it is for looking at one, not for all of them.
  use: { baseURL, trace: process.env.PLAYWRIGHT_REPORT ? "off" : "retain-on-failure" },
  projects: [
    { name: "api", testDir: "e2e/api", grepInvert: LONG },
    { name: "api-long", testDir: "e2e/api", grep: LONG, ...PATIENT },
    { name: "ui", testDir: "e2e/ui", grepInvert: LONG, use: pages },
    { name: "ui-long", testDir: "e2e/ui", grep: LONG, use: pages, ...PATIENT },
    // Each width, each state, and sizes that take minutes.
    { name: "sweeps", testDir: "e2e/sweeps", use: pages, ...PATIENT },
  ],
  webServer: {
    command: `"${process.execPath}" scripts/start.mjs`,
    url: `http://127.0.0.1:${port}/api/health`,
    timeout: SERVER_START_TIMEOUT_MS,
    gracefulShutdown: { signal: "SIGTERM", timeout: SERVER_STOP_TIMEOUT_MS },
    stdout: "ignore",
    stderr: "pipe",
    // Each test registers users, far more than people would in an hour.
    env: {
      ...{ PORT: String(port), DATA_DIR: dataDir, MONGODB_URI: "", SAMPLE_DATA: SAMPLE_LAST_DAY },
      ...{ RATE_LIMIT_SCALE: "1000", JOB_RETRY_FAST: "1" },
    },
  },
});
