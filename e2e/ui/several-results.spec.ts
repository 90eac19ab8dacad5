import { readFile } from "node:fs/promises";
import type { Page } from "@playwright/test";
import Database from "better-sqlite3";
import { startMariaDb } from "../../test/servers/mariadb";
import type { TestServer } from "../../test/servers/postgres";
import type { ConsolePage } from "../pages/console-page";
import { addConsole } from "./consoles.fixtures";
import { expect, expectAccessible, type Person, test as withPerson } from "./fixtures";
import { workspaceIdOf } from "./settings.fixtures";

/* Statements with several results, and statements that change rows. The numbers are those of the databases' clients. */

const PROCEDURES = [
  "create procedure two_results() begin select seq as n from seq_1_to_2500; select 'b' as name, 7 as total; end",
  "create procedure many_results(count int) begin declare i int default 0; while i < count do select i as turn; set i = i + 1; end while; end",
  "create procedure no_rows() begin select 1 as n where 1 = 0; select 2 as two; end",
];

const test = withPerson.extend<object, { mariadb: TestServer | null }>({
  mariadb: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the names of the fixtures from this pattern.
    async ({}, use) => {
      const server = await startMariaDb();
      await use(server);
      await server?.stop();
    },
    { scope: "worker", timeout: 90_000 },
  ],
});
test.describe.configure({ timeout: 120_000 });

async function connect(page: Page, data: Record<string, unknown>): Promise<string> {
  const made = await page.request.post(`/api/workspaces/${await workspaceIdOf(page.request)}/connectors`, { data });
  expect(made.status(), await made.text()).toBe(201);
  return (await made.json()).data.id;
}

async function connectMariaDb(page: Page, server: TestServer): Promise<string> {
  const { host, port, user, password, database } = server;
  const config = { host, port, user, password, database, ssl: "disable" };
  return connect(page, { name: "shop", type: "mysql", readOnly: false, config });
}

async function connectSqlite(page: Page): Promise<string> {
  const database = new Database(":memory:");
  const url = `/api/workspaces/${await workspaceIdOf(page.request)}/files?name=shop.sqlite`;
  const headers = { "Content-Type": "application/octet-stream" };
  const uploaded = await page.request.post(url, { headers, data: database.serialize() });
  database.close();
  expect(uploaded.status()).toBe(201);
  return connect(page, { name: "shop", type: "sqlite", readOnly: false, config: { file: "shop.sqlite" } });
}

async function execute(page: Page, connectionId: string, query: string): Promise<void> {
  const url = `/api/workspaces/${await workspaceIdOf(page.request)}/databases/${connectionId}/execute`;
  const answer = await page.request.post(url, { data: { query } });
  expect(answer.status(), await answer.text()).toBe(200);
}

/** Opens a saved console of the connection. */
async function openConsole(
  page: Page,
  person: Person,
  consolePage: ConsolePage,
  connectionId: string,
): Promise<string> {
  const body = { name: "shop.sql", content: "select 1", access: "workspace" as const, connectionId };
  const { id } = await addConsole(page.request, body);
  await page.goto(`/w/${person.slug}/consoles/${id}`);
  await consolePage.editor.waitFor();
  return id;
}

async function run(consolePage: ConsolePage, text: string): Promise<void> {
  await consolePage.write(text);
  await consolePage.run.click();
}

/** Exports the shown result as CSV. @returns the name and the text of the file */
async function exportCsv(page: Page): Promise<[name: string, text: string]> {
  // A test cannot use the browser's file dialog; without it, the file is downloaded.
  await page.evaluate(() => Reflect.deleteProperty(window, "showSaveFilePicker"));
  await page.getByRole("button", { name: "Export" }).click();
  const dialog = page.getByRole("dialog", { name: "Export result" });
  const saved = page.waitForEvent("download");
  await dialog.getByRole("button", { name: /^Export .*\.csv$/ }).click();
  const download = await saved;
  const text = await readFile(await download.path(), "utf8");
  await dialog.getByRole("button", { name: "Close" }).last().click();
  return [download.suggestedFilename(), text];
}

test("C5 shows each result of a procedure in a tab, and exports the visible one", async ({
  page,
  person,
  consolePage,
  mariadb,
}) => {
  if (mariadb === null) return test.skip();
  const connectionId = await connectMariaDb(page, mariadb);
  for (const statement of PROCEDURES) await execute(page, connectionId, statement);
  const id = await openConsole(page, person, consolePage, connectionId);
  const tabs = page.getByRole("tablist", { name: "Results" }).getByRole("tab");

  // The limit of 1,000 rows ends in the first result.
  await run(consolePage, "call two_results()");
  await expect(tabs).toHaveText([/1 call two_results\(\) 1,000 rows/, /2 call two_results\(\) not loaded/]);
  await expect(page.getByText("First 1,000 rows. More are available.")).toBeVisible();
  await tabs.nth(1).click();
  await expect(page.getByText("No rows loaded. The row limit of the run was reached.")).toBeVisible();
  await expect(page.getByRole("button", { name: "Add to dashboard" })).toBeDisabled();
  await expectAccessible(page);
  expect(await exportCsv(page)).toEqual(["shop-2.csv", "name,total\r\nb,7\r\n"]);
  await page.getByRole("button", { name: "Load all" }).click();
  await expect(consolePage.cell(1, 1)).toHaveText("b");
  await expect(consolePage.cell(1, 2)).toHaveText("7");

  await tabs.nth(0).click();
  const [name, text] = await exportCsv(page);
  expect([name, text.split("\r\n").length]).toEqual(["shop.csv", 2502]);
  await page.getByRole("button", { name: /^Load up to/ }).click();
  // A procedure may write, so another run is confirmed.
  await page.getByRole("dialog").getByRole("button", { name: "Run write" }).click();
  await expect(tabs).toHaveText([/2,500 rows/, /1 row$/]);
  await tabs.nth(1).focus();
  await page.keyboard.press("ArrowRight");
  await expect(tabs.nth(0)).toHaveAttribute("aria-selected", "true");
  await page.keyboard.press("ArrowLeft");
  await expect(consolePage.cell(1, 1)).toHaveText("b");

  // A reload keeps all of them.
  await page.reload();
  await expect(tabs).toHaveText([/1 call two_results\(\) 2,500 rows/, /2 call two_results\(\) 1 row$/]);
  await tabs.nth(1).click();
  await expect(consolePage.cell(1, 1)).toHaveText("b");

  // The server stores only the first result.
  await page.evaluate(() => {
    addEventListener("pagehide", () => sessionStorage.clear());
  });
  await page.reload();
  await expect(
    page.getByText("Showing the first of 2 results. Run the statement again to see the others."),
  ).toBeVisible();
  await expect(consolePage.cell(1, 1)).toHaveText("1");
  await consolePage.run.click();

  await run(consolePage, "call no_rows()");
  await expect(tabs).toHaveText([/0 rows$/, /1 row$/]);
  await expect(page.getByRole("heading", { name: "No rows", exact: true })).toBeVisible();
  await tabs.nth(1).click();
  await expect(consolePage.cell(1, 1)).toHaveText("2");

  await run(consolePage, "call many_results(150)");
  await expect(tabs).toHaveCount(100);
  await expect(page.getByText("Showing the first 100 of 150 results.")).toBeVisible();
  await tabs.nth(99).click();
  await expect(consolePage.cell(1, 1)).toHaveText("99");
  expect(await exportCsv(page)).toEqual(["shop-100.csv", "turn\r\n99\r\n"]);
  await expectAccessible(page);
  expect(id).toBeTruthy();
});

type Engine = { name: string; connect: (page: Page, server: TestServer) => Promise<string> };
const ENGINES: Engine[] = [
  { name: "MariaDB", connect: connectMariaDb },
  { name: "SQLite", connect: connectSqlite },
];
/** Each statement with the output of `mariadb` and `sqlite3`, in words. */
const CHANGES = [
  ["insert into wares values (1, 'tea'), (2, 'salt'), (3, 'oil')", "3 rows inserted"],
  ["update wares set name = 'sea salt' where id > 1", "2 rows updated"],
  ["update wares set name = 'ink' where id > 100", "0 rows updated"],
  ["delete from wares where id = 3", "1 row deleted"],
] as const;

for (const [index, engine] of ENGINES.entries()) {
  // The first one is in every run.
  test(`C44 shows the rows that a statement changes, in the result and the activity: ${engine.name}`, {
    tag: index === 0 ? [] : ["@long"],
  }, async ({ page, person, consolePage, mariadb }) => {
    if (mariadb === null) return test.skip();
    const connectionId = await engine.connect(page, mariadb);
    await execute(page, connectionId, "drop table if exists wares");
    await execute(page, connectionId, "create table wares (id int primary key, name varchar(20))");
    await openConsole(page, person, consolePage, connectionId);
    for (const [statement, words] of CHANGES) {
      await run(consolePage, statement);
      await expect(page.getByRole("heading", { name: words, exact: true })).toBeVisible();
      await expect(consolePage.strip).toContainText(words);
    }
    await expect(page.getByText(/^0 rows$/)).toHaveCount(0);
    await expectAccessible(page);

    // A failure offers the change again, and the console's history has it too.
    await run(consolePage, "delete from nowhere where id = 1");
    await expect(page.getByRole("button", { name: /^Show 1 row deleted from/ })).toBeVisible();
    await page.getByRole("button", { name: "Recent runs" }).click();
    const runs = page.getByRole("dialog", { name: /runs/i });
    for (const [, words] of CHANGES) await expect(runs).toContainText(words);
    await page.keyboard.press("Escape");

    await run(consolePage, "insert into wares values (4, 'rye') returning id, name");
    await expect(consolePage.cell(1, 2)).toHaveText("rye");
    await expect(consolePage.strip).toContainText("1 row inserted");

    await page.goto(`/w/${person.slug}/activity`);
    const table = page.getByRole("table", { name: "Activity" });
    for (const [statement, words] of [...CHANGES, ["insert into wares values (4, 'rye')", "1 row inserted"]] as const) {
      const row = table.getByRole("row").filter({ hasText: statement });
      // The column's label is Rows already.
      await expect(row.locator('[data-label="Rows"]')).toHaveText(words.replace(/ rows?/, ""));
    }
    await expectAccessible(page);
  });
}
