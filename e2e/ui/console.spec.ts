import { randomUUID } from "node:crypto";
import { LoginPage } from "../pages/login-page";
import { expect, test } from "./fixtures";
import { workspaceIdOf } from "./settings.fixtures";

const SLOW = "select count(*) from range(100000000000) a where hash(a.range) % 7 = 3";

test.beforeEach(async ({ consolePage, person }) => {
  await consolePage.open(person.slug);
});

test("marks a broken query at its position and applies the suggested name", async ({ page, consolePage }) => {
  await consolePage.write("-- prices\nselect name,\n       price_cent / 100.0 as price\nfrom products\nlimit 5");
  await consolePage.run.click();
  await expect(page.getByRole("heading", { name: 'Unknown column "price_cent"' })).toBeVisible();
  await expect(page.getByText(/^Line 3, column 8\./)).toContainText("Did you mean price_cents?");
  await expect(consolePage.strip).toContainText("Failed");
  await expect(page.locator(".cm-errorMark")).toHaveText("price_cent");
  await expect(page.getByRole("alert").filter({ hasText: "Query failed" })).toBeAttached();

  await page.getByRole("button", { name: "Use price_cents" }).click();
  await expect(consolePage.editor).toContainText("price_cents / 100.0");
  await expect(page.locator(".cm-errorMark")).toHaveCount(0);
  await page.keyboard.press("ControlOrMeta+Enter");
  await expect(consolePage.grid).toHaveAttribute("aria-rowcount", "6");

  await consolePage.write("select * from orderz limit 2");
  await consolePage.run.click();
  await page.getByRole("button", { name: "Use orders" }).click();
  await expect(consolePage.editor).toContainText("select * from orders limit 2");
  await expect(consolePage.strip).toContainText("Failed");
});

test("runs with Ctrl+Enter outside of inputs, and not behind a dialog", { tag: "@long" }, async ({
  page,
  consolePage,
}) => {
  await expect(consolePage.run).toBeEnabled();
  await page.evaluate(() => (document.activeElement as HTMLElement).blur());
  await page.keyboard.press("ControlOrMeta+Enter");
  await expect(consolePage.grid).toBeVisible();
  await consolePage.write("select 1 as a");
  await consolePage.grid.focus();
  await page.keyboard.press("ControlOrMeta+Enter");
  await expect(consolePage.grid).toHaveAttribute("aria-rowcount", "2");

  await consolePage.write("select 1 as a union all select 2");
  // Not the palette, which would run the chosen item.
  await page.keyboard.press("ControlOrMeta+Shift+F");
  await expect(page.getByRole("dialog")).toBeVisible();
  await page.keyboard.press("ControlOrMeta+Enter");
  await page.keyboard.press("Escape");
  await expect(page.getByRole("dialog")).toHaveCount(0);
  await expect(consolePage.grid).toHaveAttribute("aria-rowcount", "2");
});

test("keeps the last good result one click away after a failure", async ({ page, consolePage }) => {
  await consolePage.run.click();
  await expect(consolePage.grid).toBeVisible();
  await consolePage.write("select nothing_here");
  await consolePage.run.click();
  await page.getByRole("button", { name: /^Show 10 rows from / }).click();
  await expect(consolePage.grid).toHaveAttribute("aria-rowcount", "11");
  await page.getByRole("button", { name: "Back to error" }).click();
  await expect(page.getByRole("heading", { name: 'Unknown column "nothing_here"' })).toBeVisible();
});

test("cancels a long query on the server with Escape", async ({ page, consolePage }) => {
  await consolePage.write(SLOW);
  const cancelled = page.waitForResponse((response) => response.url().endsWith("/cancel"));
  const executions = `/api/workspaces/${await workspaceIdOf(page.request)}/executions`;
  await page.keyboard.press("ControlOrMeta+Enter");
  await expect(page.getByText(/^Running for /)).toBeVisible();
  await expect(page.getByText("1 run in progress")).toBeVisible();
  // Until the server has it, there is nothing to cancel there, and the page aborts the request instead.
  await expect.poll(async () => (await page.request.get(executions)).text()).toContain('"status":"running"');
  await page.keyboard.press("Escape");
  expect((await cancelled).status()).toBe(200);
  await expect(page.getByRole("heading", { name: "Run cancelled" })).toBeVisible();
  await expect(consolePage.run).toBeVisible();
  await expect(page.getByText("Nothing running")).toBeVisible();
});

test("runs the statement at the cursor, a selection alone, or all in order", async ({ page, consolePage }) => {
  await consolePage.write("select 1 as first;\nselect 2 as second;\nselect 3 as third;");
  await page.keyboard.press("ControlOrMeta+Home");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ControlOrMeta+Enter");
  await expect(consolePage.grid.getByRole("columnheader", { name: /second/ })).toBeVisible();

  await page.keyboard.press("ControlOrMeta+Shift+Enter");
  const results = page.getByRole("tablist", { name: "Results" }).getByRole("tab");
  await expect(results).toHaveCount(3);
  await expect(consolePage.grid.getByRole("columnheader", { name: /third/ })).toBeVisible();
  await results.first().click();
  await expect(consolePage.grid.getByRole("columnheader", { name: /first/ })).toBeVisible();

  await page.keyboard.press("Escape");
  await consolePage.editor.click();
  await page.keyboard.press("ControlOrMeta+End");
  await page.keyboard.press("Shift+ArrowUp");
  await page.keyboard.press("Shift+Home");
  await page.keyboard.press("ControlOrMeta+Enter");
  await expect(results).toHaveCount(2);
});

test("reports a query without rows, with its columns", { tag: "@long" }, async ({ page, consolePage }) => {
  await consolePage.write("select id, name from products where id < 0");
  await consolePage.run.click();
  await expect(page.getByRole("heading", { name: "No rows", exact: true })).toBeVisible();
  await expect(page.getByText(/^2 columns, /)).toBeVisible();
});

test("reports the first thousand rows, and loads more", async ({ page, consolePage }) => {
  await consolePage.write("select range as n from range(12000)");
  await consolePage.run.click();
  await expect(page.getByText("First 1,000 rows. More are available.")).toBeVisible();
  await expect(consolePage.grid).toHaveAttribute("aria-rowcount", "1001");
  await page.getByRole("button", { name: "Load up to 10,000" }).click();
  await expect(consolePage.grid).toHaveAttribute("aria-rowcount", "10001");
  await page.getByRole("button", { name: "Load up to 50,000" }).click();
  await expect(consolePage.grid).toHaveAttribute("aria-rowcount", "12001");
  await expect(page.getByText(/there are more\./)).toHaveCount(0);
});

test("completes the columns of an alias", async ({ page, consolePage }) => {
  await consolePage.write("select p. from products p");
  await page.keyboard.press("ControlOrMeta+Home");
  for (let i = 0; i < "select p.".length; i++) await page.keyboard.press("ArrowRight");
  await page.keyboard.type("price");
  await page.getByRole("option", { name: /price_cents/ }).click();
  await expect(consolePage.editor).toContainText("select p.price_cents from products p");
});

test("completes WITH names and columns, and ranks columns in scope first", async ({ page, consolePage }) => {
  await consolePage.write("with best as (select name, price_cents / 100.0 as price from products)\nselect ");
  await page.keyboard.insertText(" from best b, orders");
  for (let i = 0; i < " from best b, orders".length; i++) await page.keyboard.press("ArrowLeft");
  await page.keyboard.type("pri");
  const options = page.getByRole("option");
  await expect(options.first()).toContainText(/price\s*best/);
  await page.keyboard.press("Escape");
  await page.keyboard.type("ce, b.");
  await expect(options).toHaveText([/name/, /price/]);
  await page.keyboard.press("Escape");
  await page.keyboard.type("name");
  await page.keyboard.press("ControlOrMeta+End");
  await page.keyboard.type(", bes");
  await expect(options.first()).toContainText("best");
});

test("closes the completion list on a run", { tag: "@long" }, async ({ page, consolePage }) => {
  await consolePage.write("select 41 + 1 as a from product");
  await page.keyboard.type("s");
  await expect(page.getByRole("option").first()).toBeVisible();
  await page.keyboard.press("ControlOrMeta+Enter");
  await expect(consolePage.grid).toBeVisible();
  await expect(page.getByRole("option")).toHaveCount(0);
});

test("marks an edited query over its old rows", { tag: "@long" }, async ({ page, consolePage }) => {
  await consolePage.run.click();
  await expect(consolePage.grid).toBeVisible();
  await expect(page.getByText("Edited since run")).toHaveCount(0);
  await consolePage.editor.click();
  await page.keyboard.type(" ");
  await expect(page.getByText("Edited since run")).toBeVisible();
});

test("runs on a double click, and does not cancel", { tag: "@long" }, async ({ page, consolePage }) => {
  await consolePage.run.dblclick();
  await expect(consolePage.grid).toHaveAttribute("aria-rowcount", "11");
  await expect(page.getByRole("heading", { name: "Run cancelled" })).toHaveCount(0);
});

test("keeps the focus on Run while it is Cancel", { tag: "@long" }, async ({ page, consolePage }) => {
  await consolePage.write(SLOW);
  await consolePage.run.click();
  await expect(page.getByText(/^Running for /)).toBeVisible();
  await expect(consolePage.cancel).toBeFocused();
  await page.waitForFunction(() => /[1-9]\.\d s/.test(document.querySelector(".waiting")?.textContent ?? ""));
  await page.keyboard.press("Enter");
  await expect(consolePage.run).toBeFocused();
});

test("distinguishes an unreachable database from a failed query", async ({ page, consolePage }) => {
  const answer = (status: number, code: string, error: string) => ({ status, json: { success: false, code, error } });
  const cases = [
    { answer: answer(504, "timeout", "The query was stopped after 60 s."), title: "Query timed out" },
    { answer: answer(429, "rate_limited", "50 queries wait already."), title: "Too many queued queries" },
    { answer: answer(503, "unavailable", "The engine starts again."), title: "Database unavailable" },
  ];
  for (const { answer: body, title } of cases) {
    await page.route("**/execute", (route) => route.fulfill(body));
    await consolePage.run.click();
    await expect(page.getByRole("heading", { name: title })).toBeVisible();
    await expect(page.getByText(body.json.error, { exact: true })).toBeVisible();
    await page.unroute("**/execute");
  }
  await page.getByRole("button", { name: "Run again" }).click();
  await expect(consolePage.grid).toBeVisible();
});

test("signs in again after a session has ended, and keeps the typed text", async ({
  page,
  context,
  consolePage,
  person,
}) => {
  await consolePage.write("select 'kept over the end of a session' as note");
  await context.clearCookies();
  // Saving the draft may report it before the click does.
  await Promise.any([consolePage.run.click(), page.waitForURL(/\/login\?next=/)]);
  await expect(page).toHaveURL(/\/login\?next=/);
  const login = new LoginPage(page);
  await login.signIn(person.email, person.password);
  await expect(consolePage.editor).toContainText("kept over the end of a session");
});

test("disables Run offline with the reason, and enables it with the server", async ({ page, context, consolePage }) => {
  await context.setOffline(true);
  await expect(page.getByText("You are offline.", { exact: true })).toBeVisible();
  await expect(consolePage.run).toHaveAttribute("aria-disabled", "true");
  await expect(consolePage.run).toHaveAccessibleDescription(/You are offline/);
  await consolePage.write("select 42 as typed_offline");
  await context.setOffline(false);
  await expect(page.getByText("You are offline.", { exact: true })).toHaveCount(0);
  await consolePage.run.click();
  await expect(consolePage.cell(1, 1)).toHaveText("42");
});

test("shows the place of a queued query", { tag: "@long" }, async ({ page, consolePage }) => {
  const root = `/api/workspaces/${await workspaceIdOf(page.request)}`;
  const { data: connections } = await (await page.request.get(`${root}/connectors`)).json();
  // A file runs five queries at a time.
  const ids = Array.from({ length: 5 }, () => randomUUID());
  const others = ids.map((executionId) =>
    page.request.post(`${root}/databases/${connections[0].id}/execute`, { data: { query: SLOW, executionId } }),
  );
  for (const id of ids) {
    await expect(async () => {
      expect((await (await page.request.get(`${root}/executions/${id}`)).json()).data.status).toBe("running");
    }).toPass();
  }
  await consolePage.write("select 'mine' as word");
  await consolePage.run.click();
  await expect(page.getByText(/^Queued at position 1, expected wait/)).toBeVisible();
  for (const id of ids) await page.request.post(`${root}/executions/${id}/cancel`);
  await expect(consolePage.cell(1, 1)).toHaveText("mine");
  await Promise.all(others);
});
