import { expect, test } from "./fixtures";

test.beforeEach(async ({ consolePage, person }) => {
  await consolePage.open(person.slug);
});

test("selects cells by pointer and keyboard, sums exactly, and copies", async ({ page, context, consolePage }) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await consolePage.write("select * from (values ('a', 0.1::decimal(9,2)), ('b', 0.2), ('c', null)) t(name, amount)");
  await consolePage.run.click();
  await consolePage.cell(1, 2).click();
  await page.keyboard.press("Shift+ArrowDown");
  // 0.10 + 0.20 exactly; floats would give 0.30000000000000004.
  await expect(page.getByText("2 cells: sum 0.30, avg 0.15")).toBeVisible();
  await page.keyboard.press("ControlOrMeta+c");
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe("0.10\n0.20");

  await page.keyboard.press("ControlOrMeta+a");
  await expect(page.getByText(/^6 cells/)).toBeVisible();
  await page.getByRole("button", { name: "Copy", exact: true }).click();
  await page.getByRole("menuitem", { name: "Copy as Markdown" }).click();
  await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toContain("| c | null |");
});

test("keeps a header's button clear of its name, also right-aligned", { tag: "@long" }, async ({
  page,
  consolePage,
}) => {
  await consolePage.write("select 1 as amount, 'a' as label");
  await consolePage.run.click();
  for (const name of ["amount", "label"]) {
    const head = consolePage.grid.getByRole("columnheader", { name: new RegExp(`^${name} `) });
    await head.hover();
    const button = page.getByRole("button", { name: `Column ${name}` });
    await expect(button.locator("..")).toHaveCSS("opacity", "1");
    const lowest = await head.getByText(name, { exact: true }).evaluate((text) => text.getBoundingClientRect().bottom);
    const sign = await button.locator("svg").evaluate((icon) => icon.getBoundingClientRect().top);
    expect(sign).toBeGreaterThanOrEqual(lowest);
  }
});

test("counts loaded rows in the strip as in the foot", { tag: "@long" }, async ({ page, consolePage }) => {
  await consolePage.write("select range as n from range(1500)");
  await consolePage.run.click();
  await expect(consolePage.strip).toContainText("1,000 rows");
  await page.getByRole("button", { name: "Load all" }).click();
  await expect(page.getByText("1,500 of 1,500 rows")).toBeVisible();
  await expect(consolePage.strip).toContainText("1,500 rows");
});

test("sorts by a header, with nulls last both ways", async ({ consolePage }) => {
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

test("filters rows by the shown text of cells", { tag: "@long" }, async ({ page, consolePage }) => {
  await consolePage.write("select * from (values ('north', 1284), ('south', 7)) t(region, orders)");
  await consolePage.run.click();
  await page.getByRole("textbox", { name: "Filter rows" }).fill("1,28");
  await expect(page.getByText("1 of 2 rows")).toBeVisible();
  await expect(consolePage.cell(1, 1)).toHaveText("north");
  await page.getByRole("textbox", { name: "Filter rows" }).fill("zzz");
  await expect(page.getByText('No rows match "zzz".')).toBeVisible();
});

test("keeps every digit of big numbers", async ({ consolePage }) => {
  await consolePage.write("select 9223372036854775807 as n");
  await consolePage.run.click();
  await expect(consolePage.cell(1, 1)).toHaveText("9,223,372,036,854,775,807");
});

test("opens a cell with Enter, whole and formatted", { tag: "@long" }, async ({ page, consolePage }) => {
  await consolePage.write(`select '{"a":[1,2]}' as doc`);
  await consolePage.run.click();
  await consolePage.cell(1, 1).click();
  await page.keyboard.press("Enter");
  const panel = page.getByRole("complementary", { name: "Row" });
  await expect(panel.getByRole("region", { name: "doc" })).toContainText("a [2]");
  await page.keyboard.press("Escape");
  await expect(panel).toHaveCount(0);
  await expect(consolePage.grid).toBeFocused();
});

test("reaches the last of many rows by keyboard, drawing only visible ones", async ({ page, consolePage }) => {
  await consolePage.write("select range as n, range * 2 as m from range(1000)");
  await consolePage.run.click();
  await consolePage.cell(1, 1).click();
  await page.keyboard.press("ControlOrMeta+ArrowDown");
  await expect(consolePage.cell(1000, 1)).toHaveText("999");
  expect(await consolePage.grid.getByRole("row").count()).toBeLessThan(80);
});

test("hides, shows and widens columns by menu and keyboard", { tag: "@long" }, async ({ page, consolePage }) => {
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

test("shows rows as JSON", { tag: "@long" }, async ({ page, consolePage }) => {
  await consolePage.write("select 'x' as name, null as nothing");
  await consolePage.run.click();
  await page.getByRole("radio", { name: "JSON", exact: true }).click();
  await expect(page.getByRole("textbox", { name: "Rows as JSON" })).toContainText('"nothing": null');
});

test("pins columns, moves them by keys and dragging, and resets them", async ({ page, consolePage }) => {
  await consolePage.write("select 1 as one, 2 as two, 3 as three");
  await consolePage.run.click();
  await consolePage.cell(1, 3).click();
  await page.keyboard.press("Alt+p");
  const heads = consolePage.grid.getByRole("columnheader");
  await expect(heads).toHaveText([/#/, /three/, /one/, /two/]);
  await consolePage.cell(1, 2).click();
  await page.keyboard.press("Alt+ArrowRight");
  await expect(heads).toHaveText([/#/, /three/, /two/, /one/]);

  const from = await consolePage.grid.locator('[data-head="one"]').boundingBox();
  const to = await consolePage.grid.locator('[data-head="two"]').boundingBox();
  if (from === null || to === null) throw new Error("The heads are not in sight.");
  await page.mouse.move(from.x + 20, from.y + 30);
  await page.mouse.down();
  await page.mouse.move(to.x + 20, to.y + 30, { steps: 4 });
  await page.mouse.up();
  await expect(heads).toHaveText([/#/, /three/, /one/, /two/]);
  // A drag is not a click: it did not sort.
  await expect(consolePage.grid.locator('[aria-sort="ascending"]')).toHaveCount(0);

  await page.getByRole("button", { name: "Columns", exact: true }).click();
  await page.getByRole("menuitem", { name: "Reset order and pins" }).click();
  await expect(heads).toHaveText([/#/, /one/, /two/, /three/]);
});

test("keeps a pinned column in sight while scrolling", { tag: "@long" }, async ({ page, consolePage }) => {
  const many = Array.from({ length: 40 }, (_, i) => `${i} as column_number_${i}`).join(", ");
  await consolePage.write(`select 'kept' as name, ${many}`);
  await consolePage.run.click();
  await consolePage.grid.getByRole("columnheader", { name: /name/ }).first().hover();
  await page.getByRole("button", { name: "Column name", exact: true }).click();
  await page.getByRole("menuitem", { name: "Pin to the left" }).click();
  await consolePage.grid.evaluate((grid) => grid.scrollTo(grid.scrollWidth, 0));
  await expect(consolePage.cell(1, 41)).toBeInViewport();
  await expect(consolePage.cell(1, 1)).toBeInViewport();
  await expect(consolePage.cell(1, 1)).toHaveText("kept");
});

test("copies rows as INSERT for their table", async ({ page, context, consolePage }) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await consolePage.write("select id, name from customers order by id limit 1");
  await consolePage.run.click();
  await expect(consolePage.cell(1, 1)).toBeVisible();
  await page.getByRole("button", { name: "Copy", exact: true }).click();
  await page.getByRole("menuitem", { name: "Copy as INSERT statement" }).click();
  await expect
    .poll(() => page.evaluate(() => navigator.clipboard.readText()))
    .toMatch(/^insert into customers \(id, name\) values\n {2}\(\d+, '.+'\);$/);
});

test("copies all rows as TSV, CSV, JSON and Markdown, with headers and correct quoting", {
  tag: "@long",
}, async ({ page, context, consolePage }) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await consolePage.write(
    `select 1 as id, 'a|b, "c"' as name, null::varchar as gone union all select 2, 'plain', null order by 1`,
  );
  await consolePage.run.click();
  await expect(consolePage.cell(2, 2)).toHaveText("plain");
  const clipboard = () => page.evaluate(() => navigator.clipboard.readText());
  const wanted = {
    TSV: 'id\tname\tgone\n1\ta|b, "c"\t\n2\tplain\t',
    CSV: 'id,name,gone\r\n1,"a|b, ""c""",\r\n2,plain,',
    JSON: '[{"id":1,"name":"a|b, \\"c\\"","gone":null},{"id":2,"name":"plain","gone":null}]',
    Markdown: '| id | name | gone |\n| ---: | --- | --- |\n| 1 | a\\|b, "c" | null |\n| 2 | plain | null |',
  };
  for (const [name, text] of Object.entries(wanted)) {
    await page.getByRole("button", { name: "Copy", exact: true }).click();
    await page.getByRole("menuitem", { name: new RegExp(`^Copy as ${name}`) }).click();
    await expect(page.getByText(`2 rows copied as ${name.toUpperCase()}`)).toBeVisible();
    const copied = await clipboard();
    expect(name === "JSON" ? JSON.stringify(JSON.parse(copied)) : copied).toBe(text);
  }
});

test("treats markup and formulas in cells as text (T60)", async ({ page, consolePage }) => {
  await consolePage.write(
    `select '<img src=x onerror="window.ran = true">' as "<b onmouseover=alert(1)>", '=cmd()' as f`,
  );
  await consolePage.run.click();
  await expect(consolePage.cell(1, 1)).toHaveText('<img src=x onerror="window.ran = true">');
  await expect(consolePage.cell(1, 2)).toHaveText("=cmd()");
  await consolePage.cell(1, 1).dblclick();
  await expect(page.getByRole("complementary", { name: "Row" })).toContainText("<img src=x");
  await page.keyboard.press("Escape");
  for (const view of ["Chart", "JSON"]) {
    await page.getByRole("radio", { name: view }).click();
    await expect(page.getByText("onerror").first()).toBeAttached();
  }
  await expect(page.locator("img[src=x]")).toHaveCount(0);
  expect(await page.evaluate(() => "ran" in window)).toBe(false);
});

test("keeps sorting, filters and an open row over a change to phone width and back", { tag: "@long" }, async ({
  page,
  person,
  consolePage,
}) => {
  await consolePage.open(person.slug);
  await consolePage.write("select id, name from products where id <= 30 order by id");
  await consolePage.run.click();
  await consolePage.cell(1, 1).click();
  await page.keyboard.press("f");
  await page.keyboard.type("> 20");
  await page.keyboard.press("Enter");
  await expect(page.getByText("1 filter")).toBeVisible();
  await expect(consolePage.cell(1, 1)).toHaveText("21");
  await consolePage.cell(1, 1).click();
  await page.keyboard.press("Enter");
  const panel = page.getByRole("complementary", { name: "Row" });
  await expect(panel).toContainText("Row 1 of 10");
  await page.setViewportSize({ width: 390, height: 844 });
  await expect(panel).toContainText("Row 1 of 10");
  await panel.getByRole("button", { name: "Close" }).click();
  const cards = page.getByRole("region", { name: "Rows" }).getByRole("listitem");
  await expect(cards.first()).toBeVisible();
  await expect(page.getByText("1 filter")).toBeVisible();
  await page.setViewportSize({ width: 1440, height: 900 });
  await expect(page.getByText("1 filter")).toBeVisible();
  await expect(consolePage.cell(1, 1)).toHaveText("21");
});
