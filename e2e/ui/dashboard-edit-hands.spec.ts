import type { Page } from "@playwright/test";
import {
  addDashboard,
  readDashboard,
  type SavedDashboard,
  sampleConnection,
  saveDashboard,
} from "./dashboard.fixtures";
import { expect, expectAccessible, type Person, test } from "./fixtures";

const SALES = `select date '2026-01-05' + (7 * w)::int as week, region, (100 + w * 3 + length(region) * 20)::decimal(10, 2) as revenue
from range(20) t(w), (values ('North'), ('Coast'), ('Islands')) r(region)`;
const SOURCE = { datasetId: "sales" };
const WIDGETS = [
  { id: "total", kind: "kpi", title: "Revenue", source: SOURCE, spec: { measures: [{ field: "revenue", op: "sum" }] }, layout: { x: 0, y: 0, w: 3, h: 3 } },
  { id: "regions", kind: "table", title: "Regions", source: SOURCE, spec: { dimensions: ["region"], measures: [{ field: "revenue", op: "sum", as: "total" }] }, layout: { x: 6, y: 0, w: 6, h: 8 } },
]; // biome-ignore format: one look

async function open(page: Page, person: Person): Promise<SavedDashboard> {
  const source = { connectionId: await sampleConnection(page.request), query: SALES };
  const made = await addDashboard(page.request, {
    title: "Shop pulse",
    access: "workspace",
    datasets: [{ id: "sales", name: "Sales", source, maxAgeS: null }],
    widgets: WIDGETS,
  });
  await page.goto(`/w/${person.slug}/dashboards/${made.id}/edit`);
  await expect(card(page, "Regions").getByRole("row", { name: /Coast/ })).toBeVisible();
  return made;
}
const card = (page: Page, name: string) => page.getByRole("article", { name, exact: true });
const panel = (page: Page, name: string) => page.getByRole("complementary", { name, exact: true });
async function save(page: Page, { id }: SavedDashboard): Promise<SavedDashboard> {
  await page.getByRole("button", { name: "Save dashboard", exact: true }).click();
  await expect(page).toHaveURL(new RegExp(`/dashboards/${id}$`));
  return readDashboard(page.request, id);
}

test("drops a widget from the gallery at its position", async ({ page, person }) => {
  const made = await open(page, person);
  const grid = await page.locator(".react-grid-layout").boundingBox();
  if (!grid) throw new Error("Nothing is drawn");
  const target = page.locator(".react-grid-layout");
  await page.getByRole("button", { name: "Add Line" }).dragTo(target, { targetPosition: { x: 30, y: 200 } });
  await expect(card(page, "the chart")).toBeVisible();
  await expect(card(page, "the chart").getByRole("img", { name: /^Line chart of sum_revenue by week/ })).toBeVisible();
  const { widgets } = await save(page, made);
  const added = widgets.find(({ kind }) => kind === "chart");
  // On the left, below the figure, and not in the first gap, which is beside it.
  expect(added?.layout).toMatchObject({ x: 0, y: 3 });
});

test("measures the cost of a click, and excludes widgets from it", { tag: "@long" }, async ({ page, person }) => {
  const made = await open(page, person);
  await page.getByRole("button", { name: "Edit Regions" }).click();
  const side = panel(page, "Regions");
  await expect(side.getByText(/^Each click takes (less than 1|[\d,]+) ms$/)).toBeVisible();
  await side.getByRole("group", { name: "Clicks do not filter" }).getByRole("checkbox", { name: "Revenue" }).check();
  await expectAccessible(page);
  const { widgets } = await save(page, made);
  expect(widgets.find(({ id }) => id === "regions")?.spec.exclude).toEqual(["total"]);
  await expect(card(page, "Revenue")).toContainText(/\d/);
  const before = await card(page, "Revenue").textContent();
  await card(page, "Regions").getByRole("button", { name: "Coast", exact: true }).click();
  await expect(page.getByRole("button", { name: "Clear Regions: Coast" })).toBeVisible();
  await expect(page.locator(".dashboard-body")).toHaveAttribute("aria-busy", "false");
  await expect(card(page, "Revenue")).toHaveText(before ?? "");
});

test("describes an older version in words and restores it", { tag: "@long" }, async ({ page, person }) => {
  const made = await open(page, person);
  await saveDashboard(page.request, made.id, { widgets: WIDGETS.slice(0, 1), message: "Without the regions" });
  await page.goto(`/w/${person.slug}/dashboards/${made.id}/edit`);
  await expect(card(page, "Revenue")).toBeVisible();
  await expect(card(page, "Regions")).toHaveCount(0);
  await page.getByRole("button", { name: "Settings", exact: true }).click();
  await page.getByRole("button", { name: /History/ }).click();
  const history = page.getByRole("dialog", { name: "History" });
  await expect(history.getByRole("listitem")).toHaveCount(2);
  await history.getByRole("button", { name: /Without the regions/ }).click();
  await expect(history.getByText(/Regions/)).toBeVisible();
  await expectAccessible(page);
  await history.locator(".edit-commit").last().click();
  await history.getByRole("button", { name: "Restore version" }).click();
  await expect(history).toHaveCount(0);
  await expect(card(page, "Regions")).toBeVisible();
  expect((await readDashboard(page.request, made.id)).widgets).toHaveLength(2);
});

test.describe("by touch", () => {
  test.use({ hasTouch: true });

  test("moves a widget by its handle with a finger", { tag: "@long" }, async ({ page, person }) => {
    const made = await open(page, person);
    const grip = await page.getByRole("button", { name: "Move or resize Regions", exact: true }).boundingBox();
    if (!grip) throw new Error("Nothing is drawn");
    const hand = await page.context().newCDPSession(page);
    const [x, y] = [grip.x + grip.width / 2, grip.y + grip.height / 2];
    const touch = (type: "touchStart" | "touchMove" | "touchEnd", to?: { x: number; y: number }) =>
      hand.send("Input.dispatchTouchEvent", { type, touchPoints: to ? [to] : [] });
    await touch("touchStart", { x, y });
    for (let step = 1; step <= 12; step += 1) await touch("touchMove", { x: x - step * 25, y });
    await touch("touchEnd");
    await expect(page.getByText(/unsaved change/)).toBeVisible();
    const { widgets } = await save(page, made);
    expect(widgets.find(({ id }) => id === "regions")?.layout.x).toBeLessThan(6);
  });
});

test("shows the panel beside the grid, or its buttons in one row, on small screens", { tag: "@long" }, async ({
  page,
  person,
}) => {
  await page.setViewportSize({ width: 1024, height: 768 });
  await open(page, person);
  await page.getByRole("button", { name: "Edit Revenue" }).click();
  await panel(page, "Revenue").getByRole("textbox", { name: "Title" }).fill("Income");
  const beside = panel(page, "Income");
  // Nothing covers the Save button, and nothing is out of sight to the right.
  await page.getByRole("button", { name: "Save dashboard", exact: true }).click({ trial: true });
  const [grid, aside] = [await page.locator(".edit-scroll").boundingBox(), await beside.boundingBox()];
  expect((grid?.x ?? 0) + (grid?.width ?? 0)).toBeLessThanOrEqual(aside?.x ?? 0);
  await beside.getByRole("button", { name: "Close" }).click();
  await page.setViewportSize({ width: 800, height: 768 });
  const tops = await page
    .locator(".edit-tools .btn")
    .evaluateAll((all) => all.map((each) => each.getBoundingClientRect().top));
  expect(new Set(tops).size).toBe(1);
});
