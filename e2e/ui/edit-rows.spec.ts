import type { Page } from "@playwright/test";
import Database from "better-sqlite3";
import { expect, expectAccessible, type Person, test } from "./fixtures";
import { workspaceIdOf } from "./settings.fixtures";

// Many steps each, and axe checks the whole page, which is slow on a busy machine.
test.describe.configure({ timeout: 180_000 });

const SHOP = `
  create table managers (id integer primary key, name text, region text);
  insert into managers values (7, 'Jun Abe', 'Lisbon'), (9, 'Wanda Kessel', 'Berlin'), (31, 'Wanda Koch', 'Bremen');
  create table customers (
    id integer primary key, name text, country text default 'PT', manager_id integer references managers (id),
    credit numeric
  );
  insert into customers values (1, 'Alder & Sons', 'PT', 7, 2500), (2, 'Bexley Home', 'GB', 7, 4000),
    (3, 'Casa Norte', 'PT', 9, 1200), (4, 'Gable Works', 'GB', 9, 900);
`;

/** Pastes into the element with the focus. */
async function paste(page: Page, text: string) {
  await page.evaluate((pasted) => {
    const clipboardData = new DataTransfer();
    clipboardData.setData("text/plain", pasted);
    document.activeElement?.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true }));
  }, text);
}

/** Connects a writable file, and opens the rows of its customers. */
async function openCustomers(page: Page, person: Person, more: object = {}) {
  const database = new Database(":memory:");
  database.exec(SHOP);
  const root = `/api/workspaces/${await workspaceIdOf(page.request)}`;
  const headers = { "Content-Type": "application/octet-stream" };
  await page.request.post(`${root}/files?name=shop.sqlite`, { headers, data: database.serialize() });
  database.close();
  const data = { name: "shop-main", type: "sqlite", readOnly: false, config: { file: "shop.sqlite" }, ...more };
  const made = await page.request.post(`${root}/connectors`, { data });
  expect(made.status(), await made.text()).toBe(201);
  const connectionId = (await made.json()).data.id;
  await page.goto(`/w/${person.slug}/tables/${connectionId}?name=customers`);
  const grid = page.getByRole("grid", { name: "Table rows" });
  const cell = (row: number, column: number) =>
    grid.locator(`[aria-rowindex="${row + 1}"] [aria-colindex="${column + 1}"]`);
  await expect(cell(1, 2)).toHaveText("Alder & Sons");
  const run = async (query: string) => {
    const answer = await page.request.post(`${root}/databases/${connectionId}/execute`, {
      data: { query, confirm: true },
    });
    expect(answer.status(), await answer.text()).toBe(200);
    return (await answer.json()).data.rows;
  };
  const edit = async (row: number, column: number, text: string) => {
    await cell(row, column).click();
    await page.keyboard.press("Enter");
    await page.getByRole(column === 4 ? "combobox" : "textbox", { name: /^Edit / }).fill(text);
    await page.keyboard.press("Enter");
  };
  return { grid, cell, run, edit };
}

test("edits, adds and deletes rows, reviews their SQL and submits them together", async ({ page, person }) => {
  const { cell, run, edit } = await openCustomers(page, person);
  await edit(2, 5, "6000");
  await expect(cell(2, 5)).toHaveText(/4,?0006,?000/);
  await cell(4, 1).click();
  await page.keyboard.press("ControlOrMeta+Backspace");
  await page.getByRole("button", { name: "Add row" }).click();
  await edit(5, 2, "Rowan Supply");
  const bar = page.getByRole("region", { name: "Pending changes" });
  await expect(bar).toContainText("3 changes");
  await expect(bar).toContainText("1 edited1 added1 deleted");

  await bar.getByRole("button", { name: "Review SQL" }).click();
  const review = page.getByRole("complementary", { name: "Review SQL" });
  await expect(review).toContainText("3 statements in one transaction on shop-main");
  await expect(review.getByRole("article")).toHaveCount(3);
  await expect(review).toContainText(/update "customers" set "credit" = '6000' where/);
  await expectAccessible(page);
  expect(await run("select count(*) as n from customers where credit = 6000")).toEqual([{ n: 0 }]);

  await bar.getByRole("button", { name: "Submit 3 changes" }).click();
  await expect(page.getByText("3 changes submitted")).toBeVisible();
  await expect(bar).toBeHidden();
  expect(await run("select id, name, country, credit from customers where id in (2, 4, 5) order by id")).toEqual([
    { id: 2, name: "Bexley Home", country: "GB", credit: 6000 },
    // Deletions come first, so SQLite gives the new row the key that became free.
    { id: 4, name: "Rowan Supply", country: "PT", credit: null },
  ]);
});

test("shows a conflict cell by cell, and keeps mine or takes theirs", async ({ page, person }) => {
  const { cell, run, edit } = await openCustomers(page, person);
  await edit(1, 5, "10");
  await edit(2, 5, "20");
  await run("update customers set credit = 77 where id in (1, 2)");
  const bar = page.getByRole("region", { name: "Pending changes" });
  await bar.getByRole("button", { name: "Submit 2 changes" }).click();
  await expect(bar).toContainText("2 conflicts");
  await expect(bar).toContainText(/credit: loaded 2,?500, yours 10, now 77/);
  await expect(bar.getByRole("button", { name: "Submit 2 changes" })).toHaveAttribute("aria-disabled", "true");
  await expectAccessible(page);
  expect(await run("select credit from customers where id < 3")).toEqual([{ credit: 77 }, { credit: 77 }]);

  await bar.getByRole("button", { name: "Keep mine" }).click();
  await expect(bar).toContainText("customers 2 changed");
  await bar.getByRole("button", { name: "Use theirs" }).click();
  await expect(cell(2, 5)).toHaveText("77");
  await bar.getByRole("button", { name: "Submit 1 change" }).click();
  await expect(page.getByText("1 change submitted")).toBeVisible();
  expect(await run("select credit from customers where id < 3")).toEqual([{ credit: 10 }, { credit: 77 }]);
});

test("picks a row for a foreign key, sets NULL, pastes a block and undoes it", async ({ page, person }) => {
  const { cell, run } = await openCustomers(page, person);
  await cell(1, 4).click();
  await page.keyboard.press("Enter");
  const editor = page.getByRole("combobox", { name: "Edit manager_id" });
  await editor.fill("Wanda Ko");
  await expect(page.getByRole("option")).toHaveCount(1);
  await expect(page.getByRole("option")).toContainText("Bremen");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await expect(cell(1, 4)).toHaveText("731");

  await cell(2, 3).click({ button: "right" });
  await page.getByRole("menuitem", { name: "Set to" }).click();
  await page.getByRole("menuitem", { name: "NULL" }).click();
  await cell(4, 2).click();
  await paste(page, "Gable\tDE\nNew\tFR");
  const bar = page.getByRole("region", { name: "Pending changes" });
  await expect(bar).toContainText("3 edited1 added");
  await page.keyboard.press("ControlOrMeta+z");
  await expect(bar).toContainText("2 changes");
  await paste(page, "a\n".repeat(501));
  await expect(page.getByText("Up to 500 rows can be changed at once.")).toBeVisible();
  await paste(page, `${"a\t".repeat(49)}a\n`.repeat(10_000));
  await expect(page.getByText("Too many cells to paste. Import a file instead.")).toBeVisible();
  await expect(bar).toContainText("2 changes");
  await paste(page, "Gable\tDE\nNew");
  await page.keyboard.press("ControlOrMeta+Enter");
  await expect(page.getByText("4 changes submitted")).toBeVisible();
  expect(await run("select name, country, manager_id from customers order by id")).toEqual([
    { name: "Alder & Sons", country: "PT", manager_id: 31 },
    { name: "Bexley Home", country: null, manager_id: 7 },
    { name: "Casa Norte", country: "PT", manager_id: 9 },
    { name: "Gable", country: "DE", manager_id: 9 },
    { name: "New", country: "PT", manager_id: null },
  ]);
});

test("edits, adds and deletes rows as forms on a phone", { tag: "@long" }, async ({ page, person }) => {
  const { run } = await openCustomers(page, person);
  await page.setViewportSize({ width: 390, height: 844 });
  await page.getByRole("button", { name: "Alder & Sons" }).click();
  const panel = page.getByRole("complementary", { name: "Row" });
  await panel.getByRole("radio", { name: "Edit" }).click();
  await panel.getByLabel("name", { exact: true }).fill("Alder");
  await panel.getByRole("button", { name: "Set country to NULL" }).click();
  const picked = panel.getByLabel("manager_id", { exact: true });
  await picked.focus();
  await expect(panel.locator("option[value='31']")).toHaveText("Wanda Koch");
  await expect(picked).toBeFocused();
  await picked.fill("31");
  await expectAccessible(page);
  await panel.getByRole("button", { name: "Next row" }).click();
  await panel.getByRole("button", { name: "Delete row" }).click();
  await expect(panel).toContainText("Submitting deletes this row.");
  await panel.getByRole("button", { name: "Close" }).click();
  await page.getByRole("button", { name: "Add row" }).click();
  await expect(panel.getByLabel("country", { exact: true })).toHaveAttribute("placeholder", "default");
  await panel.getByLabel("name", { exact: true }).fill("Rowan Supply");
  await panel.getByRole("button", { name: "Close" }).click();
  const bar = page.getByRole("region", { name: "Pending changes" });
  await expect(bar).toContainText("1 edited1 added1 deleted");
  await expectAccessible(page);
  await bar.getByRole("button", { name: "Submit 3 changes" }).click();
  await expect(page.getByText("3 changes submitted")).toBeVisible();
  expect(await run("select name, country, manager_id from customers order by id")).toEqual([
    { name: "Alder", country: null, manager_id: 31 },
    { name: "Casa Norte", country: "PT", manager_id: 9 },
    { name: "Gable Works", country: "GB", manager_id: 9 },
    { name: "Rowan Supply", country: "PT", manager_id: null },
  ]);
});

test("pastes no block over rows that are not loaded", { tag: "@long" }, async ({ page, person }) => {
  const { cell, run } = await openCustomers(page, person);
  await run(
    "insert into customers (name) with recursive n (i) as (select 1 union all select i + 1 from n where i < 2000) select 'Row ' || i from n",
  );
  await page.reload();
  await cell(1, 2).click();
  await paste(page, "a\tPT\n".repeat(450));
  await expect(page.getByText("The block is longer than the loaded rows.")).toBeVisible();
  await expect(page.getByRole("region", { name: "Pending changes" })).toHaveCount(0);
});

test("names the change that the database refuses, and asks on production", { tag: "@long" }, async ({
  page,
  person,
}) => {
  const { run, edit } = await openCustomers(page, person, { tag: { name: "Production", colour: "rose" } });
  await edit(1, 1, "2");
  const bar = page.getByRole("region", { name: "Pending changes" });
  const submit = bar.getByRole("button", { name: "Submit 1 change" });
  await submit.click();
  await page.getByRole("dialog", { name: "Write to customers?" }).getByRole("button", { name: "Run write" }).click();
  await expect(bar).toContainText("Nothing was written. UNIQUE constraint failed");
  await bar.getByRole("button", { name: "Discard" }).click();
  await expect(bar).toBeHidden();
  expect(await run("select count(*) as n from customers")).toEqual([{ n: 4 }]);
});

test("offers no editing on a read-only connection", { tag: "@long" }, async ({ page, person }) => {
  const { cell } = await openCustomers(page, person, { readOnly: true });
  await cell(1, 2).dblclick();
  await expect(page.getByRole("textbox", { name: "Edit name" })).toHaveCount(0);
  await expect(page.getByRole("button", { name: "Add row" })).toHaveCount(0);
});

test("finds out whether a submission without a response was written, and writes once", async ({ page, person }) => {
  const { cell, run, edit } = await openCustomers(page, person);
  await page.getByRole("button", { name: "Add row" }).click();
  await edit(5, 2, "Rowan Supply");
  // The server writes; its response is lost, and so is the look-up.
  const cut = async (url: string) =>
    page.route(url, async (route) => {
      await route.fetch();
      await route.abort();
    });
  await cut("**/rows/changes");
  await cut("**/executions/*");
  const bar = page.getByRole("region", { name: "Pending changes" });
  await bar.getByRole("button", { name: "Submit 1 change" }).dblclick();
  await expect(bar).toContainText("The changes may have been written. Submit again to check");
  await cell(1, 2).click();
  await page.keyboard.press("ControlOrMeta+Backspace");
  await expect(bar).toContainText("1 change");
  await page.unrouteAll();
  await cell(1, 2).click();
  await page.keyboard.press("ControlOrMeta+Enter");
  await page.keyboard.press("ControlOrMeta+Enter");
  await expect(page.getByText("1 change submitted")).toBeVisible();
  await expect(bar).toBeHidden();
  expect(await run("select count(*) as n from customers where name = 'Rowan Supply'")).toEqual([{ n: 1 }]);
});

test("keeps pending changes while other pages are open, and asks before the tab leaves", async ({ page, person }) => {
  const { cell, edit } = await openCustomers(page, person);
  await edit(2, 5, "6000");
  await page.getByRole("link", { name: "Connections" }).first().click();
  await expect(page.getByRole("heading", { name: "Connections", level: 1 })).toBeVisible();
  const asked = page.waitForEvent("dialog");
  await page.evaluate(() => void setTimeout(() => location.reload()));
  const dialog = await asked;
  expect(dialog.type()).toBe("beforeunload");
  await dialog.dismiss();
  await page.goBack();
  await expect(cell(2, 5)).toHaveText(/4,?0006,?000/);
  await page.setViewportSize({ width: 720, height: 800 });
  await expectAccessible(page);
});

test("keeps the focus in the grid when its rows become editable", { tag: "@long" }, async ({ page, person }) => {
  const { cell } = await openCustomers(page, person);
  let show = () => {};
  const shown = new Promise<void>((resolve) => {
    show = resolve;
  });
  await page.route(/\/connectors\/[^/]+\/entities/, async (route) => {
    await shown;
    await route.continue();
  });
  await page.reload();
  await cell(2, 2).click();
  await expect(page.getByRole("button", { name: "Add row" })).toBeHidden();
  show();
  await expect(page.getByRole("button", { name: "Add row" })).toBeVisible();
  await page.keyboard.press("F2");
  await expect(page.getByRole("textbox", { name: "Edit name" })).toBeVisible();
});
