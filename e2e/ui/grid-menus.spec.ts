import { expect, expectAccessible, test } from "./fixtures";

// Many steps each, and axe checks the whole page, which is slow on a busy machine.
test.describe.configure({ timeout: 180_000 });

const ROWS =
  "select * from (values (1, 'north', 412.50), (2, 'coast', 298.20), (3, 'coast', 214.00), (4, null, 89.00)) t(id, region, total)";

test.beforeEach(async ({ consolePage, person }) => {
  await consolePage.open(person.slug);
  await consolePage.write(ROWS);
  await consolePage.run.click();
  await expect(consolePage.cell(4, 1)).toHaveText("4");
});

test("filters by a cell's value on right click, and describes the filter", async ({ page, consolePage }) => {
  await consolePage.cell(2, 2).click({ button: "right" });
  const menu = page.getByRole("menu", { name: "region = coast" });
  await expect(menu).toBeVisible();
  await menu.getByRole("menuitem", { name: "Filter by this value" }).click();
  await expect(page.getByText("2 of 4 rows")).toBeVisible();
  await expect(page.getByRole("textbox", { name: "Filter region" })).toHaveValue("= coast");

  // Another column filters further, and both filters are cleared at once.
  await consolePage.cell(2, 3).click({ button: "right" });
  await page.getByRole("menuitem", { name: "At least 214.00" }).click();
  await expect(page.getByText("2 filters")).toBeVisible();
  await expectAccessible(page);
  await page.getByRole("button", { name: "Clear filters" }).click();
  await expect(page.getByText("4 of 4 rows")).toBeVisible();
});

test("opens the menu by keyboard, keeps the selection inside it, and returns the focus", {
  tag: "@long",
}, async ({ page, consolePage }) => {
  await consolePage.cell(1, 3).click();
  await page.keyboard.press("Shift+ArrowDown");
  await page.keyboard.press("Shift+F10");
  const menu = page.getByRole("menu", { name: "total = 298.20, 2 cells selected" });
  await expect(menu).toBeVisible();
  await expectAccessible(page);
  await page.keyboard.press("Escape");
  await expect(menu).toHaveCount(0);
  await expect(consolePage.grid).toBeFocused();
  await consolePage.cell(1, 3).click({ button: "right" });
  await expect(page.getByRole("menu", { name: "total = 412.50, 2 cells selected" })).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(page.getByText("2 cells: sum 710.70, avg 355.35, min 298.20, max 412.50")).toBeVisible();
});

test("copies a selection as an IN list and as INSERT lines", { tag: "@long" }, async ({
  page,
  context,
  consolePage,
}) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  const clipboard = () => page.evaluate(() => navigator.clipboard.readText());
  await consolePage.cell(1, 2).click();
  await page.keyboard.press("ControlOrMeta+Shift+ArrowDown");
  await consolePage.cell(2, 2).click({ button: "right" });
  await page.getByRole("menuitem", { name: "Copy as" }).click();
  await page.getByRole("menuitem", { name: "IN (…) list" }).click();
  // Each value once, without null.
  await expect.poll(clipboard).toBe("('north', 'coast')");
  // One cell is copied, not the whole result.
  await consolePage.cell(3, 3).click();
  await consolePage.cell(3, 3).click({ button: "right" });
  await page.getByRole("menuitem", { name: "Copy as" }).click();
  await page.getByRole("menuitem", { name: "CSV with headers" }).click();
  await expect.poll(clipboard).toBe("total\r\n214.00");
});

test("sorts, pins and hides by right click on a header, as its button does", { tag: "@long" }, async ({
  page,
  consolePage,
}) => {
  const head = consolePage.grid.locator('[data-head="total"]');
  await head.click({ button: "right" });
  await page.getByRole("menuitem", { name: "Sort ascending" }).click();
  await expect(consolePage.cell(1, 3)).toHaveText("89.00");
  await head.click({ button: "right" });
  await page.getByRole("menuitem", { name: "Hide" }).click();
  await expect(head).toHaveCount(0);
});

test("opens a column's filter with F, compares by operator, and returns with Enter", { tag: "@long" }, async ({
  page,
  consolePage,
}) => {
  await consolePage.cell(1, 3).click();
  await page.keyboard.press("f");
  await expect(page.getByRole("textbox", { name: "Filter total" })).toBeFocused();
  await page.keyboard.type(">= 214");
  await page.keyboard.press("Enter");
  await expect(page.getByText("3 of 4 rows")).toBeVisible();
  await expect(consolePage.grid).toBeFocused();
  await expect(page.getByRole("textbox", { name: "Filter total" })).toHaveValue("≥ 214");
  await page.getByRole("textbox", { name: "Filter region" }).fill("null");
  await page.keyboard.press("Enter");
  await expect(page.getByText("0 of 4 rows")).toBeVisible();
  await page.getByRole("button", { name: "Clear filter on region" }).click();
  await expect(page.getByText("3 of 4 rows")).toBeVisible();
});

test("adds filters to the query with the same result", { tag: "@long" }, async ({ page, consolePage }) => {
  await consolePage.cell(2, 2).click({ button: "right" });
  await page.getByRole("menuitem", { name: "Exclude this value" }).click();
  await expect(page.getByText("2 of 4 rows")).toBeVisible();
  await page.getByRole("button", { name: "Add to query" }).click();
  await expect(consolePage.editor).toContainText("where (region <> 'coast' or region is null)");
  await consolePage.run.click();
  await expect(page.getByText("2 of 2 rows")).toBeVisible();
});

test("opens a row beside the grid that follows the selection and J and K", { tag: "@long" }, async ({
  page,
  consolePage,
}) => {
  await consolePage.cell(2, 2).click();
  await page.keyboard.press("Enter");
  const panel = page.getByRole("complementary", { name: "Row" });
  await expect(panel.getByRole("heading")).toHaveText("Row 2 of 4");
  await expect(page.getByRole("complementary", { name: "Agent" })).toHaveCount(0);
  await page.keyboard.press("j");
  await expect(panel.getByRole("heading")).toHaveText("Row 3 of 4");
  await expect(panel).toContainText("214.00");
  await consolePage.cell(4, 1).click();
  await expect(panel.getByRole("heading")).toHaveText("Row 4 of 4");
  await panel.getByRole("button", { name: "Previous row" }).click();
  await expect(panel.getByRole("heading")).toHaveText("Row 3 of 4");
  await panel.getByRole("textbox", { name: "Search fields" }).fill("reg");
  await expect(panel.locator(".row-field")).toHaveCount(1);
  await expectAccessible(page);
  await page.keyboard.press("Escape");
  await expect(panel).toHaveCount(0);
  await expect(consolePage.grid).toBeFocused();
  // The agent's panel is shown again.
  await expect(page.getByRole("complementary", { name: "Agent" })).toBeVisible();
});

test("shows structures, long texts, images and bytes as such", { tag: "@long" }, async ({ page, consolePage }) => {
  const png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
  await consolePage.write(
    `select '{"carrier":"Northline","parcels":[{"kg":18.4}]}'::json as shipping, repeat('word ', 30) as note, ` +
      `from_base64('${png}') as photo, 'Millrace'::blob as raw`,
  );
  await consolePage.run.click();
  await expect(consolePage.grid.getByRole("columnheader", { name: /shipping/ })).toBeVisible();
  await consolePage.cell(1, 1).dblclick();
  const panel = page.getByRole("complementary", { name: "Row" });
  await expect(panel.getByRole("region", { name: "shipping" })).toContainText('"Northline"');
  await expect(panel.getByRole("region", { name: "note" })).toContainText("150 characters");
  const picture = panel.getByRole("img", { name: "Value of photo" });
  await expect.poll(() => picture.evaluate((each) => each instanceof HTMLImageElement && each.naturalWidth)).toBe(1);
  await expect(panel.getByRole("region", { name: "raw" })).toContainText("4d 69 6c 6c 72 61 63 65");
});

test("has menus for tabs, consoles and tables", { tag: "@long" }, async ({ page, context, consolePage }) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await consolePage.newConsole.click();
  await consolePage.newConsole.click();
  await expect(consolePage.tabs).toHaveCount(3);
  await consolePage.tabs.nth(1).click({ button: "right" });
  await page.getByRole("menuitem", { name: "Close others" }).click();
  await expect(consolePage.tabs).toHaveCount(1);
  await consolePage.undo("2 tabs closed");
  await expect(consolePage.tabs).toHaveCount(3);

  const table = consolePage.schema.filter({ hasText: /^customers/ });
  await table.click({ button: "right" });
  await expect(page.getByRole("menu", { name: "customers" })).toBeVisible();
  await page.getByRole("menuitem", { name: "New SELECT query" }).click();
  await expect(consolePage.editor).toContainText("from customers");
  await consolePage.run.click();
  await expect(consolePage.cell(1, 1)).toBeVisible();

  await page.getByRole("tree", { name: "Consoles" }).focus();
  await page.keyboard.press("Shift+F10");
  await expect(page.getByRole("menu")).toBeVisible();
});
