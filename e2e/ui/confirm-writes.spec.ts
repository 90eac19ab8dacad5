import type { Page } from "@playwright/test";
import Database from "better-sqlite3";
import type { ConsolePage } from "../pages/console-page";
import { addConsole } from "./consoles.fixtures";
import { expect, expectAccessible, type Person, test } from "./fixtures";
import { workspaceIdOf } from "./settings.fixtures";

/** Connects a writable file with three orders, and opens a console on it. */
async function openShop(page: Page, person: Person, consolePage: ConsolePage, tag: object | null): Promise<string> {
  const database = new Database(":memory:");
  database.exec("create table orders (id integer primary key); insert into orders values (1), (2), (3)");
  const root = `/api/workspaces/${await workspaceIdOf(page.request)}`;
  const headers = { "Content-Type": "application/octet-stream" };
  await page.request.post(`${root}/files?name=shop.sqlite`, { headers, data: database.serialize() });
  database.close();
  const config = { file: "shop.sqlite" };
  const data = { name: "shop-main", type: "sqlite", readOnly: false, tag, config };
  const made = await page.request.post(`${root}/connectors`, { data });
  expect(made.status(), await made.text()).toBe(201);
  const connectionId = (await made.json()).data.id;
  const { id } = await addConsole(page.request, { name: "writes", content: "select 1", connectionId });
  await page.goto(`/w/${person.slug}/consoles/${id}`);
  await consolePage.editor.waitFor();
  return connectionId;
}

async function run(consolePage: ConsolePage, statement: string): Promise<void> {
  await consolePage.write(statement);
  await consolePage.run.click();
}

test("asks before a DELETE without WHERE, and runs it only once confirmed", async ({ page, person, consolePage }) => {
  await openShop(page, person, consolePage, null);
  await run(consolePage, "delete from orders");
  const dialog = page.getByRole("dialog", { name: "Delete all rows of orders?" });
  await expect(dialog).toContainText("shop-main");
  await expect(dialog).toContainText("Estimated rows");
  await expect(dialog.getByRole("button", { name: "Cancel" })).toBeFocused();
  await expectAccessible(page);
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await expect(consolePage.strip).toContainText("Cancelled");

  await run(consolePage, "select count(*) as n from orders");
  await expect(consolePage.cell(1, 1)).toHaveText("3");
  await run(consolePage, "delete from orders");
  await dialog.getByRole("button", { name: "Delete all rows" }).click();
  await expect(page.getByRole("heading", { name: "3 rows deleted", exact: true })).toBeVisible();
});

test("asks before every write on a production connection", async ({ page, person, consolePage }) => {
  await openShop(page, person, consolePage, { name: "Production", colour: "rose" });
  await run(consolePage, "insert into orders values (4)");
  const dialog = page.getByRole("dialog", { name: "Write to orders?" });
  await expect(dialog).toContainText("Production");
  await dialog.getByRole("button", { name: "Run write" }).click();
  await expect(page.getByRole("heading", { name: "1 row inserted", exact: true })).toBeVisible();

  await run(consolePage, "delete from orders where id > 2");
  await expect(dialog).toContainText("Estimated rowsAbout 2");
  await dialog.getByRole("button", { name: "Cancel" }).click();
});

test("drops a table only after its name is typed", async ({ page, person, consolePage }) => {
  await openShop(page, person, consolePage, null);
  await run(consolePage, "drop table orders");
  const dialog = page.getByRole("dialog", { name: "Drop orders?" });
  const confirm = dialog.getByRole("button", { name: "Run DROP" });
  await expect(confirm).toBeDisabled();
  await dialog.getByRole("textbox", { name: "Type orders to confirm" }).fill("order");
  await page.keyboard.press("Enter");
  await expect(confirm).toBeDisabled();
  await expectAccessible(page);
  await dialog.getByRole("textbox").fill("orders");
  await confirm.click();
  await expect(dialog).toBeHidden();
  await run(consolePage, "select count(*) as n from sqlite_master");
  await expect(consolePage.cell(1, 1)).toHaveText("0");
});

test("sets the confirmation for the API", { tag: "@long" }, async ({ page, person, consolePage }) => {
  const id = await openShop(page, person, consolePage, null);
  await page.goto(`/w/${person.slug}/connections/${id}`);
  await page.getByRole("combobox", { name: "Confirm writes" }).click();
  await page.getByRole("option", { name: "All writes" }).click();
  await page.getByRole("button", { name: "Save connection" }).click();
  await expect(page.getByText("Connection saved", { exact: true })).toBeVisible();
  const url = `/api/workspaces/${await workspaceIdOf(page.request)}/databases/${id}/execute`;
  const data = { query: "insert into orders values (5)" };
  const refused = await page.request.post(url, { data });
  expect([refused.status(), (await refused.json()).code]).toEqual([409, "confirmation_required"]);
  expect((await page.request.post(url, { data: { ...data, confirm: true } })).status()).toBe(200);
});

test("reads rows again only if the statement reads", async ({ page, person, consolePage }) => {
  await openShop(page, person, consolePage, null);
  const rows = "with recursive n(i) as (select 10 union all select i + 1 from n where i < 2009)";
  await run(consolePage, `${rows} insert into orders select i from n returning id`);
  await page.getByRole("button", { name: "Load all", exact: true }).click();
  await expect(page.getByText("This statement writes, so it isn't run again to read its rows.")).toBeVisible();
  await page.getByRole("button", { name: /^Load up to/ }).click();
  const dialog = page.getByRole("dialog", { name: "Write to orders?" });
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await expect(consolePage.strip).toContainText("Cancelled");
  await run(consolePage, "select count(*) as n from orders");
  await expect(consolePage.cell(1, 1)).toHaveText("2,003");
});
