import type { Request } from "@playwright/test";
import { ConsolePage } from "../pages/console-page";
import { addConsole, readConsole, readDraft, readHistory, saveOver, shownId } from "./consoles.fixtures";
import { expect, expectAccessible, test } from "./fixtures";
import { join, workspaceIdOf } from "./settings.fixtures";

test.beforeEach(async ({ consolePage, person }) => {
  await consolePage.open(person.slug);
  await expect(consolePage.tabs).toHaveText(["best-sellers.sql"]);
});

test("has the sample's console saved from the start", async ({ page, consolePage }) => {
  await expect(consolePage.save).toHaveText("Saved");
  await expect(page.getByText("All saved")).toBeVisible();
  expect(await readHistory(page.request, shownId(page))).toHaveLength(1);
});

test("keeps an edit as a draft until it is saved as a commit", async ({ page, consolePage }) => {
  const id = shownId(page);
  await consolePage.write("select 1 as one");
  await expect(consolePage.tabs.first()).toHaveAccessibleName("best-sellers.sql, unsaved changes");
  await expect(page.getByText("1 unsaved")).toBeVisible();
  await expect.poll(async () => (await readDraft(page.request, id))?.content).toBe("select 1 as one");
  await page.keyboard.press("ControlOrMeta+s");
  await expect(consolePage.save).toHaveText("Saved");
  await expect(consolePage.tabs.first()).toHaveAccessibleName("best-sellers.sql");
  expect((await readConsole(page.request, id))?.content).toBe("select 1 as one");
  expect(await readHistory(page.request, id)).toHaveLength(2);
  await expect.poll(() => readDraft(page.request, id)).toBeNull();
});

test("saves with a message", { tag: "@long" }, async ({ page, consolePage }) => {
  await consolePage.write("select 2");
  await page.keyboard.press("ControlOrMeta+Shift+s");
  const dialog = page.getByRole("dialog", { name: "Save best-sellers.sql" });
  await dialog.getByRole("textbox", { name: "Commit message" }).fill("Count in twos");
  await dialog.getByRole("button", { name: "Save version", exact: true }).click();
  await expect(consolePage.save).toHaveText("Saved");
  expect((await readHistory(page.request, shownId(page)))[0]?.subject).toBe("Count in twos");
});

test("keeps a draft over a reload and in another browser", async ({ page, person, consolePage, browser }) => {
  const id = shownId(page);
  await consolePage.write("select 'mine' as word");
  await page.reload();
  await expect(consolePage.editor).toContainText("select 'mine' as word");
  await expect.poll(async () => (await readDraft(page.request, id))?.content).toBe("select 'mine' as word");
  const other = await browser.newContext();
  await other.request.post("/api/auth/login", { data: { email: person.email, password: person.password } });
  const elsewhere = await other.newPage();
  await elsewhere.goto(`/w/${person.slug}`);
  await expect(elsewhere.getByRole("textbox", { name: / query$/ })).toContainText("select 'mine' as word");
  await other.close();
});

test("keeps offline edits and sends them when the server is back", { tag: "@long" }, async ({
  page,
  context,
  consolePage,
}) => {
  const id = shownId(page);
  await context.setOffline(true);
  await consolePage.write("select 'from the train' as place");
  await expect(page.getByText("You are offline.", { exact: true })).toBeVisible();
  await page.waitForFunction((key) => Object.keys(localStorage).some((each) => each.includes(key)), `:${id}`);
  await context.setOffline(false);
  await expect
    .poll(async () => (await readDraft(page.request, id))?.content, { timeout: 20_000 })
    .toBe("select 'from the train' as place");
});

test("restores tabs in another browser of the same person", { tag: "@long" }, async ({
  page,
  person,
  consolePage,
  browser,
}) => {
  await addConsole(page.request, { name: "second.sql", content: "select 2" });
  await page.reload();
  await consolePage.row("second.sql").click();
  await expect(consolePage.tabs).toHaveText(["best-sellers.sql", "second.sql"]);
  const kept = page.waitForResponse(
    (answer) => answer.url().endsWith("/api/me/preferences") && answer.request().method() === "PUT",
  );
  await consolePage.create();
  await consolePage.write("select 'never saved'");
  await kept;
  const other = await browser.newContext();
  await other.request.post("/api/auth/login", { data: { email: person.email, password: person.password } });
  await expect
    .poll(async () => JSON.stringify((await (await other.request.get("/api/me/preferences")).json()).data.panels))
    .toContain("never saved");
  const elsewhere = await other.newPage();
  await elsewhere.goto(`/w/${person.slug}`);
  const tabs = elsewhere.getByRole("tablist", { name: "Open consoles" }).getByRole("tab");
  await expect(tabs).toHaveText(["best-sellers.sql", "second.sql", /^untitled\.sql/]);
  await expect(elsewhere.getByRole("textbox", { name: / query$/ })).toContainText("never saved");
  await other.close();
});

test("keeps a new console in the browser until its first save", async ({ page, consolePage }) => {
  await consolePage.create();
  await consolePage.write("select 3 as three");
  await consolePage.run.click();
  await expect(consolePage.cell(1, 1)).toHaveText("3");
  await expect(consolePage.tabs.nth(1)).toHaveAccessibleName("untitled.sql, not saved yet");
  await consolePage.saveNew();
  await expect(page).toHaveURL(/\/consoles\/[0-9a-f]{24}$/);
  await expect(consolePage.tabs.nth(1)).toHaveAccessibleName("untitled.sql");
  // Result and text stay.
  await expect(consolePage.cell(1, 1)).toHaveText("3");
  expect(await readConsole(page.request, shownId(page))).toMatchObject({
    name: "untitled.sql",
    content: "select 3 as three",
    access: "private",
  });
  await consolePage.editor.click();
  await page.keyboard.press("ControlOrMeta+z");
  await expect(consolePage.editor).not.toContainText("three");
});

test("asks for name, folder and message on a first save", { tag: "@long" }, async ({ page, consolePage }) => {
  await consolePage.create();
  await consolePage.write("select 6");
  await page.keyboard.press("ControlOrMeta+s");
  const dialog = page.getByRole("dialog", { name: "Save console", exact: true });
  await expect(dialog.getByRole("textbox", { name: "Name" })).toBeFocused();
  await page.keyboard.type("shared-six.sql");
  await expect(dialog.getByText("Visible only to you.")).toBeVisible();
  await dialog.getByRole("combobox", { name: "Folder" }).click();
  await page.getByRole("option", { name: "Workspace" }).click();
  await expect(dialog.getByText("Visible to everyone in the workspace.")).toBeVisible();
  await dialog.getByRole("textbox", { name: "Commit message" }).fill("Six for all");
  await expectAccessible(page);
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/\/consoles\/[0-9a-f]{24}$/);
  expect(await readConsole(page.request, shownId(page))).toMatchObject({ name: "shared-six.sql", access: "workspace" });
  expect((await readHistory(page.request, shownId(page)))[0]?.subject).toBe("Six for all");
});

test("reports a taken name on a first save, and accepts another", { tag: "@long" }, async ({ page, consolePage }) => {
  await consolePage.create();
  await addConsole(page.request, { name: "untitled.sql", content: "select 0" });
  await expect(consolePage.row("untitled.sql")).toHaveCount(2);
  await consolePage.write("select 5");
  await consolePage.saveNew();
  const dialog = page.getByRole("dialog", { name: "Save console", exact: true });
  await expect(dialog.getByText("This folder already has a console with this name.")).toBeVisible();
  await expectAccessible(page);
  await dialog.getByRole("textbox", { name: "Name" }).fill("five.sql");
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/\/consoles\/[0-9a-f]{24}$/);
  await expect(consolePage.tabs.nth(1)).toHaveAccessibleName("five.sql");
});

test("renames, duplicates and deletes with undo, by menu and keys", async ({ page, consolePage }) => {
  const id = shownId(page);
  await consolePage.row("best-sellers.sql").click();
  await page.getByRole("tree", { name: "Consoles" }).focus();
  await page.keyboard.press("F2");
  await page.getByRole("textbox", { name: "Console name" }).fill("top ten.sql");
  await page.keyboard.press("Enter");
  await expect(consolePage.tabs).toHaveText(["top ten.sql"]);
  expect((await readHistory(page.request, id))[0]?.subject).toMatch(/^Rename/);

  await consolePage.choose("top ten.sql", "Duplicate");
  await expect(consolePage.tabs).toHaveText(["top ten.sql", "top ten copy.sql"]);
  await expect(consolePage.editor).toContainText("Sample shop");

  await consolePage.write("select 'unsaved on the copy'");
  await page.getByRole("tree", { name: "Consoles" }).focus();
  await page.keyboard.press("Shift+F10");
  await page.getByRole("menuitem", { name: "Delete" }).click();
  await expect(consolePage.tabs).toHaveText(["top ten.sql"]);
  await page.getByRole("button", { name: "Undo" }).click();
  await expect(consolePage.tabs).toHaveCount(2);
  await expect(consolePage.editor).toContainText("unsaved on the copy");
});

test("creates, renames and fills folders by dragging and menu, and deletes them with contents", async ({
  page,
  consolePage,
}) => {
  const id = shownId(page);
  await page.getByRole("button", { name: "New folder" }).click();
  await page.getByRole("textbox", { name: "Folder name" }).fill("Finance");
  await page.keyboard.press("Enter");
  await consolePage.row("best-sellers.sql").dragTo(consolePage.row("Finance"));
  await expect(page.getByText("best-sellers.sql moved to Finance.")).toBeVisible();
  expect((await readConsole(page.request, id))?.path).toBe("Finance/best-sellers");
  await expect(page.locator(".bar")).toContainText("Finance");

  await consolePage.undo("best-sellers.sql moved to Finance.");
  await expect.poll(async () => (await readConsole(page.request, id))?.path).toBe("best-sellers");
  await consolePage.choose("best-sellers.sql", "Move to folder");
  await page.getByRole("dialog").getByRole("button", { name: "Finance" }).click();
  await expect.poll(async () => (await readConsole(page.request, id))?.path).toBe("Finance/best-sellers");

  await consolePage.choose("Finance", "New folder");
  await page.getByRole("textbox", { name: "Folder name" }).fill("Tax");
  await page.keyboard.press("Enter");
  await expect(consolePage.row("Tax")).toHaveAttribute("aria-level", "3");
  await consolePage.choose("Tax", "New console");
  await expect(consolePage.tabs).toHaveText(["best-sellers.sql", "untitled.sql"]);

  await consolePage.choose("Finance", "Delete");
  await expect(page.getByRole("dialog")).toContainText("The 2 consoles in it are also deleted.");
  await page.getByRole("button", { name: "Delete folder" }).click();
  await expect(consolePage.tabs).toHaveCount(0);
  await consolePage.undo("Finance deleted");
  await expect(consolePage.tabs).toHaveText(["best-sellers.sql", "untitled.sql"]);
  expect((await readConsole(page.request, id))?.path).toBe("Finance/best-sellers");
  await expect(consolePage.row("Tax")).toHaveAttribute("aria-level", "3");
  await expect(consolePage.row("untitled.sql")).toHaveAttribute("aria-level", "4");
});

test("shows a shared console to the workspace, a private one to its owner only", async ({
  page,
  consolePage,
  browser,
}) => {
  const jun = await join(browser, page, "member");
  const link = page.url();
  await jun.page.goto(link);
  await expect(jun.page.getByRole("heading", { name: "Console not found" })).toBeVisible();
  await consolePage.choose("best-sellers.sql", "Share with the workspace");
  await expect(page.getByText("best-sellers.sql shared with the workspace")).toBeVisible();
  await jun.page.goto(link);
  await expect(jun.page.getByRole("textbox", { name: / query$/ })).toContainText("Sample shop");
  await expect(
    jun.page.getByRole("tree", { name: "Consoles" }).getByRole("treeitem", { name: "best-sellers.sql" }),
  ).toHaveAttribute("aria-level", "2");
  await consolePage.choose("best-sellers.sql", "Make private");
  await expect(page.getByText("best-sellers.sql is now private.")).toBeVisible();
  await jun.page.reload();
  await expect(jun.page.getByRole("heading", { name: "Console not found" })).toBeVisible();
});

test("opens one folder at a time, page by page, and reveals the console in the address", { tag: "@long" }, async ({
  page,
  consolePage,
}) => {
  const root = `/api/workspaces/${await workspaceIdOf(page.request)}/consoles`;
  const makeFolder = async (name: string, parentId?: string) =>
    (await (await page.request.post(`${root}/folders`, { data: { name, parentId } })).json()).data.id as string;
  const outer = await makeFolder("Outer");
  const inner = await makeFolder("Inner", outer);
  for (const name of ["c1.sql", "c2.sql", "c3.sql"])
    await addConsole(page.request, { name, content: "select 1", folderId: inner });
  const last = await addConsole(page.request, { name: "c4.sql", content: "select 4", folderId: inner });
  const asked = new Set<string>();
  // Smaller pages than the product's.
  await page.route("**/consoles/tree*", (route) => {
    asked.add(new URL(route.request().url()).searchParams.get("folderId") ?? "top");
    return route.continue({ url: route.request().url().replace("limit=100", "limit=3") });
  });
  let isListed = false;
  page.on("request", (request) => {
    isListed ||= new URL(request.url()).pathname === root && request.method() === "GET";
  });
  await page.reload();
  await expect(consolePage.row("Outer")).toContainText("4");
  expect([...asked]).toEqual(["top"]);

  // A console after the first page is shown with the folders around it.
  await page.goto(page.url().replace(/[0-9a-f]{24}$/, last.id));
  await expect(consolePage.row("Inner")).toHaveAttribute("aria-level", "3");
  await expect(consolePage.row("c1.sql")).toHaveAttribute("aria-setsize", "-1");
  await expect(consolePage.row("c4.sql")).toHaveAttribute("aria-selected", "true");
  const tree = page.getByRole("tree", { name: "Consoles" });
  await tree.focus();
  await tree.press("ArrowDown");
  await tree.press("Enter");
  await expect(tree.getByRole("treeitem", { name: "Show more" })).toHaveCount(0);
  await expect(consolePage.row("c4.sql")).toHaveAttribute("aria-setsize", "4");
  expect(isListed).toBe(false);
});

test("explains a failed tree and reloads it on request", { tag: "@long" }, async ({ page, consolePage }) => {
  let isBroken = true;
  const failure = { success: false, error: "Something broke on our side.", code: "internal" };
  await page.route(/\/consoles\/tree\?/, (route) =>
    isBroken ? route.fulfill({ status: 500, json: failure }) : route.continue(),
  );
  await page.reload();
  const section = page.getByRole("region", { name: "Consoles" });
  await expect(section.getByText("Something broke on our side.")).toBeVisible();
  const retry = section.getByRole("button", { name: "Retry" });
  const asked = page.waitForRequest(/\/consoles\/tree\?/);
  await retry.click();
  await asked;
  await expect(retry).toBeVisible();
  isBroken = false;
  // Changes elsewhere reload the tree too: then there is no button left to click.
  await expect(async () => {
    if (await retry.isVisible()) await retry.click({ timeout: 1000 });
    await expect(consolePage.row("best-sellers.sql")).toBeVisible({ timeout: 1000 });
  }).toPass();
});

test("returns the draft of a console that was deleted elsewhere", { tag: "@long" }, async ({
  page,
  person,
  consolePage,
}) => {
  const id = shownId(page);
  await consolePage.write("select 'do not lose me'");
  await expect.poll(async () => (await readDraft(page.request, id))?.content).toContain("do not lose me");
  const workspaces = await (await page.request.get("/api/workspaces")).json();
  await page.request.delete(`/api/workspaces/${workspaces.data[0].id}/consoles/${id}`);
  await page.goto(`/w/${person.slug}/consoles/${id}`);
  await expect(page.getByRole("heading", { name: "Console not found" })).toBeVisible();
  await page.getByRole("button", { name: "Save as new console" }).click();
  await expect(consolePage.editor).toContainText("do not lose me");
});

test("offers the draft of a deleted console in the list", { tag: "@long" }, async ({ page, person, consolePage }) => {
  const id = shownId(page);
  await consolePage.write("select 'typed before it went'");
  await expect.poll(async () => (await readDraft(page.request, id))?.content).toContain("before it went");
  const workspaces = await (await page.request.get("/api/workspaces")).json();
  await page.request.delete(`/api/workspaces/${workspaces.data[0].id}/consoles/${id}`);
  const other = await addConsole(page.request, { name: "other.sql", content: "select 'other'" });
  await page.goto(`/w/${person.slug}/consoles/${other.id}`);
  const section = page.getByRole("region", { name: "Consoles" });
  await expect(section.getByText("A console with your unsaved changes was deleted.")).toBeVisible();
  await section.getByRole("button", { name: "Save as new console" }).click();
  await expect(consolePage.editor).toContainText("typed before it went");
  await expect(section.getByText("unsaved changes")).toHaveCount(0);
});

test("leaves no unsaved text of a console deleted here", { tag: "@long" }, async ({ page, consolePage }) => {
  await consolePage.write("select 'mine to throw away'");
  await expect(page.getByText("1 unsaved")).toBeVisible();
  await consolePage.choose("best-sellers.sql", "Delete");
  await expect(page.getByText("All saved")).toBeVisible();
  await expect(page.getByText("unsaved changes")).toHaveCount(0);
});

test.describe("when someone else has saved first", () => {
  const THEIRS = "select 'theirs' as a;\n\nselect 1;\n\n\n\nselect 'their end';";
  const MINE = "select 'mine' as a;\n\nselect 2;\n\n\n\nselect 'same';";
  /** Edits of other lines are merged. */
  const merged = (start: "mine" | "theirs") => `select '${start}' as a;\n\nselect 2;\n\n\n\nselect 'their end';`;

  test.beforeEach(async ({ page, consolePage }) => {
    const id = shownId(page);
    await saveOver(page.request, id, "select 'old' as a;\n\nselect 1;\n\n\n\nselect 'same';");
    await page.reload();
    await consolePage.write(MINE);
    await saveOver(page.request, id, THEIRS);
    await consolePage.save.click();
    await expect(page.getByRole("region", { name: "Compare versions" })).toBeVisible();
  });

  test("compares both texts and keeps mine", { tag: "@long" }, async ({ page, consolePage }) => {
    const compare = page.getByRole("region", { name: "Compare versions" });
    await expect(compare.getByRole("heading")).toHaveText("You changed this console elsewhere while you edited it");
    await expect(compare.getByRole("textbox", { name: "Your version" })).toContainText("'mine'");
    await expect(compare.locator('[aria-label="Saved version"]')).toContainText("'theirs'");
    await expect(compare).toContainText("1 conflict.");
    await compare.getByRole("button", { name: "Keep mine" }).click();
    await expect(compare).toHaveCount(0);
    await expect(consolePage.save).toHaveText("Saved");
    expect((await readConsole(page.request, shownId(page)))?.content).toBe(merged("mine"));
  });

  test("takes theirs, and undo restores mine", { tag: "@long" }, async ({ page, consolePage }) => {
    await page.getByRole("button", { name: "Use theirs", exact: true }).click();
    await expect(consolePage.editor).toContainText("'theirs'");
    await expect(consolePage.save).toHaveText("Saved");
    await page.getByRole("button", { name: "Undo" }).click();
    await expect(consolePage.editor).toContainText("'mine'");
    expect((await readConsole(page.request, shownId(page)))?.content).toBe(merged("theirs"));
  });

  test("takes single changes and saves the merged text", { tag: "@long" }, async ({ page }) => {
    await page.getByRole("button", { name: "Use saved version of this change" }).first().click();
    await page.getByRole("button", { name: "Save merged version" }).click();
    await expect(page.getByRole("region", { name: "Compare versions" })).toHaveCount(0);
    expect((await readConsole(page.request, shownId(page)))?.content).toBe(merged("theirs"));
  });

  test("can wait, with a notice until it is resolved", { tag: "@long" }, async ({ page, consolePage }) => {
    await page.getByRole("button", { name: "Not now" }).click();
    await expect(consolePage.editor).toContainText("'mine'");
    await expect(page.getByText("This console was changed elsewhere.")).toBeVisible();
    await page.reload();
    await page.getByRole("button", { name: "Compare" }).click();
    await expect(page.getByRole("textbox", { name: "Your version" })).toContainText("'mine'");
  });
});

test("names the other member, and loses neither text", async ({ page, consolePage, browser }) => {
  const shared = await addConsole(page.request, { name: "shared.sql", content: "select 'old'", access: "workspace" });
  const jun = await join(browser, page, "member");
  await page.reload();
  await consolePage.row("shared.sql").click();
  await expect(consolePage.editor).toContainText("'old'");
  await consolePage.write("select 'ines'");
  await saveOver(page.request, shared.id, "select 'jun'", jun.page.request);
  await consolePage.save.click();
  const compare = page.getByRole("region", { name: "Compare versions" });
  await expect(compare.getByRole("heading")).toHaveText(/^Jun .*changed this console while you edited it$/);
  await compare.getByRole("button", { name: "Keep mine" }).click();
  await expect(consolePage.save).toHaveText("Saved");
  const [mine, theirs] = await readHistory(page.request, shared.id);
  expect(mine?.subject).toBe("Save shared");
  await page.goto(`${page.url()}/history?sha=${theirs?.sha}`);
  await expect(page.locator('[aria-label="After this version"]')).toContainText("'jun'");
});

test("saves despite a rename by someone else", { tag: "@long" }, async ({ page, consolePage }) => {
  const id = shownId(page);
  await consolePage.write("select 11");
  const workspaces = await (await page.request.get("/api/workspaces")).json();
  const renamed = await page.request.put(`/api/workspaces/${workspaces.data[0].id}/consoles/${id}`, {
    data: { version: 1, name: "renamed.sql" },
  });
  expect(renamed.status()).toBe(200);
  await consolePage.save.click();
  await expect(consolePage.save).toHaveText("Saved");
  expect(await readConsole(page.request, id)).toMatchObject({ name: "renamed.sql", content: "select 11" });
});

test("binds typed variable values and never writes them into the query", async ({ page, consolePage }) => {
  await consolePage.write(
    "select {{word}} as word, {{min_price}} + 1 as n, {{is_open}} as yes, cast({{since}} as date) as day",
  );
  const bar = page.getByRole("region", { name: "Variables" });
  await expect(bar.getByRole("combobox")).toHaveText(["Text", "Number", "Boolean", "Date", "Date"]);
  await bar.getByLabel("word", { exact: true }).fill("it's; drop table products --");
  const sent = page.waitForRequest(/\/consoles\/[0-9a-f]{24}\/execute$/);
  await consolePage.run.click();
  await expect(bar.getByText("Enter a number")).toBeVisible();
  await expect(bar.getByLabel("min_price", { exact: true })).toBeFocused();
  await bar.getByLabel("min_price", { exact: true }).fill("41");
  await bar.getByLabel("is_open", { exact: true }).check();
  await bar.getByLabel("since", { exact: true }).fill("2026-05-31");
  await consolePage.run.click();
  expect((await sent).postDataJSON()).toMatchObject({
    content: expect.stringContaining("{{word}}"),
    variables: {
      word: { type: "text", value: "it's; drop table products --" },
      min_price: { type: "number", value: 41 },
      is_open: { type: "boolean", value: true },
      since: { type: "date", value: "2026-05-31" },
    },
  });
  await expect(consolePage.cell(1, 1)).toHaveText("it's; drop table products --");
  await expect(consolePage.cell(1, 2)).toHaveText("42");
  await expect(consolePage.cell(1, 4)).toContainText("2026-05-31");
  // The values survive a reload, and the kind can be changed.
  await page.reload();
  await expect(bar.getByLabel("min_price", { exact: true })).toHaveValue("41");
  await bar.getByRole("combobox", { name: "Type of min_price" }).click();
  await page.getByRole("option", { name: "Text" }).click();
  await expect(bar.getByRole("combobox", { name: "Type of min_price" })).toHaveText("Text");
  // Defaults are the initial values of everyone.
  await bar.getByRole("button", { name: "Save as defaults" }).dblclick();
  await expect(page.getByText("Defaults saved")).toBeVisible();
  await expect(page.getByText("Couldn't save the change.")).toHaveCount(0);
  await expect(bar.getByRole("button", { name: "Save as defaults" })).toBeHidden();
  await page.evaluate(() => localStorage.clear());
  await page.reload();
  await expect(bar.getByLabel("min_price", { exact: true })).toHaveValue("41");
  await expect(bar.getByLabel("since", { exact: true })).toHaveValue("2026-05-31");
});

test("leaves optional clauses out, and has presets, lists and a link for values", async ({ page, consolePage }) => {
  await consolePage.write("select 'paid' as status union all select 'open'");
  await consolePage.save.click();
  const bar = page.getByRole("region", { name: "Variables" });
  await consolePage.create();
  await consolePage.write(
    "select s from (select 'paid' as s union all select 'open') t where {{since}} <= '2999-01-01' [[and s = {{status}}]] order by s",
  );
  await bar.getByRole("combobox", { name: "Date of since" }).click();
  await page.getByRole("option", { name: /^This month/ }).click();
  await consolePage.run.click();
  await expect(consolePage.cell(1, 1)).toHaveText("open");
  await expect(consolePage.cell(2, 1)).toHaveText("paid");
  await bar.getByLabel("status", { exact: true }).fill("paid");
  await consolePage.run.click();
  await expect(consolePage.cell(1, 1)).toHaveText("paid");
  await expect(page).toHaveURL(/[?&]var\.status=paid/);
  await page.evaluate(() => localStorage.removeItem("millrace:variables"));
  await page.reload();
  await expect(bar.getByLabel("status", { exact: true })).toHaveValue("paid");
  await expect(bar.getByRole("combobox", { name: "Date of since" })).toHaveText("This month");
  // A click in the same task, before the router has the address, runs with the new value.
  const type = (input: HTMLElement, button: HTMLElement | SVGElement | null) => {
    Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value")?.set?.call(input, "open");
    input.dispatchEvent(new Event("input", { bubbles: true }));
    (button as HTMLElement).click();
  };
  const sent = page.waitForRequest(/\/execute$/);
  await bar.getByLabel("status", { exact: true }).evaluate(type, await consolePage.run.elementHandle());
  expect((await sent).postDataJSON().variables.status).toEqual({ type: "text", value: "open" });
  await expect(page).toHaveURL(/[?&]var\.status=open/);
  await expect(consolePage.cell(1, 1)).toHaveText("open");
  await bar.getByLabel("status", { exact: true }).fill("paid");
  // Another console lists the values, once this one is saved.
  await consolePage.saveNew();
  await bar.getByRole("button", { name: "List for status" }).click();
  await page.getByRole("combobox", { name: "Values from console" }).click();
  const kept = page.waitForResponse((response) => response.request().method() === "PUT" && response.ok());
  await page
    .getByRole("option", { name: /best-sellers/ })
    .first()
    .click();
  await kept;
  await page.keyboard.press("Escape");
  // A saved list is read when it is first opened, with the time zone of the user.
  const isRead = (request: Request) =>
    request.url().endsWith("/execute") && request.postDataJSON()?.timeoutMs === 10_000;
  let reads = 0;
  page.on("request", (request) => {
    if (isRead(request)) reads += 1;
  });
  await page.reload();
  const value = bar.getByRole("combobox", { name: "Value of status" });
  await expect(value).toHaveText("paid");
  expect(reads).toBe(0);
  const read = page.waitForRequest(isRead);
  await value.click();
  const timezone = await page.evaluate(() => Intl.DateTimeFormat().resolvedOptions().timeZone);
  expect((await read).postDataJSON()).toMatchObject({ timezone, limit: 1000, readOnly: true });
  await page.getByRole("option", { name: "open", exact: true }).click();
  await consolePage.run.click();
  await expect(consolePage.cell(1, 1)).toHaveText("open");
});

test("binds variables in a console that was never saved, and runs on Enter", { tag: "@long" }, async ({
  page,
  consolePage,
}) => {
  await consolePage.create();
  await consolePage.write("select {{n}} * 2 as n");
  const value = page.getByRole("region", { name: "Variables" }).getByLabel("n", { exact: true });
  await value.fill("7");
  const sent = page.waitForRequest(/\/databases\/[0-9a-f]{24}\/execute$/);
  await value.press("Enter");
  expect((await sent).postDataJSON()).toMatchObject({ query: "select {{n}} * 2 as n" });
  await expect(consolePage.cell(1, 1)).toHaveText("14");
  // The first save includes the values.
  await consolePage.saveNew();
  await expect(consolePage.save).toHaveText("Saved");
  await value.fill("8");
  await value.press("Enter");
  await expect(consolePage.cell(1, 1)).toHaveText("16");
});

test("reports an empty console until something is typed", { tag: "@long" }, async ({ page, consolePage }) => {
  await consolePage.newConsole.click();
  await consolePage.run.click();
  const said = consolePage.strip.getByText("Nothing to run. Write a query first.");
  await expect(said).toBeVisible();
  await expect(consolePage.editor).toBeFocused();
  await expectAccessible(page);
  await page.keyboard.type("select 1 as one");
  await expect(said).toHaveCount(0);
});

test("marks a rejected write once, and offers writable connections", { tag: "@long" }, async ({
  page,
  consolePage,
}) => {
  const wid = (await (await page.request.get("/api/workspaces")).json()).data[0].id;
  const made = await page.request.post(`/api/workspaces/${wid}/connectors`, {
    data: { name: "Scratch", type: "duckdb", config: { file: "scratch.duckdb" }, readOnly: false },
  });
  expect(made.status()).toBe(201);
  await page.reload();
  await consolePage.write("select 1;\n\ncreate table made_here as select 1 as n");
  await consolePage.run.click();
  const panel = page.locator(".error-panel");
  await expect(panel.getByRole("heading")).toHaveText("Connection is read-only");
  await expect(panel.getByRole("img", { name: "Query line 3" })).toContainText("create table");
  expect(((await panel.textContent()) ?? "").match(/read-only/g)).toHaveLength(1);
  await expect(panel.getByRole("link", { name: / settings$/ })).toBeVisible();
  await expectAccessible(page);
  await panel.getByRole("button", { name: "Switch to Scratch" }).click();
  await panel.getByRole("button", { name: "Run again" }).click();
  await expect(panel).toHaveCount(0);
});

test("names and numbers result tabs, closes and pins them", { tag: "@long" }, async ({ page, consolePage }) => {
  await consolePage.write("select 'first' as step;\nselect 'second' as step");
  await page.keyboard.press("ControlOrMeta+Shift+Enter");
  const tabs = page.getByRole("tablist", { name: "Results" }).getByRole("tab");
  await expect(tabs).toHaveCount(2);
  await expect(tabs.nth(0)).toHaveAccessibleName("1 select 'first' as step 1 row");
  await expect(tabs.nth(1)).toHaveAttribute("aria-selected", "true");
  await tabs.nth(1).focus();
  await page.keyboard.press("ArrowLeft");
  await expect(tabs.nth(0)).toBeFocused();
  await expect(consolePage.cell(1, 1)).toHaveText("first");
  await page.getByRole("button", { name: "Pin this result", exact: true }).click();
  await expectAccessible(page);

  await consolePage.write("select 'third' as step");
  await consolePage.run.click();
  await expect(consolePage.cell(1, 1)).toHaveText("third");
  await expect(tabs).toHaveCount(2);
  await expect(tabs.nth(0)).toHaveAccessibleName("Pinned select 'first' as step 1 row");
  await tabs.nth(0).click();
  await expect(consolePage.cell(1, 1)).toHaveText("first");
  await tabs.nth(0).press("Delete");
  await expect(consolePage.cell(1, 1)).toHaveText("third");
  await expect(page.getByRole("tablist", { name: "Results" })).toHaveCount(0);
});

test("keeps the results before a failed statement, in tabs with the names of comments and tables", async ({
  page,
  consolePage,
}) => {
  const counts = Array.from({ length: 12 }, (_, i) => `-- Count number ${i}\nselect ${i} as n;`);
  await consolePage.write(
    `select 'first' as step from products limit 1;\n${counts.join("\n")}\nselect * from nowhere;\nselect 3`,
  );
  await page.keyboard.press("ControlOrMeta+Shift+Enter");
  const tabs = page.getByRole("tablist", { name: "Results" }).getByRole("tab");
  await expect(tabs).toHaveCount(14);
  await expect(tabs.nth(0)).toHaveAccessibleName("1 products 1 row");
  await expect(tabs.nth(1)).toHaveAccessibleName("2 Count number 0 1 row");
  await expect(tabs.nth(13)).toHaveAccessibleName("14 nowhere failed");
  await expect(tabs.nth(13)).toHaveAttribute("aria-selected", "true");
  await expect(tabs.nth(13)).toBeInViewport();
  const panel = page.locator(".error-panel");
  await expect(panel).toContainText("Statement 14 of 15.");
  await expectAccessible(page);
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    for (const width of [1440, 1024, 390]) {
      await page.setViewportSize({ width, height: 844 });
      const wide = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
      expect([width, wide]).toEqual([width, 0]);
      const shots = process.env.REVIEW_SHOTS;
      if (shots) await page.screenshot({ path: `${shots}/failed-${width}-${colorScheme}.png` });
    }
  }
  await page.setViewportSize({ width: 1440, height: 900 });
  await tabs.nth(13).focus();
  await page.keyboard.press("ArrowRight");
  await expect(tabs.nth(0)).toBeInViewport();
  await expect(consolePage.cell(1, 1)).toHaveText("first");
  await expect(panel).toHaveCount(0);
  await page.keyboard.press("ArrowLeft");
  await expect(panel).toBeVisible();

  // Alone, a failed statement has no tabs.
  await consolePage.write("select * from nowhere");
  await consolePage.run.click();
  await expect(panel).toBeVisible();
  await expect(tabs).toHaveCount(0);
  await expect(page.getByText("Last successful result available.")).toHaveCount(0);
});

test("copies a link to the console and says who can open it", { tag: "@long" }, async ({
  page,
  context,
  consolePage,
}) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await consolePage.choose("best-sellers.sql", "Copy link");
  await expect(page.getByText(/It is private; share it with the workspace first\./)).toBeVisible();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(page.url());
  await consolePage.choose("best-sellers.sql", "Share with the workspace");
  await consolePage.choose("best-sellers.sql", "Copy link");
  await expect(page.getByText(/ copied\. Everyone in the workspace can open it\./)).toBeVisible();
});

test("opens one run by its link: who ran what, and the outcome", { tag: "@long" }, async ({
  page,
  context,
  consolePage,
  browser,
}) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await consolePage.choose("best-sellers.sql", "Share with the workspace");
  await consolePage.write("select 4 as four");
  await consolePage.run.click();
  await expect(consolePage.cell(1, 1)).toHaveText("4");
  await page.keyboard.press("ControlOrMeta+Shift+p");
  await page.getByRole("combobox", { name: "Search or jump to" }).fill("link to last run");
  await page.keyboard.press("Enter");
  await expect(page.getByText(/Link to best-sellers\.sql copied\./)).toBeVisible();
  const link = await page.evaluate(() => navigator.clipboard.readText());
  expect(link).toMatch(/\/consoles\/[0-9a-f]{24}\?run=[0-9a-f-]{36}$/);
  // The last run's rows are stored with the console and shown unchanged.
  const jun = await join(browser, page, "admin");
  await jun.page.goto(link);
  await expect(new ConsolePage(jun.page).cell(1, 1)).toHaveText("4");
  await expect(jun.page.getByRole("region", { name: "Linked run" })).toHaveCount(0);
  await consolePage.write("select 5 as five");
  await consolePage.run.click();
  await expect(consolePage.cell(1, 1)).toHaveText("5");
  await jun.page.goto(link);
  const run = jun.page.getByRole("region", { name: "Linked run" });
  await expect(run).toContainText("by Ines Okafor");
  await expect(run).toContainText("Succeeded");
  await expect(run.getByRole("region", { name: "Query", exact: true })).toContainText("select 4 as four");
  await run.getByRole("button", { name: "Close linked run" }).click();
  await expect(run).toHaveCount(0);
  await expect(jun.page).toHaveURL(/\/consoles\/[0-9a-f]{24}$/);
  // A member opens the console, and sees only their runs.
  const mateo = await join(browser, page, "member", "Mateo Silva");
  await mateo.page.goto(link);
  const kept = mateo.page.getByRole("region", { name: "Linked run" });
  await expect(kept).toContainText("Only its author and admins can view it.");
  await expect(kept.getByRole("region", { name: "Query", exact: true })).toHaveCount(0);
});
