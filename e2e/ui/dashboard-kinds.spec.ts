import type { Page } from "@playwright/test";
import { addDashboard, readDashboard, sampleConnection } from "./dashboard.fixtures";
import { expect, expectAccessible, type Person, test } from "./fixtures";

const SALES = `select date '2026-01-05' + (7 * w)::int as week, region, channel, country, lat, lon,
  (100 + w * 3 + length(region) * 20 + length(channel) * 5)::decimal(10, 2) as revenue
from range(20) t(w), (values ('North', 'DE', 52.5, 13.4), ('Coast', 'France', 43.3, 5.4),
  ('Islands', 'Atlantis', 35.9, 14.4)) r(region, country, lat, lon), (values ('web'), ('app')) c(channel)`;
const source = { datasetId: "sales" };
const revenue = { field: "revenue", op: "sum", as: "revenue" };
const month = { field: "week", timeUnit: "month" };
const euros = { revenue: { prefix: "€", digits: 0 } };
const WIDGETS = [
  { id: "gauge", kind: "gauge", title: "Plan", source, spec: { measures: [revenue], goal: 40_000, formats: euros }, layout: { x: 0, y: 0, w: 4, h: 6 } },
  { id: "progress", kind: "gauge", title: "Done", source, spec: { measures: [revenue], mark: "progress", goal: 20_000 }, layout: { x: 4, y: 0, w: 4, h: 6 } },
  { id: "funnel", kind: "funnel", title: "Funnel", source, spec: { dimensions: ["region"], measures: [revenue], sort: [{ by: "revenue", order: "desc" }], formats: euros }, layout: { x: 8, y: 0, w: 4, h: 6 } },
  { id: "heat", kind: "heatmap", title: "Heat", source, spec: { dimensions: [month, "region"], measures: [revenue], labels: true, formats: { week: { date: "month" } } }, layout: { x: 0, y: 6, w: 6, h: 7 } },
  { id: "combo", kind: "combo", title: "Both", source, spec: { dimensions: [month], measures: [revenue, { op: "count", as: "orders" }], formats: { week: { date: "month" } } }, layout: { x: 6, y: 6, w: 6, h: 7 } },
  { id: "box", kind: "box", title: "Spread", source, spec: { dimensions: ["region"], measures: [{ field: "revenue", op: "median" }] }, layout: { x: 0, y: 13, w: 6, h: 7 } },
  { id: "bars", kind: "chart", title: "Bars", source, spec: { dimensions: ["region"], measures: [revenue], mark: "bar", stack: "apart", goals: [{ value: 7000, label: "Plan" }], titles: { x: "Region", y: "Revenue" }, labels: true, formats: euros, colours: { North: 4 } }, layout: { x: 6, y: 13, w: 6, h: 7 } },
  { id: "countries", kind: "map", title: "Countries", source, spec: { mark: "regions", dimensions: ["country"], measures: [revenue], formats: euros }, layout: { x: 0, y: 20, w: 6, h: 9 } },
  { id: "places", kind: "map", title: "Places", source, spec: { mark: "points", dimensions: ["lat", "lon", "region"], measures: [revenue] }, layout: { x: 6, y: 20, w: 6, h: 9 } },
]; // biome-ignore format: one look

const card = (page: Page, name: string) => page.getByRole("article", { name, exact: true });

async function open(page: Page, person: Person, widgets: object[] = WIDGETS, path = "") {
  const connectionId = await sampleConnection(page.request);
  const datasets = [{ id: "sales", name: "Sales", source: { connectionId, query: SALES }, maxAgeS: 3600 }];
  const made = await addDashboard(page.request, { title: "Kinds", access: "workspace", datasets, widgets });
  await page.goto(`/w/${person.slug}/dashboards/${made.id}${path}`);
  await expect(page.getByRole("heading", { level: 1, name: "Kinds" })).toBeVisible();
  return made;
}

test("shows gauges, a funnel, a heat map, a combo chart and a box plot, and filters by their marks", async ({
  page,
  person,
}) => {
  await open(page, person);
  await expect(card(page, "Plan").getByText("€30,820", { exact: true })).toBeVisible();
  await expect(card(page, "Done").getByText("154% of 20,000", { exact: true })).toBeVisible();
  const islands = card(page, "Funnel").getByRole("button", { name: /^Islands: €/ });
  await expect(islands).toBeVisible();
  await expect(card(page, "Heat").getByRole("button", { name: /^North, Jan 2026: / })).toBeVisible();
  await expect(card(page, "Both").getByText("orders (right)", { exact: true })).toBeVisible();
  await expect(card(page, "Spread").getByRole("button", { name: /^Coast: minimum / })).toBeVisible();
  await expect(card(page, "Bars").locator("svg").getByText("Plan").first()).toBeAttached();
  const germany = card(page, "Countries").getByRole("button", { name: /^Germany: €/ });
  await expect(germany).toBeVisible();
  await expect(
    card(page, "Countries").locator("text", { hasText: "1 value that is no country: Atlantis" }),
  ).toBeVisible();
  await expect(card(page, "Places").getByRole("button", { name: /^Islands, revenue / })).toBeVisible();
  await expectAccessible(page);
  if (process.env.SHOTS) await shoot(page, process.env.SHOTS);

  await card(page, "Plan").hover();
  await card(page, "Plan").getByRole("button", { name: "Actions for Plan" }).click();
  const [file] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("menuitem", { name: "Export PNG" }).click(),
  ]);
  expect(file.suggestedFilename()).toBe("Plan.png");

  await islands.focus();
  await page.keyboard.press("Enter");
  await expect(islands).toHaveAttribute("aria-pressed", "true");
  await expect(card(page, "Plan").getByText("€30,820", { exact: true })).toBeHidden();
  await expect(card(page, "Spread").getByRole("button", { name: /: minimum / })).toHaveCount(1);
  await islands.press("Enter");
  await expect(card(page, "Plan").getByText("€30,820", { exact: true })).toBeVisible();
  // A country and a point filter and lead to their rows, as other marks do.
  await germany.click();
  await expect(germany).toHaveAttribute("aria-pressed", "true");
  await expect(card(page, "Places").getByRole("button", { name: /, revenue / })).toHaveCount(1);
  await germany.click();
  const island = card(page, "Places").getByRole("button", { name: /^Islands, revenue / });
  await island.click({ button: "right" });
  await page.getByRole("menuitem", { name: "See these rows" }).click();
  await expect(page.getByRole("dialog", { name: "Underlying rows: Places, 35.9, 14.4, Islands" })).toContainText(
    "40 rows",
  );
});

test("adds a gauge with a goal and formats, and a goal line to a chart", { tag: "@long" }, async ({ page, person }) => {
  const made = await open(page, person, [WIDGETS[6] as object], "/edit");
  await page.getByRole("button", { name: "Add Gauge", exact: true }).click();
  const panel = page.getByRole("complementary", { name: "Gauge" });
  await panel.getByLabel("Goal", { exact: true }).fill("50000");
  await panel.getByRole("combobox", { name: "Number format of sum_revenue" }).click();
  await page.getByRole("option", { name: "1.2 M", exact: true }).click();
  await expect(page.getByRole("article", { name: "the gauge" }).getByText("62% of 50K", { exact: true })).toBeVisible();
  await page.getByRole("button", { name: "Save dashboard", exact: true }).click();
  await expect(page).toHaveURL(new RegExp(`/dashboards/${made.id}$`));
  const gauge = (await readDashboard(page.request, made.id)).widgets.find(({ kind }) => kind === "gauge");
  expect(gauge?.spec).toMatchObject({ goal: 50_000, formats: { sum_revenue: { style: "short" } } });
});

test("marks a dashboard as a favourite, which the list shows first", async ({ page, person }) => {
  const older = await open(page, person);
  await addDashboard(page.request, { title: "Newer", access: "workspace" });
  await page.goto(`/w/${person.slug}/dashboards`);
  const rows = page.getByRole("table", { name: "Dashboards" }).locator("tbody tr");
  await expect(rows.first()).toContainText("Newer");
  await rows.filter({ hasText: "Kinds" }).getByRole("button").click();
  await page.getByRole("menuitem", { name: "Add to favourites" }).click();
  await expect(rows.first()).toContainText("Kinds");
  await page.reload();
  await expect(rows.first().getByRole("link")).toHaveAttribute("href", new RegExp(older.id));
  await expect(rows.first().getByLabel("Favourite")).toBeVisible();
});

/** Pictures of the page for people to look at. */
async function shoot(page: Page, folder: string): Promise<void> {
  for (const theme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme: theme });
    for (const width of [1440, 1024, 390]) {
      await page.setViewportSize({ width, height: 900 });
      await page.screenshot({ path: `${folder}/kinds-${theme}-${width}.png`, fullPage: true });
    }
  }
  await page.emulateMedia({ colorScheme: "light" });
  await page.setViewportSize({ width: 1440, height: 900 });
}
