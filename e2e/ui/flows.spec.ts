import { expect, expectAccessible, hold, test } from "./fixtures";
import { endless, flowBench, sendSigned } from "./flows.fixtures";
import { addRunnable, LONG, startRun } from "./run.fixtures";
import { join } from "./settings.fixtures";

test("creates a sync from the schema, runs it, and follows it to its end", async ({ page, person }) => {
  await flowBench(page.request);
  await page.goto(`/w/${person.slug}/flows`);
  await expect(page.getByRole("heading", { name: "No flows yet" })).toBeVisible();
  await page.getByRole("link", { name: "New flow" }).click();
  await page.getByRole("button", { name: "Save and run" }).click();
  for (const missing of ["Enter a name.", "Select a source connection.", "Select a destination connection."]) {
    await expect(page.getByText(missing)).toBeVisible();
  }
  await page.getByRole("textbox", { name: "Name" }).fill("Shop to warehouse");
  const from = page.getByRole("region", { name: "Source" });
  await from.getByRole("combobox", { name: "Connection" }).click();
  await page.getByRole("option", { name: /^Sample shop/ }).click();
  await page.getByRole("checkbox", { name: "customers" }).check();
  await page.getByRole("checkbox", { name: "products" }).check();
  await expect(page.getByText("2 of 8 selected")).toBeVisible();
  // The selected table is described: its columns with their types, and its first rows.
  const columns = page.getByRole("table", { name: "Columns and their types" });
  await expect(columns.getByRole("row", { name: /email VARCHAR/ })).toContainText("string");
  await expect(page.getByRole("table", { name: "First rows of the source" }).getByRole("row")).toHaveCount(21);
  const to = page.getByRole("region", { name: "Destination" });
  await to.getByRole("combobox", { name: "Connection" }).click();
  // The sample is read-only, so nothing can be written to it.
  await expect(page.getByRole("option", { name: /^Sample shop/ })).toBeDisabled();
  await page.getByRole("option", { name: /^warehouse/ }).click();
  await page.getByRole("radio", { name: /Incremental/ }).check();
  await expect(page.getByRole("radio", { name: /Upsert/ })).toBeChecked();
  await expect(page.getByRole("radio", { name: /^Replace/ })).toBeDisabled();
  await expect(page.getByRole("combobox", { name: "Cursor field of customers" })).toHaveText("created_at");
  await expect(page.getByRole("combobox", { name: "Primary key of customers" })).toHaveText("id");
  await page.getByRole("combobox", { name: "Cursor field of products" }).click();
  await page.getByRole("option", { name: "id", exact: true }).click();
  // The closing list has an option of this name, too.
  await expect(page.getByRole("listbox")).toHaveCount(0);
  await page.getByRole("combobox", { name: "Primary key of products" }).click();
  await page.getByRole("option", { name: "id", exact: true }).click();
  await expectAccessible(page);
  await page.getByRole("button", { name: "Save and run" }).click();
  await expect(page).toHaveURL(/\/flows\/[0-9a-f]{24}\/runs\/[0-9a-f]{24}$/);
  const strip = page.getByRole("group", { name: "Run" });
  await expect(strip.getByText("Succeeded")).toBeVisible({ timeout: 30_000 });
  await expect(page.getByRole("list", { name: "Tables", exact: true }).getByRole("listitem")).toHaveText([
    /customers2,400 written/,
    /products180 written/,
  ]);
  await expect(page.getByRole("log", { name: "Log lines" })).toContainText("done, 2,400 rows read, 2,400 written");
  await expect(page.getByRole("log", { name: "Log lines" })).toContainText("Run finished");
  // The status, the progress and the log are visible without scrolling.
  for (const part of [strip, page.getByRole("list", { name: "Tables", exact: true })]) {
    await expect(part).toBeInViewport({ ratio: 1 });
  }
  await expect(page.getByRole("log", { name: "Log lines" }).getByText("Run started")).toBeInViewport();
  await expect(page.getByRole("region", { name: "Next start cursor" })).toContainText("customers");
  await expectAccessible(page);
  await page.getByRole("link", { name: "Flows", exact: true }).first().click();
  const row = page.getByRole("row", { name: /Shop to warehouse/ });
  await expect(row).toContainText("Succeeded");
  await expect(row).toContainText("2,580");
});

test("counts rows in two tabs during a run, and shows a cancellation in both", { tag: "@long" }, async ({
  context,
  page,
  person,
}) => {
  const { make, sample } = await flowBench(page.request);
  const { flow, run } = await make({ ...endless(sample), trigger: true });
  await page.goto(`/w/${person.slug}/flows/${flow.id}/runs/${run?.id}`);
  const second = await context.newPage();
  const asked: string[] = [];
  second.on("request", (request) => /\/api\/.*\/flows/.test(request.url()) && asked.push(request.url()));
  await second.goto(`/w/${person.slug}/flows`);
  const row = second.getByRole("row", { name: /Without an end/ });
  const rows = async () => Number(((await row.getByRole("cell").nth(3).textContent()) ?? "").replaceAll(",", "") || 0);
  const written = page.getByRole("group", { name: "Run" }).locator("div", { hasText: "written" });
  await expect.poll(rows, { timeout: 30_000 }).toBeGreaterThan(0);
  await expect(written).not.toHaveText(/^written0$/);
  // The stream reports progress: once the page is loaded, the count of rows grows without requests.
  await expect(async () => {
    const before = asked.length;
    for (let step = 0; step < 3; step += 1) {
      const shown = await rows();
      await expect.poll(rows, { timeout: 30_000 }).toBeGreaterThan(shown);
    }
    expect(asked.length).toBe(before);
  }).toPass({ timeout: 40_000 });
  await expect(page.getByRole("log", { name: "Log lines" })).toContainText("Run started");
  await expect(page.getByRole("progressbar", { name: "without_an_end" })).toBeVisible();
  await page.getByRole("button", { name: "Cancel run" }).click();
  await expect(page.getByRole("group", { name: "Run" }).getByText("Cancelled")).toBeVisible({ timeout: 30_000 });
  await expect(page.getByRole("log", { name: "Log lines" })).toContainText("Run cancelled");
  await expect(row).toContainText("Cancelled");
  await expect(page.getByRole("button", { name: "Run now" })).toBeEnabled();
});

test("explains a failed run, and a backfill reads everything again", async ({ page, person }) => {
  const { make, sample } = await flowBench(page.request);
  const source = { connectionId: sample, entities: [{ name: "nowhere" }] };
  const broken = await make({ name: "Broken", source, trigger: true });
  await page.goto(`/w/${person.slug}/flows/${broken.flow.id}/runs/${broken.run?.id}`);
  const says = page.getByRole("status").filter({ hasText: "The run failed on nowhere." });
  await expect(says).toContainText("Fix the cause, then retry.");
  await expect(says.getByRole("link", { name: "Open Sample shop" })).toHaveAttribute(
    "href",
    /\/connections\/[0-9a-f]{24}$/,
  );
  await expect(page.getByRole("log", { name: "Log lines" })).toContainText("nowhere");
  await page.getByRole("link", { name: "Failed 1" }).click();
  await expect(page.getByRole("table", { name: "Flows" })).toContainText("nowhere");

  const { flow } = await make({ name: "Products again" });
  await page.goto(`/w/${person.slug}/flows/${flow.id}`);
  await expect(page.getByRole("heading", { name: "No runs yet" })).toBeVisible();
  await page.getByRole("button", { name: "Backfill" }).click();
  await page.getByRole("button", { name: "Run backfill" }).click();
  await expect(page.getByRole("group", { name: "Run" })).toContainText("backfill");
  await expect(page.getByRole("group", { name: "Run" }).getByText("Succeeded")).toBeVisible({ timeout: 30_000 });
  await expect(page.getByRole("region", { name: "Runs" }).getByRole("link")).toHaveText([/180 rows/]);
});

test("asks before overwriting a flow that someone else changed", { tag: "@long" }, async ({ page, person }) => {
  const { home, make } = await flowBench(page.request);
  const { flow } = await make({ name: "Products" });
  await page.goto(`/w/${person.slug}/flows/${flow.id}/edit`);
  const name = page.getByRole("textbox", { name: "Name" });
  await name.fill("Mine");
  const theirs = await page.request.patch(`${home}/flows/${flow.id}`, { data: { name: "Theirs" } });
  expect(theirs.status()).toBe(200);
  await page.getByRole("button", { name: "Save flow" }).click();
  const notice = page.getByRole("alert").filter({ hasText: "Someone else changed this flow." });
  await expect(notice).toBeVisible();
  await expect(name).toHaveValue("Mine");
  await notice.getByRole("button", { name: "Load their version" }).click();
  await expect(name).toHaveValue("Theirs");
  await name.fill("Mine again");
  await page.request.patch(`${home}/flows/${flow.id}`, { data: { name: "Theirs again" } });
  await page.getByRole("button", { name: "Save flow" }).click();
  await page.getByRole("button", { name: "Overwrite with mine" }).click();
  await expect(page).toHaveURL(new RegExp(`/flows/${flow.id}$`));
  expect((await (await page.request.get(`${home}/flows/${flow.id}`)).json()).data.name).toBe("Mine again");
});

test("sets a schedule and pauses a flow, shown in the list", { tag: "@long" }, async ({ page, person }) => {
  const { make } = await flowBench(page.request);
  const { flow } = await make({ name: "Products" });
  await page.goto(`/w/${person.slug}/flows/${flow.id}/edit`);
  await page.getByRole("region", { name: "Schedule" }).getByRole("radio", { name: "Daily" }).click();
  await page.getByRole("button", { name: "Save flow" }).click();
  await expect(page.getByRole("link", { name: /^Every day/ })).toBeVisible();
  await page.goto(`/w/${person.slug}/flows`);
  const row = page.getByRole("row", { name: /Products/ });
  await expect(row).toContainText("Every day at 07:00");
  await row.getByRole("button", { name: "Actions for Products" }).click();
  await page.getByRole("menuitem", { name: "Pause" }).click();
  await expect(row).toContainText("Paused");
  await page.getByRole("link", { name: "Paused 1" }).click();
  await expect(row).toBeVisible();
});

test("shows a webhook's secret once, and lists a signed event", async ({ page, person }) => {
  const { make, into } = await flowBench(page.request);
  const destination = { connectionId: into, table: "events", write: "append" };
  const { flow } = await make({ name: "Carrier tracking", type: "webhook", source: undefined, destination });
  await page.goto(`/w/${person.slug}/flows/${flow.id}/webhook`);
  await page.getByRole("button", { name: "Create endpoint URL" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Create endpoint URL" }).click();
  const banner = page.getByRole("region", { name: "The new secret" });
  const secret = await banner.getByRole("textbox", { name: "Secret" }).inputValue();
  expect(secret).toMatch(/^whsec_[0-9a-f]{64}$/);
  const url = await page.getByRole("textbox", { name: "Endpoint URL" }).inputValue();
  await expect(page.getByRole("region", { name: "Sign and send an event" })).toContainText(url);
  await expectAccessible(page);
  // It stays while the user is elsewhere in the workspace, and closes once they have copied it.
  await page.getByRole("heading", { name: "Carrier tracking", level: 1 }).click();
  await page.keyboard.press("g");
  await page.keyboard.press("f");
  await expect(page.getByRole("heading", { name: "Flows", level: 1 })).toBeVisible();
  await page.goBack();
  await expect(banner.getByRole("textbox", { name: "Secret" })).toHaveValue(secret);
  await banner.getByRole("button", { name: "Done", exact: true }).click();
  await expect(banner).toHaveCount(0);

  const facts = page.getByRole("region", { name: "Event statistics" });
  const figure = (name: string) => facts.locator("dl > div", { has: page.getByText(name, { exact: true }) });
  expect(await sendSigned(page, url, secret, '{"id":"t1","type":"parcel.scanned"}')).toBe(202);
  await expect(figure("received")).toContainText("1");
  await expect(figure("written")).toContainText("1", { timeout: 30_000 });
  expect(await sendSigned(page, url, secret, '{"id":"t1","type":"parcel.scanned"}')).toBe(202);
  await expect(figure("duplicates")).toContainText("1");
  expect(await sendSigned(page, url, "whsec_wrong", "{}")).toBe(401);
  await expect(figure("rejected")).toContainText("1");

  await page.getByRole("button", { name: "Rotate URL and secret" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Rotate URL and secret" }).click();
  await expect(page.getByRole("textbox", { name: "Endpoint URL" })).not.toHaveValue(url);
  expect(await sendSigned(page, url, secret, "{}")).toBe(404);
  await page.getByRole("button", { name: "Done", exact: true }).click();
  await page.reload();
  await expect(figure("received")).toContainText("3");
  await expect(banner).toHaveCount(0);
  expect(await page.content()).not.toContain("whsec_");
});

test("lets a member run others' flows and change only their own", async ({ page, person, browser }) => {
  const { make, into } = await flowBench(page.request);
  const jun = await join(browser, page, "member");
  const others = await make({ name: "Products" });
  const destination = { connectionId: into, table: "events", write: "append" };
  const hook = await make({ name: "Events", type: "webhook", source: undefined, destination });
  const theirs = await make({ name: "Of Jun" }, jun.request);
  await jun.page.goto(`/w/${person.slug}/flows/${others.flow.id}/edit`);
  await expect(jun.page.getByText("Only owners, admins and the flow's creator can edit it.")).toBeVisible();
  await expect(jun.page.getByRole("textbox", { name: "Name" })).toBeDisabled();
  await expect(jun.page.getByRole("button", { name: "Save flow" })).toHaveCount(0);
  await jun.page.goto(`/w/${person.slug}/flows/${others.flow.id}`);
  await expect(jun.page.getByRole("button", { name: "Run now" })).toBeEnabled();
  await jun.page.getByRole("button", { name: "Actions for Products" }).click();
  await expect(jun.page.getByRole("menuitem")).toHaveText(["View flow"]);
  await jun.page.goto(`/w/${person.slug}/flows/${hook.flow.id}/webhook`);
  await expect(jun.page.getByText("Only owners and admins can create endpoint URLs.")).toBeVisible();
  await expect(jun.page.getByRole("button", { name: "Create endpoint URL" })).toHaveCount(0);
  await jun.page.goto(`/w/${person.slug}/flows/${theirs.flow.id}/edit`);
  await expect(jun.page.getByRole("button", { name: "Save flow" })).toBeEnabled();
});

test("finds flows by palette and keyboard, and can't open unknown ones", {
  tag: "@long",
}, async ({ page, person, consolePage }) => {
  const { make } = await flowBench(page.request);
  const { flow } = await make({ name: "Nightly products" });
  await consolePage.open(person.slug);
  await page.keyboard.press("ControlOrMeta+k");
  await page.keyboard.type("Nightly");
  await page.getByRole("option", { name: /Nightly products/ }).click();
  await expect(page).toHaveURL(new RegExp(`/flows/${flow.id}$`));
  await page.keyboard.press("c");
  await expect(page.getByRole("heading", { name: "New flow" })).toBeVisible();
  for (const path of ["5".repeat(24), "nonsense", `${flow.id}/runs/${"5".repeat(24)}`]) {
    await page.goto(`/w/${person.slug}/flows/${path}`);
    await expect(page.getByRole("heading", { name: /You can't open this (flow|run)/ })).toBeVisible();
  }
});

test("goes two filters back on a phone after a reload, with a slow server", {
  tag: "@long",
}, async ({ page, person }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  const { make } = await flowBench(page.request);
  await make({ name: "Nightly products" });
  await page.goto(`/w/${person.slug}/flows`);
  const parts = page.getByRole("radiogroup", { name: "Filter by status" });
  await parts.getByRole("radio", { name: "Paused" }).click();
  await expect(page).toHaveURL(/\?show=paused$/);
  await parts.getByRole("radio", { name: "Failed" }).click();
  await expect(page).toHaveURL(/\?show=problems$/);
  await page.reload();
  await expect(parts.getByRole("radio", { name: "Failed" })).toBeChecked();
  const held = Promise.withResolvers<void>();
  let asked = 0;
  await page.route(/_rsc=/, async (route) => {
    asked += new URL(route.request().url()).searchParams.has("show") ? 1 : 0;
    await held.promise;
    await route.continue();
  });
  await page.goBack();
  await expect(parts.getByRole("radio", { name: "Paused" })).toBeChecked();
  await page.goBack();
  await expect(page.getByRole("row", { name: /Nightly products/ })).toBeVisible();
  held.resolve();
  await page.goForward();
  await expect(parts.getByRole("radio", { name: "Paused" })).toBeChecked();
  await expect(page).toHaveURL(/\?show=paused$/);
  expect(asked).toBe(0);
});

test("shows and cancels a run on a phone, within the screen's width", { tag: "@long" }, async ({ page, person }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  const { make, sample } = await flowBench(page.request);
  const { flow } = await make({ ...endless(sample), trigger: true });
  const fits = async () => {
    const wide = await page.evaluate(() => {
      const box = document.querySelector("main.page");
      return box === null ? null : box.scrollWidth - box.clientWidth;
    });
    expect(wide).toBe(0);
  };
  await page.goto(`/w/${person.slug}/flows`);
  await expect(page.getByRole("row", { name: /Without an end/ })).toBeVisible();
  await fits();
  await page.getByRole("link", { name: "Without an end" }).click();
  await expect(page.getByRole("log", { name: "Log lines" })).toContainText("Run started");
  await expect(page.getByRole("region", { name: "Runs" }).getByRole("link")).toHaveCount(1);
  await fits();
  await expect(page.getByRole("group", { name: "Run" })).toBeInViewport({ ratio: 1 });
  await expect(page.getByRole("log", { name: "Log lines" }).getByText("Run started")).toBeInViewport();
  await page.getByRole("button", { name: "Cancel run" }).click();
  await expect(page.getByRole("group", { name: "Run" }).getByText("Cancelled")).toBeVisible({ timeout: 30_000 });
  await page.goto(`/w/${person.slug}/flows/${flow.id}/edit`);
  await expect(page.getByRole("textbox", { name: "Query" })).toBeVisible();
  await fits();
});

test("counts running flows of everyone in the status bar, with a link", { tag: "@long" }, async ({
  page,
  person,
  browser,
}) => {
  const { home, make, sample } = await flowBench(page.request);
  const { flow, run } = await make({ ...endless(sample), trigger: true });
  const jun = await join(browser, page, "member");
  await jun.page.goto(`/w/${person.slug}/flows`);
  const bar = jun.page.getByRole("contentinfo");
  // It ran before this page was opened; later starts and ends come with the stream.
  await expect(bar.getByRole("link", { name: "1 run in progress" })).toBeVisible();
  const { id } = await addRunnable(page.request, "long.sql", LONG, "workspace");
  const background = await startRun(page.request, id);
  await expect(bar.getByRole("link", { name: "2 runs in progress" })).toBeVisible();
  // Only the owner sees a private console's run.
  const secret = await addRunnable(page.request, "mine.sql", LONG, "private");
  const hidden = await startRun(page.request, secret.id);
  await page.goto(`/w/${person.slug}/flows`);
  await expect(page.getByRole("contentinfo").getByRole("link", { name: "3 runs in progress" })).toBeVisible();
  await expect(bar.getByRole("link", { name: "2 runs in progress" })).toBeVisible();
  await bar.getByRole("link", { name: "2 runs in progress" }).click();
  await expect(jun.page).toHaveURL(/\/activity\?state=motion$/);
  await expect(jun.page.getByRole("table", { name: "Activity" }).getByRole("row")).toHaveCount(4);
  for (const path of [`consoles/${id}/runs/${background}`, `consoles/${secret.id}/runs/${hidden}`]) {
    expect((await page.request.post(`${home}/${path}/cancel`, { data: {} })).status()).toBeLessThan(300);
  }
  expect((await page.request.post(`${home}/flows/${flow.id}/runs/${run?.id}/cancel`)).status()).toBeLessThan(300);
  await expect(bar.getByRole("link", { name: "Nothing running" })).toBeVisible({ timeout: 30_000 });
});

test("keeps a started form over a reload, asks on leaving, and creates one flow on a double click", {
  tag: "@long",
}, async ({ page, person }) => {
  const { home, into } = await flowBench(page.request);
  // A browser asks before it reloads a page with unsaved changes.
  page.on("dialog", (dialog) => dialog.accept());
  await page.goto(`/w/${person.slug}/flows/new`);
  await page.getByRole("radio", { name: "Webhook", exact: true }).click();
  // Saving moves the focus to a missing value.
  await page.getByRole("button", { name: "Save flow" }).click();
  const name = page.getByRole("textbox", { name: "Name" });
  await expect(name).toBeFocused();
  await name.fill("Carrier tracking");
  await page.getByRole("textbox", { name: "Table" }).fill("scans");
  await expect(page.getByText("Draft saved")).toBeVisible();
  await page.reload();
  await expect(page.getByText("Your unsaved draft was restored.")).toBeVisible();
  await expect(name).toHaveValue("Carrier tracking");
  await expect(page.getByRole("textbox", { name: "Table" })).toHaveValue("scans");
  const dialog = page.getByRole("dialog", { name: "Discard the new flow?" });
  const leave = () => page.getByRole("link", { name: "Connections" }).first().click();
  await leave();
  await dialog.getByRole("button", { name: "Stay" }).click();
  await expect(name).toHaveValue("Carrier tracking");
  await leave();
  await dialog.getByRole("button", { name: "Keep draft" }).click();
  await expect(page.getByRole("heading", { name: "Connections", level: 1 })).toBeVisible();
  await page.goto(`/w/${person.slug}/flows/new`);
  await expect(name).toHaveValue("Carrier tracking");
  await expectAccessible(page);
  await page.getByRole("region", { name: "Destination" }).getByRole("combobox", { name: "Connection" }).click();
  await page.getByRole("option", { name: /^warehouse/ }).click();
  await page.getByRole("button", { name: "Save flow" }).dblclick();
  await expect(page.getByRole("heading", { name: "No endpoint URL yet" })).toBeVisible();
  const flows = (await (await page.request.get(`${home}/flows`)).json()).data;
  expect(flows.map((flow: { name: string; destination: object }) => [flow.name, flow.destination])).toEqual([
    ["Carrier tracking", { connectionId: into, table: "scans", write: "append" }],
  ]);
  // A saved flow leaves no draft.
  await page.goto(`/w/${person.slug}/flows/new`);
  await expect(name).toHaveValue("");
  await name.fill("Another");
  await leave();
  await dialog.getByRole("button", { name: "Discard" }).click();
  await expect(page.getByRole("heading", { name: "Connections", level: 1 })).toBeVisible();
  await page.goto(`/w/${person.slug}/flows/new`);
  await expect(name).toHaveValue("");
});

test("runs a flow once on a double click, and deletes it without an error", { tag: "@long" }, async ({
  page,
  person,
}) => {
  const { home, make } = await flowBench(page.request);
  const { flow } = await make({ name: "Products" });
  await page.goto(`/w/${person.slug}/flows/${flow.id}`);
  const asked: string[] = [];
  page.on("request", (request) => request.method() !== "GET" && asked.push(`${request.method()} ${request.url()}`));
  await page.getByRole("button", { name: "Run now" }).dblclick();
  await expect(page.getByRole("group", { name: "Run" }).getByText("Succeeded")).toBeVisible({ timeout: 30_000 });
  expect(asked.filter((each) => each.endsWith("/flows"))).toHaveLength(1);
  expect((await (await page.request.get(`${home}/flows/${flow.id}/runs`)).json()).data.items).toHaveLength(1);
  await page.getByRole("button", { name: "Actions for Products" }).click();
  await page.getByRole("menuitem", { name: "Delete flow" }).click();
  await page.getByRole("button", { name: "Delete flow" }).dblclick();
  await expect(page.getByRole("heading", { name: "No flows yet" })).toBeVisible();
  expect(asked.filter((each) => each.startsWith("DELETE"))).toHaveLength(1);
});

test("keeps long names and reasons within the list", { tag: "@long" }, async ({ page, person }) => {
  const { make, sample } = await flowBench(page.request);
  const query = `select i from range(3) t(i) where i = '${"no_number_at_all ".repeat(40)}'`;
  const source = { connectionId: sample, query };
  await make({ name: "x".repeat(80), type: "query", source, trigger: true });
  await make({ name: "تدفق الطلبات إلى المستودع" });
  for (const width of [1440, 1200, 1000, 390]) {
    await page.setViewportSize({ width, height: 900 });
    await page.goto(`/w/${person.slug}/flows`);
    await expect(page.getByRole("link", { name: "View run" })).toBeVisible({ timeout: 30_000 });
    const wide = await page.evaluate(() => {
      const box = document.querySelector("main.page");
      return box === null ? null : box.scrollWidth - box.clientWidth;
    });
    expect(wide, `at ${width}`).toBe(0);
  }
});

test("does not call an unloaded connection removed", { tag: "@long" }, async ({ page, person }) => {
  const { make } = await flowBench(page.request);
  await make({ name: "Products" });
  const letGo = await hold(page, "**/connectors?*");
  await page.goto(`/w/${person.slug}/flows`);
  await expect(page.getByRole("link", { name: "Products" })).toBeVisible();
  await expect(page.getByText("deleted connection")).toHaveCount(0);
  letGo();
  await expect(page.getByRole("cell").filter({ has: page.getByLabel("to", { exact: true }) })).toHaveText(/\w/);
});
