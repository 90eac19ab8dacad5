import type { Page } from "@playwright/test";
import Database from "better-sqlite3";
import type { ConsolePage } from "../pages/console-page";
import { addConsole } from "./consoles.fixtures";
import { expect, expectAccessible, type Person, test } from "./fixtures";
import { workspaceIdOf } from "./settings.fixtures";

/** Connects a writable file with an empty table, and switches a console on it to manual transactions. */
async function openManually(page: Page, person: Person, consolePage: ConsolePage): Promise<string> {
  const database = new Database(":memory:");
  database.exec("create table orders (id integer primary key)");
  const root = `/api/workspaces/${await workspaceIdOf(page.request)}`;
  const headers = { "Content-Type": "application/octet-stream" };
  await page.request.post(`${root}/files?name=shop.sqlite`, { headers, data: database.serialize() });
  database.close();
  const data = { name: "shop-main", type: "sqlite", readOnly: false, config: { file: "shop.sqlite" } };
  const made = await page.request.post(`${root}/connectors`, { data });
  const connectionId = (await made.json()).data.id;
  const { id } = await addConsole(page.request, { name: "fix", content: "select 1", connectionId });
  await page.goto(`/w/${person.slug}/consoles/${id}`);
  await consolePage.editor.waitFor();
  await page.getByRole("radio", { name: "Manual" }).click();
  await expect(bar(page)).toContainText("No open transaction");
  return `${root}/databases/${connectionId}`;
}

const bar = (page: Page) => page.locator(".tx-bar");

async function run(consolePage: ConsolePage, statement: string): Promise<void> {
  await consolePage.write(statement);
  await consolePage.run.click();
}

async function countOrders(page: Page, path: string): Promise<number> {
  const answer = await page.request.post(`${path}/execute`, { data: { query: "select count(*) as n from orders" } });
  return (await answer.json()).data.rows[0].n;
}

test("opens a transaction with the first statement, keeps it over a reload, and commits", async ({
  page,
  person,
  consolePage,
}) => {
  const path = await openManually(page, person, consolePage);
  await run(consolePage, "insert into orders values (1)");
  await expect(bar(page)).toContainText("Transaction open");
  await expect(bar(page)).toContainText("1 statement");
  await expectAccessible(page);
  expect(await countOrders(page, path)).toBe(0);
  page.once("dialog", (dialog) => dialog.accept());
  await page.reload();
  await expect(bar(page)).toContainText("1 statement");
  await run(consolePage, "insert into orders values (2)");
  await expect(bar(page)).toContainText("2 statements");
  await page.getByRole("button", { name: "Commit" }).click();
  await expect(bar(page)).toContainText("No open transaction");
  expect(await countOrders(page, path)).toBe(2);
});

test("asks before it rolls back by closing the tab or switching to Auto", async ({ page, person, consolePage }) => {
  const path = await openManually(page, person, consolePage);
  await run(consolePage, "insert into orders values (1)");
  await expect(bar(page)).toContainText("Transaction open");
  const dialog = page.getByRole("dialog", { name: "Roll back the open transaction?" });
  await consolePage.tabs.first().press("Delete");
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await expect(bar(page)).toContainText("Transaction open");
  await page.getByRole("radio", { name: "Auto" }).click();
  await dialog.getByRole("button", { name: "Roll back" }).click();
  await expect(bar(page)).toHaveCount(0);
  expect(await countOrders(page, path)).toBe(0);
  expect((await (await page.request.get(`${path}/sessions`)).json()).data).toEqual([]);
});

test("tells that the server rolled the transaction back", { tag: "@long" }, async ({ page, person, consolePage }) => {
  const path = await openManually(page, person, consolePage);
  await run(consolePage, "insert into orders values (1)");
  await expect(bar(page)).toContainText("Transaction open");
  const [{ sessionId }] = (await (await page.request.get(`${path}/sessions`)).json()).data;
  await page.request.delete(`${path}/sessions/${sessionId}`);
  await run(consolePage, "select 1");
  await expect(bar(page)).toContainText("Session ended, changes rolled back");
  await run(consolePage, "insert into orders values (3)");
  await expect(bar(page)).toContainText("Transaction open");
});
