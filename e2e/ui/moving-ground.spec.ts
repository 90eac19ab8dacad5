import type { Page } from "@playwright/test";
import { ConsolePage } from "../pages/console-page";
import { addConsole, readConsole, saveOver, shownId } from "./consoles.fixtures";
import { expect, expectAccessible, test } from "./fixtures";
import { join, workspaceIdOf } from "./settings.fixtures";

test.use({ isLoadedAhead: true });

async function openShared(page: Page, slug: string, name = "moving.sql") {
  const { id } = await addConsole(page.request, { name, content: "select 1", access: "workspace" });
  await page.goto(`/w/${slug}/consoles/${id}`);
  const consolePage = new ConsolePage(page);
  await consolePage.editor.waitFor();
  return { id, consolePage };
}

/** Resolves when the parts of the page that are needed later are loaded, too. */
async function untilLoadedAhead(page: Page) {
  await page.waitForFunction(() => performance.getEntriesByName("millrace-loaded-ahead").length > 0, undefined, {
    timeout: 60_000,
  });
}

test("keeps an offline save with a notice, saves later, and needs nothing of the server meanwhile", async ({
  context,
  page,
  person,
}) => {
  test.slow();
  const { id, consolePage } = await openShared(page, person.slug);
  await untilLoadedAhead(page);
  const asked: string[] = [];
  page.on("request", (request) => {
    if (request.url().includes("/_next/")) asked.push(request.url());
  });
  await context.setOffline(true);
  await consolePage.write("select 'written offline' as text");
  await expect(consolePage.editor).toHaveText("select 'written offline' as text");
  await page.keyboard.press("ControlOrMeta+s");
  await expect(
    page.getByText("moving.sql is saved in this browser and will sync when the server is back."),
  ).toBeVisible();
  const save = page.getByRole("button", { name: "Offline", exact: true });
  await expect(save).toBeVisible();
  await expectAccessible(page);

  // Menus, dialogs, tooltips and the palette work offline.
  await page.getByRole("button", { name: "Console actions" }).click();
  await page.getByRole("menuitem", { name: /Move/ }).click();
  await expect(page.getByRole("dialog")).toBeVisible();
  await page.keyboard.press("Escape");
  await page.keyboard.press("ControlOrMeta+k");
  await expect(page.getByRole("dialog")).toBeVisible();
  await page.keyboard.press("Escape");
  await consolePage.editor.click();
  await page.keyboard.press("ControlOrMeta+Shift+s");
  await expect(page.getByRole("dialog")).toBeVisible();
  await page.keyboard.press("Escape");
  expect(asked).toEqual([]);
  expect((await readConsole(page.request, id))?.content).toBe("select 1");

  await context.setOffline(false);
  await expect(page.getByRole("button", { name: "Saved", exact: true })).toBeVisible({ timeout: 20_000 });
  await expect(page.getByText("moving.sql saved").first()).toBeVisible();
  expect((await readConsole(page.request, id))?.content).toBe("select 'written offline' as text");
});

test("places a new console that was saved offline when the server is back", { tag: "@long" }, async ({
  context,
  page,
  person,
}) => {
  test.slow();
  const { consolePage } = await openShared(page, person.slug);
  await consolePage.create();
  await consolePage.write("select 'new' as text");
  await untilLoadedAhead(page);
  await context.setOffline(true);
  await page.keyboard.press("ControlOrMeta+s");
  const dialog = page.getByRole("dialog", { name: "Save console", exact: true });
  await dialog.getByRole("textbox", { name: "Name" }).fill("on-the-train.sql");
  await dialog.getByRole("combobox", { name: "Folder" }).click();
  await page.getByRole("option", { name: "Workspace" }).click();
  await dialog.getByRole("button", { name: "Save console", exact: true }).click();
  await expect(page.getByRole("button", { name: "Offline", exact: true })).toBeVisible();
  await context.setOffline(false);
  await expect(page.getByRole("button", { name: "Saved", exact: true })).toBeVisible({ timeout: 20_000 });
  await expect(page).toHaveURL(/\/consoles\/[0-9a-f]{24}/);
  await expect(consolePage.editor).toContainText("select 'new' as text");
  expect(await readConsole(page.request, shownId(page))).toMatchObject({
    name: "on-the-train.sql",
    access: "workspace",
  });
});

test("offers to reload after a deployment, and keeps the typed text", async ({ page, person }) => {
  let isGone = false;
  // The server responds, but no longer has the parts of this build.
  await page.route("**/_next/static/**", (route) =>
    isGone ? route.fulfill({ status: 404, body: "" }) : route.continue(),
  );
  const { consolePage } = await openShared(page, person.slug);
  isGone = true;
  await consolePage.write("select 'typed before the deploy'");
  const notice = page.getByRole("alert").filter({ hasText: "A new version of Millrace is available." });
  await page.keyboard.press("ControlOrMeta+k");
  await expect(notice).toBeVisible({ timeout: 30_000 });
  await expect(consolePage.editor).toContainText("typed before the deploy");
  await expectAccessible(page);
  isGone = false;
  await notice.getByRole("button", { name: "Reload page", exact: true }).click();
  await expect(notice).toHaveCount(0);
  await expect(consolePage.editor).toContainText("typed before the deploy");
});

test("shows a colleague's save and typing before a conflict", async ({ browser, page, person }) => {
  const jun = await join(browser, page, "member");
  const { id, consolePage } = await openShared(page, person.slug);
  const url = `/api/workspaces/${await workspaceIdOf(page.request)}/consoles/${id}/draft`;
  await jun.request.put(url, { data: { content: "select 1 -- half of a thought" } });
  await expect(page.getByText("Jun Abe is editing")).toBeVisible();
  await expectAccessible(page);

  // Without a local change, the new text appears.
  await saveOver(page.request, id, "select 'of jun'", jun.request);
  await expect(consolePage.editor).toContainText("select 'of jun'");
  await expect(page.getByText("Jun Abe saved moving.sql")).toBeVisible();
  await expect(page.getByText("Jun Abe is editing")).toHaveCount(0);

  await consolePage.write("select 'mine'");
  await saveOver(page.request, id, "select 'of jun again'", jun.request);
  await expect(page.getByText("Jun Abe changed this console.")).toBeVisible();
  await expect(consolePage.editor).toContainText("select 'mine'");
});
