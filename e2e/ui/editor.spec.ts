import type { Page } from "@playwright/test";
import Database from "better-sqlite3";
import { startPostgres } from "../../test/servers/postgres";
import { expect, expectAccessible, hold, test } from "./fixtures";
import { workspaceIdOf } from "./settings.fixtures";

/** Features for SQL experts: joins from keys, more cursors, layout, snippets, plans, names, search in other texts. */

async function connectShop(page: Page): Promise<void> {
  const database = new Database(":memory:");
  database.exec(`
    create table customers (name text, id integer primary key, region text);
    create table orders (placed_at text, id integer primary key, customer_id integer references customers (id));
    create table audit (what text);
    insert into customers values ('Ada', 1, 'Europe'), ('Bo', 2, 'Asia');
    insert into orders values ('2026-01-01', 1, 1), ('2026-01-02', 2, 1);`);
  const wid = await workspaceIdOf(page.request);
  const uploaded = await page.request.post(`/api/workspaces/${wid}/files?name=shop.sqlite`, {
    headers: { "Content-Type": "application/octet-stream" },
    data: database.serialize(),
  });
  database.close();
  expect(uploaded.status()).toBe(201);
  await connect(page, { name: "shop", type: "sqlite", readOnly: false, config: { file: "shop.sqlite" } });
}

/** @returns the connection's id */
async function connect(page: Page, data: Record<string, unknown>): Promise<string> {
  const wid = await workspaceIdOf(page.request);
  const made = await page.request.post(`/api/workspaces/${wid}/connectors`, { data });
  expect(made.status()).toBe(201);
  const { id } = (await made.json()).data;
  await page.request.post(`/api/workspaces/${wid}/connections/sources/${id}/test`);
  return id;
}

async function openConsoleOn(page: Page, slug: string, name: string): Promise<void> {
  await page.goto(`/w/${slug}/connections`);
  await page.getByRole("button", { name: `Actions for ${name}` }).click();
  await page.getByRole("menuitem", { name: "New console", exact: true }).click();
  await expect(page.getByRole("textbox", { name: / query$/ })).toBeVisible();
}

test("inserts the name of a double-clicked table or column, separated by spaces", { tag: "@long" }, async ({
  page,
  person,
  consolePage,
}) => {
  await consolePage.open(person.slug);
  await consolePage.write("select * from");
  await consolePage.schema.filter({ hasText: "orders" }).dblclick();
  await expect(consolePage.editor).toHaveText("select * from orders ");
  await page.keyboard.type("o");
  await expect(consolePage.editor).toHaveText("select * from orders o");
});

test("completes a join from foreign keys once the schema is loaded, and columns in table order", async ({
  page,
  person,
  consolePage,
}) => {
  test.setTimeout(120_000);
  await connectShop(page);
  const release = await hold(page, "**/entities*");
  await openConsoleOn(page, person.slug, "shop");
  await consolePage.editor.click();
  await page.keyboard.type("select * from orders o join ");
  const list = page.locator(".cm-tooltip-autocomplete");
  await expect(list).toBeHidden();
  release();
  await expect(list.getByRole("option").first()).toContainText("customers c on o.customer_id = c.id");
  await page.keyboard.type("customers c on ");
  await expect(list.getByRole("option").first()).toContainText("o.customer_id = c.id");
  await list.getByRole("option").first().click();
  await expect(consolePage.editor).toContainText("on o.customer_id = c.id");
  await page.keyboard.type(" where c.");
  await expect(list.getByRole("option")).toHaveText([/name/, /id/, /region/]);
  await page.keyboard.type("id = 1");
  await consolePage.run.click();
  await expect(consolePage.cells).not.toHaveCount(0);
});

test("writes the schema of a table that its name alone does not find, in completions and corrections", {
  tag: "@long",
}, async ({ page, person, consolePage }) => {
  test.setTimeout(120_000);
  const server = await startPostgres();
  if (server === null) {
    process.stderr.write("\nNOT TESTED: PostgreSQL is not installed, so nothing was completed in several schemas.\n\n");
    return test.skip();
  }
  try {
    const { host, port, user, password, database } = server;
    const config = { host, port, user, password, database, ssl: "disable" };
    const id = await connect(page, { name: "shop-pg", type: "postgres", readOnly: false, config });
    const wid = await workspaceIdOf(page.request);
    for (const query of [
      "create schema raw",
      "create table customers (id int primary key, name text)",
      "create table raw.events (id int primary key, customer_id int references customers (id))",
      "insert into customers values (1, 'Ada')",
      "insert into raw.events values (7, 1)",
    ]) {
      const answer = await page.request.post(`/api/workspaces/${wid}/databases/${id}/execute`, { data: { query } });
      expect(answer.status(), query).toBe(200);
    }
    await openConsoleOn(page, person.slug, "shop-pg");
    await page.getByRole("treeitem", { name: /^shop-pg/ }).click();
    await expect(page.getByRole("treeitem", { name: /^Default schema/ })).toBeVisible();
    await consolePage.editor.click();
    await page.keyboard.type("select * from even");
    const options = page.locator(".cm-tooltip-autocomplete").getByRole("option");
    await expect(options.first()).toHaveText(/raw\.events/);
    // The list ignores keys for its first moment.
    await options.first().click();
    await expect(consolePage.editor).toHaveText("select * from raw.events");
    await page.keyboard.type(" e join ");
    await expect(options.first()).toHaveText(/customers c on e\.customer_id = c\.id/);
    await options.first().click();
    await consolePage.run.click();
    await expect(consolePage.cell(1, 4)).toHaveText("Ada");

    await consolePage.write("select id from events");
    await consolePage.run.click();
    await page.getByRole("button", { name: "Use raw.events" }).click();
    await expect(consolePage.editor).toHaveText("select id from raw.events");
    await consolePage.run.click();
    await expect(consolePage.cell(1, 1)).toHaveText("7");
  } finally {
    await server.stop();
  }
});

test("supports comments, multiple cursors, snippets, formatting and wrapping by key", { tag: "@long" }, async ({
  page,
  person,
  consolePage,
}) => {
  test.setTimeout(120_000);
  await consolePage.open(person.slug);
  await consolePage.write("select a from t");
  await page.keyboard.press("ControlOrMeta+/");
  await expect(consolePage.editor).toHaveText("-- select a from t");
  await page.keyboard.press("ControlOrMeta+/");
  await expect(consolePage.editor).toHaveText("select a from t");

  await consolePage.write("one one one");
  await page.keyboard.press("Home");
  await page.keyboard.press("ControlOrMeta+d");
  await page.keyboard.press("ControlOrMeta+d");
  await page.keyboard.press("ControlOrMeta+d");
  await page.keyboard.insertText("two");
  await expect(consolePage.editor).toHaveText("two two two");

  await page.keyboard.press("Home");
  for (let i = 0; i < 3; i += 1) await page.keyboard.press("Alt+j");
  await page.keyboard.insertText("six");
  await expect(consolePage.editor).toHaveText("six six six");

  await consolePage.write("a\nb");
  await page.keyboard.press("ControlOrMeta+Alt+ArrowUp");
  await page.keyboard.insertText("!");
  await expect(consolePage.editor.locator(".cm-line")).toHaveText(["a!", "b!"]);
  await consolePage.editor
    .locator(".cm-line")
    .first()
    .click({ modifiers: ["Alt"], position: { x: 1, y: 8 } });
  await expect(page.locator(".cm-cursor")).toHaveCount(3);

  await consolePage.write("");
  await page.keyboard.type("upd");
  // With the pointer: a list that has just opened ignores keys for a moment, so that nothing is picked unseen.
  await page.locator(".cm-tooltip-autocomplete").getByRole("option", { name: "update ... set" }).click();
  await page.keyboard.type("orders");
  await page.keyboard.press("Tab");
  await page.keyboard.type("total");
  await page.keyboard.press("Tab");
  await page.keyboard.type("7");
  await expect(consolePage.editor.locator(".cm-line")).toHaveText([
    "update orders",
    "set total = 7",
    "where condition",
  ]);
  await page.keyboard.press("Escape");

  const text = "-- first\nselect 1;\n-- second\nselect a,b /* why */ from t where day>={{from}} -- end";
  await consolePage.write(text);
  await page.keyboard.press("Shift+Alt+f");
  await expect(consolePage.editor.locator(".cm-line").first()).toHaveText("-- first");
  await expect(consolePage.editor.locator(".cm-line").nth(1)).toHaveText("select 1;");
  await expect(consolePage.editor.locator(".cm-line").nth(3)).toHaveText("select");
  for (const kept of ["/* why */", "{{from}}", "-- end"]) await expect(consolePage.editor).toContainText(kept);
  await page.keyboard.press("ControlOrMeta+z");
  await expect(consolePage.editor.locator(".cm-line")).toHaveText(text.split("\n"));
  await page.keyboard.press("ControlOrMeta+Alt+l");
  await expect(consolePage.editor.locator(".cm-line").nth(3)).toHaveText("select");
  await page.keyboard.press("ControlOrMeta+z");
  await expect(consolePage.editor.locator(".cm-line")).toHaveText(text.split("\n"));

  await page.keyboard.press("Alt+z");
  await expect(consolePage.editor).toHaveClass(/cm-lineWrapping/);
  await expect
    .poll(async () => (await (await page.request.get("/api/me/preferences")).json()).data.wrapLines)
    .toBe(true);
  await page.reload();
  await expect(consolePage.editor).toHaveClass(/cm-lineWrapping/);
});

test("shows a plan as a tree with costs, measured only for reads", async ({ page, person, consolePage }) => {
  test.setTimeout(120_000);
  const server = await startPostgres();
  if (server === null) {
    process.stderr.write("\nNOT TESTED: PostgreSQL is not installed, so no browser has seen a plan of it.\n\n");
    return test.skip();
  }
  try {
    const { host, port, user, password, database } = server;
    const config = { host, port, user, password, database, ssl: "disable" };
    await connect(page, { name: "shop-pg", type: "postgres", readOnly: false, config });
    await openConsoleOn(page, person.slug, "shop-pg");
    await consolePage.write(
      "create table orders as select i as id, i % 500 as customer_id from generate_series(1, 40000) i",
    );
    await consolePage.run.click();
    await expect(page.getByRole("heading", { name: "Statement completed" })).toBeVisible({ timeout: 30_000 });
    const asked = "select customer_id, count(*) from orders where id < 100 group by 1 order by 2 desc";
    await consolePage.write(asked);
    await page.keyboard.press("ControlOrMeta+Shift+E");
    const plan = page.getByRole("region", { name: "Plan" });
    const steps = plan.getByRole("treegrid", { name: "Plan steps" });
    await expect(steps.getByRole("row", { name: /Full scan of orders/ })).toBeVisible();
    await expect(plan).toContainText("The query was not run");

    await plan.getByRole("radio", { name: "Analyze" }).click();
    await expect(plan).toContainText("Ran once, read-only");
    await expect(steps.getByRole("columnheader", { name: "Self time" })).toBeVisible();
    await expect(plan.getByRole("list", { name: "Warnings", exact: true })).toContainText(
      /a full scan of orders\. It keeps 99 of 40,000 rows\./,
    );
    const slowest = steps.getByRole("row", { name: /Full scan of orders/ });
    await expect(slowest).toHaveAttribute("aria-selected", "true");
    await expect(plan.locator(".plan-text .on").first()).toContainText("Seq Scan on orders");
    await expectAccessible(page);

    await slowest.focus();
    await page.keyboard.press("Home");
    await expect(steps.getByRole("row").nth(1)).toBeFocused();
    await page.keyboard.press("ArrowLeft");
    await expect(steps.getByRole("row")).toHaveCount(2);
    await page.keyboard.press("ArrowRight");
    await expect(slowest).toBeVisible();

    // The same plan after a change is compared with the previous one.
    await expect(plan.getByRole("button", { name: /^Compare with/ })).toHaveCount(0);
    await consolePage.write("create index by_id on orders (id)");
    await consolePage.run.click();
    await expect(page.getByRole("heading", { name: "Statement completed" })).toBeVisible();
    // The shortcut is pressed before the page knows the engine's form of EXPLAIN.
    const letGo = await hold(page, "**/api/connectors/types");
    await page.reload();
    await consolePage.write(asked);
    await page.keyboard.press("ControlOrMeta+Shift+E");
    await expect(page.getByRole("button", { name: "Explain" })).toHaveCount(0);
    letGo();
    await plan.getByRole("radio", { name: "Analyze" }).click();
    await expect(plan).toContainText("Ran once, read-only");
    await plan.getByRole("button", { name: /^Compare with \d/ }).click();
    const compared = plan.getByRole("region", { name: /^Compared with/ });
    await expect(compared).toContainText(/^Then .+ in \d+ steps, now .+ in \d+ steps\./);
    await expect(compared.getByRole("textbox", { name: "Current plan" })).toBeVisible();
    await expect(compared.locator(".cm-merge-a .cm-changedLine").filter({ hasText: "Seq Scan" })).toHaveCount(1);
    await expect(compared.locator(".cm-merge-b .cm-changedLine").filter({ hasText: /Index|Bitmap/ })).not.toHaveCount(
      0,
    );
    await expectAccessible(page);
    await plan.getByRole("button", { name: /^Compare with/ }).click();
    await expect(steps).toBeVisible();
    await page.setViewportSize({ width: 390, height: 844 });
    for (const name of [/^Compare with/, "Ask agent", "Close plan"]) {
      await expect(plan.getByRole("button", { name })).toBeInViewport({ ratio: 1 });
    }
    await page.setViewportSize({ width: 1440, height: 900 });

    // The question contains the statement and its plan.
    await plan.getByRole("button", { name: "Ask agent" }).click();
    const chat = page.getByRole("complementary", { name: "Agent" }).getByRole("log");
    await expect(chat.getByText("How can I make this query faster?")).toBeVisible();
    await expect(chat).toContainText("Its measured plan:");

    // A plan is allowed; EXPLAIN ANALYZE, which would run it, is not.
    await consolePage.write("delete from orders");
    await page.keyboard.press("ControlOrMeta+Shift+E");
    await expect(steps.getByRole("row", { name: /Write|ModifyTable/ })).toBeVisible();
    await plan.getByRole("radio", { name: "Analyze" }).click();
    await expect(plan).toContainText("so it must be read-only");
    await consolePage.write("select count(*) as n from orders");
    await page.keyboard.press("ControlOrMeta+Enter");
    await expect(consolePage.cell(1, 1)).toHaveText("40,000");
  } finally {
    await server.stop();
  }
});

test("renames an alias in its whole statement with F2, and refuses ambiguous ones", { tag: "@long" }, async ({
  page,
  person,
  consolePage,
}) => {
  await consolePage.open(person.slug);
  const text = "select o.id, 'o.x' from orders o where o.id = 1;\nselect o.id from orders o";
  await consolePage.write(text);
  await page.keyboard.press("ControlOrMeta+Home");
  for (let i = 0; i < 7; i += 1) await page.keyboard.press("ArrowRight");
  await page.keyboard.press("F2");
  const field = page.getByLabel("Rename o to");
  await expect(field).toBeFocused();
  await expectAccessible(page);
  await field.fill("bought");
  await page.keyboard.press("Enter");
  const lines = consolePage.editor.locator(".cm-line");
  await expect(lines).toHaveText([
    "select bought.id, 'o.x' from orders bought where bought.id = 1;",
    "select o.id from orders o",
  ]);
  await page.keyboard.press("ControlOrMeta+z");
  await expect(lines).toHaveText(text.split("\n"));

  await page.keyboard.press("ControlOrMeta+End");
  await page.keyboard.press("F2");
  await field.fill("orders");
  await page.keyboard.press("Enter");
  await expect(page.getByText("orders is already used in this statement.")).toBeVisible();
  await expect(lines).toHaveText(text.split("\n"));
});

test("searches the texts of all consoles and opens one at its line", { tag: "@long" }, async ({
  page,
  person,
  consolePage,
}) => {
  const wid = await workspaceIdOf(page.request);
  const make = async (name: string, content: string) => {
    const made = await page.request.post(`/api/workspaces/${wid}/consoles`, { data: { name, content } });
    expect(made.status()).toBe(201);
  };
  const filler = Array.from({ length: 60 }, (_, i) => `-- line ${i + 1}`).join("\n");
  await make("needles.sql", `${filler}\nselect 'Brass Needle' as found;\nselect 'needle' as again`);
  await make("hay.sql", "select 'hay'");
  await consolePage.open(person.slug);
  await page.keyboard.press("ControlOrMeta+Shift+F");
  const dialog = page.getByRole("dialog", { name: "Search in consoles" });
  await page.route("**/consoles/search*", async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, headers: { ...response.headers(), "x-search-incomplete": "true" } });
  });
  const field = dialog.getByRole("combobox", { name: "Search in consoles" });
  await expect(field).toBeFocused();
  await field.fill("needle");
  const found = dialog.getByRole("group", { name: /needles/ }).getByRole("option");
  await expect(found).toHaveText([/^61.*Brass Needle/, /^62.*'needle' as again/]);
  await expect(dialog.getByRole("option").filter({ hasText: "hay" })).toHaveCount(0);
  const ended = page.getByText("The search in consoles ended early. Add a word to narrow it.");
  await expect(ended).toBeVisible();
  await expectAccessible(page);
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("textbox", { name: "needles.sql query" })).toBeFocused();
  await expect(page.getByText("Ln 62, Col 1")).toBeVisible();
  await expect(page.locator(".cm-activeLine")).toHaveText("select 'needle' as again");

  await page.keyboard.press("ControlOrMeta+Shift+F");
  await field.fill("no console has this");
  await expect(dialog.getByText('No consoles contain "no console has this".')).toBeVisible();
  await page.keyboard.press("Escape");
  await page.keyboard.press("ControlOrMeta+k");
  await expect(ended).toHaveCount(0);
  await page.getByRole("combobox", { name: "Search or jump to…" }).fill("needle");
  await expect(ended).toBeVisible();
});
