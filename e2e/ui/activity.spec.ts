import { readFile } from "node:fs/promises";
import { expect, expectAccessible, test } from "./fixtures";
import { endless, flowBench } from "./flows.fixtures";
import { addRule, addRunnable, expectNoSidewaysScroll, LONG, runToEnd, startRun } from "./run.fixtures";
import { join, workspaceIdOf } from "./settings.fixtures";

test("lists runs live by kind and state, with links to them", async ({ browser, page, person }) => {
  await page.goto(`/w/${person.slug}/settings/profile`);
  await expect(page.getByRole("heading", { name: "Profile" })).toBeVisible();
  // Two keys that open another area.
  await page.keyboard.press("g");
  await page.keyboard.press("a");
  await expect(page.getByRole("heading", { name: "Profile" })).toBeVisible();
  await page.getByRole("link", { name: /^Activity/ }).click();
  await expect(page).toHaveURL(/\/activity$/);
  await expect(page.getByRole("heading", { name: "No activity yet" })).toBeVisible();
  const jun = await join(browser, page, "member");
  const broken = await addRunnable(page.request, "broken.sql", "select * from nowhere");
  await addRule(page.request, broken.id, ["failure"], { channelType: "email", recipients: ["ana@example.com"] });
  const runId = await runToEnd(page.request, broken.id, jun.request);
  const table = page.getByRole("table", { name: "Activity" });
  const run = table.getByRole("row", { name: /Console run/ });
  await expect(run).toContainText("Failed");
  await expect(run).toContainText("Jun");
  // The run's query is part of the run and has no separate row.
  await expect(table.getByRole("row", { name: /Delivery/ })).toContainText("Sent");
  await expect(table.getByRole("row", { name: /Query/ })).toHaveCount(0);
  const base = `/api/workspaces/${await workspaceIdOf(page.request)}`;
  const [{ id: connectionId }] = (await (await page.request.get(`${base}/connectors`)).json()).data;
  await page.request.post(`${base}/databases/${connectionId}/execute`, { data: { query: "select 42 as answer" } });
  await page.reload();
  const query = table.getByRole("row", { name: /select 42 as answer/ });
  await query.getByRole("button", { name: "View query", exact: true }).click();
  await expect(page.getByRole("region", { name: "Query", exact: true })).toHaveText("select 42 as answer");
  const parts = page.getByRole("navigation", { name: "Activity" });
  await parts.getByRole("link", { name: "Needs attention" }).click();
  await expect(query).toHaveCount(0);
  await expect(run).toBeVisible();
  await parts.getByRole("link", { name: "Started by me" }).click();
  await expect(run).toHaveCount(0);
  await expect(query).toBeVisible();
  await page.getByRole("combobox", { name: "Started by", exact: true }).click();
  await page.getByRole("option", { name: /^Jun/ }).click();
  await expect(run).toBeVisible();
  await expect(query).toHaveCount(0);
  await parts.getByRole("button", { name: "Save view" }).click();
  await expect(parts.getByRole("link", { name: /^All activity, by Jun/ })).toBeVisible();
  await parts.getByRole("link", { name: "All activity", exact: true }).click();
  await expect(run).toBeVisible();
  await page.getByRole("searchbox", { name: "Search name, error or ID" }).fill("nowhere");
  await expect(query).toHaveCount(0);
  await run.getByRole("link", { name: /nowhere/ }).click();
  await expect(page).toHaveURL(new RegExp(`/consoles/${broken.id}/schedule\\?run=${runId}$`));
});

test("lists running items first and cancels them", { tag: "@long" }, async ({ page, person }) => {
  const { id } = await addRunnable(page.request, "long.sql", LONG);
  const done = await addRunnable(page.request, "done.sql", "select 1");
  await page.goto(`/w/${person.slug}/activity`);
  await startRun(page.request, id);
  await runToEnd(page.request, done.id);
  const rows = page.getByRole("table", { name: "Activity" }).getByRole("row");
  await expect(rows.nth(1)).toHaveText("Running");
  await expect(rows.nth(2)).toContainText("Running");
  await rows.nth(2).getByRole("button", { name: "Cancel long.sql" }).click();
  await expect(rows.filter({ hasText: "long.sql" })).toContainText("Cancelled", { timeout: 30_000 });
  await expect(rows.nth(1)).toHaveText("Today");
});

test("shows the progress of a flow, with a link to its run", { tag: "@long" }, async ({ page, person }) => {
  const { home, make, sample } = await flowBench(page.request);
  const { flow, run } = await make({ ...endless(sample), trigger: true });
  await page.goto(`/w/${person.slug}/activity`);
  const row = page.getByRole("table", { name: "Activity" }).getByRole("row", { name: /Without an end/ });
  const bar = row.getByRole("progressbar", { name: "Progress of Without an end" });
  // The number of rows is unknown: the count of read rows is shown, and grows.
  await expect(bar).toHaveAttribute("aria-valuetext", /^[1-9][\d,]* rows read$/, { timeout: 30_000 });
  const seen = await bar.getAttribute("aria-valuetext");
  await expect(bar).not.toHaveAttribute("aria-valuetext", seen ?? "", { timeout: 30_000 });
  await expectAccessible(page);
  await expectNoSidewaysScroll(page);
  await row.getByRole("link", { name: "View run" }).click();
  await expect(page).toHaveURL(new RegExp(`/flows/${flow.id}/runs/${run?.id}$`));
  expect((await page.request.post(`${home}/flows/${flow.id}/runs/${run?.id}/cancel`)).status()).toBeLessThan(300);
  await page.goBack();
  await expect(row).toContainText("Cancelled", { timeout: 30_000 });
  await expect(bar).toHaveCount(0);
});

test("hides runs of private resources", async ({ browser, page, person }) => {
  const secret = await addRunnable(page.request, "secret.sql", "select 1", "private");
  const shared = await addRunnable(page.request, "shared.sql", "select 1");
  const jun = await join(browser, page, "member");
  await jun.page.goto(`/w/${person.slug}/activity`);
  await runToEnd(page.request, secret.id);
  await runToEnd(page.request, shared.id);
  await expect(jun.page.getByRole("row", { name: /shared\.sql/ })).toContainText("Succeeded");
  await expect(jun.page.getByText("secret.sql")).toHaveCount(0);
});

for (const [theme, width] of [
  ["light", 1440],
  ["dark", 390],
] as const) {
  test.describe(`in the ${theme} theme, ${width} wide`, () => {
    test.use({ colorScheme: theme, viewport: { width, height: 844 } });

    test("is accessible and fits the width", { tag: "@long" }, async ({ page, person }) => {
      await page.goto(`/w/${person.slug}/activity`);
      await expect(page.getByRole("heading", { name: "No activity yet" })).toBeVisible();
      await expectAccessible(page);
      const { id } = await addRunnable(page.request, "told.sql", "select * from nowhere");
      await runToEnd(page.request, id);
      await expect(page.getByRole("row", { name: /told\.sql/ })).toContainText("Failed");
      await expectAccessible(page);
      await expectNoSidewaysScroll(page);
    });
  });
}

test("charts the last day by hour, exports the list, and saves a view", { tag: "@long" }, async ({
  browser,
  page,
  person,
}) => {
  const broken = await addRunnable(page.request, "=broken.sql", "select * from nowhere");
  const done = await addRunnable(page.request, "done.sql", "select 1");
  await runToEnd(page.request, broken.id);
  await runToEnd(page.request, done.id);
  await page.goto(`/w/${person.slug}/activity`);
  const chart = page.getByRole("img", { name: /^Runs: 2 in the last 24 hours, 1 failed/ });
  await expect(chart).toBeVisible();
  await runToEnd(page.request, done.id);
  await expect(page.getByRole("img", { name: /^Runs: 3 in the last 24 hours, 1 failed/ })).toBeVisible();
  const parts = page.getByRole("navigation", { name: "Activity" });
  await expect(parts.getByRole("link", { name: "Console runs 3", exact: true })).toBeVisible();
  await parts.getByRole("link", { name: "Needs attention 1", exact: true }).click();
  // If the browser can write to the disk, it asks for a location; here it downloads.
  await page.evaluate(() => Reflect.deleteProperty(window, "showSaveFilePicker"));
  const read = async (as: string) => {
    await page.getByRole("button", { name: "Export" }).click();
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("menuitem", { name: as }).click(),
    ]);
    expect(download.suggestedFilename()).toBe(`activity.${as === "Export CSV" ? "csv" : "ndjson"}`);
    return readFile(await download.path(), "utf8");
  };
  const [head, line, ...more] = (await read("Export CSV")).trimEnd().split("\r\n");
  expect(head).toBe("id,kind,status,name,startedBy,at,durationMs,rows,error");
  expect(line).toContain(`console,failure,"'=broken.sql",Ines Okafor,`);
  expect(more).toEqual([]);
  expect(JSON.parse(await read("Export NDJSON"))).toMatchObject({ status: "failure", name: "=broken.sql" });

  await parts.getByRole("button", { name: "Save view" }).click();
  const view = parts.getByRole("link", { name: "All activity, failed" });
  await expect(view).toHaveAttribute("aria-current", "page");
  await parts.getByRole("link", { name: "All activity", exact: true }).click();
  // It belongs to the user, in every browser.
  const other = await (await browser.newContext({ storageState: await page.context().storageState() })).newPage();
  await other.goto(`/w/${person.slug}/activity`);
  await other.getByRole("link", { name: "All activity, failed" }).click();
  await expect(other).toHaveURL(/\?state=bad$/);
  await other.context().close();
  await expect(view).toBeVisible();
  await view.hover();
  await parts.getByRole("button", { name: "Remove view All activity, failed" }).click();
  await expect(view).toHaveCount(0);
});

test("filters by connection and time, and names both in a saved view", { tag: "@long" }, async ({ page, person }) => {
  const base = `/api/workspaces/${await workspaceIdOf(page.request)}`;
  const [{ id: sample }] = (await (await page.request.get(`${base}/connectors`)).json()).data;
  const data = { name: "Ledger", type: "sqlite", config: { file: "ledger.sqlite" }, readOnly: false };
  const { id: ledger } = (await (await page.request.post(`${base}/connectors`, { data })).json()).data;
  const ask = (id: string, query: string) => page.request.post(`${base}/databases/${id}/execute`, { data: { query } });
  await ask(sample, "select 1 as of_the_sample");
  await ask(ledger, "select 2 as of_the_ledger");
  const console = await addRunnable(page.request, "shop.sql", "select 1");
  await runToEnd(page.request, console.id);
  const flow = {
    name: "Into the ledger",
    type: "query",
    source: { connectionId: sample, query: "select 1 as a" },
    destination: { connectionId: ledger, write: "replace" },
  };
  expect((await page.request.post(`${base}/flows`, { data: flow })).status()).toBe(201);
  await page.goto(`/w/${person.slug}/activity`);
  const table = page.getByRole("table", { name: "Activity" });
  const row = (name: RegExp) => table.getByRole("row", { name });
  await expect(row(/Into the ledger/)).toContainText("Succeeded");
  await page.getByRole("combobox", { name: "Connection" }).click();
  await page.getByRole("option", { name: "Ledger" }).click();
  await expect(row(/of_the_ledger/)).toBeVisible();
  await expect(row(/Into the ledger/)).toBeVisible();
  await expect(row(/of_the_sample|shop\.sql/)).toHaveCount(0);
  await page.getByRole("combobox", { name: "Connection" }).click();
  await page.getByRole("option", { name: "Sample shop" }).click();
  await expect(row(/of_the_sample/)).toBeVisible();
  await expect(row(/shop\.sql/)).toBeVisible();
  await expect(row(/Into the ledger/)).toBeVisible();
  await expect(row(/of_the_ledger/)).toHaveCount(0);
  await page.getByRole("combobox", { name: "Time" }).click();
  await page.getByRole("option", { name: "Last hour" }).click();
  await expect(row(/of_the_sample/)).toBeVisible();
  await expect(page).toHaveURL(new RegExp(`\\?connection=${sample}&since=hour$`));
  const parts = page.getByRole("navigation", { name: "Activity" });
  await parts.getByRole("button", { name: "Save view" }).click();
  await expect(parts.getByRole("link", { name: "All activity, last hour, Sample shop" })).toBeVisible();
  // Items before the requested period are hidden.
  await page.clock.setFixedTime(Date.now() + 2 * 3_600_000);
  await page.reload();
  await expect(page.getByText("No matching activity.")).toBeVisible();
  await expectAccessible(page);
});

test("pauses the list, counts new items, and resumes", { tag: "@long" }, async ({ page, person }) => {
  const { id } = await addRunnable(page.request, "first.sql", "select 1");
  await runToEnd(page.request, id);
  await page.goto(`/w/${person.slug}/activity`);
  const table = page.getByRole("table", { name: "Activity" });
  await expect(table.getByRole("row", { name: /first\.sql/ })).toContainText("Succeeded");
  await expect(page.getByText("Live", { exact: true })).toBeVisible();
  await page.getByRole("button", { name: "Pause" }).click();
  await expect(page.getByText("Live", { exact: true })).toHaveCount(0);
  const later = await addRunnable(page.request, "later.sql", "select 1");
  await runToEnd(page.request, later.id);
  await expect(page.getByRole("button", { name: "Resume, 1 new" })).toBeVisible();
  await expect(table.getByRole("row", { name: /later\.sql/ })).toHaveCount(0);
  await expectAccessible(page);
  await page.getByRole("button", { name: /^Resume/ }).click();
  await expect(table.getByRole("row", { name: /later\.sql/ })).toContainText("Succeeded");
  await expect(page.getByText("Live", { exact: true })).toBeVisible();
});

test("moves with J and K, opens with Enter, and renames with E", { tag: "@long" }, async ({ page, person }) => {
  const first = await addRunnable(page.request, "first.sql", "select 1");
  await runToEnd(page.request, first.id);
  const second = await addRunnable(page.request, "second.sql", "select 1");
  const runId = await runToEnd(page.request, second.id);
  await page.goto(`/w/${person.slug}/activity`);
  const rows = page.getByRole("table", { name: "Activity" }).getByRole("row");
  const marked = rows.filter({ has: page.locator(":focus") });
  await expect(rows.filter({ hasText: "second.sql" })).toContainText("Succeeded");
  await page.keyboard.press("j");
  await expect(marked).toContainText("second.sql");
  await page.keyboard.press("j");
  await expect(marked).toContainText("first.sql");
  // The selection stays at the end of a list.
  await page.keyboard.press("j");
  await expect(marked).toContainText("first.sql");
  await page.keyboard.press("k");
  await expect(marked).toContainText("second.sql");
  // A run has no name to change.
  await page.keyboard.press("e");
  await expect(page).toHaveURL(/\/activity$/);
  // In a field they are typed letters.
  await page.getByRole("searchbox", { name: "Search name, error or ID" }).pressSequentially("jke");
  await expect(page.getByRole("searchbox", { name: "Search name, error or ID" })).toHaveValue("jke");
  await page.getByRole("searchbox", { name: "Search name, error or ID" }).fill("");
  await page.getByRole("heading", { name: "Activity" }).click();
  await page.keyboard.press("j");
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(new RegExp(`/consoles/${second.id}/schedule\\?run=${runId}$`));

  await page.goto(`/w/${person.slug}/connections`);
  const sample = page.getByRole("table", { name: "Connections" }).getByRole("link", { name: "Sample shop" });
  await expect(sample).toBeVisible();
  const find = page.getByRole("searchbox", { name: "Search connections" });
  await find.pressSequentially("sample shop");
  await expect(find).toHaveValue("sample shop");
  await page.getByRole("heading", { name: "Connections", level: 1 }).click();
  await page.keyboard.press("k");
  await expect(sample).toBeFocused();
  await page.keyboard.press("e");
  await expect(page).toHaveURL(/\/connections\/[0-9a-f]{24}$/);
});
