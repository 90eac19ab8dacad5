import { expect, expectAccessible, hold, test } from "./fixtures";

test.beforeEach(async ({ consolePage, person }) => {
  await consolePage.open(person.slug);
});

test("finds shown values in all loaded rows and steps through them", async ({ page, consolePage }) => {
  await consolePage.write(
    "select i as id, ['north', 'coast'][1 + i % 2] as region, i * 1000 as total from range(1500) t(i)",
  );
  await consolePage.run.click();
  await consolePage.cell(1, 1).click();
  await page.keyboard.press("ControlOrMeta+f");
  const search = page.getByRole("search", { name: "Find in result" });
  const input = search.getByRole("textbox", { name: "Find in result" });
  await expect(input).toBeFocused();
  await page.keyboard.insertText("COAST");
  await expect(search.getByText("1 of 500")).toBeVisible();
  await expect(search.getByText("1,000 loaded rows searched")).toBeVisible();
  await page.keyboard.press("Shift+Enter");
  await expect(search.getByText("500 of 500")).toBeVisible();
  await expect(consolePage.grid.locator(".cur")).toHaveText("coast");
  await expect(consolePage.grid.locator(".cur")).toHaveAttribute("data-row", "999");
  await expectAccessible(page);

  // Grouped digits; then all rows, which a worker holds.
  await input.fill("1,234");
  await expect(search.getByText("No matches")).toBeVisible();
  await page.getByRole("button", { name: "Load all" }).click();
  await expect(page.getByText("1,500 of 1,500 rows")).toBeVisible();
  await consolePage.grid.focus();
  await page.keyboard.press("ControlOrMeta+f");
  await input.fill("1,234");
  await expect(search.getByText("1 of 1", { exact: true })).toBeVisible();
  await expect(consolePage.grid.locator(".cur")).toHaveText("1,234,000");

  await page.keyboard.press("Escape");
  await expect(search).toBeHidden();
  await expect(consolePage.grid).toBeFocused();
});

test("shows the statistics of a column over all rows of a truncated result", async ({ page, consolePage }) => {
  await consolePage.write("select i as n, ['a', 'b', 'b'][1 + i % 3] as word from range(3000) t(i)");
  await consolePage.run.click();
  await expect(consolePage.cell(1, 1)).toBeVisible();
  const open = async (column: string) => {
    await consolePage.grid.getByRole("columnheader", { name: new RegExp(`^${column} `) }).hover();
    await page.getByRole("button", { name: `Column ${column}` }).click();
    await page.getByRole("menuitem", { name: "Column statistics" }).click();
    return page.getByRole("dialog", { name: `Statistics of ${column}` });
  };
  const numbers = await open("n");
  await expect(numbers.getByText("all 3,000 rows")).toBeVisible();
  await expect(numbers).toContainText("Distinct3,000");
  await expect(numbers).toContainText("Sum4,498,500");
  await expect(numbers.getByRole("img", { name: /^Histogram of n, 16 bars/ })).toBeVisible();
  await expectAccessible(page);
  await page.keyboard.press("Escape");
  await expect(consolePage.grid).toBeFocused();

  const words = await open("word");
  await words.getByRole("button", { name: /^b 2,000/ }).click();
  await expect(page.getByText("666 of 1,000 rows")).toBeVisible();
  await words.getByRole("button", { name: "Close" }).click();
  // With a filter, of the shown rows.
  await expect((await open("n")).getByText("666 filtered rows")).toBeVisible();
});

test("compares a result with a pinned one by its key", { tag: "@long" }, async ({ page, consolePage }) => {
  await consolePage.write(
    "select * from (values (1, 'paid', 1.50), (2, 'paid', 2), (3, 'sent', 3)) t(id, status, total)",
  );
  await consolePage.run.click();
  await page.getByRole("button", { name: "Pin this result" }).click();
  await consolePage.write(
    "select * from (values (1, 'paid', 1.5), (2, 'refunded', 2), (4, 'sent', 4)) t(id, status, total)",
  );
  await consolePage.run.click();
  await page.getByRole("button", { name: "Compare", exact: true }).click();
  await page.getByRole("menuitem", { name: /pinned/ }).click();
  const grid = page.getByRole("grid", { name: "Differences" });
  await expect(grid.getByRole("row").nth(1)).toContainText("changed2paidrefunded2");
  await expect(grid.getByRole("row").nth(2)).toContainText("added4sent4");
  await expect(grid.getByRole("row").nth(3)).toContainText("removed3sent3");
  await expect(page.getByText("1 row unchanged, 3 different")).toBeVisible();
  await expect(page.getByRole("button", { name: "Key columns: id" })).toBeVisible();
  await page.getByRole("radio", { name: "Removed 1" }).click();
  await expect(grid.getByRole("gridcell").first()).toHaveText("removed");
  await expectAccessible(page);
  await page.getByRole("button", { name: "Close comparison" }).click();
  await expect(consolePage.grid).toBeVisible();
});

test("pivots a result, and exports it in the background", async ({ page, consolePage }) => {
  await page.evaluate(() => Reflect.deleteProperty(window, "showSaveFilePicker"));
  await consolePage.write(
    "select * from (values ('north', date '2026-01-05', 1.10), ('north', date '2026-02-05', 2), ('coast', date '2026-01-06', 3)) t(region, day, total)",
  );
  await consolePage.run.click();
  await page.getByRole("radio", { name: "Pivot" }).click();
  const pivot = page.getByRole("grid", { name: /^Pivot of/ });
  await expect(pivot.getByRole("row", { name: /^north/ })).toContainText("1.102.003.10");
  await expect(pivot.getByRole("row", { name: /^Total/ })).toContainText("4.102.006.10");
  await expectAccessible(page);
  await page.getByRole("combobox", { name: "Aggregate" }).click();
  await page.getByRole("option", { name: "Count", exact: true }).click();
  await expect(pivot.getByRole("row", { name: /^Total/ })).toContainText("213");

  const release = await hold(page, "**/execute");
  await page.getByRole("button", { name: "Export" }).click();
  const dialog = page.getByRole("dialog", { name: "Export result" });
  await dialog.getByRole("textbox", { name: "File name" }).fill("days");
  await dialog.getByRole("button", { name: "Export days.csv" }).click();
  await dialog.getByRole("button", { name: "Continue in background" }).click();
  await expect(dialog).toBeHidden();
  const entry = page.getByRole("button", { name: /^Exporting days\.csv/ });
  await entry.click();
  await expect(page.getByRole("menuitem", { name: "Cancel days.csv" })).toBeVisible();
  await page.keyboard.press("Escape");
  await page.getByRole("radio", { name: "Table" }).click();
  await expect(consolePage.cell(1, 1)).toHaveText("north");
  const saved = page.waitForEvent("download");
  release();
  expect((await saved).suggestedFilename()).toBe("days.csv");
  await expect(page.getByText("days.csv exported, 3 rows")).toBeVisible();
  await expect(entry).toBeHidden();
});
