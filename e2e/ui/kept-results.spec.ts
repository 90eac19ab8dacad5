import type { Page } from "@playwright/test";
import { ConsolePage } from "../pages/console-page";
import { addConsole } from "./consoles.fixtures";
import { expect, expectAccessible, PASSWORD, test } from "./fixtures";
import { join, workspaceIdOf } from "./settings.fixtures";

const TEXT = "select 'ada' as name, 36 as age\nunion all\nselect 'bob', 41\norder by 1";

/** Opens a shared console in the page. */
async function openShared(page: Page, slug: string, content = TEXT) {
  const { id } = await addConsole(page.request, { name: "people.sql", content, access: "workspace" });
  await page.goto(`/w/${slug}/consoles/${id}`);
  const consolePage = new ConsolePage(page);
  await consolePage.editor.waitFor();
  return { id, consolePage };
}

/** Waits until the server has stored the last result. */
async function waitUntilKept(page: Page, id: string, text: string) {
  const url = `/api/workspaces/${await workspaceIdOf(page.request)}/consoles/${id}/result`;
  await expect
    .poll(async () => (await (await page.request.get(url)).json()).data?.statement as string | undefined)
    .toBe(text);
}

const foot = (page: Page) => page.locator(".foot").filter({ hasText: "Ran" });

test("shows a result after a reload and on another machine, with its age and author", async ({
  browser,
  page,
  person,
}) => {
  const { id, consolePage } = await openShared(page, person.slug);
  await consolePage.run.click();
  await expect(consolePage.cell(2, 1)).toHaveText("bob");
  await waitUntilKept(page, id, TEXT);
  await page.reload();
  await expect(consolePage.cell(2, 1)).toHaveText("bob");
  await expect(foot(page)).toContainText("Ran just now by you");
  await expect(consolePage.strip).toContainText("2 rows");
  await expect(consolePage.strip.getByText("Edited since run")).toHaveCount(0);
  await expectAccessible(page);

  const elsewhere = await (await browser.newContext()).newPage();
  await elsewhere.request.post("/api/auth/login", { data: { email: person.email, password: PASSWORD } });
  await elsewhere.goto(`/w/${person.slug}/consoles/${id}`);
  await expect(new ConsolePage(elsewhere).cell(1, 1)).toHaveText("ada");

  // A stored result works like any other: it can be sorted, and its query run again.
  await consolePage.write("select 1 as other");
  await expect(consolePage.strip.getByText("Edited since run")).toBeVisible();
  await elsewhere.context().close();
});

test("shows a colleague's run in an open console at once, and keeps their own rows", { tag: "@long" }, async ({
  browser,
  page,
  person,
}) => {
  const jun = await join(browser, page, "member");
  const { id, consolePage } = await openShared(page, person.slug);
  await jun.page.goto(`/w/${person.slug}/consoles/${id}`);
  const theirs = new ConsolePage(jun.page);
  await theirs.editor.waitFor();
  await expect(jun.page.getByRole("heading", { name: "Not run yet" })).toBeVisible();

  await consolePage.run.click();
  await expect(consolePage.cell(1, 1)).toHaveText("ada");
  await expect(theirs.cell(1, 1)).toHaveText("ada");
  await expect(foot(jun.page)).toContainText("by Ines Okafor");

  // Now with their rows, from a text that they have not saved.
  await theirs.write("select 'mine' as whose");
  await theirs.run.click();
  await expect(theirs.cell(1, 1)).toHaveText("mine");
  await expect(foot(jun.page)).toContainText("by you");
  const news = page.getByRole("status").filter({ hasText: "by Jun Abe" });
  await expect(news).toContainText("1 row");
  await expect(consolePage.cell(1, 1)).toHaveText("ada");
  await expectAccessible(page);
  await news.getByRole("button", { name: "View result", exact: true }).click();
  await expect(consolePage.cell(1, 1)).toHaveText("mine");
  await expect(foot(page)).toContainText("by Jun Abe");
  await expect(news).toHaveCount(0);
});

test("keeps the previous rows greyed out until new ones arrive, and after a failure", { tag: "@long" }, async ({
  page,
  person,
}) => {
  const { consolePage } = await openShared(page, person.slug);
  await consolePage.run.click();
  await expect(consolePage.cell(1, 1)).toHaveText("ada");

  let release = () => {};
  await page.route("**/execute", async (route) => {
    await new Promise<void>((resolve) => {
      release = resolve;
    });
    await route.continue();
  });
  await consolePage.write("select 'first' as step; select 'second' as step");
  await page.keyboard.press("ControlOrMeta+Shift+Enter");
  const old = page.locator(".result-hold.old");
  await expect(old).toHaveAttribute("aria-busy", "true");
  await expect(old).toContainText("Showing the previous result.");
  await expect(consolePage.cell(1, 1)).toHaveText("ada");
  await expectAccessible(page);
  release();
  // The first statement's rows are shown while the second still runs.
  await expect(consolePage.cell(1, 1)).toHaveText("first");
  await expect(consolePage.cancel).toBeVisible();
  await expect(old).toHaveCount(0);
  release();
  await expect(consolePage.cell(1, 1)).toHaveText("second");
  await expect(consolePage.run).toBeVisible();
  await page.unroute("**/execute");

  await consolePage.write("select nothing_like_it");
  await consolePage.run.click();
  await expect(page.getByText("Last successful result available.")).toBeVisible();
});

test("keeps the stored result after a plan, a private console and a statement without rows", { tag: "@long" }, async ({
  browser,
  page,
  person,
}) => {
  const jun = await join(browser, page, "member");
  const { id, consolePage } = await openShared(page, person.slug);
  await consolePage.run.click();
  await waitUntilKept(page, id, TEXT);
  await consolePage.strip.getByRole("button", { name: "Explain" }).click();
  await expect(page.locator(".result-pane")).toContainText(/scan|union|order/i);
  await page.reload();
  await expect(consolePage.cell(1, 1)).toHaveText("ada");

  const own = await addConsole(page.request, { name: "own.sql", content: TEXT, access: "private" });
  await page.goto(`/w/${person.slug}/consoles/${own.id}`);
  await consolePage.run.click();
  await waitUntilKept(page, own.id, TEXT);
  const url = `/api/workspaces/${await workspaceIdOf(page.request)}/consoles/${own.id}/result`;
  expect((await jun.request.get(url)).status()).toBe(404);
});

test("keeps results of an unsaved console, and pinned ones, over a reload of the tab", { tag: "@long" }, async ({
  page,
  person,
  consolePage,
}) => {
  await consolePage.open(person.slug);
  await consolePage.create();
  await consolePage.write("select 'pinned' as step");
  await consolePage.run.click();
  await expect(consolePage.cell(1, 1)).toHaveText("pinned");
  await page.getByRole("button", { name: "Pin this result", exact: true }).click();
  await consolePage.write("-- First step\nselect 'one' as step;\nselect 'two' as step;\nselect * from nowhere");
  await page.keyboard.press("ControlOrMeta+Shift+Enter");
  const tabs = page.getByRole("tablist", { name: "Results" }).getByRole("tab");
  await expect(tabs).toHaveCount(4);
  await page.reload();
  await expect(tabs).toHaveText([/select 'pinned'/, /1 First step 1 row/, /2 select 'two'/, /3 nowhere failed/]);
  await expect(page.locator(".error-panel")).toBeVisible();
  await tabs.nth(1).click();
  await expect(consolePage.cell(1, 1)).toHaveText("one");
  await expect(foot(page)).toContainText("Ran just now by you");
  await expectAccessible(page);
  await consolePage.write("select 'other' as step");
  await foot(page).getByRole("button", { name: "Run again" }).click();
  await expect(tabs).toHaveCount(4);
  await expect(foot(page).getByRole("button", { name: "Run again" })).toBeHidden();

  // Another tab starts empty, and signing out keeps nothing.
  const other = await page.context().newPage();
  await other.goto(page.url());
  await expect(other.getByRole("heading", { name: "Not run yet" })).toBeVisible();
  await other.close();
  expect(await page.evaluate(() => sessionStorage.length)).toBe(0);
  await page.getByRole("button", { name: /^Account/ }).click();
  await page.getByRole("menuitem", { name: "Sign out" }).click();
  await expect(page).toHaveURL(/\/login/);
  expect(await page.evaluate(() => sessionStorage.length)).toBe(0);
  // Nor does a session that ended during a reload.
  await page.evaluate(() => sessionStorage.setItem("millrace:runs:1:u:w", "[]"));
  await page.reload();
  await expect.poll(() => page.evaluate(() => sessionStorage.length)).toBe(0);
});
