import type { Page } from "@playwright/test";
import { dashboardBench, salesBoard } from "./dashboards.fixtures";
import { expect, expectAccessible, test } from "./fixtures";

// Ten days of March, each with rows of 1, 2, 3 and 4; the last five have ten times as much.
const QUERY = `select date '2026-03-01' + (i // 4)::int as day,
  ((i % 4) + 1) * (case when i // 4 >= 5 then 10 else 1 end)::decimal(10, 2) as amount from range(40) t(i)`;
const widget = (page: Page, name: string) => page.getByRole("article", { name, exact: true });

function board(sample: string) {
  const { datasets: _, widgets: __, filters: ___, ...rest } = salesBoard(sample);
  const source = { datasetId: "sales" };
  const sum = { field: "amount", op: "sum", as: "revenue" };
  const day = { field: "day", timeUnit: "day" };
  return {
    ...rest,
    datasets: [{ id: "sales", name: "Sales", source: { connectionId: sample, query: QUERY } }],
    widgets: [
      { id: "total", kind: "kpi", title: "Revenue", source, spec: { measures: [sum], prefix: "€", better: "up", trend: day }, layout: { x: 0, y: 0, w: 4, h: 3 } }, // biome-ignore format: one look
      { id: "days", kind: "chart", title: "Revenue by day", source, spec: { dimensions: [day], measures: [sum], mark: "area" }, layout: { x: 0, y: 3, w: 8, h: 7 } }, // biome-ignore format: one look
    ],
    filters: [{ id: "when", kind: "dateRange", field: "day", title: "Day", datasets: ["sales"] }],
  };
}

test("compares with the previous period in numbers, lines, URL and share", async ({ page, person, browser }) => {
  const { make, sample, root } = await dashboardBench(page.request);
  const { id } = await make(board(sample));
  await page.goto(`/w/${person.slug}/dashboards/${id}`);
  const figure = widget(page, "Revenue");
  await expect(figure).toContainText("€550");
  await expect(figure.locator("polyline")).toBeVisible();
  const filters = page.getByRole("region", { name: "Filters" });
  await filters.getByRole("button", { name: "Compare", exact: true }).click();
  await expect(page.getByText("Select a date range first.")).toBeVisible();
  await expectAccessible(page);
  await page.getByRole("button", { name: "Previous period" }).click();
  await filters.getByRole("button", { name: "Day: any" }).click();
  await page.getByLabel("From").fill("2026-03-06");
  await page.getByLabel("To (inclusive)").fill("2026-03-10");
  await page.getByRole("button", { name: "Apply" }).click();
  // 500 after 50.
  await expect(figure).toContainText("€500");
  await expect(figure).toContainText("+900% vs previous 5 days");
  const chart = widget(page, "Revenue by day");
  await expect(chart.getByRole("button", { name: "Previous period" })).toBeVisible();
  const hand = chart.getByRole("slider");
  await hand.focus();
  await page.keyboard.press("Home");
  await expect(hand).toHaveAttribute("aria-valuetext", /6 Mar 2026: This period 100(\.00)?, Previous period 10(\.00)?/);
  await expect(page).toHaveURL(/compare=previous/);
  await expectAccessible(page);
  await page.reload();
  await expect(figure).toContainText("+900% vs previous 5 days");

  const answer = await page.request.put(`${root}/${id}/share`, { data: { enabled: true } });
  const { url } = (await answer.json()).data;
  const context = await browser.newContext();
  const visitor = await context.newPage();
  await visitor.goto(`${url}${new URL(page.url()).search}`);
  await expect(widget(visitor, "Revenue")).toContainText("+900% vs previous 5 days");
  await visitor.getByRole("button", { name: "Clear Compare: Previous period" }).click();
  await expect(widget(visitor, "Revenue")).not.toContainText("previous");
  await context.close();
});

test("applies a time grain to the page, and Back removes it", { tag: "@long" }, async ({ page, person }) => {
  const { make, sample } = await dashboardBench(page.request);
  const { id } = await make(board(sample));
  await page.goto(`/w/${person.slug}/dashboards/${id}`);
  const hand = widget(page, "Revenue by day").getByRole("slider");
  await expect(hand).toHaveAttribute("aria-valuemax", "10");
  await page.getByRole("button", { name: "Time grain", exact: true }).click();
  await page.getByRole("button", { name: "Week", exact: true }).click();
  // The weeks of 23 February, 2 March and 9 March.
  await expect(hand).toHaveAttribute("aria-valuemax", "3");
  await expect(page).toHaveURL(/grain=week/);
  await expectAccessible(page);
  // Clicking a week filters by its seven days.
  await hand.focus();
  await page.keyboard.press("End");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("button", { name: /^Clear Revenue by day: week of 9 Mar 2026/ })).toBeVisible();
  await expect(widget(page, "Revenue")).toContainText("€200");
  await page.goBack();
  await expect(widget(page, "Revenue")).toContainText("€550");
  await page.goBack();
  await expect(hand).toHaveAttribute("aria-valuemax", "10");
  await expect(page.getByRole("button", { name: "Time grain", exact: true })).toBeVisible();
});
