import { addConsole, readConsole } from "./consoles.fixtures";
import { expect, expectAccessible, test } from "./fixtures";
import { workspaceIdOf } from "./settings.fixtures";

test.beforeEach(async ({ consolePage, person }) => {
  await consolePage.open(person.slug);
});

test("keeps consoles, texts and tabs over a reload", async ({ page, consolePage }) => {
  await consolePage.create();
  await expect(consolePage.tabs).toHaveText(["best-sellers.sql", "untitled.sql"]);
  await consolePage.write("select 'kept' as word");
  await consolePage.tabs.nth(1).dblclick();
  await page.getByRole("textbox", { name: "Console name" }).fill("kept words.sql");
  await page.keyboard.press("Enter");
  await page.reload();
  await expect(consolePage.tabs).toHaveText(["best-sellers.sql", "kept words.sql"]);
  await expect(consolePage.tabs.nth(1)).toHaveAttribute("aria-selected", "true");
  await expect(consolePage.editor).toContainText("select 'kept' as word");
});

test("restores a closed tab at its position by undo", async ({ page, consolePage }) => {
  await consolePage.newConsole.click();
  await consolePage.tabs.first().click({ button: "middle" });
  await expect(consolePage.tabs).toHaveText(["untitled.sql"]);
  await expect(consolePage.consoles).toHaveCount(2);
  await page.getByRole("button", { name: "Undo" }).click();
  await expect(consolePage.tabs).toHaveText(["best-sellers.sql", "untitled.sql"]);
});

test("pastes nothing when a tab is closed with the middle button", { tag: "@long" }, async ({ page, consolePage }) => {
  await consolePage.create();
  await consolePage.write("select 'selected last'");
  await page.keyboard.press("ControlOrMeta+a");
  await page.keyboard.press("ArrowRight");
  await consolePage.tabs.nth(1).click({ button: "middle" });
  await expect(consolePage.tabs).toHaveText(["best-sellers.sql"]);
  await expect(consolePage.editor).toBeFocused();
  await expect(consolePage.tabs.first()).toHaveAccessibleName("best-sellers.sql");
  await consolePage.row("untitled.sql").click();
  await expect(consolePage.editor).toHaveText("select 'selected last'");
});

test("moves and closes tabs by keyboard", { tag: "@long" }, async ({ page, consolePage }) => {
  await consolePage.newConsole.click();
  // A new console has the focus at once.
  await expect(consolePage.editor).toBeFocused();
  await consolePage.tabs.nth(1).focus();
  await page.keyboard.press("Alt+Shift+ArrowLeft");
  await expect(consolePage.tabs).toHaveText(["untitled.sql", "best-sellers.sql"]);
  await page.keyboard.press("Delete");
  await expect(consolePage.tabs).toHaveText(["best-sellers.sql"]);
});

test("returns to the previous tab by Back, without losing an edit", { tag: "@long" }, async ({ page, consolePage }) => {
  await consolePage.create();
  await consolePage.write("select 1");
  await page.goBack();
  await expect(consolePage.editor).toContainText("Sample shop");
  await page.goForward();
  await expect(consolePage.editor).toHaveText("select 1");
});

test("keeps the editor's undo over a visit to another tab", { tag: "@long" }, async ({ page, consolePage }) => {
  await consolePage.write("select 'changed'");
  await consolePage.newConsole.click();
  await expect(consolePage.editor).not.toContainText("changed");
  await consolePage.tabs.first().click();
  await consolePage.editor.click();
  await page.keyboard.press("ControlOrMeta+z");
  await expect(consolePage.editor).toContainText("Sample shop");
});

test("restores a deleted console with its text by undo", async ({ page, consolePage }) => {
  await consolePage.consoles.first().hover();
  await page.getByRole("button", { name: "Actions for best-sellers.sql" }).click();
  await page.getByRole("menuitem", { name: "Delete" }).click();
  await expect(consolePage.consoles).toHaveCount(0);
  await page.getByRole("button", { name: "Undo" }).click();
  await consolePage.consoles.first().click();
  await expect(consolePage.editor).toContainText("Sample shop");
});

test("shows tables, opens columns and searches the schema", async ({ page, consolePage }) => {
  await expect(consolePage.schema.filter({ hasText: "products" })).toBeVisible();
  await consolePage.schema.filter({ hasText: "products" }).click();
  await expect(consolePage.schema.filter({ hasText: "price_cents" })).toBeVisible();
  await page.getByRole("button", { name: "Search tables and columns" }).click();
  await page.getByRole("textbox", { name: "Search tables and columns" }).fill("custom");
  await expect(consolePage.schema.filter({ hasText: "products" })).toHaveCount(0);
  await expect(consolePage.schema.filter({ hasText: "customers" })).toBeVisible();
});

test("navigates the tree by keyboard", { tag: "@long" }, async ({ page, consolePage }) => {
  await expect(consolePage.schema.filter({ hasText: "products" })).toBeVisible();
  await page.getByRole("tree", { name: "Schema" }).focus();
  await page.keyboard.type("products");
  await page.keyboard.press("ArrowRight");
  await expect(consolePage.schema.filter({ hasText: "price_cents" })).toBeVisible();
  await page.keyboard.press("ArrowLeft");
  await expect(consolePage.schema.filter({ hasText: "price_cents" })).toHaveCount(0);
});

test("explains a failed schema below its connection, and reloads it on request", { tag: "@long" }, async ({
  page,
  consolePage,
}) => {
  const failure = {
    status: 502,
    json: { success: false, code: "source_unreachable", error: "The data source did not answer." },
  };
  const asking = Promise.withResolvers<void>();
  await page.route("**/entities*", async (route) => {
    await asking.promise;
    await route.fulfill(failure);
  });
  await page.reload();
  await expect(page.getByRole("tree", { name: "Schema" })).toContainText("Sample shop");
  await expectAccessible(page);
  asking.resolve();
  await expect(page.getByText("The data source did not answer.")).toBeVisible();
  await expectAccessible(page);
  // Waits for the whole page: parts that appear later load the schema, too.
  await page.waitForLoadState("networkidle");
  const retry = page.getByRole("tree", { name: "Schema" }).getByRole("button", { name: "Retry" });
  const asked = page.waitForRequest("**/entities*");
  await retry.click();
  await asked;
  await expect(retry).toBeVisible();
  await page.unroute("**/entities*");
  const products = consolePage.schema.filter({ hasText: "products" });
  await expect(async () => {
    // A part of the page that loads late may have retried already.
    if (!(await products.isVisible())) await retry.click({ timeout: 1000 });
    await expect(products).toBeVisible({ timeout: 2000 });
  }).toPass();
});

test("says which grant to ask for in a database without tables", { tag: "@long" }, async ({ page }) => {
  await page.route("**/entities*", (route) => route.fulfill({ json: { success: true, data: [] } }));
  await page.reload();
  await expect(page.getByText(/^This database user can't read any table\./)).toBeVisible();
});

test("offers to connect data while there is only the sample", { tag: "@long" }, async ({
  page,
  person,
  consolePage,
}) => {
  await page.goto(`/w/${person.slug}`);
  await expect(consolePage.run).toBeVisible();
  const link = page.getByRole("region", { name: "Schema" }).getByRole("link", { name: "Connect data" });
  await link.click();
  await expect(page.getByRole("heading", { name: "Add connection" })).toBeVisible();
});

test("sends keys to the tab just opened, and a run to the connection just selected", { tag: "@long" }, async ({
  page,
  person,
  consolePage,
}) => {
  const first = await addConsole(page.request, { name: "first.sql", content: "select 'of the first' as text" });
  const second = await addConsole(page.request, { name: "second.sql", content: "select 'of the second' as text" });
  for (const { id, content } of [first, second]) {
    await page.goto(`/w/${person.slug}/consoles/${id}`);
    await expect(consolePage.editor).toContainText(content);
  }
  const at = (await consolePage.tabs.allTextContents()).findIndex((name) => name.includes("first.sql"));
  await consolePage.editor.click();
  const asked: unknown[] = [];
  page.on("request", (request) => {
    if (request.method() === "POST" && request.url().includes("/execute")) asked.push(request.postDataJSON());
  });
  await page.evaluate(async (digit) => {
    const press = (init: KeyboardEventInit) =>
      (document.activeElement ?? document.body).dispatchEvent(
        new KeyboardEvent("keydown", { bubbles: true, cancelable: true, ...init }),
      );
    press({ code: `Digit${digit}`, key: String(digit), altKey: true });
    await Promise.resolve();
    press({ code: "Enter", key: "Enter", ctrlKey: true });
  }, at + 1);
  await expect(consolePage.cells.first()).toContainText("of the first");
  await expect(consolePage.editor).toContainText("of the first");

  // The server stores the choice slowly.
  const wid = await workspaceIdOf(page.request);
  const made = await page.request.post(`/api/workspaces/${wid}/connectors`, {
    data: { name: "Scratch", type: "duckdb", config: { file: "scratch.duckdb" } },
  });
  expect(made.status(), await made.text()).toBe(201);
  const { id: scratch } = (await made.json()).data;
  await page.reload();
  await expect(consolePage.editor).toContainText("of the first");
  let letGo = () => {};
  const isLetGo = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  await page.route(`**/api/workspaces/${wid}/consoles/${first.id}`, async (route) => {
    if (route.request().method() !== "GET") await isLetGo;
    await route.continue();
  });
  await page.locator("button.chip").filter({ hasText: "Sample shop" }).click();
  await page.getByRole("menuitemradio", { name: /^Scratch/ }).click();
  await consolePage.editor.click();
  await page.keyboard.press("ControlOrMeta+Enter");
  await expect.poll(() => asked).toHaveLength(2);
  expect(asked).toMatchObject([{}, { connectionId: scratch }]);
  letGo();
  await expect.poll(async () => (await readConsole(page.request, first.id))?.connectionId).toBe(scratch);
});
