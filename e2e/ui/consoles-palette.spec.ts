import { addConsole } from "./consoles.fixtures";
import { expect, expectAccessible, hold, test } from "./fixtures";

test.beforeEach(async ({ page, consolePage, person }) => {
  await addConsole(page.request, { name: "refund-watch.sql", content: "select 1" });
  await addConsole(page.request, { name: "basket.sql", content: "-- looks for refunds\nselect 2 as hidden_word" });
  await consolePage.open(person.slug);
});

const find = (page: import("@playwright/test").Page) => page.getByRole("combobox", { name: "Search or jump to" });

test("finds consoles by name and by text", async ({ page, consolePage }) => {
  await page.keyboard.press("ControlOrMeta+k");
  await find(page).fill("refund");
  await expect(page.getByRole("option", { name: /^refund-watch\.sql/ })).toHaveAttribute("aria-selected", "true");
  await find(page).fill("hidden_word");
  await expect(page.getByRole("option", { name: /^basket\.sql.*line 2/ })).toBeVisible();
  await page.keyboard.press("Enter");
  await expect(page.getByRole("dialog")).toHaveCount(0);
  await expect(consolePage.editor).toContainText("hidden_word");
});

test("opens from the explorer's head, moves by arrows, closes by Escape", { tag: "@long" }, async ({
  page,
  consolePage,
}) => {
  // The editor adds its actions to the list.
  await expect(consolePage.editor).toBeVisible();
  await page.getByRole("button", { name: "Search or jump to" }).click();
  await expect(find(page)).toBeFocused();
  const options = page.getByRole("option");
  await expect(page.getByRole("option", { name: /^Format statement/ })).toBeVisible();
  await expect(options.first()).toHaveAttribute("aria-selected", "true");
  await page.keyboard.press("ArrowDown");
  await expect(options.nth(1)).toHaveAttribute("aria-selected", "true");
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("ArrowUp");
  await expect(options.last()).toHaveAttribute("aria-selected", "true");
  await page.keyboard.press("Escape");
  await expect(find(page)).toHaveCount(0);
  await expect(consolePage.editor).toBeVisible();
});

test("runs actions only: formats and comments the query", { tag: "@long" }, async ({ page, consolePage }) => {
  await consolePage.write("select a,b from t where a=1 and b={{x}}");
  await page.keyboard.press("ControlOrMeta+Shift+p");
  await find(page).fill("format");
  await expect(page.getByRole("option")).toHaveCount(1);
  await page.keyboard.press("Enter");
  await expect(consolePage.editor).toContainText("{{x}}");
  await expect(consolePage.editor.locator(".cm-line")).toHaveCount(8);
  await page.keyboard.press("ControlOrMeta+z");
  await expect(consolePage.editor.locator(".cm-line")).toHaveCount(1);
  await page.keyboard.press("ControlOrMeta+Shift+p");
  await find(page).fill("comment");
  await page.keyboard.press("Enter");
  await expect(consolePage.editor).toContainText("-- select a,b");
  await page.keyboard.press("ControlOrMeta+/");
  await expect(consolePage.editor).not.toContainText("--");
});

test("finds and replaces in the editor", { tag: "@long" }, async ({ page, consolePage }) => {
  await consolePage.write("select price from products where price > 1");
  await page.keyboard.press("ControlOrMeta+Shift+p");
  await find(page).fill("find and replace");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("textbox", { name: "Find" })).toBeFocused();
  await page.keyboard.type("price");
  await expect(page.locator(".cm-searchMatch")).toHaveCount(2);
  await page.getByRole("textbox", { name: "Replace" }).click();
  await page.keyboard.type("cost");
  await page.getByRole("button", { name: "replace all" }).click();
  await expect(consolePage.editor).toHaveText("select cost from products where cost > 1");
  await page.keyboard.press("Escape");
  await page.keyboard.press("ControlOrMeta+f");
  await expect(page.getByRole("textbox", { name: "Find" })).toBeFocused();
});

test("keeps a query that can't be formatted", { tag: "@long" }, async ({ page, consolePage }) => {
  await consolePage.write("select 'open");
  await page.keyboard.press("Shift+Alt+f");
  await expect(page.getByText(/Can't format the query/)).toBeVisible();
  await expect(consolePage.editor).toHaveText("select 'open");
});

test("inserts a table into the query, or previews it in a new console", async ({ page, consolePage }) => {
  await expect(consolePage.schema.filter({ hasText: "products" })).toBeVisible();
  await consolePage.write("select * from ");
  await page.keyboard.press("ControlOrMeta+k");
  await find(page).fill("#customers");
  await page.keyboard.press("Enter");
  await expect(consolePage.editor).toHaveText("select * from customers");
  await consolePage.newConsole.click();
  await page.keyboard.press("ControlOrMeta+p");
  await find(page).fill("#customers");
  await page.keyboard.press("Enter");
  await expect(consolePage.tabs.last()).toHaveText(/^customers\.sql/);
  await consolePage.run.click();
  await expect(consolePage.grid).toBeVisible();
});

test("keeps its keys when an editor loads late", { tag: "@long" }, async ({ page, consolePage }) => {
  await expect(consolePage.schema.filter({ hasText: "products" })).toBeVisible();
  const first = page.url();
  await consolePage.newConsole.click();
  await expect(page).not.toHaveURL(first);
  await expect(consolePage.editor).toHaveText(/^Write a query/);
  await page.keyboard.press("ControlOrMeta+k");
  await find(page).fill("#custom");
  // Another console appears under the open palette, as by a slow navigation.
  await page.goBack();
  await expect(page).toHaveURL(first);
  await expect(page.locator(".cm-content")).not.toHaveText("");
  await page.keyboard.type("ers");
  await page.keyboard.press("Enter");
  await expect(find(page)).toHaveCount(0);
  await expect(consolePage.editor).toContainText("customers");
});

test("opens the typed table after Enter, once tables are known", { tag: "@long" }, async ({ page, consolePage }) => {
  const letGo = await hold(page, "**/connectors/*/entities*");
  await page.reload();
  await consolePage.editor.waitFor();
  await page.keyboard.press("ControlOrMeta+k");
  await find(page).fill("#customers");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("status").filter({ hasText: "Searching" })).toBeVisible();
  letGo();
  await expect(page.getByRole("dialog")).toHaveCount(0);
  await expect(consolePage.editor).toContainText("customers");
});

test("opens a match after Enter, not a new console, before texts are searched", { tag: "@long" }, async ({
  page,
  consolePage,
}) => {
  const letGo = await hold(page, "**/consoles/search*");
  await page.keyboard.press("ControlOrMeta+k");
  await find(page).fill("hidden_word");
  await expect(page.getByRole("option", { name: "New console named hidden_word" })).toBeVisible();
  await page.keyboard.press("Enter");
  await expect(page.getByRole("status").filter({ hasText: "Searching" })).toBeVisible();
  letGo();
  await expect(page.getByRole("dialog")).toHaveCount(0);
  await expect(consolePage.editor).toContainText("hidden_word");
});

test("forgets Enter when the text changes or the palette closes first", { tag: "@long" }, async ({
  page,
  consolePage,
}) => {
  const letGo = await hold(page, "**/connectors/*/entities*");
  await page.reload();
  await consolePage.editor.waitFor();
  const before = await consolePage.editor.textContent();
  await page.keyboard.press("ControlOrMeta+k");
  await find(page).fill("#customers");
  await page.keyboard.press("Enter");
  await page.keyboard.press("Escape");
  await expect(page.getByRole("dialog")).toHaveCount(0);
  await page.keyboard.press("ControlOrMeta+k");
  await find(page).fill("#customer");
  await page.keyboard.press("Enter");
  await find(page).fill("#customers");
  letGo();
  await expect(page.getByRole("option", { name: /^customers/ })).toHaveAttribute("aria-selected", "true");
  await expect(page.getByRole("status").filter({ hasText: "Searching" })).toHaveCount(0);
  await expect(find(page)).toBeVisible();
  await expect(page.locator('[role="tab"]')).toHaveCount(1);
  expect(await page.locator(".cm-content").textContent()).toBe(before);
});

test("runs a found console or a table preview at once", { tag: "@long" }, async ({ page, consolePage, person }) => {
  await page.keyboard.press("ControlOrMeta+k");
  await find(page).fill("basket");
  await expect(page.getByRole("option", { name: /^basket\.sql/ })).toHaveAttribute("aria-selected", "true");
  await expect(page.getByRole("dialog")).toContainText("open to the side");
  await page.keyboard.press("ControlOrMeta+Enter");
  await expect(consolePage.grid.getByRole("columnheader", { name: /^hidden_word/ })).toBeVisible();

  // In another area the consoles are not loaded yet.
  await page.goto(`/w/${person.slug}/flows`);
  await page.keyboard.press("ControlOrMeta+k");
  await find(page).fill("#customers");
  await expect(page.getByRole("option", { name: /^customers/ })).toHaveAttribute("aria-selected", "true");
  await page.keyboard.press("ControlOrMeta+Enter");
  await expect(consolePage.tabs.last()).toHaveText(/^customers\.sql/);
  await expect(consolePage.grid.getByRole("columnheader", { name: /^email/ })).toBeVisible();
});

test("opens a match to the side and keeps searching", { tag: "@long" }, async ({ page, context, consolePage }) => {
  await expect(consolePage.tabs).toHaveText([/^basket\.sql/]);
  const before = page.url();
  await addConsole(page.request, { name: "churn.sql", content: "select 3" });
  await page.reload();
  await consolePage.editor.waitFor();
  await page.keyboard.press("ControlOrMeta+k");
  for (const [n, name] of ["refund-watch.sql", "churn.sql"].entries()) {
    await find(page).fill(name);
    await expect(page.getByRole("option").first()).toHaveAttribute("aria-selected", "true");
    await page.keyboard.press("Alt+Enter");
    await expect(page.getByRole("status").filter({ hasText: `${name} opened in a tab to the side.` })).toBeVisible();
    await expect(page.locator('[role="tab"]')).toHaveCount(n + 2);
  }
  await find(page).fill("Sample shop");
  await expect(page.getByRole("option").first()).toHaveAttribute("aria-selected", "true");
  const [opened] = await Promise.all([context.waitForEvent("page"), page.keyboard.press("Alt+Enter")]);
  await expect(opened).toHaveURL(/\/connections\/[0-9a-f]{24}$/);
  await opened.close();
  await page.keyboard.press("Escape");
  expect(page.url()).toBe(before);
  await expect(consolePage.tabs.first()).toHaveAttribute("aria-selected", "true");
});

test("names a new console after the search text", { tag: "@long" }, async ({ page, consolePage }) => {
  await page.keyboard.press("ControlOrMeta+k");
  await find(page).fill("churn");
  await page.getByRole("option", { name: "New console named churn" }).click();
  await expect(consolePage.tabs.last()).toHaveText(/^churn\.sql/);
});

test("reaches places and people in one step", { tag: "@long" }, async ({ page, person }) => {
  await page.keyboard.press("ControlOrMeta+k");
  await find(page).fill("Sample shop");
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/\/connections\/[0-9a-f]{24}$/);
  await page.keyboard.press("ControlOrMeta+k");
  await find(page).fill("@ines");
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(`/w/${person.slug}/settings/members`);
  await page.keyboard.press("ControlOrMeta+k");
  await find(page).fill(">dark");
  await page.keyboard.press("Enter");
  await expect(page.locator("html")).toHaveAttribute("data-theme", "dark");
});

test("reports no results for an unknown name", { tag: "@long" }, async ({ page }) => {
  await page.keyboard.press("ControlOrMeta+p");
  await find(page).fill("zzzzqqq");
  await expect(page.getByText('No results for "zzzzqqq".')).toBeVisible();
});

for (const theme of ["light", "dark"] as const) {
  test(`is accessible in the ${theme} theme`, { tag: "@long" }, async ({ page }) => {
    await page.emulateMedia({ colorScheme: theme });
    await page.keyboard.press("ControlOrMeta+k");
    await find(page).fill("refund");
    await expect(page.getByRole("option").first()).toBeVisible();
    await expectAccessible(page);
  });
}
