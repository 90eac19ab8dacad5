import { randomUUID } from "node:crypto";
import type { CDPSession, Page } from "@playwright/test";
import { Client } from "pg";
import { startPostgres, type TestServer } from "../test/servers/postgres";
import { openMillionRows } from "./grid";
import { launchBrowser } from "./support/browser";
import { startProduct } from "./support/product";

/*
 * Measures the console in a real browser, beside a database of 2,000 tables: the work of each keystroke in a text of
 * 2,000 lines, with and without completion, and in the search of the schema. Work is the processor time of the page's
 * main thread, which other load of the machine affects less than wall time. The search in a million rows of a result
 * runs in a worker, and is measured as the time until its matches are shown.
 */

const TABLES = 2_000;
const LINES = 2_000;
const SAMPLES = 60;
/** One frame at 60 Hz. */
const BUDGET_P95_MS = 16;
const CREATE_BATCH = 200;
const FIND_BUDGET_MS = 300;
/** A text in one column, a word in many rows, and a text in no row. */
const FOUND_TEXTS = ["customer 99", "coast", "heron"];

const STATEMENT = `-- Orders of one day
select o.id, o.placed_at, coalesce(sum(i.quantity * i.price), 0) as total
from orders o
join items i on i.order_id = o.id
where o.placed_at >= date '2026-01-01' and o.status = 'paid'
group by 1, 2
order by total desc
limit 100;
`;

/** Prints the work of each kind of keystroke. */
export async function run(): Promise<void> {
  const database = await startPostgres();
  if (!database) throw new Error("PostgreSQL is not installed, so there is nothing to measure.");
  await makeTables(database);
  const product = await startProduct({ env: { ALLOW_PRIVATE_NETWORK: "all" } });
  const browser = await launchBrowser();
  try {
    const page = await browser.newPage({ baseURL: product.address, viewport: { width: 1440, height: 900 } });
    await openConsole(page, database);
    const session = await page.context().newCDPSession(page);
    await session.send("Performance.enable", { timeDomain: "threadTicks" });
    await page.keyboard.press("ControlOrMeta+Home");
    for (let line = 0; line < LINES / 2; line += 8) await page.keyboard.press("PageDown");
    await page.keyboard.press("End");
    await page.keyboard.press("Enter");
    const results: Record<string, string> = {};
    results["a letter in a comment"] = await measure(page, session, `-- ${"lorem ipsum dolor ".repeat(4)}`);
    await page.keyboard.press("Enter");
    results["a letter of a name, with completion"] = await measure(
      page,
      session,
      "select item_1, item_2, total_price from table_19",
    );
    await page.keyboard.press("Escape");
    await page.keyboard.press("ControlOrMeta+Home");
    results["a letter in the first line"] = await measure(page, session, `-- ${"lorem ipsum dolor ".repeat(4)}`);
    await page.getByRole("button", { name: "Search tables and columns" }).click();
    results["a letter in the search of tables"] = await measure(page, session, "table_19 total item_1999");
    results["no key, for comparison"] = await measure(page, session, "");
    await measureFind(await browser.newPage({ baseURL: product.address }), results);
    console.table(results);
  } finally {
    await browser.close();
    await product.stop();
    await database.stop();
  }
}

async function makeTables(server: TestServer): Promise<void> {
  const { host, port, user, password, database } = server;
  const client = new Client({ host, port, user, password, database });
  await client.connect();
  for (let first = 0; first < TABLES; first += CREATE_BATCH) {
    const each = Array.from({ length: CREATE_BATCH }, (_, i) => {
      const columns = "id int primary key, name text, placed_at timestamptz, status text, total numeric, note text";
      return `create table table_${first + i} (${columns}, item_${first + i} int)`;
    });
    await client.query(each.join(";"));
  }
  await client.end();
}

async function openConsole(page: Page, { host, port, user, password, database }: TestServer): Promise<void> {
  const data = { email: `bench-${randomUUID()}@example.com`, password: "seven herons by the mill", name: "Bench" };
  const { workspace } = (await (await page.request.post("/api/auth/register", { data })).json()).data;
  const root = `/api/workspaces/${workspace.id}`;
  const made = await page.request.post(`${root}/connectors`, {
    data: { name: "Shop", type: "postgres", config: { host, port, user, password, database, ssl: "disable" } },
  });
  const connection = await made.json();
  if (!connection.data) throw new Error(JSON.stringify(connection));
  const content = STATEMENT.repeat(Math.ceil(LINES / STATEMENT.split("\n").length));
  const saved = await page.request.post(`${root}/consoles`, {
    data: { name: "long.sql", content, connectionId: connection.data.id },
  });
  await page.goto(`/w/${workspace.slug}/consoles/${(await saved.json()).data.id}`);
  await page.getByRole("textbox", { name: / query$/ }).click();
  // The schema is loaded after the page.
  await page.waitForRequest((each) => each.url().includes("/entities"), { timeout: 5_000 }).catch(() => null);
  await page.waitForTimeout(5_000);
}

/** Types a text and returns the work of each letter. */
async function measure(page: Page, session: CDPSession, text: string): Promise<string> {
  const times: number[] = [];
  for (const letter of text === "" ? "x".repeat(SAMPLES) : text.slice(0, SAMPLES)) {
    const before = await readWorkMs(session);
    if (text !== "") await page.keyboard.press(letter === " " ? "Space" : letter);
    await settle(page);
    times.push((await readWorkMs(session)) - before);
  }
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0;
  const verdict = at(0.95) <= BUDGET_P95_MS ? "within" : "OVER";
  return `p50 ${at(0.5).toFixed(1)} ms, p95 ${at(0.95).toFixed(1)} ms, longest ${at(1).toFixed(1)} ms: ${verdict} ${BUDGET_P95_MS} ms`;
}

async function measureFind(page: Page, results: Record<string, string>): Promise<void> {
  await openMillionRows(page, results);
  await page.getByRole("grid", { name: "Result" }).focus();
  await page.keyboard.press("ControlOrMeta+f");
  const search = page.getByRole("search", { name: "Find in result" });
  for (const text of FOUND_TEXTS) {
    await search.getByRole("textbox").fill("");
    await search.getByText("searched").waitFor({ state: "detached" });
    const since = performance.now();
    await search.getByRole("textbox").fill(text);
    await search.getByText("searched").waitFor();
    const ms = performance.now() - since;
    const verdict = ms <= FIND_BUDGET_MS ? "within" : "OVER";
    results[`finding "${text}" in 1,000,000 rows`] = `${ms.toFixed(0)} ms: ${verdict} ${FIND_BUDGET_MS} ms`;
  }
}

/** Resolves when the page has painted, and an open completion is filtered. */
function settle(page: Page): Promise<void> {
  return page.evaluate(
    () =>
      new Promise((resolve) => {
        setTimeout(() => requestAnimationFrame(() => setTimeout(resolve)), 120);
      }),
  );
}

/** Parts of the work that the page's code causes; painting depends on the machine's graphics. */
const WORK = new Set(["ScriptDuration", "LayoutDuration", "RecalcStyleDuration"]);

/** Returns the busy time of the page's main thread so far. */
async function readWorkMs(session: CDPSession): Promise<number> {
  const { metrics } = await session.send("Performance.getMetrics");
  const parts = metrics.filter(({ name }) => WORK.has(name)).map(({ value }) => value * 1000);
  return parts.reduce((sum, each) => sum + each, 0);
}
