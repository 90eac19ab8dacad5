import { type Document, Double, Int32, Long, MongoClient, ObjectId } from "mongodb";
import { startDocumentStore } from "../../test/servers/document-store";
import { expect, expectAccessible, test } from "./fixtures";
import { workspaceIdOf } from "./settings.fixtures";

// Many steps, and axe checks the whole page, which is slow on a busy machine.
test.describe.configure({ timeout: 180_000 });

test("opens a collection from the tree, filters, counts, pages, and shows its definition", async ({
  page,
  person,
  consolePage,
}) => {
  const store = await startDocumentStore();
  const client = await MongoClient.connect(store.uri);
  try {
    const documents = Array.from({ length: 250 }, (_, i) => ({
      _id: new ObjectId(i.toString(16).padStart(24, "0")),
      town: i % 2 === 0 ? "north" : "coast",
      total: i,
      // Only later rows have it.
      ...(i > 200 && { note: `late ${i}` }),
    }));
    const shop = client.db("shop");
    await shop.collection("orders").insertMany(documents);
    await shop.collection("orders").createIndex({ town: 1 });
    await shop.createCollection("empty");
    const home = `/api/workspaces/${await workspaceIdOf(page.request)}`;
    const made = await page.request.post(`${home}/connectors`, {
      data: { name: "Documents", type: "mongodb", config: { connectionString: store.uri, database: "shop" } },
    });
    expect(made.status(), await made.text()).toBe(201);
    const { id } = (await made.json()).data;

    await consolePage.open(person.slug);
    await consolePage.schema.filter({ hasText: /^Documents/ }).click();
    await consolePage.schema.filter({ hasText: /^orders.*250/ }).click({ button: "right" });
    await expect(page.getByRole("menuitem", { name: "New find query" })).toBeVisible();
    await page.getByRole("menuitem", { name: "Preview rows" }).click();
    await expect(page.getByText("First 100 rows")).toBeVisible();
    const grid = page.getByRole("grid", { name: "Table rows" });
    const cell = (row: number, column: number) =>
      grid.locator(`[aria-rowindex="${row + 1}"] [aria-colindex="${column + 1}"]`);
    await cell(1, 1).click();
    await expect(page.getByRole("columnheader", { name: /^note/ })).toHaveCount(0);
    await page.keyboard.press("ControlOrMeta+ArrowDown");
    await expect(page.getByText("First 200 rows")).toBeVisible();
    await page.keyboard.press("ControlOrMeta+ArrowDown");
    await expect(page.getByText("250 rows")).toBeVisible();
    // Its column is loaded with it.
    await expect(page.getByRole("columnheader", { name: /^note/ })).toBeVisible();
    await page.keyboard.press("ControlOrMeta+ArrowDown");
    await cell(250, 2).click();
    await expect(cell(250, 4)).toHaveText("late 249");

    await page.keyboard.press("f");
    await page.keyboard.type("= coast");
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Count rows" }).click();
    await expect(page.getByText(/ of 125$/)).toBeVisible();
    await page.reload();
    await expect(page.getByRole("textbox", { name: "Filter town" })).toHaveValue("= coast");
    await expect(cell(1, 3)).toHaveText("1");
    await expectAccessible(page);

    const tableUrl = page.url();
    await page.getByRole("button", { name: "Open in console" }).click();
    await expect(consolePage.editor).toContainText('find({ town: "coast" })');
    await consolePage.run.click();
    await expect(page.getByText("100 rows").first()).toBeVisible();
    await page.goto(tableUrl);

    // A question about it is an aggregation.
    await page.getByRole("button", { name: "New question" }).click();
    await page.getByRole("button", { name: "Add step: Group by" }).click();
    await page.getByRole("button", { name: "town string" }).click();
    const preview = page.getByRole("region", { name: "Preview" });
    await expect(preview.locator(".race-end")).toContainText("2 rows");
    await expect(page.getByRole("button", { name: "Add step: Join" })).toBeVisible();
    await page.getByRole("radio", { name: "Query", exact: true }).click();
    await expect(page.getByRole("region", { name: "Statement" })).toContainText("db.orders.aggregate(");
    await page.getByRole("button", { name: "Save as console" }).click();
    await expect(consolePage.editor).toContainText("db.orders.aggregate(");
    await page.getByRole("link", { name: "Edit question" }).click();
    await expect(page.getByRole("region", { name: "Group by" })).toContainText("town");
    await page.goto(tableUrl);

    await page.getByRole("button", { name: "Show DDL" }).click();
    const dialog = page.getByRole("dialog", { name: "DDL of orders" });
    await expect(dialog).toContainText('db.getCollection("orders").createIndex({ town: 1 });');
    // The shell here cannot create collections, so there is nothing to open.
    await expect(dialog.getByRole("button", { name: "Open in console" })).toHaveCount(0);
    await page.keyboard.press("Escape");

    await page.goto(`/w/${person.slug}/tables/${id}?name=empty`);
    await expect(page.getByText("This table is empty.")).toBeVisible();

    // Documents are edited with their types, unless the connection is read-only.
    const items = shop.collection<Document>("items");
    const placed = new Date("2026-01-02T03:04:05.678Z");
    await items.insertMany([
      { _id: 1, name: "first", stock: new Long(5), detail: { placed, sizes: [1, new Double(2)] } },
      { _id: 2, name: "second", stock: new Long(6) },
    ] as never);
    await page.goto(`/w/${person.slug}/tables/${id}?name=items`);
    await cell(1, 2).dblclick();
    await expect(page.getByRole("textbox", { name: "Edit name" })).toHaveCount(0);
    await page.request.patch(`${home}/connectors/${id}`, { data: { readOnly: false } });
    await page.request.get(`${home}/connectors/${id}/entities?refresh=true`);
    await page.reload();
    const editor = page.getByRole("textbox", { name: /^Edit / });
    await cell(1, 3).dblclick();
    await editor.fill("7");
    await page.keyboard.press("Enter");
    await cell(1, 4).dblclick();
    await expect(editor).toHaveValue(/"placed": \{"\$date": "2026-01-02T03:04:05.678Z"\}, "sizes": \[1, 2\.0\]/);
    await editor.fill((await editor.inputValue()).replace("2.0]", "3.0]"));
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Duplicate row" }).click();
    await expect(cell(3, 2)).toHaveText("first");
    await cell(2, 2).click({ button: "right" });
    await page.getByRole("menuitem", { name: "Set to" }).click();
    await page.getByRole("menuitem", { name: "Unset field" }).click();
    const bar = page.getByRole("region", { name: "Pending changes" });
    await bar.getByRole("button", { name: "Review operations" }).click();
    const review = page.getByRole("complementary", { name: "Review operations" });
    await expect(review).toContainText(/updateOne\(.*_id: 1,.*stock: NumberLong\("7"\)/s);
    await expect(review).toContainText('$unset: { name: "" }');
    await expect(review).toContainText("insertOne(");
    await expectAccessible(page);
    await items.updateOne({ _id: 2 as never }, { $set: { name: "theirs" } });
    await bar.getByRole("button", { name: "Submit 3 changes" }).click();
    await expect(bar).toContainText("items 2 changed after you loaded it. Nothing was written.");
    await expect(bar).toContainText("loaded second, yours unset, now theirs");
    await bar.getByRole("button", { name: "Keep mine" }).click();
    await bar.getByRole("button", { name: "Submit 3 changes" }).click();
    await expect(page.getByText("3 changes submitted")).toBeVisible();
    // A text beside a list is edited without quotes. A timeout keeps only the changes that were not written.
    await items.insertMany([
      { _id: 8, mixed: [1] },
      { _id: 9, mixed: "text" },
    ] as never);
    await page.reload();
    await grid.locator('[aria-colindex="6"]', { hasText: /^text$/ }).dblclick();
    await expect(editor).toHaveValue("text");
    await editor.fill("changed");
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Add row" }).click();
    await page.route("**/rows/changes", async (route) => {
      await items.updateOne({ _id: 9 as never }, { $set: { mixed: "changed" } });
      const json = { success: false, code: "timeout", error: "It timed out.", details: { written: 1 } };
      await route.fulfill({ status: 504, json });
    });
    await bar.getByRole("button", { name: "Submit 2 changes" }).click();
    await expect(bar.getByRole("button", { name: "Submit 1 change" })).toBeVisible();
    await expect(bar).toContainText("It timed out.");
    await page.unrouteAll();
    await bar.getByRole("button", { name: "Submit 1 change" }).click();
    await expect(page.getByText("1 change submitted")).toBeVisible();
    expect(await items.findOne({ _id: 9 as never })).toEqual({ _id: 9, mixed: "changed" });
    await items.deleteMany({ _id: { $in: [8, 9] } } as never);

    // A field that no document has is added in the form, which a phone has, too.
    await page.reload();
    await cell(1, 2).click({ button: "right" });
    await page.getByRole("menuitem", { name: "Add field" }).click();
    const panel = page.getByRole("complementary", { name: "Row" });
    const added = panel.getByRole("group", { name: "New field" });
    const addField = async (name: string, type: string, value: string) => {
      await added.getByRole("textbox", { name: "Name" }).fill(name);
      await added.getByRole("combobox", { name: "Type" }).click();
      await page.getByRole("option", { name: type }).click();
      await added.getByRole("textbox", { name: "Value" }).fill(value);
      await added.getByRole("button", { name: "Add field" }).click();
    };
    await addField("name", "Text", "x");
    await expect(added.getByRole("alert")).toHaveText("Field name already exists. Edit it above.");
    await addField("seen at", "Date", "31 January");
    await expect(added.getByRole("alert")).toContainText("Enter a date");
    await addField("seen at", "Date", "2026-01-31 07:00");
    await page.setViewportSize({ width: 390, height: 844 });
    await panel.getByRole("button", { name: "Add field" }).click();
    await addField("score", "Number", "12");
    await expect(panel.getByText("new field")).toHaveCount(2);
    await expectAccessible(page);
    await page.setViewportSize({ width: 1280, height: 800 });
    await bar.getByRole("button", { name: "Submit 1 change" }).click();
    await expect(page.getByText("1 change submitted")).toBeVisible();
    const grown = await items.findOne({ _id: 1 as never }, { promoteValues: false });
    expect(grown).toMatchObject({ "seen at": new Date("2026-01-31T07:00:00Z"), score: new Int32(12) });
    await items.updateOne({ _id: 1 as never }, { $unset: { "seen at": "", score: "" } });
    const stored = await items.find({}, { promoteValues: false, promoteLongs: false }).toArray();
    const first = { name: "first", stock: new Long(7), detail: { placed, sizes: [new Int32(1), new Double(3)] } };
    expect(stored).toEqual([
      { _id: new Int32(1), ...first },
      { _id: new Int32(2), stock: new Long(6) },
      { _id: expect.any(ObjectId), ...first },
      { _id: expect.any(ObjectId) },
    ]);
  } finally {
    await client.close();
    await store.stop();
  }
});
