import type { Page } from "@playwright/test";
import Database from "better-sqlite3";
import { startMariaDb } from "../../test/servers/mariadb";
import type { ConsolePage } from "../pages/console-page";
import { expect, test } from "./fixtures";
import { workspaceIdOf } from "./settings.fixtures";

/*
 * A script on a user's database is split as that database reads it: a statement of SQLite or MySQL is one statement in
 * the editor, at the cursor and for "run all".
 */

const SQLITE_SCRIPT = [
  "create table log (what text);",
  "create trigger kept after insert on log begin",
  "  update log set what = case when what = ';' then 'a;b' else what end;",
  "  select 1;",
  "end;",
  "insert into log values (';');",
  "select what as [a;b] from log;",
].join("\n");

const MYSQL_SCRIPT = [
  "create table log (what text);",
  "DELIMITER //",
  "create procedure fill() begin",
  "  insert into log values ('it\\'s; x'); # a; b",
  "  if 1 then insert into log values ('y'); end if;",
  "end//",
  "DELIMITER ;",
  "call fill();",
  "select what as `a;b` from log order by what;",
].join("\n");

test("keeps a trigger on SQLite as one statement", async ({ page, person, consolePage }) => {
  const database = new Database(":memory:");
  database.exec("create table first (id integer)");
  const wid = await workspaceIdOf(page.request);
  const uploaded = await page.request.post(`/api/workspaces/${wid}/files?name=notes.sqlite`, {
    headers: { "Content-Type": "application/octet-stream" },
    data: database.serialize(),
  });
  database.close();
  expect(uploaded.status()).toBe(201);
  await connect(page, wid, { name: "notes", type: "sqlite", readOnly: false, config: { file: "notes.sqlite" } });
  await openConsoleOn(page, person.slug, "notes", consolePage);
  await consolePage.write(SQLITE_SCRIPT);
  await expectStatementAt(page, "create trigger", 4);
  await page.keyboard.press("ControlOrMeta+Shift+Enter");
  await expect(page.getByRole("tablist", { name: "Results" }).getByRole("tab")).toHaveCount(4);
  await expect(consolePage.grid.getByRole("columnheader", { name: /a;b/ })).toBeVisible();
  await expect(consolePage.cell(1, 1)).toHaveText("a;b");
});

test("reads strings, comments and DELIMITER lines of a MySQL script", async ({ page, person, consolePage }) => {
  test.setTimeout(120_000);
  const server = await startMariaDb();
  if (server === null) {
    process.stderr.write("\nNOT TESTED: MariaDB is not installed, so no script has run on it from a browser.\n\n");
    return test.skip();
  }
  try {
    const { host, port, user, password, database } = server;
    const wid = await workspaceIdOf(page.request);
    const config = { host, port, user, password, database };
    await connect(page, wid, { name: "notes", type: "mysql", readOnly: false, config });
    await openConsoleOn(page, person.slug, "notes", consolePage);
    await consolePage.write(MYSQL_SCRIPT);
    await expectStatementAt(page, "create procedure", 4);
    await page.keyboard.press("ControlOrMeta+Shift+Enter");
    await expect(page.getByRole("tablist", { name: "Results" }).getByRole("tab")).toHaveCount(4);
    await expect(consolePage.cell(1, 1)).toHaveText("it's; x");
    await expect(consolePage.cell(2, 1)).toHaveText("y");
  } finally {
    await server.stop();
  }
});

async function connect(page: Page, wid: string, data: object): Promise<void> {
  const made = await page.request.post(`/api/workspaces/${wid}/connectors`, { data });
  expect(made.status()).toBe(201);
}

async function openConsoleOn(page: Page, slug: string, name: string, consolePage: ConsolePage): Promise<void> {
  await page.goto(`/w/${slug}/connections`);
  await page.getByRole("button", { name: `Actions for ${name}` }).click();
  await page.getByRole("menuitem", { name: "New console", exact: true }).click();
  await expect(consolePage.editor).toBeVisible();
}

/** Puts the cursor into a line and checks the gutter's bar, which is as long as the statement there. */
async function expectStatementAt(page: Page, line: string, lines: number): Promise<void> {
  await page.locator(".cm-line", { hasText: line }).click();
  await expect(page.locator(".cm-lineNumbers .cm-statement")).toHaveCount(lines);
}
