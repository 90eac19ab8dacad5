import { appBench, benchOf, type MadeApp } from "./apps.fixtures";
import { expect, expectAccessible, test } from "./fixtures";
import { join } from "./settings.fixtures";

// Each test starts dev servers and builds in sandboxes.
test.describe.configure({ timeout: 180_000 });

test("names the changes for viewers on publish, commits open edits, and rolls back", async ({ page, person }) => {
  const { make, root, write } = await appBench(page.request);
  const app = await make("Gift finder", { access: "workspace" });
  const shown = async (): Promise<string | null> =>
    (await (await page.request.get(`${root}/${app.id}`)).json()).data.publishedSha;
  await write(app, "note.md", "First");
  await page.goto(`/w/${person.slug}/apps/${app.slug}/edit`);
  const open = () => page.getByRole("button", { name: "Publish", exact: true }).first().click();
  await open();
  const dialog = page.getByRole("dialog", { name: "Publish Gift finder" });
  await expect(dialog.getByText("This is the first published version.")).toBeVisible();
  await expect(dialog.getByRole("region", { name: "Changes to publish" })).toContainText("note.md");
  await expect(dialog.getByText(/1 uncommitted file will be committed first/)).toBeVisible();
  await dialog.getByLabel("Release notes (optional)").fill("First gifts");
  await expectAccessible(page);
  await dialog.getByRole("button", { name: "Publish", exact: true }).click();
  const done = page.getByRole("dialog", { name: "Gift finder published" });
  await expect(done.getByRole("link", { name: "Open app" })).toHaveAttribute(
    "href",
    `/w/${person.slug}/apps/${app.slug}`,
  );
  await expect(done.getByRole("list", { name: "Steps" })).toContainText("Build, done");
  await expectAccessible(page);
  await done.getByRole("button", { name: "Close" }).last().click();
  const first = await shown();
  expect(first).toMatch(/^[0-9a-f]{40}$/);

  await write(app, "note.md", "Second");
  await expect(page.getByText("1 file changed")).toBeVisible();
  await open();
  await expect(dialog.getByRole("region", { name: "Changes to publish" })).toContainText("note.md");
  await expect(dialog.getByRole("region", { name: "Changes to publish" })).not.toContainText("index.html");
  await dialog.getByLabel("Release notes (optional)").fill("Better gifts");
  await dialog.getByRole("button", { name: "Publish", exact: true }).click();
  await done.getByRole("button", { name: "Close" }).last().click();
  await expect.poll(shown).not.toBe(first);

  await page.getByRole("button", { name: "Versions" }).click();
  const versions = page.getByRole("list", { name: "Published versions" });
  await expect(versions.getByRole("listitem").first()).toContainText("Live");
  await versions.getByRole("button", { name: /First gifts/ }).click();
  await expect(page.getByRole("textbox", { name: "Changes", exact: true })).toContainText("First");
  await expectAccessible(page);
  await page.getByRole("button", { name: "Roll back", exact: true }).click();
  await expect.poll(shown).toBe(first);
  await expect(versions.getByRole("listitem").filter({ hasText: "First gifts" })).toContainText("Live");
});

test("resolves files that main changed in the same lines, one by one", { tag: "@long" }, async ({
  page,
  person,
  browser,
}) => {
  const { make, root, write, commit, wid } = await appBench(page.request);
  const app: MadeApp = await make("Twice over", { access: "workspace" });
  await write(app, "note.md", "one\n");
  await commit(app, "Add a note");
  expect((await page.request.post(`${root}/${app.id}/publish`, { data: {} })).status()).toBe(200);
  await page.goto(`/w/${person.slug}/apps/${app.slug}/edit?file=note.md`);
  const bench = benchOf(page);
  await bench.type("note.md", "mine\n");
  await expect(bench.saved).toHaveText("Saved");
  // Committed elsewhere, unknown to the open page: nothing is left to commit, and publishing still works.
  const read = await page.request.get(`${root}/${app.id}/status`);
  let hasHeard = false;
  await page.route("**/status", (route) => (hasHeard ? route.continue() : route.fulfill({ response: read })));
  await page.route("**/commit", (route) => {
    hasHeard = true;
    return route.continue();
  });
  await commit(app, "Mine");
  // Another user publishes the same lines in between.
  const jun = await join(browser, page, "member");
  const theirs = await jun.request.put(`${root}/${app.id}/files?path=note.md`, {
    data: Buffer.from("theirs\n"),
    headers: { "content-type": "application/octet-stream" },
  });
  expect(theirs.status(), wid).toBe(200);
  expect((await jun.request.post(`${root}/${app.id}/commit`, { data: { message: "Theirs" } })).status()).toBe(200);
  expect((await jun.request.post(`${root}/${app.id}/publish`, { data: {} })).status()).toBe(200);

  await page.getByRole("button", { name: "Publish", exact: true }).first().click();
  const dialog = page.getByRole("dialog", { name: "Publish Twice over" });
  await dialog.getByRole("button", { name: "Publish", exact: true }).click();
  await expect(dialog.getByRole("alert")).toContainText("note.md");
  const settle = dialog.getByRole("button", { name: "Resolve and publish" });
  await expect(settle).toBeDisabled();
  await expectAccessible(page);
  await dialog.getByRole("radio", { name: "Merge manually" }).click();
  const merged = dialog.getByRole("textbox", { name: "Your version" });
  await merged.click();
  await page.keyboard.press("ControlOrMeta+a");
  await page.keyboard.insertText("both\n");
  await settle.click();
  await expect(page.getByRole("dialog", { name: "Twice over published" })).toBeVisible();
  const { data } = await (await page.request.get(`${root}/${app.id}`)).json();
  const main = await jun.request.get(`${root}/${app.id}/files?path=note.md&sha=${data.publishedSha}`);
  expect((await main.json()).data.content).toBe("both\n");
});

test("changes an app's description, deletes it by its slug, and shows the administrator's set-up steps", {
  tag: "@long",
}, async ({ page, person }) => {
  const { make, root } = await appBench(page.request);
  const app = await make("Old name");
  await page.goto(`/w/${person.slug}/apps/${app.slug}/edit`);
  const settings = page.getByRole("button", { name: "App settings" });
  await settings.click();
  const dialog = page.getByRole("dialog", { name: "Old name settings" });
  await expect(dialog.getByLabel("Slug")).toHaveValue("old-name");
  await dialog.getByLabel("Title").fill("New name");
  await dialog.getByRole("radio", { name: /Everyone in/ }).check();
  await expectAccessible(page);
  await dialog.getByRole("button", { name: "Save" }).click();
  await expect(page.getByRole("heading", { name: "New name" })).toBeVisible();
  expect((await (await page.request.get(`${root}/${app.id}`)).json()).data).toMatchObject({
    title: "New name",
    access: "workspace",
    slug: "old-name",
  });
  await settings.click();
  await page.getByRole("button", { name: "Delete app" }).click();
  const confirm = page.getByRole("dialog", { name: "Delete New name?" });
  await expect(confirm.getByRole("button", { name: "Delete app" })).toBeDisabled();
  await confirm.getByLabel(/to confirm/).fill("old-name");
  await confirm.getByRole("button", { name: "Delete app" }).click();
  await expect(page).toHaveURL(new RegExp(`/w/${person.slug}/apps$`));
  expect((await page.request.get(`${root}/${app.id}`)).status()).toBe(404);

  await page.goto(`/w/${person.slug}/apps/link`);
  await expect(page.getByText("No Git host configured.")).toBeVisible();
  await expectAccessible(page);
});

test("previews a binding with the user's permissions, and marks its errors in the file", { tag: "@long" }, async ({
  page,
  person,
}) => {
  const { make, write, wid } = await appBench(page.request);
  const app = await make("Bound");
  const connections = await (await page.request.get(`/api/workspaces/${wid}/connectors`)).json();
  const sample: string = connections.data.find(({ name }: { name: string }) => name === "Sample shop").id;
  await write(app, "bindings/two.sql", `---\nconnectionId: ${sample}\n---\nselect 1 as one, 'b' as two\n`);
  await write(app, "bindings/broken.sql", "---\nschedule: never ever\n---\nselect 1\n");
  await page.goto(`/w/${person.slug}/apps/${app.slug}/edit?view=bindings`);
  const list = page.getByRole("list", { name: "Bindings", exact: true });
  const two = list.getByRole("listitem").filter({ hasText: "two" }).first();
  await expect(two).toContainText("Sample shop, refreshed manually");
  await two.getByRole("button", { name: "Run query" }).click();
  await expect(page.getByRole("table", { name: "two rows" })).toContainText("b");
  await expect(two).toContainText("Ready");
  await expect(benchOf(page).row(/two\.sql/)).toContainText("ready");
  await expect(list.getByRole("listitem").filter({ hasText: "broken" })).toContainText("Failed");
  await expectAccessible(page);
});
