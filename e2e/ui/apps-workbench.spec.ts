import { appBench, benchOf } from "./apps.fixtures";
import { expect, expectAccessible, test } from "./fixtures";
import { join } from "./settings.fixtures";

// Each test starts dev servers and builds in sandboxes.
test.describe.configure({ timeout: 180_000 });

test("creates an app from a template and keeps edits as a draft until the commit", async ({ page, person }) => {
  const { read } = await appBench(page.request);
  await page.goto(`/w/${person.slug}/apps?new=1`);
  const dialog = page.getByRole("dialog", { name: "New app" });
  await dialog.getByRole("button", { name: "Create app" }).click();
  await expect(dialog.getByText("Enter a title.")).toBeVisible();
  await dialog.getByLabel("Title").fill("Gift finder");
  await dialog.getByRole("radio", { name: /Blank page/ }).check();
  await expectAccessible(page);
  await dialog.getByRole("button", { name: "Create app" }).click();
  await expect(page).toHaveURL(new RegExp(`/w/${person.slug}/apps/gift-finder/edit`));

  const bench = benchOf(page);
  await expect(bench.editor("index.html")).toContainText("Gift finder");
  await bench.type("index.html", "<h1>Gifts</h1>");
  await expect(bench.saved).toHaveText("Saved");
  await expect(bench.row(/index\.html/)).toContainText("Changed, uncommitted");
  const app = { id: "gift-finder", slug: "gift-finder", title: "" };
  expect(await read(app, "index.html")).toBe("<h1>Gifts</h1>");
  await expect(page.getByText("1 file changed")).toBeVisible();
  await expectAccessible(page);

  await page.getByRole("button", { name: "View 1 change" }).click();
  const changes = page.getByRole("region", { name: "Changes since the last commit" });
  await expect(changes.getByRole("textbox", { name: "Changes", exact: true })).toContainText("<h1>Gifts</h1>");
  await expectAccessible(page);
  await page.getByRole("textbox", { name: "Commit message" }).fill("Say what it is for");
  await page.getByRole("button", { name: "Commit 1 file" }).click();
  await expect(page.getByText("No changes to commit.")).toBeVisible();
  await expect(page.getByText("1 commit ahead")).toBeVisible();
});

test("creates, renames, uploads and deletes files and folders, by menu and keyboard", async ({ page, person }) => {
  const { make, read, write } = await appBench(page.request);
  const app = await make("Parts");
  await write(app, "src/parts/price.ts", "export const price = 1;\n");
  await page.goto(`/w/${person.slug}/apps/${app.slug}/edit`);
  const bench = benchOf(page);
  await page.getByRole("button", { name: "New folder" }).click();
  await bench.name("Folder name", "bindings");
  await bench.choose(/^bindings/, "New file");
  await bench.name("File name", "gifts.sql");
  await bench.type("bindings/gifts.sql", "select 1 as one");
  await expect(bench.saved).toHaveText("Saved");
  expect(await read(app, "bindings/gifts.sql")).toBe("select 1 as one");

  await bench.row(/^parts/).click();
  await bench.row(/^parts/).click();
  await bench.row(/price\.ts/).click();
  await bench.tree.focus();
  await page.keyboard.press("F2");
  await bench.name("File name", "cost.ts");
  await expect(bench.row(/cost\.ts/)).toBeVisible();
  await expect(bench.tab("cost.ts")).toHaveAttribute("aria-selected", "true");
  await bench.choose(/^src/, "Rename");
  await bench.name("Folder name", "lib");
  await expect(bench.editor("lib/parts/cost.ts")).toContainText("price");
  await expect.poll(() => read(app, "src/parts/price.ts")).toBeNull();

  // A picture of one pixel, and bytes that are not a picture.
  const pixel = Buffer.from(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
    "base64",
  );
  await page.getByLabel("Files to upload").setInputFiles([
    { name: "dot.png", mimeType: "image/png", buffer: pixel },
    { name: "data.bin", mimeType: "application/octet-stream", buffer: Buffer.from([0, 255, 1, 254]) },
  ]);
  await bench.row(/dot\.png/).click();
  await expect(page.getByRole("img", { name: "dot.png" })).toBeVisible();
  await expect(page.getByText("1 × 1")).toBeVisible();
  await bench.row(/data\.bin/).click();
  await expect(page.getByText("Binary file.")).toBeVisible();

  await bench.tree.focus();
  await page.keyboard.press("Delete");
  await page.getByRole("dialog", { name: "Delete data.bin?" }).getByRole("button", { name: "Delete file" }).click();
  await expect(bench.row(/data\.bin/)).toHaveCount(0);
  await expect(bench.tab("data.bin")).toHaveCount(0);
  await bench.choose(/^lib/, "Delete");
  await page.getByRole("dialog", { name: "Delete lib?" }).getByRole("button", { name: "Delete" }).click();
  await expect(bench.row(/^lib/)).toHaveCount(0);
  await expect.poll(() => read(app, "lib/parts/cost.ts")).toBeNull();
});

test("keeps edits while the server is away, also over a reload, and sends them later", { tag: "@long" }, async ({
  page,
  person,
  context,
}) => {
  const { make, read } = await appBench(page.request);
  const app = await make("Away");
  await page.goto(`/w/${person.slug}/apps/${app.slug}/edit?file=style.css`);
  const bench = benchOf(page);
  await expect(bench.editor("style.css")).toBeVisible();
  await page.route("**/files?**", (route) => (route.request().method() === "PUT" ? route.abort() : route.fallback()));
  await context.setOffline(true);
  await bench.type("style.css", "h1 { color: teal; }");
  await expect(bench.saved).toHaveText(/Offline. Saved in this browser/);
  await expect(page.getByRole("button", { name: /^Commit/ })).toBeDisabled();
  await context.setOffline(false);
  await page.reload();
  await expect(bench.editor("style.css")).toContainText("teal");
  expect(await read(app, "style.css")).not.toContain("teal");
  await page.unroute("**/files?**");
  await page.reload();
  await expect(bench.saved).toHaveText("Saved");
  await expect.poll(() => read(app, "style.css")).toBe("h1 { color: teal; }");
});

test("syncs saves between two tabs, and merges a file that both edited", { tag: "@long" }, async ({
  page,
  person,
  context,
}) => {
  const { make, read, write } = await appBench(page.request);
  const app = await make("Twice");
  await write(app, "note.md", "one\ntwo\n");
  const address = `/w/${person.slug}/apps/${app.slug}/edit?file=note.md`;
  await page.goto(address);
  const other = await context.newPage();
  await other.goto(address);
  const [bench, theirs] = [benchOf(page), benchOf(other)];
  await expect(bench.editor("note.md")).toContainText("two");
  await theirs.type("note.md", "one\ntwo\nthree\n");
  await expect(theirs.saved).toHaveText("Saved");
  await expect(bench.editor("note.md")).toContainText("three");

  // This tab's save is held back until the other tab's has arrived.
  let letGo = () => {};
  const held = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  await page.route("**/files?**", async (route) => {
    if (route.request().method() === "PUT") await held;
    await route.continue();
  });
  await bench.type("note.md", "mine\ntwo\nthree\n");
  await theirs.type("note.md", "one\ntwo\ntheirs\n");
  await expect(theirs.saved).toHaveText("Saved");
  letGo();
  await expect(page.getByRole("heading", { name: /note\.md changed while you edited it/ })).toBeVisible();
  await expect(bench.saved).toHaveText("Conflict in a file");
  await expectAccessible(page);
  expect(await read(app, "note.md")).toBe("one\ntwo\ntheirs\n");
  await page.getByRole("button", { name: "Use saved version of this change" }).last().click();
  await page.getByRole("button", { name: "Save merged version" }).click();
  await expect.poll(() => read(app, "note.md")).toBe("mine\ntwo\ntheirs\n");
  await other.close();
});

test("completes @millrace/app, bindings and columns in a script, with descriptions", { tag: "@long" }, async ({
  page,
  person,
}) => {
  const { make, write, root } = await appBench(page.request);
  const app = await make("Offers", { template: "metrics" });
  const tried = await page.request.post(`${root}-v2/${app.id}/bindings/sales/preview`, { data: {} });
  expect(tried.status(), await tried.text()).toBe(200);
  await write(app, "src/regions.ts", "\n");
  await page.goto(`/w/${person.slug}/apps/${app.slug}/edit?file=src/regions.ts`);
  const bench = benchOf(page);
  const editor = bench.editor("src/regions.ts");
  const offers = page.getByRole("listbox", { name: "Completions" });
  await expect(bench.row(/millrace-app\.d\.ts/)).toBeVisible();
  // The check for accessibility below includes the preview: while it is drawn, colours fade in.
  const preview = page.getByRole("region", { name: "Preview" }).frameLocator("iframe");
  await expect(preview.locator("body")).toContainText(/€[1-9]/, { timeout: 40_000 });
  await editor.click();

  await page.keyboard.type("const months = useB");
  await expect(offers.getByRole("option", { name: /^useBinding/ })).toBeVisible();
  await expect(page.getByText("function useBinding<Row extends object", { exact: false })).toBeVisible();
  await expectAccessible(page);
  await page.keyboard.press("Enter");
  await expect(editor).toContainText('import { useBinding } from "@millrace/app";');
  await page.keyboard.type('("');
  await offers.getByRole("option", { name: "sales" }).click();
  await page.keyboard.press("End");
  await page.keyboard.press("ArrowLeft");
  await page.keyboard.type(", { gro");
  await expect(offers.getByRole("option", { name: "groupBy" })).toBeVisible();
  await expect(page.getByText("One result row per distinct value", { exact: false })).toBeVisible();
  // The list ignores keys for its first moment.
  await offers.getByRole("option", { name: "groupBy" }).click();
  await page.keyboard.type(': ["reg');
  await offers.getByRole("option", { name: /^region/ }).click();
  await expect(editor).toContainText('const months = useBinding("sales", { groupBy: ["region"]})');

  await editor.getByText("useBinding").last().hover();
  await expect(page.locator(".cm-explained").getByText("The rows of a binding", { exact: false })).toBeVisible();
});

test("discards changes one by one and all together, and lists them in a commit", { tag: "@long" }, async ({
  page,
  person,
}) => {
  const { make, read, write, commit } = await appBench(page.request);
  const app = await make("Steps", { access: "workspace" });
  await write(app, "a.css", "a { color: red; }\n");
  await commit(app, "Add a style");
  await write(app, "a.css", "a { color: blue; }\n");
  await write(app, "b.css", "b {}\n");
  await page.goto(`/w/${person.slug}/apps/${app.slug}/edit?view=changes`);
  const list = page.getByRole("list", { name: "Changed files" });
  await expect(list.getByRole("textbox", { name: "Changes", exact: true })).toContainText("blue");
  await list.getByRole("button", { name: "Discard changes in a.css" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Discard changes" }).click();
  await expect(list.getByText("a.css")).toHaveCount(0);
  expect(await read(app, "a.css")).toBe("a { color: red; }\n");
  await page.getByRole("button", { name: "Discard all changes" }).click();
  await page
    .getByRole("dialog", { name: "Discard all changes?" })
    .getByRole("button", { name: "Discard changes" })
    .click();
  await expect(page.getByRole("heading", { name: "No uncommitted changes" })).toBeVisible();
  expect(await read(app, "b.css")).toBeNull();

  await page.goto(`/w/${person.slug}/apps/${app.slug}/edit?view=versions`);
  await page.getByRole("button", { name: /Add a style/ }).click();
  await expect(page).toHaveURL(/sha=[0-9a-f]{7}/);
  await expect(page.getByRole("list", { name: "Changes", exact: true })).toContainText("a.css");
  await expect(page.getByRole("textbox", { name: "Changes", exact: true })).toContainText("color: red");
  await expectAccessible(page);
});

test("opens a shared app on one's own branch, hides a private one, and is read-only on a phone", {
  tag: "@long",
}, async ({ page, person, browser }) => {
  const { make, write } = await appBench(page.request);
  const [shared, own] = [await make("Shared", { access: "workspace" }), await make("Own")];
  await write(shared, "draft.md", "not yet");
  const jun = await join(browser, page, "member");
  await jun.page.goto(`/w/${person.slug}/apps/${own.slug}/edit`);
  await expect(jun.page.getByRole("heading", { name: "You can't open this app" })).toBeVisible();
  await jun.page.setViewportSize({ width: 390, height: 844 });
  await jun.page.goto(`/w/${person.slug}/apps/${shared.slug}/edit`);
  const bench = benchOf(jun.page);
  await expect(jun.page.getByText("Editing needs a larger screen.")).toBeVisible();
  await expect(bench.row(/draft\.md/)).toHaveCount(0);
  await bench.row(/index\.html/).click();
  await expect(jun.page.getByRole("textbox", { name: "Content of index.html" })).toHaveAttribute(
    "contenteditable",
    "false",
  );
  await expectAccessible(jun.page);
});
