import { expect, expectAccessible, test } from "./fixtures";
import { workspaceIdOf } from "./settings.fixtures";

// Many steps each, and axe checks the whole page, which is slow on a busy machine.
test.describe.configure({ timeout: 180_000 });

test("browses a table without SQL: sorted and filtered by its database, page by page", async ({
  page,
  person,
  consolePage,
}) => {
  await consolePage.open(person.slug);
  const table = consolePage.schema.filter({ hasText: /^customers/ });
  await table.click({ button: "right" });
  await page.getByRole("menuitem", { name: "Preview rows" }).click();
  await expect(page.getByRole("heading", { name: "customers" })).toBeVisible();
  const grid = page.getByRole("grid", { name: "Table rows" });
  const cell = (row: number, column: number) =>
    grid.locator(`[aria-rowindex="${row + 1}"] [aria-colindex="${column + 1}"]`);
  await expect(page.getByText("First 100 rows")).toBeVisible();
  await expectAccessible(page);

  // Scrolling loads the next page, and sorting the whole table is done by the database.
  await cell(1, 1).click();
  await page.keyboard.press("ControlOrMeta+ArrowDown");
  await expect(page.getByText("First 200 rows")).toBeVisible();
  await page.keyboard.press("ControlOrMeta+ArrowUp");
  const first = await cell(1, 1).textContent();
  const asked = page.waitForRequest((request) => request.url().endsWith("/rows"));
  await grid.locator("[data-head]").first().click();
  await grid.locator("[data-head]").first().click();
  expect((await asked).postDataJSON()).toMatchObject({ table: { name: "customers" }, filters: [] });
  await expect(grid.locator('[aria-sort="descending"]')).toHaveCount(1);
  await expect(cell(1, 1)).not.toHaveText(first ?? "");

  // A filter's value is bound, never part of the statement.
  await cell(1, 1).click();
  const last = await cell(1, 1).textContent();
  await page.keyboard.press("f");
  await page.keyboard.type(`= ${last}`);
  const filtered = page.waitForRequest((request) => request.url().endsWith("/rows"));
  await page.keyboard.press("Enter");
  expect((await filtered).postDataJSON().filters).toEqual([
    { column: "id", op: "is", value: (last ?? "").replaceAll(",", "") },
  ]);
  await expect(page.getByText("1 row", { exact: true })).toBeVisible();
  await page.getByRole("button", { name: "Count rows" }).click();
  await expect(page.getByText("1 row of 1", { exact: true })).toBeVisible();
  await expectAccessible(page);

  await page.getByRole("button", { name: "Open in console" }).click();
  // The query has the same sort and filter, and finds the same row.
  const id = (last ?? "").replaceAll(",", "");
  await expect(consolePage.editor).toContainText(`from customerswhere id = ${id}order by id`);
  await consolePage.run.click();
  await expect(consolePage.cell(1, 1)).toHaveText(last ?? "");
});

test("explains a missing table and what to do", { tag: "@long" }, async ({ page, person, consolePage }) => {
  await consolePage.open(person.slug);
  const table = consolePage.schema.filter({ hasText: /^customers/ });
  await table.click({ button: "right" });
  await page.getByRole("menuitem", { name: "Preview rows" }).click();
  await expect(page.getByRole("grid", { name: "Table rows" })).toBeVisible();
  await page.goto(page.url().replace("name=customers", "name=nothing"));
  await expect(page.getByText("Table or view nothing not found, or access is denied.")).toBeVisible();
});

test("C9 notes a table whose pages have no unique order", { tag: "@long" }, async ({ page, person, consolePage }) => {
  const home = `/api/workspaces/${await workspaceIdOf(page.request)}`;
  const data = { name: "Scratch", type: "duckdb", config: { file: "scratch.duckdb" }, readOnly: false };
  const made = await page.request.post(`${home}/connectors`, { data });
  expect(made.status(), await made.text()).toBe(201);
  const { id } = (await made.json()).data;
  // The rows of these views have no key.
  for (const query of [
    "create view alike as select 1 as n from range(150)",
    "create view few as select 1 as n from range(3)",
    "create table keyed as select range as id from range(150)",
  ]) {
    const answer = await page.request.post(`${home}/databases/${id}/execute`, { data: { query } });
    expect(answer.status(), await answer.text()).toBe(200);
  }
  await consolePage.open(person.slug);
  const note = page.getByText("This table has no unique order. Later pages may repeat or miss rows.");
  const grid = page.getByRole("grid", { name: "Table rows" });
  const open = async (name: string) => {
    await page.goto(`/w/${person.slug}/tables/${id}?name=${name}`);
    await expect(grid).toBeVisible();
  };
  await open("alike");
  await expect(page.getByText("First 100 rows")).toBeVisible();
  await expect(note).toBeVisible();
  await expectAccessible(page);
  await grid.locator('[aria-rowindex="2"] [aria-colindex="2"]').click();
  await page.keyboard.press("ControlOrMeta+ArrowDown");
  await expect(page.getByText("150 rows")).toBeVisible();
  await expect(note).toBeVisible();
  // A single page contains every row once.
  await open("few");
  await expect(page.getByText("3 rows")).toBeVisible();
  await expect(note).toHaveCount(0);
  await open("keyed");
  await expect(page.getByText("First 100 rows")).toBeVisible();
  await expect(note).toHaveCount(0);
});
