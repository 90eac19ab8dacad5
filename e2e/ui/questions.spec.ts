import { expect, expectAccessible, test } from "./fixtures";
import { expectNoSidewaysScroll } from "./run.fixtures";
import { workspaceIdOf } from "./settings.fixtures";

// Many steps each, and axe checks the whole page, which is slow on a busy machine.
test.describe.configure({ timeout: 180_000 });

async function sampleOf(request: Parameters<typeof workspaceIdOf>[0]): Promise<string> {
  const answer = await request.get(`/api/workspaces/${await workspaceIdOf(request)}/connectors`);
  return (await answer.json()).data[0].id;
}

test("answers a question without SQL, which survives a reload and becomes a console", async ({
  page,
  person,
  consolePage,
}) => {
  await consolePage.open(person.slug);
  await consolePage.schema.filter({ hasText: /^orders/ }).click({ button: "right" });
  await page.getByRole("menuitem", { name: "New question" }).click();
  await expect(page.getByRole("heading", { name: "orders", level: 1 })).toBeVisible();
  const preview = page.getByRole("region", { name: "Preview" });
  await expect(preview.locator(".race-end")).toContainText("1,000 rows");

  // A join along a key, then a count by month of the question's own table.
  await page.getByRole("button", { name: "Add step: Join" }).click();
  await page.getByRole("button", { name: /^customers on / }).click();
  await expect(page.getByRole("region", { name: "Join" })).toContainText("customers");
  await page.getByRole("button", { name: "Add step: Filter" }).click();
  await page.getByRole("textbox", { name: "Search columns to filter by" }).fill("status");
  await page.keyboard.press("Enter");
  await page.getByRole("combobox", { name: "Condition" }).click();
  await page.getByRole("option", { name: "is not", exact: true }).click();
  await page.getByRole("textbox", { name: "Value" }).fill("cancelled");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("button", { name: "Filter status is not cancelled", exact: true })).toBeVisible();
  await page.getByRole("button", { name: "Add step: Group by" }).click();
  await page.getByRole("textbox", { name: "Search columns to group by" }).fill("country");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("region", { name: "Summarize" })).toContainText("Count of rows");
  await expect(page.getByRole("radio", { name: "Chart" })).toBeChecked();
  await page.getByRole("radio", { name: "Table", exact: true }).click();
  await expect(preview.getByRole("grid", { name: "Preview rows" })).toBeVisible();
  // The rows of the question before are faded until the new ones arrive.
  await expect(preview.getByRole("columnheader", { name: /status/ })).toHaveCount(0);
  await expect(preview.getByRole("columnheader", { name: /country/ })).toBeVisible();
  await expect(preview.locator(".stale")).toHaveCount(0);
  await expect(preview.locator(".race-end")).toContainText("rows");
  const counted = await preview.locator(".race-end").textContent();
  await expectAccessible(page);

  // The address holds the question.
  await page.reload();
  await expect(page.getByRole("region", { name: "Group by" })).toContainText("customers.country");
  await expect(preview.locator(".race-end")).toContainText((counted ?? "").split(",")[0] ?? "");

  // Keys: Delete removes a pill, and the preview follows.
  await page.getByRole("button", { name: "Filter status is not cancelled", exact: true }).press("Delete");
  await expect(page.getByRole("region", { name: "Filter" })).toHaveCount(0);

  // A saved question opens again, also after its SQL was edited.
  await page.getByRole("button", { name: "Save as console" }).click();
  await expect(page).toHaveURL(/\/consoles\/[0-9a-f]{24}$/);
  const changed = page.getByText("of this console no longer match");
  await page.getByRole("link", { name: "Edit question" }).click();
  await expect(page.getByRole("region", { name: "Group by" })).toContainText("customers.country");
  await expect(changed).toHaveCount(0);
  await page.getByRole("textbox", { name: /^Limit/ }).fill("3");
  await expect(preview.locator(".race-end")).toContainText("3 rows");
  await page.getByRole("button", { name: "Save question" }).click();
  await expect(page.locator(".cm-content")).toContainText("limit 3");
  await page.locator(".cm-content").click();
  await page.keyboard.press("ControlOrMeta+Home");
  await page.keyboard.type("-- mine ");
  await page.getByRole("link", { name: "Edit question" }).click();
  await expect(changed).toBeVisible();
  await page.getByRole("button", { name: "Open as SQL" }).click();
  await expect(page.locator(".cm-content")).toContainText("-- mine");
  await page.getByRole("link", { name: "Edit question" }).click();

  await page.getByRole("radio", { name: "SQL", exact: true }).click();
  await expect(page.getByRole("region", { name: "Statement" })).toContainText("left join customers");
  await page.getByRole("button", { name: "Convert to SQL" }).click();
  await expect(page).toHaveURL(/\/consoles\//);
  await expect(page.locator(".cm-content")).toContainText("left join customers");
});

test("shows a fault at its step, and adds an answer to a dashboard", async ({ page, person }) => {
  const id = await sampleOf(page.request);
  const question = {
    table: { name: "orders" },
    summaries: [{ function: "count" }],
    groups: [{ column: { column: "status" } }],
    sorts: [],
    timezone: "UTC",
  };
  const faulty = {
    ...question,
    filters: [{ column: { column: "status" }, op: "last", values: [], count: 3, unit: "day" }],
  };
  await page.goto(`/w/${person.slug}/questions/${id}?name=orders#${encodeURIComponent(JSON.stringify(faulty))}`);
  await expect(page.getByRole("region", { name: "Filter" })).toContainText("can't be filtered by last");
  await page.getByRole("button", { name: "Remove Filter", exact: true }).click();
  const preview = page.getByRole("region", { name: "Preview" });
  await expect(preview.locator(".race-end")).toContainText("rows");

  // A mark leads to its rows, and Back to the question.
  const marks = page.getByRole("slider", { name: "Data points. Press Enter for actions." });
  await marks.press("ArrowRight");
  await marks.press("Enter");
  await page.getByRole("menuitem", { name: "See these rows" }).press("Enter");
  await expect(page.getByRole("region", { name: "Filter" })).toContainText(/status is \w+/);
  await expect(page.getByRole("region", { name: "Group by" })).toHaveCount(0);
  await expect(preview.getByRole("grid", { name: "Preview rows" })).toBeVisible();
  await page.goBack();
  await expect(page.getByRole("region", { name: "Group by" })).toContainText("status");

  // A row of a time leads to a finer grain.
  await page.getByRole("button", { name: "Remove Group by", exact: true }).click();
  await page.getByRole("button", { name: "Add step: Group by" }).click();
  await page.getByRole("button", { name: "placed_at timestamp" }).click();
  await page.getByRole("radio", { name: "Table", exact: true }).click();
  await expect(preview.getByRole("columnheader", { name: /^placed_at/ })).toBeVisible();
  await preview.getByRole("gridcell").first().click({ button: "right" });
  await page.getByRole("menuitem", { name: "Zoom in by week" }).click();
  await expect(page.getByRole("region", { name: "Group by" })).toContainText("by week");
  await expect(page.getByRole("region", { name: "Filter" })).toContainText("placed_at between");
  await page.goBack();
  await expect(page.getByRole("region", { name: "Group by" })).toContainText("by month");
  await page.getByRole("button", { name: "Add to dashboard" }).click();
  const dialog = page.getByRole("dialog", { name: "Add to dashboard" });
  await dialog.getByRole("button", { name: "Add", exact: true }).click();
  await page.getByRole("button", { name: "Open dashboard" }).click();
  await expect(page).toHaveURL(/\/dashboards\//);
});

test("is complete on a phone, and at 720 pixels", { tag: "@long" }, async ({ page, person }) => {
  const id = await sampleOf(page.request);
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto(`/w/${person.slug}/questions/${id}`);
  await page.getByRole("button", { name: "orders", exact: true }).first().click();
  await page.getByRole("button", { name: "Add step: Summarize" }).click();
  await page.getByRole("button", { name: "Count of rows", exact: true }).click();
  await expect(page.getByRole("region", { name: "Summarize" })).toContainText("Count of rows");
  await expect(page.getByRole("region", { name: "Preview" }).locator(".race-end")).toContainText("1 row");
  await expectNoSidewaysScroll(page);
  await page.setViewportSize({ width: 1024, height: 800 });
  await expectNoSidewaysScroll(page);
});
