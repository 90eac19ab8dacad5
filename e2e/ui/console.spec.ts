import { LoginPage } from "../pages/login-page";
import { expect, test } from "./fixtures";
import { workspaceIdOf } from "./settings.fixtures";

test.beforeEach(async ({ consolePage, person }) => {
  await consolePage.open(person.slug);
});

test("a broken query is marked at its place and repaired by the name that suggests itself", async ({
  page,
  consolePage,
}) => {
  await consolePage.write("-- prices\nselect name,\n       price_cent / 100.0 as price\nfrom products\nlimit 5");
  await consolePage.run.click();
  await expect(page.getByRole("heading", { name: 'Unknown column "price_cent"' })).toBeVisible();
  await expect(page.getByText(/^Line 3, column 8\./)).toContainText("Did you mean price_cents from products?");
  await expect(consolePage.strip).toContainText("Failed");
  await expect(page.locator(".cm-errorMark")).toHaveText("price_cent");
  await expect(page.getByRole("alert").filter({ hasText: "Query failed" })).toBeAttached();

  await page.getByRole("button", { name: "Use price_cents" }).click();
  await expect(consolePage.editor).toContainText("price_cents / 100.0");
  await expect(page.locator(".cm-errorMark")).toHaveCount(0);
  await page.keyboard.press("ControlOrMeta+Enter");
  await expect(consolePage.grid).toHaveAttribute("aria-rowcount", "6");
});

test("Ctrl+Enter runs from wherever nobody types, and not behind a dialog", async ({ page, consolePage }) => {
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

test("a failure keeps the last good result one press away", async ({ page, consolePage }) => {
  await consolePage.run.click();
  await expect(consolePage.grid).toBeVisible();
  await consolePage.write("select nothing_here");
  await consolePage.run.click();
  await page.getByRole("button", { name: /^Show 10 rows from / }).click();
  await expect(consolePage.grid).toHaveAttribute("aria-rowcount", "11");
  await page.getByRole("button", { name: "Back to error" }).click();
  await expect(page.getByRole("heading", { name: 'Unknown column "nothing_here"' })).toBeVisible();
});

test("Escape cancels a long query on the server", async ({ page, consolePage }) => {
  await consolePage.write("select count(*) from range(100000000000) a where hash(a.range) % 7 = 3");
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

test("the statement at the cursor runs, a selection runs alone, and all run one after the other", async ({
  page,
  consolePage,
}) => {
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

test("a query that finds nothing says so, with its columns", async ({ page, consolePage }) => {
  await consolePage.write("select id, name from products where id < 0");
  await consolePage.run.click();
  await expect(page.getByRole("heading", { name: "No rows", exact: true })).toBeVisible();
  await expect(page.getByText(/^2 columns, /)).toBeVisible();
});

test("the first thousand of many rows say so and more can be loaded", async ({ page, consolePage }) => {
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

test("completion knows the columns behind an alias", async ({ page, consolePage }) => {
  await consolePage.write("select p. from products p");
  await page.keyboard.press("ControlOrMeta+Home");
  for (let i = 0; i < "select p.".length; i++) await page.keyboard.press("ArrowRight");
  await page.keyboard.type("price");
  await page.getByRole("option", { name: /price_cents/ }).click();
  await expect(consolePage.editor).toContainText("select p.price_cents from products p");
});

test("completion knows what a WITH names, with its columns, and ranks the columns in scope first", async ({
  page,
  consolePage,
}) => {
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

test("a list of completions makes way for the run", async ({ page, consolePage }) => {
  await consolePage.write("select 41 + 1 as a from product");
  await page.keyboard.type("s");
  await expect(page.getByRole("option").first()).toBeVisible();
  await page.keyboard.press("ControlOrMeta+Enter");
  await expect(consolePage.grid).toBeVisible();
  await expect(page.getByRole("option")).toHaveCount(0);
});

test("an edited query is marked as edited over its old rows", async ({ page, consolePage }) => {
  await consolePage.run.click();
  await expect(consolePage.grid).toBeVisible();
  await expect(page.getByText("Edited since run")).toHaveCount(0);
  await consolePage.editor.click();
  await page.keyboard.type(" ");
  await expect(page.getByText("Edited since run")).toBeVisible();
});

test("a double click on Run runs, and does not cancel", async ({ page, consolePage }) => {
  await consolePage.run.dblclick();
  await expect(consolePage.grid).toHaveAttribute("aria-rowcount", "11");
  await expect(page.getByRole("heading", { name: "Run cancelled" })).toHaveCount(0);
});

test("Run keeps the focus while it is Cancel, and gets it back", async ({ page, consolePage }) => {
  await consolePage.write("select count(*) from range(100000000000) a where hash(a.range) % 7 = 3");
  await consolePage.run.click();
  await expect(page.getByText(/^Running for /)).toBeVisible();
  await expect(consolePage.cancel).toBeFocused();
  await page.waitForFunction(() => /[1-9]\.\d s/.test(document.querySelector(".waiting")?.textContent ?? ""));
  await page.keyboard.press("Enter");
  await expect(consolePage.run).toBeFocused();
});

test("a database that does not answer is told apart from a query that is wrong", async ({ page, consolePage }) => {
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

test("a session that has ended leads to signing in and back, and what was typed is kept", async ({
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

test("offline, Run is off with its reason, and comes back with the server", async ({ page, context, consolePage }) => {
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
