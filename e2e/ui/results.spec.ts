import { readFile } from "node:fs/promises";
import type { Page } from "@playwright/test";
import { tableFromIPC } from "apache-arrow";
import { readXlsx } from "hucre/xlsx";
import { ConsolePage } from "../pages/console-page";
import { readConsole, shownId } from "./consoles.fixtures";
import { expect, expectAccessible, test } from "./fixtures";
import { join } from "./settings.fixtures";

const WEEKS = `select date '2026-10-05' + (7 * w)::int as week, region, (100 + w * 3 + length(region) * 20)::decimal(10, 2) as revenue
from range(7) t(w), (values ('North'), ('Coast'), ('Midlands'), ('Islands')) r(region) order by 1, 2`;

test.beforeEach(async ({ consolePage, person }) => {
  await consolePage.open(person.slug);
});

/** Removes the browser's file dialog, which no test can use: the file is downloaded instead. */
async function withoutFileDialog(page: Page): Promise<void> {
  await page.evaluate(() => Reflect.deleteProperty(window, "showSaveFilePicker"));
}

test("suggests a chart, changes it by shelves, shows it as a table, and stores it", async ({
  page,
  consolePage,
  browser,
}) => {
  await consolePage.write(WEEKS);
  await consolePage.run.click();
  await page.getByRole("radio", { name: "Chart" }).click();
  const chart = page.getByRole("img", {
    name: "Line chart of sum revenue by week, coloured by region: Midlands, Islands, Coast, North.",
  });
  await expect(chart.locator("svg")).toBeAttached();
  // Coast and North end together: the names are in a row above the lines, not at their ends.
  await expect(page.getByRole("list", { name: "Series" }).getByRole("button")).toHaveText([
    "Midlands",
    "Islands",
    "Coast",
    "North",
  ]);
  await expect(page).toHaveURL(/[?&]tab=chart/);
  await expectAccessible(page);

  await page.getByRole("combobox", { name: "Chart type" }).click();
  await page.getByRole("option", { name: "Bar" }).click();
  await page.getByRole("combobox", { name: "X-axis", exact: true }).click();
  await page.getByRole("option", { name: "region" }).click();
  await page.getByRole("combobox", { name: "Colour by" }).click();
  await page.getByRole("option", { name: "None" }).click();
  await expect(page.getByRole("img", { name: /^Bar chart of sum revenue by region\. Highest/ })).toBeVisible();

  await page.getByRole("button", { name: "View as table" }).click();
  const table = page.getByRole("region", { name: "Chart data" });
  // 7 x (100 + 8 x 20) + 3 x (0 + 1 + ... + 6), independently calculated.
  await expect(table.getByRole("row", { name: /Midlands/ })).toContainText("1,883");

  // It is stored with the console, for the API and for other browsers.
  const id = shownId(page);
  await expect
    .poll(async () => (await readConsole(page.request, id))?.chart)
    .toMatchObject({ mark: { type: "bar" }, encoding: { x: { field: "region" }, y: { aggregate: "sum" } } });
  const other = await browser.newContext({ storageState: await page.context().storageState({ indexedDB: false }) });
  const elsewhere = await other.newPage();
  await elsewhere.goto(page.url());
  await new ConsolePage(elsewhere).run.click();
  await expect(elsewhere.getByRole("img", { name: /^Bar chart of sum revenue by region/ })).toBeVisible();
  await other.close();
  await page.reload();
  await consolePage.run.click();
  await expect(page.getByRole("img", { name: /^Bar chart of sum revenue by region/ })).toBeVisible();
});

test("saves a chart that was selected before the first save", { tag: "@long" }, async ({ page, consolePage }) => {
  await consolePage.create();
  await consolePage.write("select * from (values ('a', 1), ('b', 2)) t(name, n)");
  await consolePage.run.click();
  await page.getByRole("radio", { name: "Chart" }).click();
  await page.getByRole("combobox", { name: "Chart type" }).click();
  await page.getByRole("option", { name: "Area" }).click();
  await expect(page.getByRole("img", { name: /^Area chart of sum n by name/ })).toBeVisible();
  await consolePage.saveNew();
  await expect(consolePage.save).toHaveText("Saved");
  expect((await readConsole(page.request, shownId(page)))?.chart).toMatchObject({ mark: { type: "area" } });
  await expect(page.getByRole("img", { name: /^Area chart of sum n by name/ })).toBeVisible();
});

test("draws a chart in the current theme", { tag: "@long" }, async ({ page, consolePage }) => {
  await consolePage.write("select * from (values ('a', 1), ('b', 2)) t(name, n)");
  await consolePage.run.click();
  await page.getByRole("radio", { name: "Chart" }).click();
  const bar = page.locator(".chart-host svg .role-mark path").first();
  await expect(bar).toBeVisible();
  const seen = new Set<string | null>();
  for (const theme of ["light", "dark"]) {
    await page.evaluate((name) => document.documentElement.setAttribute("data-theme", name), theme);
    const wanted = await page.evaluate(() =>
      getComputedStyle(document.documentElement).getPropertyValue("--viz-1").trim(),
    );
    await expect(bar).toHaveAttribute("fill", new RegExp(wanted, "i"));
    seen.add(await bar.getAttribute("fill"));
    await expectAccessible(page);
  }
  expect(seen.size).toBe(2);
});

test("exports the whole result as guarded CSV, on request only", async ({ page, consolePage }) => {
  await withoutFileDialog(page);
  await consolePage.write(
    "select case when range = 3 then '=cmd()' else 'row ' || range end as name, -range as n from range(120000)",
  );
  await consolePage.run.click();
  await page.getByRole("button", { name: "Export" }).click();
  const dialog = page.getByRole("dialog", { name: "Export result" });
  await expect(dialog.getByRole("switch", { name: "Escape formulas" })).toBeChecked();
  await expectAccessible(page);
  const saved = page.waitForEvent("download");
  await dialog.getByRole("button", { name: /^Export .*\.csv$/ }).click();
  const text = await readFile(await (await saved).path(), "utf8");
  await expect(dialog.getByText("Exported")).toBeVisible();
  await expect(dialog).toContainText("120,000 rows");
  const lines = text.split("\r\n");
  expect(lines).toHaveLength(120_002);
  // Text is escaped against formulas, the number beside it is not.
  expect(lines[4]).toBe("'=cmd(),-3");
  expect(lines[120_000]).toBe("row 119999,-119999");
});

test("exports exact values without the guard, and every row as NDJSON", { tag: "@long" }, async ({
  page,
  consolePage,
}) => {
  await withoutFileDialog(page);
  await consolePage.write("select '=1+1' as f, 9223372036854775807 as big");
  await consolePage.run.click();
  await page.getByRole("button", { name: "Export" }).click();
  const dialog = page.getByRole("dialog", { name: "Export result" });
  await dialog.getByRole("switch", { name: "Escape formulas" }).click();
  await dialog.getByRole("textbox", { name: "File name" }).fill("sums");
  let saved = page.waitForEvent("download");
  await dialog.getByRole("button", { name: "Export sums.csv" }).click();
  let download = await saved;
  expect(download.suggestedFilename()).toBe("sums.csv");
  expect(await readFile(await download.path(), "utf8")).toBe("f,big\r\n=1+1,9223372036854775807\r\n");

  await dialog.getByRole("radio", { name: "NDJSON" }).click();
  saved = page.waitForEvent("download");
  await dialog.getByRole("button", { name: "Export sums.ndjson" }).click();
  download = await saved;
  expect(await readFile(await download.path(), "utf8")).toBe('{"f":"=1+1","big":"9223372036854775807"}\n');
});

test("exports Arrow with types, and counts it live", { tag: "@long" }, async ({ page, consolePage }) => {
  await withoutFileDialog(page);
  await consolePage.write("select range::int as n, 'row ' || range as name from range(120000)");
  await consolePage.run.click();
  await page.getByRole("button", { name: "Export" }).click();
  const dialog = page.getByRole("dialog", { name: "Export result" });
  await dialog.getByRole("radio", { name: "Arrow" }).click();
  await expect(dialog.getByRole("switch", { name: "Escape formulas" })).toHaveCount(0);
  await expectAccessible(page);
  const saved = page.waitForEvent("download");
  await dialog.getByRole("button", { name: "Export best-sellers.arrow" }).click();
  const table = tableFromIPC(await readFile(await (await saved).path()));
  await expect(dialog).toContainText("120,000 rows");
  expect(table.numRows).toBe(120_000);
  expect(table.schema.fields.map(({ name, type }) => `${name} ${type}`)).toEqual(["n Int32", "name Utf8"]);
  expect(table.get(119_999)?.toJSON()).toEqual({ n: 119_999, name: "row 119999" });
});

test("exports Excel or Parquet with types, and asks for the number of rows", { tag: "@long" }, async ({
  page,
  consolePage,
}) => {
  await withoutFileDialog(page);
  await consolePage.write(
    "select range::int as n, '=row ' || range as name, date '2026-11-22' as day from range(3000)",
  );
  await consolePage.run.click();
  await page.getByRole("button", { name: "Export" }).click();
  const dialog = page.getByRole("dialog", { name: "Export result" });
  await dialog.getByRole("radio", { name: "Excel" }).click();
  await expect(dialog.getByRole("switch", { name: "Escape formulas" })).toHaveCount(0);
  await expectAccessible(page);
  let saved = page.waitForEvent("download");
  await dialog.getByRole("button", { name: "Export best-sellers.xlsx" }).click();
  const { sheets } = await readXlsx(await readFile(await (await saved).path()));
  await expect(dialog).toContainText("3,000 rows");
  expect(sheets[0]?.rows[2_999 + 1]).toEqual([2999, "=row 2999", new Date("2026-11-22")]);

  await dialog.getByRole("radio", { name: "Parquet" }).click();
  saved = page.waitForEvent("download");
  await dialog.getByRole("button", { name: "Export best-sellers.parquet" }).click();
  const bytes = await readFile(await (await saved).path());
  await expect(dialog).toContainText("to best-sellers.parquet");
  expect([bytes.subarray(0, 4).toString(), bytes.subarray(-4).toString()]).toEqual(["PAR1", "PAR1"]);
});

test("explains an export that the query ends", { tag: "@long" }, async ({ page, consolePage }) => {
  await withoutFileDialog(page);
  await consolePage.write(
    "select case when range < 400000 then 'row ' || range else error('no more of these') end as v from range(800000)",
  );
  await consolePage.run.click();
  await page.getByRole("button", { name: "Export" }).click();
  const dialog = page.getByRole("dialog", { name: "Export result" });
  await dialog.getByRole("button", { name: /^Export .*\.csv$/ }).click();
  await expect(dialog).toContainText("The query failed during the export: no more of these");
});

test("uses a console's variables in its export, plan and full result", {
  tag: "@long",
}, async ({ page, consolePage }) => {
  await withoutFileDialog(page);
  await consolePage.write("select range as n, {{word}} as word from range(2000)");
  await page.getByRole("region", { name: "Variables" }).getByLabel("word", { exact: true }).fill("it's");
  await consolePage.run.click();
  await page.getByRole("button", { name: "Load all", exact: true }).click();
  await expect(consolePage.grid).toHaveAttribute("aria-rowcount", "2001");
  await page.getByRole("button", { name: "Export" }).click();
  const saved = page.waitForEvent("download");
  await page.getByRole("button", { name: "Export best-sellers.csv" }).click();
  const lines = (await readFile(await (await saved).path(), "utf8")).split("\r\n");
  expect(lines).toHaveLength(2002);
  expect(lines[2000]).toBe("1999,it's");
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Explain" }).click();
  await expect(page.getByRole("region", { name: "Plan" })).toContainText(/RANGE|PROJECTION/i);
});

test("streams an export to disk if the browser allows it, and leaves nothing when cancelled", async ({
  page,
  consolePage,
}) => {
  // The dialog's result is a file of the browser's private file system: the same kind of file, without a dialog.
  await page.evaluate(() =>
    Object.assign(window, {
      showSaveFilePicker: async ({ suggestedName }: { suggestedName: string }) =>
        (await navigator.storage.getDirectory()).getFileHandle(suggestedName, { create: true }),
    }),
  );
  const sizeOf = (name: string) =>
    page.evaluate(async (file) => {
      const handle = await (await navigator.storage.getDirectory()).getFileHandle(file);
      return (await handle.getFile()).size;
    }, name);
  await consolePage.write("select 'abc' as t from range(1000)");
  await consolePage.run.click();
  await page.getByRole("button", { name: "Export" }).click();
  const dialog = page.getByRole("dialog", { name: "Export result" });
  await dialog.getByRole("textbox", { name: "File name" }).fill("whole");
  await dialog.getByRole("button", { name: "Export whole.csv" }).click();
  await expect(dialog).toContainText("1,000 rows");
  await expect(dialog.getByText("Exported")).toBeVisible();
  // "t", a thousand times "abc", each with CR and LF.
  expect(await sizeOf("whole.csv")).toBe(3 + 1000 * 5);
  await dialog.getByRole("button", { name: "Close" }).last().click();

  await consolePage.write("select repeat('abcdefghij', 20) as t, random() as r from range(30000000)");
  await consolePage.run.click();
  await expect(page.getByText("First 1,000 rows. More are available.")).toBeVisible();
  await page.getByRole("button", { name: "Export" }).click();
  await dialog.getByRole("textbox", { name: "File name" }).fill("cut");
  await dialog.getByRole("button", { name: "Export cut.csv" }).click();
  await expect(dialog).toContainText(/[1-9][0-9,]* rows/);
  await dialog.getByRole("button", { name: "Cancel export" }).click();
  await expect(dialog).toContainText("Export cancelled. No file was saved.");
  expect(await sizeOf("cut.csv")).toBe(0);
});

test("saves nothing when an export breaks off, with a message", { tag: "@long" }, async ({ page, consolePage }) => {
  await withoutFileDialog(page);
  await consolePage.write("select 1 as one");
  await consolePage.run.click();
  await page.getByRole("button", { name: "Export" }).click();
  const dialog = page.getByRole("dialog", { name: "Export result" });
  await page.route("**/execute", (route) => route.abort());
  let downloads = 0;
  page.on("download", () => {
    downloads += 1;
  });
  await dialog.getByRole("button", { name: /^Export .*\.csv$/ }).click();
  await expect(dialog.getByText("Failed", { exact: true })).toBeVisible();
  expect(downloads).toBe(0);
  await page.unroute("**/execute");
  await dialog.getByRole("button", { name: /^Export .*\.csv$/ }).click();
  await expect(dialog.getByText("Exported")).toBeVisible();
});

test("shows a statement's plan in place of the result, and restores it", { tag: "@long" }, async ({
  page,
  consolePage,
}) => {
  await consolePage.write("select name, count(*) from customers group by name");
  await consolePage.run.click();
  await expect(consolePage.cell(1, 1)).toBeVisible();
  await consolePage.strip.getByRole("button", { name: "Explain" }).click();
  const plan = page.getByRole("region", { name: "Plan" });
  await expect(plan).toContainText("HASH_GROUP_BY");
  await expectAccessible(page);
  await plan.getByRole("button", { name: "Close plan" }).click();
  await expect(consolePage.cell(1, 1)).toBeVisible();

  await consolePage.write("select nothing_like_this from customers");
  await consolePage.strip.getByRole("button", { name: "Explain" }).click();
  await expect(plan).toContainText("The database can't explain this statement");
  await expect(plan).toContainText("nothing_like_this");
});

test("lists recent queries, and appends one to the text", { tag: "@long" }, async ({ page, consolePage }) => {
  await consolePage.write("select 41 as before");
  await consolePage.run.click();
  await expect(consolePage.cell(1, 1)).toHaveText("41");
  await consolePage.write("select nope");
  await consolePage.run.click();
  await expect(page.getByText('Unknown column "nope"')).toBeVisible();

  await page.getByRole("button", { name: "Recent runs" }).click();
  const dialog = page.getByRole("dialog", { name: "Recent runs" });
  await expect(dialog.getByRole("button", { name: /select nope.*Failed/ })).toBeVisible();
  await expectAccessible(page);
  await dialog.getByRole("button", { name: /select 41 as before.*Succeeded.*1 row.*by you/ }).click();
  await expect(consolePage.editor).toContainText("select nope;");
  await expect(consolePage.editor).toContainText("select 41 as before");
  await consolePage.run.click();
  await expect(consolePage.cell(1, 1)).toHaveText("41");
});

test("shows an admin private runs without text; a member sees their own runs", { tag: "@long" }, async ({
  page,
  consolePage,
  browser,
  person,
}) => {
  await consolePage.write("select 'mine alone' as words");
  await page.keyboard.press("ControlOrMeta+s");
  await expect(page).toHaveURL(/\/consoles\/[0-9a-f]{24}/);
  const sent = page.waitForRequest(/\/consoles\/[0-9a-f]{24}\/execute$/);
  await consolePage.run.click();
  await sent;
  await expect(consolePage.cell(1, 1)).toHaveText("mine alone");
  const open = async (who: Page) => {
    await who.goto(`/w/${person.slug}`);
    await who.getByRole("button", { name: "Recent runs" }).click();
    return who.getByRole("dialog", { name: "Recent runs" });
  };
  const [admin, member] = [await join(browser, page, "admin"), await join(browser, page, "member", "Mateo Silva")];
  const seen = await open(admin.page);
  await expect(seen.getByRole("listitem")).toContainText(["Private query"]);
  await expect(seen.getByRole("listitem")).toContainText([/Succeeded.*1 row.*by Ines/]);
  await expect(seen).not.toContainText("mine alone");
  await expectAccessible(admin.page);
  await expect(await open(member.page)).toContainText("No runs yet.");
  await page.getByRole("button", { name: "Recent runs" }).click();
  await expect(page.getByRole("dialog", { name: "Recent runs" })).toContainText("mine alone");
});

test("reloads recent runs that failed to load", { tag: "@long" }, async ({ page }) => {
  await page.route("**/executions", (route) =>
    route.fulfill({ status: 503, json: { success: false, error: "The store is not ready.", code: "unavailable" } }),
  );
  await page.getByRole("button", { name: "Recent runs" }).click();
  const dialog = page.getByRole("dialog", { name: "Recent runs" });
  await expect(dialog.getByText("The store is not ready.")).toBeVisible({ timeout: 20_000 });
  await page.unroute("**/executions");
  await dialog.getByRole("button", { name: "Retry" }).click();
  await expect(dialog.getByText("No runs yet.")).toBeVisible();
});
