import { dashboardBench, salesBoard } from "./dashboards.fixtures";
import { expect, expectAccessible, test } from "./fixtures";

test("refreshes a dashboard on a schedule, and shows the last refresh", { tag: "@long" }, async ({ page, person }) => {
  const { make, sample, read } = await dashboardBench(page.request);
  const { id } = await make(salesBoard(sample));
  await page.goto(`/w/${person.slug}/dashboards/${id}`);
  await expect(page.getByRole("article", { name: "Revenue", exact: true })).toContainText("€100");
  const open = async () => {
    await page.getByRole("button", { name: "Dashboard actions" }).click();
    await page.getByRole("menuitem", { name: "Schedule refresh" }).click();
  };
  await open();
  const dialog = page.getByRole("dialog", { name: "Refresh Shop pulse" });
  await expect(dialog).toContainText("Not refreshed yet");
  await expect(dialog.getByRole("button", { name: "Save schedule" })).toBeDisabled();
  await dialog.getByRole("button", { name: "Every 15 minutes" }).click();
  await expect(dialog.getByRole("list", { name: "Next runs" }).getByRole("listitem").first()).toBeVisible();
  await expectAccessible(page);
  await dialog.getByRole("button", { name: "Save schedule" }).click();
  await expect.poll(async () => (await read(id)).schedule?.cron).toBe("*/15 * * * *");
  // One of its widgets reads a missing table, so the refresh fails and says so.
  await dialog.getByRole("button", { name: "Refresh now" }).click();
  const last = dialog.getByRole("region", { name: "Last refresh" });
  await expect(last).toContainText("Failed");
  await expect(last).toContainText("manual");
  await expectAccessible(page);
  await page.keyboard.press("Escape");
  await expect(page.getByText(/^Refresh failed, data from .*, every 15 minutes$/)).toBeVisible();
  await page.reload();
  await expect(page.getByText(/^Refresh failed, data from .*, every 15 minutes$/)).toBeVisible();
  await open();
  await dialog.getByRole("radio", { name: "None" }).click();
  await dialog.getByRole("button", { name: "Save schedule" }).click();
  await expect.poll(async () => (await read(id)).schedule).toBeNull();
  await page.keyboard.press("Escape");
  await expect(page.getByText(/every 15 minutes/)).toHaveCount(0);
});

test("shows the duration of a long refresh, also to later viewers, and cancels it", { tag: "@long" }, async ({
  page,
  person,
}) => {
  const { make, sample, root } = await dashboardBench(page.request);
  const { id } = await make({
    title: "Slow",
    // Takes one core some minutes.
    datasets: [
      {
        id: "rows",
        name: "Rows",
        source: {
          connectionId: sample,
          query: "select sum(a.i * b.i % 7) as n from range(1000000) a(i), range(100000) b(i)",
        },
      },
    ],
    widgets: [
      {
        id: "sum",
        kind: "kpi",
        title: "Sum",
        source: { datasetId: "rows" },
        spec: { measures: [{ field: "n", op: "sum", as: "n" }] },
        layout: { x: 0, y: 0, w: 3, h: 3 },
      },
    ],
  });
  expect((await page.request.post(`${root}/${id}/refresh`, { data: {} })).status()).toBe(202);
  await page.goto(`/w/${person.slug}/dashboards/${id}`);
  const said = page.getByRole("status").filter({ hasText: /^(Refreshing|Loading data)/ });
  await expect(said).toContainText(/, \d+ s/);
  await page.reload();
  await expect(said).toContainText("Refreshing");
  await page.getByRole("button", { name: "Cancel", exact: true }).click();
  await expect(said).toHaveCount(0);
});
