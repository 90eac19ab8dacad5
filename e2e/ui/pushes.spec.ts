import type { APIRequestContext, Browser, Page } from "@playwright/test";
import { ConsolePage } from "../pages/console-page";
import { addConsole, readConsole } from "./consoles.fixtures";
import { addDashboard, readDashboard } from "./dashboard.fixtures";
import { expect, expectAccessible, type Person, test } from "./fixtures";
import { type FileChanges, pushFiles } from "./git.fixtures";
import { join, workspaceIdOf } from "./settings.fixtures";

const BASE = "select 1 as a;\n\nselect 2 as b;\n\nselect 3 as c;\n";
const MINE = BASE.replace("1", "'mine'");
const FILE = "consoles/shared.sql";

/** Opens a page and waits for its stream of events, without which nothing could name a push. */
async function openLive(page: Page, url: string): Promise<void> {
  await Promise.all([page.waitForResponse((response) => response.url().includes("/events?")), page.goto(url)]);
}

test.describe("an open console that a colleague changes by a push", () => {
  let jun: APIRequestContext;
  let id: string;
  let consolePage: ConsolePage;
  let push: (changes: FileChanges) => Promise<string>;

  async function open(browser: Browser, page: Page, person: Person, baseURL: string) {
    ({ request: jun } = await join(browser, page, "admin"));
    ({ id } = await addConsole(page.request, { name: "shared.sql", content: BASE, access: "workspace" }));
    const workspaceId = await workspaceIdOf(page.request);
    push = (changes) => pushFiles(jun, workspaceId, baseURL, changes);
    await openLive(page, `/w/${person.slug}/consoles/${id}`);
    consolePage = new ConsolePage(page);
    await consolePage.editor.waitFor();
  }
  test.beforeEach(async ({ browser, page, person, baseURL }) => open(browser, page, person, baseURL ?? ""));

  const notice = (page: Page) => page.getByRole("status").filter({ hasText: "Jun Abe pushed" });

  test("shows the new text at once, with the push and its diff", async ({ page }) => {
    const sha = await push({ [FILE]: BASE.replace("3", "'pushed'"), "apps/shop/a.ts": "1\n" });
    await expect(consolePage.editor).toContainText("select 'pushed' as c");
    await expect(notice(page)).toContainText(`Jun Abe pushed ${sha}: 2 files changed.`);
    await expectAccessible(page);
    await notice(page).getByRole("button", { name: "View diff" }).click();
    const diff = page.getByRole("dialog", { name: `Jun Abe pushed ${sha}` });
    await expect(diff.locator(".cm-deletedChunk")).toContainText("select 3 as c");
    await expectAccessible(page);
    await page.keyboard.press("Escape");
    await notice(page).getByRole("button", { name: "Dismiss" }).click();
    await expect(notice(page)).toHaveCount(0);
  });

  test("merges edits of other lines into the draft, and keeps the cursor", async ({ page }) => {
    await consolePage.write(MINE);
    await page.keyboard.press("ControlOrMeta+Home");
    await page.keyboard.press("End");
    const sha = await push({ [FILE]: BASE.replace("3", "'pushed'") });
    await expect(notice(page)).toContainText(`Jun Abe pushed ${sha}: 1 file changed. Merged into your draft.`);
    await page.keyboard.insertText(" -- typed");
    await expect(consolePage.editor).toContainText("select 'mine' as a; -- typed");
    await expect(consolePage.editor).toContainText("select 'pushed' as c");
    await consolePage.save.click();
    await expect(consolePage.save).toHaveText("Saved");
    expect((await readConsole(page.request, id))?.content).toBe(
      "select 'mine' as a; -- typed\n\nselect 2 as b;\n\nselect 'pushed' as c;\n",
    );
  });

  test("keeps a draft with edits of the same lines, until the user compares or reloads", async ({ page }) => {
    await consolePage.write(MINE);
    await push({ [FILE]: BASE.replace("1", "'pushed'").replace("3", "'merged'") });
    await expect(notice(page)).toContainText("Your draft is kept.");
    await expect(consolePage.editor).toContainText("select 'mine' as a");
    await expectAccessible(page);
    await notice(page).getByRole("button", { name: "Compare" }).click();
    const compare = page.getByRole("region", { name: "Compare versions" });
    await expect(compare).toContainText("1 conflict. Changes of other lines are merged into both sides.");
    await expect(compare.getByRole("textbox", { name: "Your version" })).toContainText("'merged'");
    await compare.getByRole("button", { name: "Not now" }).click();
    await notice(page).getByRole("button", { name: "Reload" }).click();
    await expect(consolePage.editor).toContainText("select 'pushed' as a");
    await expect(notice(page)).toHaveCount(0);
    await page.getByRole("button", { name: "Undo" }).click();
    await expect(consolePage.editor).toContainText("select 'mine' as a");
    await page.getByRole("button", { name: "Compare" }).click();
    await compare.getByRole("button", { name: "Use saved version of this change" }).click();
    await compare.getByRole("button", { name: "Save merged version" }).click();
    await expect(compare).toHaveCount(0);
    expect((await readConsole(page.request, id))?.content).toBe(BASE.replace("1", "'pushed'").replace("3", "'merged'"));
  });

  test("names the push that deleted it, keeps the draft, and restores it", { tag: "@long" }, async ({ page }) => {
    await consolePage.write(MINE);
    const sha = await push({ [FILE]: null });
    await expect(page.getByRole("heading", { name: "Console deleted" })).toBeVisible();
    await expect(page.getByText(`Jun Abe pushed ${sha}: 1 file changed.`)).toBeVisible();
    await expect(page.getByText("Your unsaved draft is kept.")).toBeVisible();
    await expectAccessible(page);
    await page.getByRole("button", { name: "Restore console" }).click();
    await expect(consolePage.editor).toContainText("select 'mine' as a");
    await consolePage.save.click();
    await expect(consolePage.save).toHaveText("Saved");
    expect((await readConsole(page.request, id))?.content).toBe(MINE);
  });

  test("follows a rename", { tag: "@long" }, async ({ page }) => {
    await push({ [FILE]: null, "consoles/team/renamed.sql": BASE });
    await expect(consolePage.tabs.filter({ hasText: "renamed" })).toHaveCount(1);
    await expect(notice(page)).toContainText("New path: team/renamed");
  });
});

test.describe("an open dashboard that a colleague changes by a push", () => {
  const FILE = "dashboards/Shop pulse.json";
  const text = (id: string, x: number) => ({
    id,
    kind: "text",
    title: id,
    source: null,
    spec: { text: `About ${id}` },
    layout: { x, y: 0, w: 6, h: 4 },
  });
  type File = { description: string; widgets: { id: string; title: string }[] };
  const edit = (change: (file: File) => void) => (before: string) => {
    const file = JSON.parse(before) as File;
    change(file);
    return `${JSON.stringify(file, null, 2)}\n`;
  };
  const rename = (id: string, title: string) =>
    edit(({ widgets }) => {
      for (const widget of widgets) if (widget.id === id) widget.title = title;
    });
  let id: string;
  let jun: APIRequestContext;
  let workspaceId: string;
  // The owner registers first.
  test.beforeEach(async ({ browser, page, person: _ }) => {
    ({ request: jun } = await join(browser, page, "admin"));
    workspaceId = await workspaceIdOf(page.request);
    const widgets = [text("one", 0), text("two", 6)];
    ({ id } = await addDashboard(page.request, { title: "Shop pulse", access: "workspace", widgets }));
  });
  const card = (page: Page, name: string) => page.getByRole("article", { name, exact: true });
  const panel = (page: Page, name: string) => page.getByRole("complementary", { name, exact: true });

  test("shows the new version at once, with the push and its changes", async ({ page, person, baseURL }) => {
    await openLive(page, `/w/${person.slug}/dashboards/${id}`);
    await expect(card(page, "one")).toBeVisible();
    const sha = await pushFiles(jun, workspaceId, baseURL ?? "", { [FILE]: rename("one", "Pushed") });
    await expect(card(page, "Pushed")).toBeVisible();
    const notice = page.getByRole("status").filter({ hasText: `Jun Abe pushed ${sha}: 1 file changed.` });
    await expectAccessible(page);
    await notice.getByRole("button", { name: "View changes" }).click();
    await expect(page.getByRole("dialog")).toContainText("Renamed text “Pushed” from “one”");
    await page.keyboard.press("Escape");
    await notice.getByRole("button", { name: "Dismiss" }).click();
    await expect(notice).toHaveCount(0);
    await pushFiles(jun, workspaceId, baseURL ?? "", { [FILE]: null });
    await expect(page.getByRole("heading", { name: "Dashboard deleted" })).toBeVisible();
    await page.getByRole("button", { name: "Restore dashboard" }).click();
    await expect(card(page, "Pushed")).toBeVisible();
  });

  test("keeps unsaved changes in edit mode, merges other parts, and asks about the same one", async ({
    page,
    person,
    baseURL,
  }) => {
    await openLive(page, `/w/${person.slug}/dashboards/${id}/edit`);
    await page.getByRole("button", { name: "Edit one" }).click();
    await panel(page, "one").getByRole("textbox", { name: "Title" }).fill("Mine");
    await pushFiles(jun, workspaceId, baseURL ?? "", { [FILE]: rename("two", "Pushed two") });
    await expect(card(page, "Pushed two")).toBeVisible();
    await expect(card(page, "Mine")).toBeVisible();
    await expect(page.getByRole("status").filter({ hasText: "Jun Abe pushed" })).toContainText(
      "Merged with your changes.",
    );
    await expect(page.getByText("1 unsaved change")).toBeVisible();
    await pushFiles(jun, workspaceId, baseURL ?? "", { [FILE]: rename("one", "Pushed one") });
    const conflict = page.getByRole("alert").filter({ hasText: "Jun Abe pushed" });
    await expect(conflict).toContainText("Your changes are kept.");
    await expectAccessible(page);
    await conflict.getByRole("button", { name: "Compare" }).click();
    const dialog = page.getByRole("dialog", { name: "Compare changes" });
    await expect(dialog).toContainText("Renamed text “Pushed one” from “one”");
    await expectAccessible(page);
    await dialog.getByRole("button", { name: "Merge changes" }).click();
    await expect(conflict).toHaveCount(0);
    await page.getByRole("button", { name: "Save dashboard", exact: true }).click();
    await expect(page).toHaveURL(new RegExp(`/dashboards/${id}$`));
    const { widgets } = await readDashboard(page.request, id);
    expect(widgets.map(({ title }) => title).sort()).toEqual(["Mine", "Pushed two"]);
  });
});
