import { readFile } from "node:fs/promises";
import type { Page } from "@playwright/test";
import { addDashboard, readDashboard, type SavedDashboard, sampleConnection } from "./dashboard.fixtures";
import { expect, expectAccessible, type Person, test } from "./fixtures";

/** Six months of two regions and three channels; the south has no store. */
const SALES = `select (date '2026-06-05' + to_months(m::int))::date as day, region, channel, (m * 3 + length(channel) * 10 + length(region))::decimal(10, 2) as revenue
from range(6) t(m), (values ('North'), ('South')) r(region), (values ('Web'), ('App'), ('Store')) c(channel)
where not (region = 'South' and channel = 'Store')`;
const SOURCE = { datasetId: "sales" };
const SUM = { field: "revenue", op: "sum", as: "revenue" };
const PIVOT = { rows: ["region", "channel"], columns: [{ field: "day", timeUnit: "month" }], measures: [SUM] };
const CHANNELS = { id: "rows", kind: "table", title: "By channel", source: SOURCE, spec: { dimensions: ["channel"], measures: [SUM] }, layout: { x: 8, y: 0, w: 4, h: 10 } }; // biome-ignore format: one look

async function add(page: Page, widgets: object[]): Promise<SavedDashboard> {
  const source = { connectionId: await sampleConnection(page.request), query: SALES };
  return addDashboard(page.request, {
    title: "Shop pulse",
    access: "workspace",
    datasets: [{ id: "sales", name: "Sales", source, maxAgeS: 3600 }],
    widgets,
  });
}
const pivot = { id: "pivot", kind: "pivot", title: "Net revenue by region and month", source: SOURCE, spec: PIVOT, layout: { x: 0, y: 0, w: 8, h: 10 } }; // biome-ignore format: one look
const card = (page: Page, name: string) => page.getByRole("article", { name, exact: true });
const open = async (page: Page, person: Person, id: string, rest = "") => {
  await page.goto(`/w/${person.slug}/dashboards/${id}${rest}`);
  await expect(page.getByRole("heading", { level: 1, name: "Shop pulse" })).toBeVisible();
};

test("creates a pivot table in the editor, filters by headings, and exports CSV", async ({ page, person }) => {
  const { id } = await add(page, [CHANNELS]);
  await open(page, person, id, "/edit");
  await page.getByRole("button", { name: "Add Pivot", exact: true }).click();
  const panel = page.getByRole("complementary", { name: "Pivot", exact: true });
  // The suggestion has a text in rows and the time across.
  await expect(panel.getByRole("combobox", { name: "Row 1", exact: true })).toContainText("region");
  await expect(panel.getByRole("combobox", { name: "Column 1", exact: true })).toContainText("day");
  await panel.getByRole("button", { name: "Add row", exact: true }).click();
  await expect(panel.getByRole("combobox", { name: "Row 2", exact: true })).toContainText("channel");
  await expectAccessible(page);
  await page.getByRole("button", { name: "Save dashboard" }).click();
  await expect(page).toHaveURL(new RegExp(`/dashboards/${id}$`));
  const kept = (await readDashboard(page.request, id)).widgets.find(({ kind }) => kind === "pivot");
  expect(kept?.spec).toMatchObject({ rows: ["region", "channel"], columns: [{ field: "day", timeUnit: "month" }] });

  const grid = card(page, "Pivot table").getByRole("grid");
  await expect(grid.getByRole("columnheader", { name: "Jun 2026" })).toBeVisible();
  await expect(grid.getByRole("row").last()).toContainText("Total");
  await grid.getByRole("button", { name: "South", exact: true }).click();
  const channels = card(page, "By channel");
  await expect(channels.getByRole("cell", { name: "Store" })).toHaveCount(0);
  await expect(channels.getByRole("cell", { name: "Web" })).toBeVisible();

  await page.getByRole("button", { name: "Actions for pivot", exact: true }).click();
  const [file] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("menuitem", { name: "Export CSV" }).click(),
  ]);
  const lines = (await readFile(await file.path(), "utf8")).split("\r\n");
  expect(lines[0]).toMatch(/^,day,2026-06-01,.*,Total$/);
  expect(lines.at(-1)).toMatch(/^Total,,/);
});

test("navigates a pivot table by keyboard: rows, filter, collapse, menu", { tag: "@long" }, async ({
  page,
  person,
}) => {
  const { id } = await add(page, [pivot, CHANNELS]);
  await open(page, person, id);
  const grid = card(page, pivot.title).getByRole("grid");
  await grid.getByRole("rowheader", { name: "North" }).first().focus();
  await page.keyboard.press("Space");
  await expect(grid.getByRole("rowheader", { name: "Store" })).toHaveCount(0);
  await page.keyboard.press("Space");
  await page.keyboard.press("ArrowDown");
  await expect(grid.getByRole("rowheader", { name: "App" }).first()).toBeFocused();
  await page.keyboard.press("f");
  await expect(page).toHaveURL(/at\.pivot=/);
  await expect(card(page, "By channel").getByRole("cell", { name: "Web" })).toHaveCount(0);
  await page.keyboard.press("f");
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("Shift+F10");
  const menu = page.getByRole("menu");
  await expect(menu.getByRole("menuitem", { name: /^Filter dashboard to North, App, Jun 2026/ })).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(menu).toHaveCount(0);
  await expect(grid.locator("td:focus")).toHaveCount(1);
  await page.keyboard.press("Enter");
  await expect(page.getByRole("dialog", { name: `Underlying rows: ${pivot.title}` }).getByText("1 row")).toBeVisible();
});

test(
  "keeps a pivot table's labels visible at every width, light and dark",
  { tag: "@long" },
  async ({ page, person }, info) => {
    const { id } = await add(page, [pivot, CHANNELS]);
    for (const width of [1440, 1024, 390]) {
      await page.setViewportSize({ width, height: 900 });
      for (const colorScheme of ["light", "dark"] as const) {
        await page.emulateMedia({ colorScheme });
        await open(page, person, id);
        const table = card(page, pivot.title);
        const label = table.getByRole("rowheader", { name: "South" }).first();
        const head = table.getByRole("columnheader", { name: "Jun 2026" });
        await expect(head).toBeVisible();
        await page.screenshot({ path: info.outputPath(`pivot-${width}-${colorScheme}.png`) });
        const before = await label.boundingBox();
        await table.locator(".pivot").evaluate((box) => box.scrollTo({ left: 400 }));
        expect((await label.boundingBox())?.x).toBe(before?.x);
        await expectAccessible(page);
      }
    }
  },
);
