import { expect, test } from "./fixtures";

test.beforeEach(async ({ consolePage, person }) => {
  await consolePage.open(person.slug);
});

test("cells are selected by pointer and keyboard, added up exactly, and copied", async ({
  page,
  context,
  consolePage,
}) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await consolePage.write("select * from (values ('a', 0.1::decimal(9,2)), ('b', 0.2), ('c', null)) t(name, amount)");
  await consolePage.run.click();
  await consolePage.cell(1, 2).click();
  await page.keyboard.press("Shift+ArrowDown");
  // 0.10 + 0.20 by hand; floats would give 0.30000000000000004.
  await expect(page.getByText("2 cells: sum 0.30, avg 0.15")).toBeVisible();
  await page.keyboard.press("ControlOrMeta+c");
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe("0.10\n0.20");

  await page.keyboard.press("ControlOrMeta+a");
  await expect(page.getByText(/^6 cells/)).toBeVisible();
  await page.getByRole("button", { name: "Copy", exact: true }).click();
  await page.getByRole("menuitem", { name: "Copy as Markdown" }).click();
  await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toContain("| c | null |");
});

test("a column's head sorts, with nulls last both ways", async ({ consolePage }) => {
  await consolePage.write("select * from (values (2), (null), (10), (1)) t(n)");
  await consolePage.run.click();
  const head = consolePage.grid.getByRole("columnheader", { name: /^n/ });
  await head.click();
  await expect(head).toHaveAttribute("aria-sort", "ascending");
  await expect(consolePage.cells).toHaveText(["1", "2", "10", "null"]);
  await head.click();
  await expect(head).toHaveAttribute("aria-sort", "descending");
  await expect(consolePage.cells).toHaveText(["10", "2", "1", "null"]);
});

test("rows are filtered by what their cells show", async ({ page, consolePage }) => {
  await consolePage.write("select * from (values ('north', 1284), ('south', 7)) t(region, orders)");
  await consolePage.run.click();
  await page.getByRole("textbox", { name: "Filter rows" }).fill("1,28");
  await expect(page.getByText("1 of 2 rows")).toBeVisible();
  await expect(consolePage.cell(1, 1)).toHaveText("north");
  await page.getByRole("textbox", { name: "Filter rows" }).fill("zzz");
  await expect(page.getByText('No row holds "zzz".')).toBeVisible();
});

test("big numbers keep every digit", async ({ consolePage }) => {
  await consolePage.write("select 9223372036854775807 as n");
  await consolePage.run.click();
  await expect(consolePage.cell(1, 1)).toHaveText("9,223,372,036,854,775,807");
});

test("one cell is looked at with Enter, whole and laid out", async ({ page, consolePage }) => {
  await consolePage.write(`select '{"a":[1,2]}' as doc`);
  await consolePage.run.click();
  await consolePage.cell(1, 1).click();
  await page.keyboard.press("Enter");
  const dialog = page.getByRole("dialog", { name: "doc" });
  await expect(dialog).toContainText('"a": [');
  await page.keyboard.press("Escape");
  await expect(dialog).toHaveCount(0);
  await expect(consolePage.grid).toBeFocused();
});

test("the keyboard reaches the last of many rows, and only those in sight are drawn", async ({ page, consolePage }) => {
  await consolePage.write("select range as n, range * 2 as m from range(1000)");
  await consolePage.run.click();
  await consolePage.cell(1, 1).click();
  await page.keyboard.press("ControlOrMeta+ArrowDown");
  await expect(consolePage.cell(1000, 1)).toHaveText("999");
  expect(await consolePage.grid.getByRole("row").count()).toBeLessThan(80);
});

test("columns are hidden and shown from a menu, and made wider from the keyboard", async ({ page, consolePage }) => {
  await consolePage.write("select 1 as one, 2 as two");
  await consolePage.run.click();
  await page.getByRole("button", { name: "Columns", exact: true }).click();
  await page.getByRole("menuitemcheckbox", { name: "one" }).click();
  await page.keyboard.press("Escape");
  await expect(consolePage.grid.getByRole("columnheader")).toHaveCount(2);
  await consolePage.cell(1, 1).click();
  const before = (await consolePage.cell(1, 1).boundingBox())?.width ?? 0;
  await page.keyboard.press("Alt+Shift+ArrowRight");
  await expect.poll(async () => (await consolePage.cell(1, 1).boundingBox())?.width ?? 0).toBeGreaterThan(before);
});

test("the rows can be read as JSON", async ({ page, consolePage }) => {
  await consolePage.write("select 'x' as name, null as nothing");
  await consolePage.run.click();
  await page.getByRole("radio", { name: "JSON" }).click();
  await expect(page.getByRole("textbox", { name: "Rows as JSON" })).toContainText('"nothing": null');
});
