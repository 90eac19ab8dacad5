import { addDashboard, sampleConnection } from "./dashboard.fixtures";
import { expect, expectAccessible, test } from "./fixtures";

/** One row more than a dataset holds. */
const QUERY = "select range as n, 'region ' || range % 3 as region from range(1000001)";
const SOURCE = { datasetId: "all" };
const WIDGETS = [
  { id: "sum", kind: "kpi", title: "Total", source: SOURCE, spec: { measures: [{ field: "n", op: "sum" }] }, layout: { x: 0, y: 0, w: 4, h: 5 } },
  { id: "bars", kind: "chart", title: "By region", source: SOURCE, spec: { dimensions: ["region"], measures: [{ op: "count" }], mark: "bar" }, layout: { x: 4, y: 0, w: 8, h: 8 } },
  { id: "rows", kind: "table", title: "Rows", source: SOURCE, spec: { limit: 20 }, layout: { x: 0, y: 8, w: 12, h: 8 } },
]; // biome-ignore format: one look
const NOTICE = "First 1,000,000 rows only";

test(
  "C50 hides totals of a truncated dataset until the author accepts them",
  { tag: "@long" },
  async ({ page, person }, info) => {
    test.slow();
    const source = { connectionId: await sampleConnection(page.request), query: QUERY };
    const made = await addDashboard(page.request, {
      title: "Every row",
      access: "workspace",
      datasets: [{ id: "all", name: "All", source, maxAgeS: 3600 }],
      widgets: WIDGETS,
      filters: [],
    });
    const card = (name: string) => page.getByRole("article", { name, exact: true });
    const shoot = async (name: string) => {
      for (const colorScheme of ["light", "dark"] as const) {
        for (const width of [1440, 390]) {
          await page.emulateMedia({ colorScheme });
          await page.setViewportSize({ width, height: 900 });
          await page.screenshot({ path: info.outputPath(`${name}-${colorScheme}-${width}.png`), fullPage: true });
        }
      }
      await page.emulateMedia({ colorScheme: "light" });
      await page.setViewportSize({ width: 1440, height: 900 });
    };
    await page.goto(`/w/${person.slug}/dashboards/${made.id}`);
    await expect(card("Rows").getByRole("note")).toHaveText(NOTICE, { timeout: 60_000 });
    for (const name of ["Total", "By region"]) {
      await expect(card(name).getByText(/totals would be wrong/)).toBeVisible();
    }
    await expectAccessible(page);
    await shoot("refused");

    await page.goto(`/w/${person.slug}/dashboards/${made.id}/edit`);
    await page.getByRole("button", { name: /^Datasets/ }).click();
    await page.getByRole("switch", { name: "Show totals of truncated rows" }).click();
    await expectAccessible(page);
    await shoot("editor");
    await page.getByRole("button", { name: "Save dashboard", exact: true }).click();
    await expect(page).toHaveURL(new RegExp(`/dashboards/${made.id}$`));
    for (const name of ["Total", "By region", "Rows"]) await expect(card(name).getByRole("note")).toHaveText(NOTICE);
    await expect(card("Total").getByText(/totals would be wrong/)).toHaveCount(0);
    await shoot("accepted");
  },
);
