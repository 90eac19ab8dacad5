import { readFile } from "node:fs/promises";
import { ChartPage } from "../pages/chart-page";
import { addConsole } from "./consoles.fixtures";
import { expect, expectAccessible, test } from "./fixtures";

const SALES = `select date '2026-10-05' + (7 * w)::int as week, region, (100 + w * 3 + length(region) * 20)::decimal(10, 2) as revenue, w + 1 as orders
from range(7) t(w), (values ('North'), ('Coast'), ('Midlands'), ('Islands')) r(region) order by 1, 2`;
const NAMES = "select 'name ' || range as name, range as n from range(500)";

test.beforeEach(async ({ consolePage, person }) => {
  await consolePage.open(person.slug);
});

test("draws each chart type with a text description and no accessibility violations", {
  tag: "@long",
}, async ({ page, consolePage }) => {
  test.slow();
  const chart = new ChartPage(page);
  await consolePage.write(SALES);
  await consolePage.run.click();
  await chart.open();
  const kinds = { Line: "Line chart of sum revenue by week", Bar: "Bar chart of sum revenue by week", Area: "Area chart of sum revenue by week", Scatter: "Scatter chart of revenue by week", Histogram: "Histogram of week" }; // biome-ignore format: one look
  for (const [kind, name] of Object.entries(kinds)) {
    await chart.choose("Chart type", kind);
    await expect(chart.picture).toHaveAccessibleName(new RegExp(`^${name}`));
    await expect(chart.marks.first()).toBeVisible();
    for (const theme of ["light", "dark"]) {
      await page.evaluate((to) => document.documentElement.setAttribute("data-theme", to), theme);
      await expectAccessible(page);
    }
  }
  await chart.choose("Chart type", "Pie");
  await chart.choose("Slices", "region");
  await expect(chart.picture).toHaveAccessibleName(/^Pie chart of sum revenue by region/);
  await expect(chart.marks).toHaveCount(4);
  await expectAccessible(page);
  await chart.choose("Chart type", "Number");
  // The last of seven weeks: 4 x 118 + 20 x (5 + 5 + 8 + 7), against the week before, 12 less.
  await chart.choose("Time column", "week");
  const figure = page.getByRole("region", { name: /^Number of sum revenue by week: sum revenue 972\.00/ });
  await expect(figure).toContainText("2026-11-16, +1.3% vs 2026-11-09 (960.00)");
  await expectAccessible(page);
});

test("shows and announces the values at the crosshair, by pointer and keys", async ({ page, consolePage }) => {
  const chart = new ChartPage(page);
  await consolePage.write(SALES);
  await consolePage.run.click();
  await chart.open();
  await expect(chart.marks.first()).toBeVisible();
  await expect(chart.crosshair).toHaveAttribute("aria-valuemax", "7");

  await chart.crosshair.focus();
  await page.keyboard.press("ArrowRight");
  await expect(chart.tip).toContainText("2026-10-05");
  // 100 + 8 x 20.
  await expect(chart.tip).toContainText("Midlands260.00");
  await expect(chart.crosshair).toHaveAttribute("aria-valuetext", /^2026-10-05: Midlands 260\.00, Islands 240\.00/);
  // The crosshair's dots lie on those of the lines.
  const middle = (element: Element) => {
    const { x, y, width, height } = element.getBoundingClientRect();
    return { x: x + width / 2, y: y + height / 2 };
  };
  const dot = await page.locator(".chart-cross circle").first().evaluate(middle);
  const drawn = await page.locator("svg.marks .mark-symbol.role-mark path").evaluateAll((marks) =>
    marks.map((mark) => {
      const { x, y, width, height } = mark.getBoundingClientRect();
      return { x: x + width / 2, y: y + height / 2 };
    }),
  );
  expect(drawn.some(({ x, y }) => Math.hypot(x - dot.x, y - dot.y) < 1.5)).toBe(true);
  await page.keyboard.press("ArrowDown");
  await expect(chart.crosshair).toHaveAttribute("aria-valuetext", /^2026-10-05: Islands 240\.00/);
  await page.keyboard.press("End");
  await expect(chart.tip).toContainText("2026-11-16");
  await expect(chart.crosshair).toHaveAttribute("aria-valuenow", "7");
  await expectAccessible(page);
  await page.keyboard.press("Escape");
  await expect(chart.tip).toHaveCount(0);

  const box = await chart.crosshair.boundingBox();
  if (box === null) throw new Error("The chart has no place.");
  for (const x of [2, box.width / 2, box.width - 2]) {
    await page.mouse.move(box.x + x, box.y + box.height / 2);
    await expect(chart.tip).toBeVisible();
    const tip = await chart.tip.boundingBox();
    expect(tip?.x).toBeGreaterThanOrEqual(0);
    expect((tip?.x ?? 0) + (tip?.width ?? 0)).toBeLessThanOrEqual(1440);
  }
  await page.mouse.move(0, 0);
  await expect(chart.tip).toHaveCount(0);
});

test("hides a series by its legend entry, recomputes shares, and keeps colours", {
  tag: "@long",
}, async ({ page, consolePage }) => {
  const chart = new ChartPage(page);
  await consolePage.write(
    "select * from (values ('a', 'x', 3), ('a', 'y', 1), ('b', 'x', 4), ('b', 'y', 6)) t(name, kind, n)",
  );
  await consolePage.run.click();
  await chart.open();
  await chart.choose("Colour by", "kind");
  await chart.choose("Stacking", "100% stacked");
  await expect(chart.marks).toHaveCount(4);
  const fills = () => chart.marks.evaluateAll((marks) => marks.map((mark) => mark.getAttribute("fill")));
  const [, colour] = await fills();
  await chart.crosshair.focus();
  await page.keyboard.press("Home");
  await expect(chart.tip).toContainText("4 (40%)");
  await page.keyboard.press("Tab");
  const off = chart.series("x");
  await off.press("Enter");
  await expect(off).toHaveAttribute("aria-pressed", "false");
  await expect(chart.marks).toHaveCount(2);
  expect(await fills()).toEqual([colour, colour]);
  await expect(chart.notes).toContainText("Percentages include visible series only.");
  await chart.crosshair.focus();
  await page.keyboard.press("Home");
  await expect(chart.tip).toContainText("6 (100%)");
  await off.press("Enter");
  await expect(chart.marks).toHaveCount(4);
});

test("sorts categories, groups the rest as other, and draws several measures", {
  tag: "@long",
}, async ({ page, consolePage }) => {
  const chart = new ChartPage(page);
  await consolePage.write(NAMES);
  await consolePage.run.click();
  await chart.open();
  await expect(chart.notes).toHaveText("Top 30 of 500 name.");
  await expect(chart.marks).toHaveCount(30);
  await chart.choose("Limit", "Top 3 + other");
  await expect(chart.notes).toHaveText('Top 3 of 500 name; the rest as "other".');
  await page.getByRole("button", { name: "View as table" }).click();
  // 0 + 1 + ... + 496.
  await expect(chart.table.getByRole("row")).toHaveText(["namesum n", "name 499499", "name 498498", "name 497497", "other123,256"]); // biome-ignore format: one look
  await chart.choose("Sort by", "Name");
  await expect(chart.table.getByRole("row").nth(1)).toHaveText("name 497497");
  await expectAccessible(page);
  await page.getByRole("button", { name: "Add measure" }).click();
  await chart.choose("Y-axis 2", "average n");
  await expect(chart.table.getByRole("row").first()).toHaveText("namesum naverage n");
  await expect(chart.table.getByRole("row").last()).toHaveText("other123,256248.00");
  await page.getByRole("button", { name: "Remove sum n" }).click();
  await expect(chart.table.getByRole("row").last()).toHaveText("other248.00");
});

test("explains charts that can't be drawn: negative shares, no values, no rows, one point", { tag: "@long" }, async ({
  page,
  consolePage,
}) => {
  const chart = new ChartPage(page);
  await consolePage.write("select * from (values ('a', 3), ('b', -1)) t(name, n)");
  await consolePage.run.click();
  await chart.open();
  await chart.choose("Chart type", "Pie");
  await expect(chart.notes).toHaveText("Shown as bars: 1 value is negative.");
  await consolePage.write("select 'a' as name, null::int as n");
  await consolePage.run.click();
  await expect(page.getByText("n has no numbers. Choose another y-axis column.")).toBeVisible();
  await consolePage.write("select 'a' as name, 9007199254740993 as n union all select 'b', 9007199254740995");
  await consolePage.run.click();
  // A new result closes the list of chart types.
  await expect(chart.marks.first()).toBeVisible();
  await chart.choose("Chart type", "Line");
  await expect(chart.notes).toContainText("Differences are too small to draw.");
  await chart.crosshair.focus();
  await page.keyboard.press("Home");
  await expect(chart.tip).toContainText("9,007,199,254,740,995");
  await consolePage.write("select 'a' as name, 1 as n");
  await consolePage.run.click();
  await expect(chart.notes).toContainText("A line needs at least two points.");
});

test("exports PNG at twice its size and SVG, named after the console, on the theme's background", {
  tag: "@long",
}, async ({ page, consolePage }) => {
  const chart = new ChartPage(page);
  await consolePage.create();
  await consolePage.write(SALES);
  await consolePage.saveNew("weekly sales.sql");
  await expect(consolePage.save).toHaveText("Saved");
  await consolePage.run.click();
  await chart.open();
  await expect(chart.marks.first()).toBeVisible();
  for (const theme of ["light", "dark"]) {
    await page.evaluate((to) => document.documentElement.setAttribute("data-theme", to), theme);
    const ground = await page.evaluate(() =>
      getComputedStyle(document.documentElement).getPropertyValue("--surface-sheet").trim(),
    );
    const svg = await chart.save("SVG");
    expect(svg.name).toBe("weekly sales.svg");
    const text = await readFile(svg.path, "utf8");
    for (const part of ["<svg", ">weekly sales<", ">Midlands<", ">100<", `fill="${ground}"`])
      expect(text).toContain(part);
    const png = await chart.save("PNG");
    expect(png.name).toBe("weekly sales.png");
    const bytes = await readFile(png.path);
    expect(bytes.subarray(1, 4).toString()).toBe("PNG");
    // Width and height follow the first chunk's header.
    expect([bytes.readUInt32BE(16), bytes.readUInt32BE(20)]).toEqual([1920, 1080]);
    const corner = await page.evaluate(
      async (address) => {
        const image = new Image();
        image.src = address;
        await image.decode();
        const canvas = document.createElement("canvas");
        canvas.width = image.width;
        canvas.height = image.height;
        const context = canvas.getContext("2d");
        context?.drawImage(image, 0, 0);
        const [r, g, b] = context?.getImageData(2, 2, 1, 1).data ?? [];
        return `#${[r, g, b].map((part) => (part ?? 0).toString(16).padStart(2, "0")).join("")}`;
      },
      `data:image/png;base64,${bytes.toString("base64")}`,
    );
    // A stylesheet may use three digits.
    expect(corner).toBe(ground.toLowerCase().replace(/^#(.)(.)(.)$/, "#$1$1$2$2$3$3"));
  }
  await chart.choose("Chart type", "Number");
  const figure = await readFile((await chart.save("SVG")).path, "utf8");
  expect(figure).toContain(">sum revenue<");
});

test("draws charts stored by older versions, and plain specifications", {
  tag: "@long",
}, async ({ page, consolePage, person }) => {
  const content = "select * from (values ('a', 1), ('b', 2)) t(name, n)";
  const shelves = { kind: "area", across: "name", up: { of: "sum", column: "n" }, colour: null };
  const old = await addConsole(page.request, {
    name: "old.sql",
    content,
    chart: { mark: { type: "area" }, usermeta: { shelves } },
  });
  const plain = { mark: "arc", encoding: { theta: { field: "n", type: "quantitative" }, color: { field: "name" } } };
  const other = await addConsole(page.request, { name: "other.sql", content, chart: plain });
  const chart = new ChartPage(page);
  await page.goto(`/w/${person.slug}/consoles/${old.id}?tab=chart`);
  await consolePage.run.click();
  await expect(chart.picture).toHaveAccessibleName(/^Area chart of sum n by name/);
  await page.goto(`/w/${person.slug}/consoles/${other.id}?tab=chart`);
  await consolePage.run.click();
  await expect(chart.picture).toHaveAccessibleName(/^Pie chart of n by name/);
});
