import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "@playwright/test";
import { freePort } from "../../test/servers/free-port";
import { becomesHealthy, childrenOf, startServer, type TestServer } from "../../test/servers/millrace";
import { test as base, expect, expectAccessible } from "./fixtures";
import { endless, flowBench } from "./flows.fixtures";
import { expectNoSidewaysScroll } from "./run.fixtures";

/** A server that can be killed and restarted at the same address with the same data, or paused for a while. */
type Mortal = {
  url: string;
  kill: () => Promise<void>;
  start: () => Promise<void>;
  freeze: () => void;
  thaw: () => void;
};

const test = base.extend<{ mortal: Mortal }>({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the names of the fixtures from this pattern.
  mortal: async ({}, use) => {
    const dataDir = await mkdtemp(join(tmpdir(), "millrace-mortal-"));
    const port = await freePort();
    const env = { DATA_DIR: dataDir, SAMPLE_DATA: "on", RATE_LIMIT_SCALE: "1000", JOB_RETRY_FAST: "1" };
    let server: TestServer | null = null;
    const start = async () => {
      server = await startServer(env, port);
      await becomesHealthy(server);
    };
    const kill = async () => {
      if (server === null) return;
      for (const pid of childrenOf(server.process.pid)) process.kill(pid, "SIGKILL");
      await server.ended;
      server = null;
    };
    const signal = (name: NodeJS.Signals) => {
      for (const pid of childrenOf(server?.process.pid)) process.kill(pid, name);
    };
    const [freeze, thaw] = [() => signal("SIGSTOP"), () => signal("SIGCONT")];
    try {
      await start();
      await use({ url: `http://127.0.0.1:${port}`, kill, start, freeze, thaw });
    } finally {
      thaw();
      await kill();
      await rm(dataDir, { recursive: true, force: true, maxRetries: 5 });
    }
  },
  baseURL: async ({ mortal }, use) => use(mortal.url),
});

// Without the server, nothing can be loaded.
test.use({ isLoadedAhead: true });

const LOST = "Server unreachable, reconnecting";
const strip = (page: Page) => page.getByRole("group", { name: "Run" });

test("reports a killed server in every tab, and recovers by itself", { tag: "@long" }, async ({
  context,
  mortal,
  page,
  person,
}) => {
  test.slow();
  const { home, make, sample } = await flowBench(page.request);
  const { flow, run } = await make({ ...endless(sample), trigger: true });
  await page.goto(`/w/${person.slug}/flows/${flow.id}/runs/${run?.id}`);
  await expect(strip(page)).toContainText("Running", { timeout: 30_000 });
  const second = await context.newPage();
  await second.goto(`/w/${person.slug}/flows`);
  await expect(second.getByRole("row", { name: /Without an end/ })).toContainText("Running");
  for (const each of [page, second]) await expect(each.getByText("Online", { exact: true })).toBeVisible();

  await mortal.kill();
  for (const each of [page, second]) {
    await expect(each.getByRole("contentinfo")).toContainText(LOST);
    await expect(each.getByText("The server is unreachable.", { exact: true })).toBeVisible();
  }
  await expect(strip(page)).toContainText(/Running, as of \d\d:\d\d:\d\d/);
  await expectAccessible(page);
  // Nothing on it must look live.
  const figures = await strip(page).textContent();
  await page.getByRole("button", { name: "Reconnect", exact: true }).click();
  await expect(page.getByRole("contentinfo")).toContainText(LOST);
  expect(await strip(page).textContent()).toBe(figures);

  await mortal.start();
  // The change may arrive before or after the pages reconnect: it must not be missed in either case.
  const renamed = await page.request.patch(`${home}/flows/${flow.id}`, { data: { name: "Renamed meanwhile" } });
  expect(renamed.status()).toBe(200);
  for (const each of [page, second]) {
    await expect(each.getByText("Online", { exact: true })).toBeVisible({ timeout: 20_000 });
    await expect(each.getByText("The server is unreachable.", { exact: true })).toHaveCount(0);
    await expect(each.getByText("Renamed meanwhile").first()).toBeVisible();
  }
  await expect(strip(page)).not.toContainText("as of");
  // And live: a request in one tab is visible in the other.
  await page.getByRole("button", { name: "Cancel run" }).click();
  await expect(second.getByRole("row", { name: /Renamed meanwhile/ })).toContainText(/Cancell(ing|ed)/);
});

test("reports a frozen server, and recovers by itself", {
  tag: "@long",
}, async ({ context, mortal, page, person }) => {
  test.slow();
  const { home, make, sample } = await flowBench(page.request);
  const { flow } = await make({ ...endless(sample), trigger: false });
  await page.goto(`/w/${person.slug}/flows`);
  const second = await context.newPage();
  await second.goto(`/w/${person.slug}/connections`);
  await expect(page.getByRole("row", { name: /Without an end/ })).toBeVisible();
  await expect(second.getByRole("button", { name: "Test all" })).toBeEnabled();
  // Long enough for a heartbeat, which keeps a page from polling.
  const asked: string[] = [];
  page.on("request", (request) => asked.push(new URL(request.url()).pathname));
  await expect.poll(() => page.evaluate(() => performance.now()), { timeout: 60_000 }).toBeGreaterThan(28_000);
  expect(asked.filter((path) => path === "/api/health" || path.endsWith("/events"))).toEqual([]);

  mortal.freeze();
  for (const each of [page, second]) {
    await expect(each.getByRole("contentinfo")).toContainText(LOST, { timeout: 60_000 });
    await expect(each.getByText("The server is unreachable.", { exact: true })).toBeVisible();
  }
  // Disabled buttons say why, although there is a network.
  await expect(second.getByRole("button", { name: "Test all" })).toBeDisabled();
  await expect(second.getByRole("button", { name: "Test all" })).toHaveAttribute("title", "The server is unreachable");
  mortal.thaw();
  for (const each of [page, second]) {
    await expect(each.getByText("Online", { exact: true })).toBeVisible({ timeout: 30_000 });
  }
  const renamed = await page.request.patch(`${home}/flows/${flow.id}`, { data: { name: "Renamed afterwards" } });
  expect(renamed.status()).toBe(200);
  await expect(page.getByRole("row", { name: /Renamed afterwards/ })).toBeVisible();
});

test.describe("on a phone", () => {
  test.use({ viewport: { width: 390, height: 844 }, colorScheme: "dark" });

  test("shows the notice above the content, and fits", { tag: "@long" }, async ({ mortal, page, person }) => {
    test.slow();
    await page.goto(`/w/${person.slug}/activity`);
    await expect(page.getByRole("heading", { name: "No activity yet" })).toBeVisible();
    await mortal.kill();
    await expect(page.getByText("The server is unreachable.", { exact: true })).toBeVisible();
    await expect(page.getByText("Live", { exact: true })).toHaveCount(0);
    await expectAccessible(page);
    await expectNoSidewaysScroll(page);
  });
});
