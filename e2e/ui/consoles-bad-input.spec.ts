import { addConsole, readConsole, readHistory, saveOver, shownId } from "./consoles.fixtures";
import { expect, hold, test } from "./fixtures";
import { join, workspaceIdOf } from "./settings.fixtures";

test.beforeEach(async ({ consolePage, person }) => {
  await consolePage.open(person.slug);
  await expect(consolePage.tabs).toHaveText(["best-sellers.sql"]);
});

test("rejects invalid names with the broken rule, and keeps the old name", {
  tag: "@long",
}, async ({ page, consolePage }) => {
  const id = shownId(page);
  await addConsole(page.request, { name: "caf\u00e9.sql", content: "select 1" });
  await page.reload();
  await expect(consolePage.row("caf\u00e9.sql")).toBeVisible();
  const rename = async (typed: string) => {
    await consolePage.choose("best-sellers.sql", "Rename");
    await page.getByRole("textbox", { name: "Console name" }).fill(typed);
    await page.keyboard.press("Enter");
  };
  for (const [typed, said] of [
    ["..", /Couldn't save the change\. The name .*\S/],
    [".git", /Couldn't save the change\. The name .*git/],
    // The same name in another Unicode form, and in another case.
    ["cafe\u0301.sql", /“café” already exists\. Choose another name\./],
    ["CAF\u00c9.SQL", /“café” already exists\. Choose another name\./],
  ] as const) {
    const toasts = page.getByRole("listitem").filter({ hasText: said });
    // The toast about the previous name closes without a click.
    await expect(toasts).toHaveCount(0);
    await rename(typed);
    await expect(toasts).toBeVisible();
    await expect(consolePage.row("best-sellers.sql")).toBeVisible();
  }
  // Invalid characters of a name are removed: a slash, and NUL.
  await rename("a/b\u0000c.sql");
  await expect(consolePage.row("a b c.sql")).toBeVisible();
  expect(await readConsole(page.request, id)).toMatchObject({ name: "a b c.sql", path: "a b c" });
});

test("reports a folder that was deleted elsewhere and removes it from the tree", { tag: "@long" }, async ({
  page,
  consolePage,
}) => {
  const root = `/api/workspaces/${await workspaceIdOf(page.request)}/consoles`;
  const made = await page.request.post(`${root}/folders`, { data: { name: "Finance" } });
  const folder = (await made.json()).data;
  await page.reload();
  await expect(consolePage.row("Finance")).toBeVisible();
  // The tree receives the change only after the console was moved there.
  const letGo = await hold(page, "**/consoles/tree*");
  await page.request.delete(`${root}/folders/${folder.id}`);
  await consolePage.row("best-sellers.sql").dragTo(consolePage.row("Finance"));
  await expect(page.getByText("Couldn't save the change. Folder not found. Choose another one.")).toBeVisible();
  letGo();
  await expect(consolePage.row("Finance")).toHaveCount(0);
  expect(await readConsole(page.request, shownId(page))).toMatchObject({ path: "best-sellers" });
});

test("moves no folder into itself: by dragging, by menu, or concurrently", { tag: "@long" }, async ({
  page,
  consolePage,
}) => {
  const root = `/api/workspaces/${await workspaceIdOf(page.request)}/consoles/folders`;
  const make = async (name: string, parentId?: string) =>
    (await (await page.request.post(root, { data: { name, parentId } })).json()).data.id as string;
  const outer = await make("Outer");
  const inner = await make("Inner", outer);
  const other = await make("Other");
  await page.reload();
  await consolePage.row("Outer").click();
  await consolePage.row("Outer").dragTo(consolePage.row("Inner"));
  await expect(consolePage.row("Inner")).toHaveAttribute("aria-level", "3");
  await consolePage.choose("Outer", "Move to folder");
  const dialog = page.getByRole("dialog", { name: "Move Outer to" });
  await expect(dialog.getByRole("button", { name: "Other", exact: true })).toBeVisible();
  await expect(dialog.getByRole("button", { name: "Inner" })).toHaveCount(0);
  // Another user moves Other into Inner, so it is inside Outer. This page has not received the change yet.
  const letGo = await hold(page, "**/consoles/tree*");
  expect((await page.request.patch(`${root}/${other}`, { data: { parentId: inner } })).status()).toBe(200);
  await dialog.getByRole("button", { name: "Other", exact: true }).click();
  await expect(page.getByText(/A folder can't be moved into itself or its subfolders\./)).toBeVisible();
  letGo();
  await expect(consolePage.row("Outer")).toHaveAttribute("aria-level", "2");
});

test("keeps a text over 1 MiB unsaved, and says what to do", async ({ page, consolePage }) => {
  const id = shownId(page);
  await consolePage.write(`-- long\nselect '${"x".repeat(1024 * 1024)}'`);
  await consolePage.save.click();
  await expect(
    page.getByText("Couldn't save. Consoles are limited to about 1 MiB. Move some text to another console."),
  ).toBeVisible();
  await expect(consolePage.tabs.first()).toHaveAccessibleName("best-sellers.sql, unsaved changes");
  expect(await readHistory(page.request, id)).toHaveLength(1);
  await page.reload();
  await expect(consolePage.editor).toContainText("-- long");
});

test("saves a text of nearly 1 MiB and shows it in the history", { tag: "@long" }, async ({ page, consolePage }) => {
  const id = shownId(page);
  const text = `select 1${`\n-- ${"x".repeat(996)}`.repeat(1000)}`;
  await consolePage.write(text);
  await consolePage.save.click();
  await expect(consolePage.save).toHaveText("Saved", { timeout: 30_000 });
  expect((await readConsole(page.request, id))?.content).toBe(text);
  await page.getByRole("button", { name: "History", exact: true }).click();
  await expect(page.locator('[aria-label="After this version"]')).toContainText("select 1");
});

test("ignores saves of another console or workspace", { tag: "@long" }, async ({ page, browser }) => {
  const id = shownId(page);
  const other = await addConsole(page.request, { name: "other.sql", content: "select 'other'" });
  const [foreign] = await readHistory(page.request, other.id);
  await page.goto(`${page.url()}/history?sha=${foreign?.sha}`);
  await expect(page.getByRole("heading", { name: "Version not found" })).toBeVisible();
  await expect(page.getByRole("region", { name: "Version", exact: true })).not.toContainText("'other'");

  const jun = await join(browser, page, "member");
  await jun.page.goto(page.url().replace(/\?.*$/, ""));
  await expect(jun.page.getByRole("heading", { name: "Console not found" })).toBeVisible();
  await saveOver(page.request, id, "select 'still here'");
});
