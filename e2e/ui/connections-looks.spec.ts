import { expect, expectAccessible, test } from "./fixtures";
import { workspaceIdOf } from "./settings.fixtures";

for (const theme of ["light", "dark"] as const) {
  test.describe(`in the ${theme} theme`, () => {
    test.use({ colorScheme: theme });

    test("are accessible", { tag: "@long" }, async ({ page, person }) => {
      const wid = await workspaceIdOf(page.request);
      const made = await page.request.post(`/api/workspaces/${wid}/connectors`, {
        data: { name: "returns", type: "duckdb", config: { file: "returns.duckdb" } },
      });
      const { id } = (await made.json()).data;
      await page.request.post(`/api/workspaces/${wid}/connections/sources/${id}/test`);
      await page.goto(`/w/${person.slug}/connections`);
      await expect(page.getByText("File returns.duckdb not found")).toBeVisible();
      await expectAccessible(page);
      await page.goto(`/w/${person.slug}/connections/${id}`);
      await expect(page.getByText("Last test failed.")).toBeVisible();
      await expectAccessible(page);
      await page.getByRole("button", { name: "Delete", exact: true }).click();
      await expect(page.getByRole("dialog")).toBeVisible();
      await expectAccessible(page);
    });

    test("have an accessible form, with its problems too", { tag: "@long" }, async ({ page, person }) => {
      await page.goto(`/w/${person.slug}/connections/new?type=duckdb`);
      await page.getByRole("button", { name: "Save connection" }).click();
      await expect(page.getByText("File is required.")).toBeVisible();
      await expectAccessible(page);
    });

    test("have accessible forms for sources, with conditional fields", { tag: "@long" }, async ({ page, person }) => {
      for (const type of ["stripe", "graphql", "rest"]) {
        await page.goto(`/w/${person.slug}/connections/new?type=${type}`);
        await page.getByRole("button", { name: "Save connection" }).click();
        await expect(page.getByText("Enter a connection name.")).toBeVisible();
        await expectAccessible(page);
      }
      for (const [field, option] of [
        ["Authentication", "API key in header"],
        ["Pagination", "Cursor"],
      ] as const) {
        await page.getByRole("combobox", { name: field }).click();
        await page.getByRole("option", { name: option }).click();
      }
      await page.getByRole("button", { name: "Add row" }).click();
      await expect(page.getByLabel("Next cursor path")).toBeVisible();
      await expectAccessible(page);
    });
  });
}

test.describe("on a phone", () => {
  test.use({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });

  test("are read, tested and added", { tag: "@long" }, async ({ page, person }) => {
    await page.goto(`/w/${person.slug}`);
    const connections = page.getByRole("link", { name: "Connections" });
    // A click on a page that is not hydrated yet is lost, so it is repeated.
    await expect(async () => {
      await page.getByRole("button", { name: "More" }).last().tap();
      await expect(connections).toBeVisible({ timeout: 1000 });
    }).toPass();
    await connections.tap();
    const search = page.getByRole("searchbox", { name: "Search connections" });
    await search.fill("nowhere");
    await expect(page.getByRole("heading", { name: 'No results for "nowhere"' })).toBeVisible();
    await search.fill("sample");
    await page.getByRole("button", { name: "Test Sample shop" }).tap();
    await expect(page.getByText(/^Connected, /)).toBeVisible();
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
    await page.getByRole("link", { name: "Add connection" }).tap();
    await expect(page.getByRole("heading", { name: "Add connection" })).toBeVisible();
    await expect(page.getByRole("button", { name: "Save connection" })).toBeVisible();
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
  });

  test("fit the form of a web service", { tag: "@long" }, async ({ page, person }) => {
    await page.goto(`/w/${person.slug}/connections/new?type=rest`);
    // Away from the bottom bar, which covers the page.
    const add = page.getByRole("button", { name: "Add row" });
    await add.evaluate((button) => button.scrollIntoView({ block: "center" }));
    // Repeated, since a click on a page that is not hydrated yet is lost.
    await expect(async () => {
      await add.tap();
      await expect(page.getByLabel("Headers name 1")).toBeVisible({ timeout: 1000 });
    }).toPass();
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
  });
});
