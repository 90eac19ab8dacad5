import { addConsole } from "./consoles.fixtures";
import { expect, expectAccessible, test } from "./fixtures";

const ORDERS = `order_no;sku;placed_on;qty;net
SO-1;004812;02/01/2026;2;1.148,00
SO-2;017730;2026-08-01;n/a;86,40
SO-3;017730;13/01/2026;1
SO-4;017730;31/01/2026;1;86,40
`;
const FILE = { name: "Orders 2026.csv", mimeType: "text/csv", buffer: Buffer.from(ORDERS) };

test("imports a chosen file: settings are detected, corrected, and the table opens", async ({ page, person }) => {
  await page.goto(`/w/${person.slug}/connections`);
  await page.getByRole("link", { name: "Import file" }).click();
  await page.getByLabel("Choose file").setInputFiles(FILE);
  await expect(page.getByRole("heading", { name: "Import Orders 2026.csv" })).toBeVisible();
  const rows = page.getByRole("table", { name: "First rows" });
  await expect(rows.getByRole("row")).toHaveCount(4);
  await expect(rows.getByRole("row").nth(1)).toHaveText("2SO-10048122026-01-0221148.00");
  const settings = page.getByRole("region", { name: "Import settings" });
  await expect(settings.getByRole("combobox", { name: "Delimiter" })).toHaveText("Semicolon");
  await expect(settings.getByRole("combobox", { name: "Dates" })).toHaveText("DD/MM/YYYY");
  await expect(settings.getByRole("combobox", { name: "Decimal" })).toHaveText("Comma");
  const problems = page.getByRole("list", { name: "Problems" }).getByRole("listitem");
  await expect(problems.filter({ hasText: "4 fields, 5 expected" })).toContainText("4");

  await problems.filter({ hasText: "leading zeros" }).getByRole("button", { name: "Use integer" }).click();
  await expect(rows.getByRole("row").nth(1)).toHaveText("2SO-148122026-01-0221148.00");
  await settings.getByRole("button", { name: "Remove n/a" }).click();
  await expect(rows.getByRole("columnheader", { name: "qty" }).getByRole("combobox")).toHaveText("text");

  await page.getByRole("button", { name: "Import 3 rows" }).click();
  await expect(page).toHaveURL(/\/tables\/[0-9a-f]{24}\?name=orders_2026/);
  await expect(page.getByRole("grid", { name: "Table rows" })).toContainText("SO-4");

  await page.goto(`/w/${person.slug}/consoles`);
  const step = page
    .getByRole("region", { name: "Get started" })
    .getByRole("listitem")
    .filter({ hasText: "Open a table" });
  await expect(step.getByRole("img", { name: "Done" })).toBeVisible();
  await page.goBack();

  const connectionId = /tables\/([0-9a-f]{24})/.exec(page.url())?.[1] ?? "";
  await addConsole(page.request, { name: "Order totals", content: "select sum(net) from orders_2026", connectionId });
  await addConsole(page.request, { name: "Other totals", content: "select 1", connectionId });
  await page.getByRole("button", { name: "Delete table" }).click();
  const dialog = page.getByRole("dialog", { name: "Delete orders_2026?" });
  await expect(dialog).toContainText("This deletes the table and its 3 rows from Files.");
  await expect(dialog.getByRole("listitem")).toHaveText(["consoleOrder totals"]);
  await expectAccessible(page);
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await expect(dialog).toBeHidden();
  await expect(page.getByRole("grid", { name: "Table rows" })).toContainText("SO-4");
  await page.getByRole("button", { name: "Delete table" }).click();
  // Offline nothing is deleted, now or later.
  await page.context().setOffline(true);
  await dialog.getByRole("button", { name: "Delete table" }).click();
  await expect(dialog.getByRole("alert")).toContainText("The server did not respond.");
  await page.context().setOffline(false);
  const deletions: string[] = [];
  page.on("request", (request) => request.method() === "DELETE" && deletions.push(request.url()));
  await dialog.getByRole("button", { name: "Delete table" }).dblclick();
  await expect(page).toHaveURL(/\/connections\/[0-9a-f]{24}$/);
  expect(deletions).toHaveLength(1);
});

test("takes a file that is dropped on the window, and keeps an existing table by default", { tag: "@long" }, async ({
  page,
  person,
}) => {
  await page.goto(`/w/${person.slug}/connections`);
  const drop = async (name: string, text: string) => {
    const files = await page.evaluateHandle(
      ([name, text]) => {
        const transfer = new DataTransfer();
        transfer.items.add(new File([text], name, { type: "text/csv" }));
        return transfer;
      },
      [name, text] as const,
    );
    // The page may not listen yet.
    await expect(async () => {
      await page.locator("#main").dispatchEvent("dragenter", { dataTransfer: files });
      await expect(page.getByText("Drop to import")).toBeVisible({ timeout: 1000 });
    }).toPass();
    await page.locator("#main").dispatchEvent("drop", { dataTransfer: files });
    await expect(page.getByText("Drop to import")).toBeHidden();
  };
  await drop("stock.csv", "id,name\n1,a\n");
  await page.getByRole("button", { name: "Import 1 row" }).click();
  await expect(page).toHaveURL(/\?name=stock/);
  await drop("stock.csv", "id,name\n2,b\n");
  await expect(page.getByRole("radio", { name: "Create stock_2" })).toBeChecked();
  await page.getByRole("radio", { name: "Replace rows" }).check();
  await page.getByRole("button", { name: "Import 1 row" }).click();
  await expect(page.getByRole("dialog", { name: "Replace stock?" })).toBeVisible();
  await page.getByRole("button", { name: "Replace table" }).click();
  await expect(page.getByRole("grid", { name: "Table rows" })).toContainText("b");

  await page.goto(`/w/${person.slug}/consoles`);
  const tree = page.getByRole("tree", { name: "Schema" });
  await expect(tree.getByRole("treeitem", { name: /^Files/ })).toBeVisible();
  await tree.focus();
  await page.keyboard.type("Files");
  await page.keyboard.press("ArrowRight");
  await tree.getByRole("treeitem", { name: /^stock/ }).click({ button: "right" });
  await page.getByRole("menuitem", { name: "Delete table…" }).click();
  const dialog = page.getByRole("dialog", { name: "Delete stock?" });
  await expect(dialog).toContainText("This deletes the table and its 1 row from Files.");
  await dialog.getByRole("button", { name: "Delete table" }).click();
  await expect(dialog).toBeHidden();
  await expect(tree.getByRole("treeitem", { name: /^stock/ })).toBeHidden();
});

test("tells why a file cannot be read", { tag: "@long" }, async ({ page, person }) => {
  await page.goto(`/w/${person.slug}/connections`);
  await page.getByRole("link", { name: "Import file" }).click();
  await page.getByLabel("Choose file").setInputFiles({ ...FILE, buffer: Buffer.alloc(0) });
  await expect(page.getByText("The file is empty. Choose another file.")).toBeVisible();
});
