import { expect, expectAccessible, test } from "./fixtures";

// Many steps each, and axe checks the whole page, which is slow on a busy machine.
test.describe.configure({ timeout: 180_000 });

test("shows a table's DDL from its menu, by mouse and key, to copy and edit in a console", async ({
  page,
  context,
  person,
  consolePage,
}) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await consolePage.open(person.slug);
  await consolePage.schema.filter({ hasText: /^customers/ }).click({ button: "right" });
  await page.getByRole("menuitem", { name: "Show DDL" }).click();
  const dialog = page.getByRole("dialog", { name: "DDL of customers" });
  const code = dialog.getByRole("region", { name: "DDL of customers" });
  await expect(code).toContainText(/CREATE TABLE customers/);
  // The engine stores one long line; the page shows one per column.
  await expect(code).toContainText(/\n\s+id [A-Z]+/);
  await expect(code.locator(".k").first()).toHaveText(/CREATE/i);
  await expectAccessible(page);
  await page.emulateMedia({ colorScheme: "dark" });
  await expectAccessible(page);
  await page.emulateMedia({ colorScheme: "light" });

  await dialog.getByRole("button", { name: "Copy" }).click();
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  expect(copied).toBe(await code.textContent());
  await page.keyboard.press("Escape");
  await expect(dialog).toHaveCount(0);

  // The same from the tree with the keyboard.
  await page.getByRole("tree", { name: "Schema" }).focus();
  await page.keyboard.press("Shift+F10");
  await page.getByRole("menuitem", { name: "Show DDL" }).press("Enter");
  await expect(dialog).toBeVisible();
  await dialog.getByRole("button", { name: "Open in console" }).click();
  await expect(dialog).toHaveCount(0);
  await expect(consolePage.editor).toContainText("CREATE TABLE customers");
  await expect(page.getByRole("tab", { name: /customers\.sql/ })).toBeVisible();
});

test("links a table's rows to its DDL, with a retry after a failure", { tag: "@long" }, async ({ page, person }) => {
  await page.setViewportSize({ width: 390, height: 780 });
  await page.emulateMedia({ colorScheme: "dark" });
  const connections = await page.request.get("/api/workspaces");
  const [workspace] = (await connections.json()).data;
  const listed = await page.request.get(`/api/workspaces/${workspace.id}/connectors`);
  const [sample] = (await listed.json()).data;
  await page.goto(`/w/${person.slug}/tables/${sample.id}?name=orders`);
  let isBroken = true;
  await page.route("**/entities/ddl?*", (route) =>
    isBroken
      ? route.fulfill({
          status: 502,
          json: { success: false, error: "The database is away.", code: "source_unreachable" },
        })
      : route.continue(),
  );
  await page.getByRole("button", { name: "Show DDL" }).click();
  const dialog = page.getByRole("dialog", { name: "DDL of orders" });
  await expect(dialog.getByText("The database is away.")).toBeVisible();
  isBroken = false;
  await dialog.getByRole("button", { name: "Retry" }).click();
  await expect(dialog.getByRole("region", { name: "DDL of orders" })).toContainText("CREATE TABLE orders");
  await expectAccessible(page);
});
