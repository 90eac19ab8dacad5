import type { Locator } from "@playwright/test";
import { readConsole, readHistory, saveOver, shownId } from "./consoles.fixtures";
import { expect, expectAccessible, test } from "./fixtures";

test.beforeEach(async ({ consolePage, person }) => {
  await consolePage.open(person.slug);
  await expect(consolePage.tabs).toHaveText(["best-sellers.sql"]);
});

test("lists each save with its author and a side-by-side diff", async ({ page }) => {
  const id = shownId(page);
  await saveOver(page.request, id, "select 1 as one\nfrom products");
  await saveOver(page.request, id, "select 2 as two\nfrom products");
  await page.getByRole("button", { name: "History", exact: true }).click();
  await expect(page).toHaveURL(/\/history$/);
  const saves = page.getByRole("list", { name: "Versions", exact: true }).getByRole("listitem");
  await expect(saves).toHaveCount(3);
  await expect(saves.first()).toContainText("Ines, just now");
  // One of two lines differs.
  await expect(saves.first()).toContainText(/\+1 line\s*-1 line/);
  // Each user has one colour: here, where the history knows only an address, and in the frame.
  const colourOf = (mark: Locator) => mark.evaluate((element) => getComputedStyle(element).backgroundColor);
  const own = await colourOf(page.getByRole("button", { name: "Account: Ines Okafor" }).locator(".ava"));
  await expect.poll(() => colourOf(saves.first().locator(".ava"))).toBe(own);
  await expect.poll(() => colourOf(page.locator(".commit-facts .ava"))).toBe(own);
  const commit = page.getByRole("region", { name: "Version", exact: true });
  await expect(commit.locator('[aria-label="Before this version"]')).toContainText("select 1 as one");
  await expect(commit.locator('[aria-label="After this version"]')).toContainText("select 2 as two");
  await commit.getByRole("radio", { name: "Unified" }).click();
  await expect(commit.locator('[aria-label="Changes"]')).toContainText("select 2 as two");
  await expect(commit.getByRole("region", { name: "Full query" })).toContainText("from products");

  // Each save has an address, which Back and a reload keep.
  await saves.nth(1).getByRole("button").click();
  const sha = (await readHistory(page.request, id))[1]?.sha;
  await expect(page).toHaveURL(new RegExp(`\\?sha=${sha}$`));
  await page.reload();
  await expect(commit.locator('[aria-label="After this version"]')).toContainText("select 1 as one");
  await page.goBack();
  await expect(page).toHaveURL(/\/history$/);
});

test("ignores an added or removed trailing newline", { tag: "@long" }, async ({ page }) => {
  const id = shownId(page);
  await saveOver(page.request, id, "select 1 as one");
  await saveOver(page.request, id, "select 1 as one\nfrom products\n");
  await page.getByRole("button", { name: "History", exact: true }).click();
  const saves = page.getByRole("list", { name: "Versions", exact: true }).getByRole("listitem");
  await expect(saves.first()).toContainText("+1 line");
  await expect(saves.first()).not.toContainText("-1 line");
  const commit = page.getByRole("region", { name: "Version", exact: true });
  await commit.getByRole("radio", { name: "Unified" }).click();
  const change = commit.locator('[aria-label="Changes"]');
  await expect(change.locator(".cm-changedLine")).toHaveText(["from products"]);
  await expect(change.locator(".cm-deletedLine")).toHaveCount(0);
});

test("restores an older text as a new save, and keeps a draft", async ({ page, consolePage }) => {
  const id = shownId(page);
  await saveOver(page.request, id, "select 1 as one");
  await saveOver(page.request, id, "select 2 as two");
  await page.reload();
  await consolePage.write("select 'draft'");
  await page.getByRole("button", { name: "History", exact: true }).click();
  const commit = page.getByRole("region", { name: "Version", exact: true });
  await expect(commit.getByRole("button", { name: "Restore" })).toBeDisabled();
  await page
    .getByRole("list", { name: "Versions", exact: true })
    .getByRole("listitem")
    .nth(1)
    .getByRole("button")
    .click();
  await commit.getByRole("button", { name: "Restore" }).click();
  await expect(page.getByText(/restored to [0-9a-f]{7}/)).toBeVisible();
  await expect(page.getByRole("list", { name: "Versions", exact: true }).getByRole("listitem")).toHaveCount(4);
  expect((await readConsole(page.request, id))?.content).toBe("select 1 as one");
  await page.getByRole("button", { name: "Back to query" }).click();
  await expect(consolePage.editor).toContainText("select 'draft'");
  await expect(page.getByText("This console was changed elsewhere.")).toBeVisible();
});

test("shows a rename as one", { tag: "@long" }, async ({ page, consolePage }) => {
  await consolePage.tabs.first().dblclick();
  await page.getByRole("textbox", { name: "Console name" }).fill("top ten.sql");
  await page.keyboard.press("Enter");
  await expect(consolePage.tabs).toHaveText(["top ten.sql"]);
  await page.getByRole("button", { name: "History", exact: true }).click();
  const commit = page.getByRole("region", { name: "Version", exact: true });
  await expect(commit).toContainText("Renamed");
  await expect(commit).toContainText("from consoles/best-sellers.sql");
  await expect(commit).toContainText("Renamed or moved. Content unchanged.");
});

test("loads fifty saves per page, and older ones on demand", { tag: "@long" }, async ({ page }) => {
  test.setTimeout(300_000); // More than a hundred requests come first.
  const id = shownId(page);
  for (let n = 1; n <= 52; n++) await saveOver(page.request, id, `select ${n}`);
  await page.goto(`${page.url()}/history`);
  const saves = page.getByRole("list", { name: "Versions", exact: true }).getByRole("listitem");
  await expect(saves).toHaveCount(50);
  await page.getByRole("button", { name: "Load older versions" }).click();
  await expect(saves).toHaveCount(53);
  await expect(page.getByRole("button", { name: "Load older versions" })).toHaveCount(0);
});

test("reports no history for an unsaved console, and no change for an empty save", { tag: "@long" }, async ({
  page,
  consolePage,
}) => {
  const address = page.url();
  await page.goto(`${address}/history?sha=0000000`);
  await expect(page.getByRole("heading", { name: "Version not found" })).toBeVisible();
  await consolePage.newConsole.click();
  await page.goto(`${page.url()}/history`);
  await expect(page.getByRole("heading", { name: "Not saved yet" })).toBeVisible();
});

test("explains a failed history and reloads it on request", { tag: "@long" }, async ({ page }) => {
  await page.route("**/git/history*", (route) =>
    route.fulfill({ status: 500, json: { success: false, error: "Something broke on our side.", code: "internal" } }),
  );
  await page.getByRole("button", { name: "History", exact: true }).click();
  await expect(page.getByText("Something broke on our side.")).toBeVisible();
  await page.unroute("**/git/history*");
  await page.getByRole("button", { name: "Retry" }).click();
  await expect(page.getByRole("list", { name: "Versions", exact: true }).getByRole("listitem")).toHaveCount(1);
});

for (const theme of ["light", "dark"] as const) {
  test(`is accessible in the ${theme} theme, also on a phone`, { tag: "@long" }, async ({ page }) => {
    await page.emulateMedia({ colorScheme: theme });
    await saveOver(page.request, shownId(page), "select 1 as one");
    await page.getByRole("button", { name: "History", exact: true }).click();
    await expect(page.locator('[aria-label="After this version"]')).toBeVisible();
    await expectAccessible(page);
    await page.setViewportSize({ width: 390, height: 844 });
    await expect(page.getByRole("list", { name: "Versions", exact: true })).toBeVisible();
    await expectAccessible(page);
    await page
      .getByRole("list", { name: "Versions", exact: true })
      .getByRole("listitem")
      .first()
      .getByRole("button")
      .click();
    await expect(page.locator('[aria-label="Changes"]')).toBeVisible();
    await expectAccessible(page);
  });
}
