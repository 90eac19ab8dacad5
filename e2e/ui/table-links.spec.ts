import { expect, expectAccessible, type Person, test } from "./fixtures";

// Many steps each, and axe checks the whole page, which is slow on a busy machine.
test.describe.configure({ timeout: 180_000 });

type Given = { page: import("@playwright/test").Page; person: Person };

/** Creates a SQLite file with tables that refer to each other. @returns the connection's id */
async function makeShop({ page }: Given): Promise<string> {
  const [workspace] = (await (await page.request.get("/api/workspaces")).json()).data;
  const home = `/api/workspaces/${workspace.id}`;
  const made = await page.request.post(`${home}/connectors`, {
    data: { name: "Links", type: "sqlite", config: { file: "links.sqlite" }, readOnly: false },
  });
  expect(made.status()).toBe(201);
  const { id } = (await made.json()).data;
  for (const query of [
    "create table teams (id integer primary key, name text not null)",
    "create table people (id integer primary key, name text, team_id integer references teams (id), boss_id integer references people (id))",
    "insert into teams values (1, 'north'), (2, 'coast')",
    "insert into people values (1, 'Ann', 1, null), (2, 'Bob', 1, 1), (3, 'Cid', 2, 1), (4, 'Dee', null, 3)",
  ]) {
    const answer = await page.request.post(`${home}/databases/${id}/execute`, { data: { query } });
    expect(answer.status(), query).toBe(200);
  }
  return id;
}

test("keeps sorting and filters in the URL: reload, Back and a link show the same rows", async ({ page, person }) => {
  const id = await makeShop({ page, person });
  const address = `/w/${person.slug}/tables/${id}?name=people`;
  await page.goto(address);
  const grid = page.getByRole("grid", { name: "Table rows" });
  const cell = (row: number, column: number) =>
    grid.locator(`[aria-rowindex="${row + 1}"] [aria-colindex="${column + 1}"]`);
  await expect(page.getByText("4 rows")).toBeVisible();

  // Several values of a column, written as in a query.
  await cell(1, 2).click();
  await page.keyboard.press("f");
  await page.keyboard.type('in (Ann, "Cid", nobody)');
  await page.keyboard.press("Enter");
  await expect(page.getByText("2 rows")).toBeVisible();
  await expect(page.getByRole("textbox", { name: "Filter name" })).toHaveValue("any of Ann, Cid, nobody");
  await grid.locator("[data-head]").first().click();
  await grid.locator("[data-head]").first().click();
  await expect(cell(1, 1)).toHaveText("3");
  await expectAccessible(page);

  await page.reload();
  await expect(cell(1, 1)).toHaveText("3");
  await expect(page.getByText("2 rows")).toBeVisible();
  await expect(grid.locator('[aria-sort="descending"]')).toHaveCount(1);
  const shared = page.url();
  await page.goBack();
  await expect(cell(1, 1)).toHaveText("1");
  await expect(grid.locator('[aria-sort="ascending"]')).toHaveCount(1);
  await page.goBack();
  await expect(grid.locator("[aria-sort]:not([aria-sort=none])")).toHaveCount(0);
  await page.goBack();
  await expect(page.getByText("4 rows")).toBeVisible();
  await page.goto(shared);
  await expect(cell(1, 1)).toHaveText("3");

  // The same from the menu of several selected cells.
  await page.goto(address);
  await cell(2, 2).click();
  await page.keyboard.press("Shift+ArrowDown");
  await cell(3, 2).click({ button: "right" });
  await page.getByRole("menuitem", { name: "Filter by these 2" }).click();
  await expect(page.getByText("2 rows")).toBeVisible();
  await expect(page.getByRole("textbox", { name: "Filter name" })).toHaveValue("any of Bob, Cid");
});

test("goes two steps back after a reload, with a slow server", { tag: "@long" }, async ({ page, person }) => {
  const id = await makeShop({ page, person });
  await page.goto(`/w/${person.slug}/tables/${id}?name=people`);
  const grid = page.getByRole("grid", { name: "Table rows" });
  const head = grid.locator("[data-head]").first();
  await expect(page.getByText("4 rows")).toBeVisible();
  await head.click();
  await expect(page).toHaveURL(/&asc=id$/);
  await head.click();
  await expect(page).toHaveURL(/&desc=id$/);
  await page.reload();
  await expect(grid.locator('[aria-sort="descending"]')).toHaveCount(1);

  let letGo = () => {};
  const held = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  let asked = 0;
  await page.route(/_rsc=/, async (route) => {
    asked += new URL(route.request().url()).pathname.includes("/tables/") ? 1 : 0;
    await held;
    await route.continue();
  });
  await page.goBack();
  await expect(grid.locator('[aria-sort="ascending"]')).toHaveCount(1);
  await page.goBack();
  await expect(grid.locator("[aria-sort]:not([aria-sort=none])")).toHaveCount(0);
  letGo();
  await page.goForward();
  await expect(grid.locator('[aria-sort="ascending"]')).toHaveCount(1);
  await expect(page).toHaveURL(/&asc=id$/);
  expect(asked).toBe(0);
});

test("drops what does not fit in a URL with a notice, and shows the rows", { tag: "@long" }, async ({
  page,
  person,
}) => {
  const id = await makeShop({ page, person });
  const word = page.getByText("Part of this link does not match the table");
  const address = `/w/${person.slug}/tables/${id}?name=people`;
  for (const bad of ["filter=nonsense", "desc=gone", `filter=${encodeURIComponent('["id","least","many"]')}`]) {
    await page.goto(`${address}&${bad}`);
    await expect(word, bad).toBeVisible();
    await expect(page.getByText("4 rows"), bad).toBeVisible();
  }
  await page.setViewportSize({ width: 390, height: 780 });
  await page.emulateMedia({ colorScheme: "dark" });
  await expect(word).toBeVisible();
  await expectAccessible(page);
  await page.goto(address);
  await expect(page.getByText("4 rows")).toBeVisible();
  await expect(word).toHaveCount(0);
});

test("links a key to its row, and a row to referencing rows", async ({ page, person }) => {
  const id = await makeShop({ page, person });
  await page.goto(`/w/${person.slug}/tables/${id}?name=people`);
  const grid = page.getByRole("grid", { name: "Table rows" });
  const cell = (row: number, column: number) =>
    grid.locator(`[aria-rowindex="${row + 1}"] [aria-colindex="${column + 1}"]`);
  await cell(3, 3).click({ button: "right" });
  const go = page.getByRole("menuitem", { name: "Go to teams, id = 2" });
  await expect(go).toBeVisible();
  await expectAccessible(page);
  await go.click();
  await expect(page.getByRole("heading", { name: "teams" })).toBeVisible();
  await expect(page.getByText("1 row", { exact: true })).toBeVisible();
  await expect(cell(1, 2)).toHaveText("coast");

  // Back, and with the keyboard; within one table, too.
  await page.goBack();
  await expect(page.getByRole("heading", { name: "people" })).toBeVisible();
  await expect(page.getByText("4 rows")).toBeVisible();
  await cell(4, 4).click();
  await page.keyboard.press("g");
  await expect(page.getByText("1 row", { exact: true })).toBeVisible();
  await expect(cell(1, 2)).toHaveText("Cid");
  await page.goBack();
  await expect(page.getByText("4 rows")).toBeVisible();
  // A null refers to no row.
  await cell(4, 3).click({ button: "right" });
  await expect(page.getByRole("menuitem", { name: /^Filter by this value/ })).toBeVisible();
  await expect(page.getByRole("menuitem", { name: /^Go to/ })).toHaveCount(0);
  await page.keyboard.press("Escape");

  await cell(1, 2).click();
  await page.keyboard.press("Shift+F10");
  await page.getByRole("menuitem", { name: "Referencing rows" }).click();
  await page.getByRole("menuitem", { name: "people, boss_id = 1" }).click();
  await expect(page.getByText("2 rows")).toBeVisible();
  await expect(page.getByRole("textbox", { name: "Filter boss_id" })).toHaveValue("= 1");
  await expectAccessible(page);
});

test.describe("on a phone", () => {
  test.use({ viewport: { width: 390, height: 844 } });

  test("follows the sample's keys from a card's row and back", {
    tag: "@long",
  }, async ({ page, person }) => {
    const [workspace] = (await (await page.request.get("/api/workspaces")).json()).data;
    const [sample] = (await (await page.request.get(`/api/workspaces/${workspace.id}/connectors`)).json()).data;
    await page.goto(`/w/${person.slug}/tables/${sample.id}?name=orders`);
    const first = page.getByRole("region", { name: "Rows" }).getByRole("listitem").first().getByRole("button");
    await first.click();
    const panel = page.getByRole("complementary", { name: "Row" });
    const go = panel.getByRole("button", { name: /^Go to customers, id = \d+/ });
    await expect(go).toBeVisible();
    await expectAccessible(page);
    await go.click();
    await expect(page.getByRole("heading", { name: "customers" })).toBeVisible();
    await expect(page.getByText("1 row", { exact: true })).toBeVisible();
    await first.click();
    const referring = panel.getByRole("region", { name: "Referencing rows" });
    await referring.getByRole("button", { name: /^orders, customer_id = \d+/ }).click();
    await expect(page.getByRole("heading", { name: "orders" })).toBeVisible();
  });
});
