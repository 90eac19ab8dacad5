import { ChartPage } from "../pages/chart-page";
import { expect, expectAccessible, test } from "./fixtures";

const SALES = `select date '2026-10-05' + (7 * w)::int as week, region, (100 + w * 3 + length(region) * 20)::decimal(10, 2) as revenue
from range(7) t(w), (values ('North'), ('Coast'), ('Midlands'), ('Islands')) r(region) order by 1, 2`;

test.use({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });

test("reads a chart by touch on a phone, with the shelves below and nothing cut off", { tag: "@long" }, async ({
  page,
  consolePage,
  person,
}) => {
  const chart = new ChartPage(page);
  await page.goto(`/w/${person.slug}`);
  await expect(page.getByRole("heading", { name: "best-sellers.sql" })).toBeVisible();
  await page.getByRole("button", { name: /^select p\.name/ }).tap();
  await consolePage.write(SALES);
  await consolePage.run.tap();
  await page.getByRole("radio", { name: "Chart" }).tap();
  await expect(chart.marks.first()).toBeVisible();
  await expectAccessible(page);
  const box = await chart.crosshair.boundingBox();
  if (box === null) throw new Error("The chart has no place.");
  for (const x of [8, box.width - 8]) {
    await page.touchscreen.tap(box.x + x, box.y + box.height / 2);
    await expect(chart.tip).toBeVisible();
    const tip = await chart.tip.boundingBox();
    expect(tip?.x).toBeGreaterThanOrEqual(0);
    expect((tip?.x ?? 0) + (tip?.width ?? 0)).toBeLessThanOrEqual(390);
  }
  await page.getByRole("combobox", { name: "Chart type" }).tap();
  await page.getByRole("option", { name: "Area" }).tap();
  await expect(chart.picture).toHaveAccessibleName(/^Area chart/);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
});
