import { readFile } from "node:fs/promises";
import { dashboardBench, salesBoard } from "./dashboards.fixtures";
import { expect, expectAccessible, test } from "./fixtures";

test("explains dashboards in an empty workspace, and opens new ones in the editor", { tag: "@long" }, async ({
  page,
  person,
}) => {
  await (await dashboardBench(page.request)).removeAll();
  await page.goto(`/w/${person.slug}`);
  await page.getByRole("navigation", { name: "Workspace" }).getByRole("link", { name: "Dashboards" }).click();
  await expect(page.getByRole("heading", { name: "No dashboards yet" })).toBeVisible();
  await expectAccessible(page);
  await page.getByRole("main").getByRole("button", { name: "New dashboard" }).click();
  await expect(page).toHaveURL(/\/dashboards\/[0-9a-f]{24}\/edit$/);
  await page.goto(`/w/${person.slug}/dashboards`);
  await expect(page.getByRole("table", { name: "Dashboards" }).getByRole("row")).toHaveCount(2);
});

test("finds, renames, moves, shares, duplicates and deletes dashboards, with undo", async ({ page, person }) => {
  const { make, makeFolder, read } = await dashboardBench(page.request);
  const finance = await makeFolder({ name: "Finance", access: "workspace" });
  const pulse = await make({ title: "Shop pulse" });
  await make({ title: "Cash by week", folderId: finance.id });
  await page.goto(`/w/${person.slug}/dashboards`);
  const table = page.getByRole("table", { name: "Dashboards" });
  const row = table.getByRole("row", { name: /Shop pulse/ });
  await expect(table.getByRole("row", { name: /Cash by week/ })).toContainText("Finance");
  await page.getByRole("searchbox", { name: "Search dashboards" }).fill("finan");
  await expect(row).toHaveCount(0);
  await expect(page).toHaveURL(/\?q=finan$/);
  await page.getByRole("searchbox", { name: "Search dashboards" }).fill("");
  await expect(row).toBeVisible();
  const choose = async (item: string) => {
    await table
      .getByRole("button", { name: /^Actions for Shop/ })
      .first()
      .click();
    await page.getByRole("menuitem", { name: item }).click();
  };
  await choose("Rename");
  await page.getByRole("textbox", { name: "Dashboard name" }).fill("Shop today");
  await page.keyboard.press("Enter");
  await expect(table.getByRole("link", { name: "Shop today" })).toBeVisible();
  await choose("Move to folder");
  await page.getByRole("dialog").getByRole("button", { name: "Finance" }).click();
  await expect(page.getByText("Shop today moved to Finance. Everyone in the workspace can see it.")).toBeVisible();
  expect(await read(pulse.id)).toMatchObject({ title: "Shop today", access: "workspace", folderId: finance.id });
  await choose("Make private");
  await expect(table.getByRole("row", { name: /Shop today/ })).toContainText("Only you");
  await choose("Delete");
  await expect(table.getByRole("row", { name: /Shop today/ })).toHaveCount(0);
  await page.getByRole("listitem").filter({ hasText: "deleted" }).getByRole("button", { name: "Undo" }).click();
  await expect(table.getByRole("row", { name: /Shop today/ })).toBeVisible();
  await choose("Duplicate");
  await expect(page).toHaveURL(/\/dashboards\/[0-9a-f]{24}$/);
  expect(page.url()).not.toContain(pulse.id);
});

test("creates folders, accepts drops, and restores a deleted folder with contents", { tag: "@long" }, async ({
  page,
  person,
}) => {
  const { make, removeAll } = await dashboardBench(page.request);
  await removeAll();
  await make({ title: "Shop pulse" });
  await page.goto(`/w/${person.slug}/dashboards`);
  const tree = page.getByRole("tree", { name: "Dashboards" });
  await page.getByRole("button", { name: "New folder" }).click();
  await page.getByRole("textbox", { name: "Folder name" }).fill("Weekly");
  await page.keyboard.press("Enter");
  const folder = tree.getByRole("treeitem", { name: /^Weekly/ });
  await tree.getByRole("treeitem", { name: /^Shop pulse/ }).dragTo(folder);
  await expect(page.getByText("Shop pulse moved to Weekly.")).toBeVisible();
  await expect(folder).toContainText("1");
  await folder.click({ button: "right" });
  await page.getByRole("menuitem", { name: "Delete" }).click();
  await expect(page.getByRole("dialog")).toContainText("The dashboard in it is also deleted.");
  await page.getByRole("button", { name: "Delete folder" }).click();
  await expect(folder).toHaveCount(0);
  await expect(page.getByRole("heading", { name: "No dashboards yet" })).toBeVisible();
  await page.getByRole("listitem").filter({ hasText: "deleted" }).getByRole("button", { name: "Undo" }).click();
  await expect(tree.getByRole("treeitem", { name: /^Weekly/ })).toContainText("1");
  await expectAccessible(page);
});

test("exports a dashboard and imports it with another connection", async ({ page, person }) => {
  const { make, sample, read } = await dashboardBench(page.request);
  await make(salesBoard(sample));
  await page.goto(`/w/${person.slug}/dashboards`);
  const download = page.waitForEvent("download");
  await page.getByRole("table", { name: "Dashboards" }).getByRole("button", { name: "Actions for Shop pulse" }).click();
  await page.getByRole("menuitem", { name: "Export JSON" }).click();
  const file = await download;
  expect(file.suggestedFilename()).toBe("Shop pulse.json");
  const text = await readFile(await file.path(), "utf8");
  expect(text).not.toContain(sample);
  await page.getByRole("button", { name: "Import dashboard" }).click();
  const dialog = page.getByRole("dialog", { name: "Import dashboard" });
  const give = (content: string) =>
    dialog
      .getByLabel("File")
      .setInputFiles({ name: "x.json", mimeType: "application/json", buffer: Buffer.from(content) });
  await give("[1, 2");
  await expect(dialog.getByLabel("File")).toHaveAccessibleDescription(/^Not a dashboard file\./);
  await give(text.replaceAll("Sample shop", "Elsewhere"));
  await dialog.getByRole("combobox", { name: "Connection for Elsewhere" }).click();
  await expectAccessible(page);
  await page.getByRole("option", { name: "Sample shop" }).click();
  await dialog.getByRole("button", { name: "Import dashboard" }).click();
  await expect(page).toHaveURL(/\/dashboards\/[0-9a-f]{24}$/);
  const made = await read(page.url().split("/").pop() ?? "");
  expect(made.datasets[0].source.connectionId).toBe(sample);
  expect(made.widgets).toHaveLength(7);
});

test("opens and creates dashboards from the palette", { tag: "@long" }, async ({ page, person }) => {
  const { make } = await dashboardBench(page.request);
  const { id } = await make({ title: "Shop pulse" });
  await page.goto(`/w/${person.slug}/dashboards`);
  await expect(page.getByRole("link", { name: "Shop pulse" })).toBeVisible();
  await page.keyboard.press("Control+k");
  await page.keyboard.type("shop pul");
  await page.getByRole("option", { name: /Shop pulse/ }).click();
  await expect(page).toHaveURL(new RegExp(`/dashboards/${id}$`));
});
