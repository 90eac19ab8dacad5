import { readFile } from "node:fs/promises";
import type { Page } from "@playwright/test";
import { startMariaDb } from "../../test/servers/mariadb";
import { startPostgres, type TestServer } from "../../test/servers/postgres";
import type { ConsolePage } from "../pages/console-page";
import { RegisterPage } from "../pages/register-page";
import { expect, newEmail, PASSWORD, test } from "./fixtures";

/** Number of rows: too many for any buffer on the way, and few enough for every test run. */
const ROWS = 200_000;

type Engine = {
  /** Name in the list of kinds. */
  kind: string;
  start: () => Promise<TestServer | null>;
  version: RegExp;
  fill: string;
  wrong: { text: string; place: string; marked: string };
};

const ENGINES: Engine[] = [
  {
    kind: "PostgreSQL",
    start: startPostgres,
    version: /PostgreSQL \d+/,
    fill: `create table orders as select i as id, 'customer ' || i as customer from generate_series(1, ${ROWS}) i`,
    wrong: { text: "select id,\n  custome\nfrom orders", place: "Line 2, column 3", marked: "custome" },
  },
  {
    kind: "MySQL and MariaDB",
    start: startMariaDb,
    version: /MariaDB/,
    fill: `create table orders as select seq as id, concat('customer ', seq) as customer from seq_1_to_${ROWS}`,
    wrong: { text: "select id\nfrom orders\nwhere customer = = 'x'", place: "Line 3, column 18", marked: "=" },
  },
];

for (const [index, { kind, start, version, fill, wrong }] of ENGINES.entries()) {
  // The first one is in every run.
  test(`connects a new user's ${kind}, runs a query, marks an error, and exports every row`, {
    tag: index === 0 ? [] : ["@long"],
  }, async ({ page, playwright, baseURL, consolePage }) => {
    test.setTimeout(180_000);
    const server = await start();
    if (server === null) {
      process.stderr.write(`\nNOT TESTED: ${kind} is not installed, so no browser has connected one.\n\n`);
      return test.skip();
    }
    try {
      const slug = await register(page);
      await connect(page, slug, kind, server, version);
      await openConsoleOn(page, slug, consolePage);
      await consolePage.write(fill);
      await consolePage.run.click();
      await expect(page.getByRole("heading", { name: "Statement completed" })).toBeVisible({ timeout: 30_000 });

      await consolePage.write(wrong.text);
      await consolePage.run.click();
      await expect(page.getByText(new RegExp(`^${wrong.place}\\.`))).toBeVisible();
      await expect(page.locator(".cm-errorMark")).toHaveText(wrong.marked);

      await consolePage.write("select * from orders order by id");
      await consolePage.run.click();
      await expect(page.getByText("First 1,000 rows. More are available.")).toBeVisible();
      await expect(consolePage.cell(1, 2)).toHaveText("customer 1");

      const lines = (await exportCsv(page)).split("\r\n");
      expect([lines.length, lines[0], lines[1], lines[ROWS]]).toEqual([
        ROWS + 2,
        "id,customer",
        "1,customer 1",
        `${ROWS},customer ${ROWS}`,
      ]);

      // The same without a browser, with a key.
      const { wid, connectionId, key } = await keyFor(page);
      const outside = await playwright.request.newContext({ baseURL });
      const answer = await outside.post(`/api/workspaces/${wid}/databases/${connectionId}/execute`, {
        headers: { Authorization: `Bearer ${key}`, Accept: "text/csv" },
        data: { query: "select * from orders order by id" },
      });
      expect((await answer.text()).split("\r\n")).toEqual(lines);
      await outside.dispose();
    } finally {
      await server.stop();
    }
  });
}

async function register(page: Page): Promise<string> {
  const form = new RegisterPage(page);
  await form.open();
  await form.name.fill("Ada Brook");
  await form.email.fill(newEmail());
  await form.password.fill(PASSWORD);
  await form.submit.click();
  await expect(page).toHaveURL(/\/w\/[^/]+/);
  return /\/w\/([^/]+)/.exec(page.url())?.[1] ?? "";
}

/** Connects with a wrong password first, then with the right one, tested before it is saved. */
async function connect(page: Page, slug: string, kind: string, server: TestServer, version: RegExp): Promise<void> {
  await page.goto(`/w/${slug}/connections`);
  await page.getByRole("link", { name: "Add connection" }).first().click();
  const choice = page.getByRole("link", { name: kind });
  await choice.click();
  // The form is that of the selected kind.
  await expect(choice).toHaveAttribute("aria-current", "true");
  await page.getByRole("textbox", { name: "Name", exact: true }).fill("orders-db");
  await page.getByLabel("Host", { exact: true }).fill(server.host);
  await page.getByLabel("Port", { exact: true }).fill(String(server.port));
  await page.getByLabel("Database", { exact: true }).fill(server.database);
  await page.getByLabel("User", { exact: true }).fill(server.user);
  await page.getByLabel("Password", { exact: true }).fill("not the password");
  await page.getByRole("switch", { name: "Read-only" }).click();
  await page.getByRole("button", { name: "Test connection" }).click();
  // A new form starts with the safest option, which a local server does not support.
  await expect(page.getByRole("form").getByText(/does not support TLS/)).toBeVisible();
  await page.getByRole("button", { name: "Turn TLS off and test again" }).click();
  await expect(page.getByRole("form").getByText(/Authentication failed/)).toBeVisible();
  await expect(page.getByRole("combobox", { name: "TLS" })).toHaveText("Off");
  await page.getByLabel("Password", { exact: true }).fill(server.password);
  await page.getByRole("button", { name: "Test again" }).click();
  await expect(page.getByRole("form").getByText(/^Connected in /)).toBeVisible();
  await expect(page.getByRole("form").getByText(version)).toBeVisible();
  await page.getByRole("button", { name: "Save connection" }).click();
  await expect(page.getByRole("row", { name: /orders-db/ }).getByRole("cell", { name: /^Connected/ })).toBeVisible();
}

async function openConsoleOn(page: Page, slug: string, consolePage: ConsolePage): Promise<void> {
  await page.goto(`/w/${slug}/connections`);
  await page.getByRole("button", { name: "Actions for orders-db" }).click();
  await page.getByRole("menuitem", { name: "New console", exact: true }).click();
  await expect(consolePage.editor).toBeVisible();
}

async function exportCsv(page: Page): Promise<string> {
  // A test cannot use the browser's file dialog; without it, the file is downloaded.
  await page.evaluate(() => Reflect.deleteProperty(window, "showSaveFilePicker"));
  await page.getByRole("button", { name: "Export" }).click();
  const saved = page.waitForEvent("download", { timeout: 60_000 });
  await page
    .getByRole("dialog", { name: "Export result" })
    .getByRole("button", { name: /^Export .*\.csv$/ })
    .click();
  return readFile(await (await saved).path(), "utf8");
}

async function keyFor(page: Page): Promise<{ wid: string; connectionId: string; key: string }> {
  const read = async (path: string) => (await (await page.request.get(path)).json()).data;
  const wid = (await read("/api/workspaces"))[0].id;
  const connections: { id: string; name: string }[] = await read(`/api/workspaces/${wid}/connectors`);
  const connectionId = connections.find(({ name }) => name === "orders-db")?.id ?? "";
  const made = await page.request.post(`/api/workspaces/${wid}/api-keys`, { data: { name: "from outside" } });
  return { wid, connectionId, key: (await made.json()).data.key };
}
