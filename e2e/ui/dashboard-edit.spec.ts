import type { Page } from "@playwright/test";
import { addConsole } from "./consoles.fixtures";
import {
  addDashboard,
  readDashboard,
  type SavedDashboard,
  sampleConnection,
  saveDashboard,
} from "./dashboard.fixtures";
import { expect, expectAccessible, type Person, test } from "./fixtures";
import { workspaceIdOf } from "./settings.fixtures";

const SALES = `select date '2026-01-05' + (7 * w)::int as week, region, (100 + w * 3 + length(region) * 20)::decimal(10, 2) as revenue
from range(20) t(w), (values ('North'), ('Coast'), ('Islands')) r(region)`;
const SOURCE = { datasetId: "sales" };
const WIDGETS = [
  { id: "total", kind: "kpi", title: "Revenue", source: SOURCE, spec: { measures: [{ field: "revenue", op: "sum" }] }, layout: { x: 0, y: 0, w: 3, h: 3 } },
  { id: "weeks", kind: "chart", title: "By month", source: SOURCE, spec: { dimensions: [{ field: "week", timeUnit: "month" }], measures: [{ field: "revenue", op: "sum" }], mark: "line" }, layout: { x: 0, y: 3, w: 6, h: 8 } },
  { id: "rows", kind: "table", title: "Regions", source: SOURCE, spec: { dimensions: ["region"], measures: [{ field: "revenue", op: "sum" }] }, layout: { x: 6, y: 0, w: 6, h: 11 } },
]; // biome-ignore format: one look

let made: SavedDashboard;

async function open(page: Page, person: Person, more: Record<string, unknown> = {}): Promise<void> {
  const source = { connectionId: await sampleConnection(page.request), query: SALES };
  made = await addDashboard(page.request, {
    title: "Shop pulse",
    access: "workspace",
    datasets: [{ id: "sales", name: "Sales", source, maxAgeS: 3600 }],
    widgets: WIDGETS,
    filters: [{ id: "region", kind: "select", field: "region" }],
    ...more,
  });
  await page.goto(`/w/${person.slug}/dashboards/${made.id}/edit`);
  await expect(page.getByRole("heading", { level: 1, name: "Shop pulse" })).toBeVisible();
}
const card = (page: Page, name: string) => page.getByRole("article", { name, exact: true });
const panel = (page: Page, name: string) => page.getByRole("complementary", { name, exact: true });
const place = (page: Page, name: string) => page.getByRole("button", { name: `Move or resize ${name}`, exact: true });
const saved = (page: Page) => readDashboard(page.request, made.id);
const layoutOf = async (page: Page, id: string) => (await saved(page)).widgets.find((each) => each.id === id)?.layout;

/** Returns the width of one column with its gap, in pixels. */
async function columnOf(page: Page): Promise<number> {
  const grid = await page.locator(".react-grid-layout").boundingBox();
  return ((grid?.width ?? 0) + 12) / 12;
}

/** Selects an option in a drop-down list. */
async function choose(page: Page, within: ReturnType<typeof panel>, label: string, option: string): Promise<void> {
  await within.getByRole("combobox", { name: label, exact: true }).click();
  await page.getByRole("option", { name: option, exact: true }).click();
  await expect(page.getByRole("listbox")).toHaveCount(0);
}
async function save(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Save dashboard", exact: true }).click();
  await expect(page).toHaveURL(new RegExp(`/dashboards/${made.id}(\\?tab=[^&]*)?$`));
}

test("moves and resizes widgets by keys, undoes, redoes and saves the layout", async ({ page, person }) => {
  await open(page, person);
  await expect(card(page, "By month").getByRole("img")).toBeVisible();
  await expect(card(page, "Regions").getByRole("cell", { name: "Islands" })).toBeVisible();
  await expectAccessible(page);

  await place(page, "Revenue").focus();
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("Shift+ArrowRight");
  await place(page, "By month").focus();
  await page.keyboard.press("Home");
  await expect(page.getByText("3 unsaved changes")).toBeVisible();
  await page.keyboard.press("Control+z");
  await expect(page.getByText("2 unsaved changes")).toBeVisible();
  await page.keyboard.press("Control+Shift+z");
  await expect(page.getByText("3 unsaved changes")).toBeVisible();
  await page.keyboard.press("Control+z");
  // Revenue stays on all tabs.
  const tab = (name: string) => page.getByRole("tab", { name, exact: true });
  for (const [name, tabName] of [
    ["By month", "Trend"],
    ["Regions", "Split"],
  ] as const) {
    await page.getByRole("button", { name: `Edit ${name}`, exact: true }).click();
    await panel(page, name).getByRole("textbox", { name: "Tab" }).fill(tabName);
    await expect(tab(tabName)).toHaveAttribute("aria-selected", "true");
  }
  // Each tab has its own grid, name and position.
  await expect(card(page, "By month")).toHaveCount(0);
  await expect(card(page, "Revenue")).toBeVisible();
  await place(page, "Regions").focus();
  await page.keyboard.press("ArrowLeft");
  const actions = page.getByRole("button", { name: /^Actions of tab/ });
  await actions.click();
  await page.getByRole("menuitem", { name: "Rename tab" }).click();
  await page.getByRole("textbox", { name: "Tab name" }).fill("Details");
  await page.keyboard.press("Enter");
  await expect(tab("Details")).toHaveAttribute("aria-selected", "true");
  await expect(tab("Details")).toBeFocused();
  await actions.click();
  await page.getByRole("menuitem", { name: "Move tab left" }).click();
  await expect(page.getByRole("tab")).toHaveText(["Details", "Trend"]);
  await expect(page.getByRole("menu")).toHaveCount(0);
  // A tab may be empty until it gets a widget, and its name is as long as the server allows.
  await page.getByRole("button", { name: "Add tab", exact: true }).click();
  await page.getByRole("textbox", { name: "Tab name" }).fill("");
  await page.getByRole("textbox", { name: "Tab name" }).pressSequentially(`${"x".repeat(58)}🚀🚀`);
  await page.keyboard.press("Enter");
  await expect(tab(`${"x".repeat(58)}🚀`)).toHaveAttribute("aria-selected", "true");
  await expect(page.getByText("Saved with its first widget")).toBeVisible();
  await expectAccessible(page);
  await actions.click();
  await page.getByRole("menuitem", { name: "Remove tab" }).click();
  await expect(page.getByRole("tab")).toHaveText(["Details", "Trend"]);
  await expectAccessible(page);
  await save(page);
  expect(await layoutOf(page, "total")).toEqual({ x: 1, y: 0, w: 4, h: 3 });
  expect(await layoutOf(page, "weeks")).toMatchObject({ x: 0, y: 3 });
  expect(await layoutOf(page, "rows")).toMatchObject({ x: 5, y: 0 });
  await expect(page.getByRole("tab")).toHaveText(["Details", "Trend"]);
  await expect(tab("Details")).toHaveAttribute("aria-selected", "true");
  await expect(card(page, "Regions")).toBeVisible();
  await expect(card(page, "By month")).toHaveCount(0);
  await tab("Details").focus();
  await page.keyboard.press("ArrowRight");
  await expect(tab("Trend")).toBeFocused();
  await expect(card(page, "By month")).toBeVisible();
  await expect(card(page, "Revenue")).toBeVisible();
  await expect(page).toHaveURL(/tab=Trend/);
  await expectAccessible(page);
  await page.reload();
  await expect(card(page, "By month")).toBeVisible();
  await page.goBack();
  await expect(card(page, "Regions")).toBeVisible();
});

test("drags, resizes, duplicates and removes widgets", { tag: "@long" }, async ({ page, person }) => {
  await open(page, person);
  await expect(card(page, "By month").getByRole("img")).toBeVisible();
  const from = await place(page, "Regions").boundingBox();
  if (!from) throw new Error("Nothing is drawn");
  const left = (await card(page, "Regions").boundingBox())?.x ?? 0;
  const wanted = (await card(page, "Revenue").boundingBox())?.x ?? 0;
  await page.mouse.move(from.x + 16, from.y + 10);
  await page.mouse.down();
  await page.mouse.move(from.x - 40, from.y + 20, { steps: 6 });
  await page.mouse.move(from.x + 16 + wanted - left, from.y + 10, { steps: 12 });
  await page.mouse.up();
  await expect(page.getByText(/unsaved changes/)).toBeVisible();
  // It moves with an animation.
  await expect
    .poll(async () => Math.abs(((await card(page, "Regions").boundingBox())?.x ?? 0) - wanted))
    .toBeLessThan(1);
  const corner = await page
    .locator(".react-grid-item:has([aria-label='Regions']) .react-resizable-handle-se")
    .boundingBox();
  if (!corner) throw new Error("There is no corner");
  await page.mouse.move(corner.x + 8, corner.y + 8);
  await page.mouse.down();
  await page.mouse.move(corner.x + 60, corner.y + 8, { steps: 4 });
  await page.mouse.move(corner.x + 8 + (await columnOf(page)), corner.y + 8, { steps: 6 });
  await page.mouse.up();

  await page.getByRole("button", { name: "Actions for Revenue" }).click();
  await page.getByRole("menuitem", { name: "Duplicate" }).click();
  await expect(card(page, "Revenue")).toHaveCount(2);
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Actions for By month" }).click();
  await page.getByRole("menuitem", { name: "Remove" }).click();
  await expect(card(page, "By month")).toHaveCount(0);
  await page.getByRole("button", { name: "Undo" }).click();
  await expect(card(page, "By month")).toBeVisible();
  await save(page);
  expect(await layoutOf(page, "rows")).toEqual({ x: 0, y: 0, w: 7, h: 11 });
  expect((await saved(page)).widgets).toHaveLength(4);
});

test("updates a widget's drawing and specification text together", { tag: "@long" }, async ({ page, person }) => {
  await open(page, person);
  await page.getByRole("button", { name: "Edit By month" }).click();
  const side = panel(page, "By month");
  await expect(side.getByRole("combobox", { name: "X-axis", exact: true })).toHaveText("week");
  await expectAccessible(page);
  await side.getByRole("button", { name: "Bar", exact: true }).click();
  await expect(card(page, "By month").getByRole("img", { name: /^Bar chart/ })).toBeVisible();
  await choose(page, side, "X-axis", "region");
  await expect(card(page, "By month").getByRole("img", { name: /by region/ })).toBeVisible();
  await choose(page, side, "Measure 1", "Average of");
  await expect(card(page, "By month").getByRole("img", { name: /avg_revenue by region/ })).toBeVisible();

  await side.getByRole("radio", { name: "JSON", exact: true }).click();
  const text = side.getByRole("textbox", { name: "JSON", exact: true });
  await expect(text).toHaveValue(/"op": "avg"/);
  await text.fill('{"measures": [{"op": "sum"}]}');
  await expect(side.getByText(/^measures\.0: /)).toBeVisible();
  await text.fill('{"dimensions": ["region"],\n"measures": [}');
  await expect(side.getByText(/line 2, column 14/)).toBeVisible();
  await text.fill('{"dimensions": ["region"], "measures": [{"op": "count"}], "mark": "bar"}');
  await expect(card(page, "By month").getByRole("img", { name: /count by region/ })).toBeVisible();
  await side.getByRole("textbox", { name: "Title" }).fill("By region");
  await expect(card(page, "By region")).toBeVisible();
  // Typing a word is one step.
  await page.getByRole("button", { name: "Undo" }).click();
  await expect(card(page, "By month")).toBeVisible();
  await page.getByRole("button", { name: "Redo" }).click();
  await save(page);
  expect((await saved(page)).widgets.find(({ id }) => id === "weeks")).toMatchObject({
    title: "By region",
    spec: { dimensions: ["region"], measures: [{ op: "count" }], mark: "bar" },
  });
});

test("builds a dashboard from nothing: a query, a number and a text", async ({ page, person }) => {
  await open(page, person, { datasets: [], widgets: [], filters: [] });
  await expect(page.getByRole("heading", { name: "No widgets yet" })).toBeVisible();
  await expectAccessible(page);
  await page.getByRole("button", { name: "Add Number" }).click();
  const side = panel(page, "Number");
  await choose(page, side, "Data source", "Custom query");
  await side.getByRole("textbox", { name: "Query" }).fill("select 'a' as name, 7 as amount union all select 'b', 35");
  await side.getByRole("button", { name: "Run" }).click();
  await expect(card(page, "the number").getByText("42", { exact: true })).toBeVisible();
  await side.getByRole("button", { name: /Convert to dataset/ }).click();
  await page.getByRole("button", { name: "Add Bar" }).click();
  await expect(page.getByRole("img", { name: /^Bar chart of sum_amount by name/ })).toBeVisible();
  await page.getByRole("button", { name: "Add Text" }).click();
  await panel(page, "Text").getByRole("textbox", { name: "Text" }).fill("# Read me\n\nIt is **new**.");
  await expect(card(page, "the text").getByText("Read me")).toBeVisible();
  await expectAccessible(page);
  await save(page);
  const { widgets, datasets } = await saved(page);
  expect(widgets.map(({ kind }) => kind).sort()).toEqual(["chart", "kpi", "text"]);
  expect(datasets).toHaveLength(1);
  // None overlaps another.
  expect(new Set(widgets.map(({ layout: { x, y } }) => `${x} ${y}`)).size).toBe(3);
});

test("has panels for datasets, filters and the page", { tag: "@long" }, async ({ page, person }) => {
  await open(page, person);
  await page.getByRole("button", { name: /^Datasets/ }).click();
  const datasets = panel(page, "Datasets");
  await expect(datasets.getByText(/Used by Revenue, By month, Regions. 60 rows/)).toBeVisible();
  await expect(datasets.getByRole("button", { name: "Remove dataset Sales" })).toBeDisabled();
  await choose(page, datasets, "Cache duration", "1 day");
  await expectAccessible(page);
  await page.getByRole("button", { name: /^Filters/ }).click();
  const filters = panel(page, "Filters");
  await filters.getByRole("button", { name: "Add filter" }).click();
  const added = filters.getByRole("region", { name: "Filter week" });
  await added.getByRole("combobox", { name: "Default", exact: true }).click();
  await page.getByRole("option", { name: "Last 12 months" }).click();
  const region = filters.getByRole("region", { name: "Filter region" });
  await region.getByRole("textbox", { name: "Default", exact: true }).fill("Coast");
  await region.getByRole("checkbox", { name: "Regions" }).check();
  await expectAccessible(page);
  await page.getByRole("button", { name: "Settings", exact: true }).click();
  const whole = panel(page, "Dashboard settings");
  await whole.getByRole("textbox", { name: "Title" }).fill("Shop by week");
  await whole.getByRole("textbox", { name: "Description" }).fill("For the stand-up.");
  await choose(page, whole, "Visibility", "Only you");
  await expectAccessible(page);
  await save(page);
  expect(await saved(page)).toMatchObject({
    title: "Shop by week",
    description: "For the stand-up.",
    access: "private",
    datasets: [{ maxAgeS: 86400 }],
    filters: [
      { id: "region", default: "Coast", exclude: ["rows"] },
      { kind: "dateRange", field: "week", default: "last12Months" },
    ],
  });
});

test("fills a variable of a console by a filter", { tag: "@long" }, async ({ page, person }) => {
  const connectionId = await sampleConnection(page.request);
  const content = `select region, count(*) as n from (${SALES}) s where true [[and region = {{place}}]] group by region order by region`;
  const { id: consoleId } = await addConsole(page.request, {
    name: "places",
    content,
    connectionId,
    access: "workspace",
  });
  const widget = {
    id: "places",
    kind: "table",
    title: "Places",
    source: { consoleId },
    layout: { x: 0, y: 0, w: 6, h: 8 },
  };
  await open(page, person, { datasets: [], widgets: [{ ...widget, spec: { dimensions: ["region"] } }] });
  await page.getByRole("button", { name: /^Filters/ }).click();
  const region = panel(page, "Filters").getByRole("region", { name: "Filter region" });
  await choose(page, region, "Variable in Places", "place");
  await expectAccessible(page);
  await save(page);
  expect(await saved(page)).toMatchObject({ filters: [{ id: "region", variables: { places: { value: "place" } } }] });
  const rows = card(page, "Places").getByRole("row");
  await expect(rows).toHaveCount(4);
  await page.goto(`/w/${person.slug}/dashboards/${made.id}?f.region=${encodeURIComponent('"Coast"')}`);
  await expect(rows).toHaveCount(2);
  await expect(rows.last()).toContainText("Coast");
});

test("keeps unsaved changes over a reload, and asks before leaving", async ({ page, person }) => {
  await open(page, person);
  await page.getByRole("button", { name: "Edit Revenue" }).click();
  await panel(page, "Revenue").getByRole("textbox", { name: "Title" }).fill("Net revenue");
  await expect(page.getByText("1 unsaved change")).toBeVisible();
  page.on("dialog", (dialog) => void dialog.accept());
  await page.reload();
  await expect(card(page, "Net revenue")).toBeVisible();
  await page.getByRole("link", { name: "Connections" }).first().click();
  await expect(page.getByRole("dialog", { name: "Leave without saving?" })).toBeVisible();
  await page.getByRole("button", { name: "Keep draft" }).click();
  await expect(page).toHaveURL(/connections/);
  // Readers see the saved version, and the author where the draft is.
  await page.goto(`/w/${person.slug}/dashboards/${made.id}`);
  await expect(card(page, "Revenue")).toBeVisible();
  const notice = page.getByRole("status").filter({ hasText: "Draft: 1 unsaved change." });
  await expect(notice).toBeVisible();
  await expectAccessible(page);
  // Another browser of theirs continues it, too.
  await page.evaluate(() => localStorage.clear());
  await page.goto(`/w/${person.slug}/dashboards/${made.id}/edit`);
  await expect(card(page, "Net revenue")).toBeVisible();
  // Neither replaces the other: the person chooses, and undo returns to this browser's.
  const draftUrl = `/api/workspaces/${await workspaceIdOf(page.request)}/dashboards/${made.id}/draft`;
  const { content, base, version } = (await (await page.request.get(draftUrl)).json()).data;
  const theirs = content.replace("Net revenue", "Gross revenue");
  await page.request.put(draftUrl, { data: { content: theirs, base, version } });
  await page.getByRole("button", { name: "Edit Net revenue" }).click();
  await panel(page, "Net revenue").getByRole("textbox", { name: "Title" }).fill("Revenue today");
  const choice = page.getByRole("alert").filter({ hasText: "Your draft in another browser or tab is different." });
  await expect(choice).toBeVisible();
  await expectAccessible(page);
  expect((await (await page.request.get(draftUrl)).json()).data.content).toBe(theirs);
  await choice.getByRole("button", { name: "Use other draft" }).click();
  await expect(card(page, "Gross revenue")).toBeVisible();
  await expect(choice).toBeHidden();
  await page.getByRole("button", { name: "Undo", exact: true }).click();
  await expect(card(page, "Revenue today")).toBeVisible();
  await page.getByRole("button", { name: "Discard changes", exact: true }).click();
  await expect(page.getByRole("dialog").getByText("Renamed number “Revenue today” from “Revenue”")).toBeVisible();
  await page.getByRole("dialog").getByRole("button", { name: "Discard changes", exact: true }).click();
  await expect(page).toHaveURL(new RegExp(`/dashboards/${made.id}$`));
  await page.goto(`/w/${person.slug}/dashboards/${made.id}/edit`);
  await expect(card(page, "Revenue")).toBeVisible();
  // The view discards only the changes that it lists.
  const read = async () => (await (await page.request.get(draftUrl)).json()).data;
  await page.request.put(draftUrl, { data: { content, base, version } });
  await page.goto(`/w/${person.slug}/dashboards/${made.id}`);
  await expect(notice).toBeVisible();
  await page.request.put(draftUrl, { data: { content: theirs, base, version } });
  const discard = async () => {
    await notice.getByRole("button", { name: "Discard changes", exact: true }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Discard changes", exact: true }).click();
  };
  await discard();
  await expect(page.getByText("Your draft was changed in another browser. Nothing was discarded.")).toBeVisible();
  expect((await read()).content).toBe(theirs);
  await discard();
  await expect(notice).toBeHidden();
  await expect.poll(read).toBeNull();
  // A draft that can't be read stays until the person discards it.
  await page.request.put(draftUrl, { data: { content: "{", base, version } });
  await page.goto(`/w/${person.slug}/dashboards/${made.id}/edit`);
  const unreadable = page.getByRole("alert").filter({ hasText: "Your draft can't be read." });
  await expect(unreadable).toBeVisible();
  await expectAccessible(page);
  await page.getByRole("button", { name: "Edit Revenue" }).click();
  const title = page.getByRole("complementary").getByRole("textbox", { name: "Title" });
  await title.fill("Revenue now");
  await page.getByRole("link", { name: "Connections" }).first().click();
  await expect(page.getByText("Your changes aren't saved. They will be lost.")).toBeVisible();
  await page.getByRole("button", { name: "Stay" }).click();
  expect((await read()).content).toBe("{");
  await unreadable.getByRole("button", { name: "Discard draft" }).click();
  await expect(unreadable).toBeHidden();
  const readContent = async () => (await read())?.content ?? "";
  await expect.poll(readContent).toContain('"Revenue now"');
  // So does another browser's.
  await page.request.put(draftUrl, { data: { content: "{", base, version } });
  await title.fill("Revenue later");
  const other = page.getByRole("alert").filter({ hasText: "Your draft in another browser or tab can't be read." });
  await other.getByRole("button", { name: "Discard draft" }).click();
  await expect.poll(readContent).toContain('"Revenue later"');
});

test("merges another person's save of other parts, and asks about a part that both changed", async ({
  page,
  person,
}) => {
  await open(page, person);
  await place(page, "Revenue").focus();
  await page.keyboard.press("Shift+ArrowRight");
  await saveDashboard(page.request, made.id, { description: "Theirs" });
  await expect(page.getByText("Merged with your changes.")).toBeVisible();
  await expect(page.getByText("1 unsaved change")).toBeVisible();

  await page.getByRole("button", { name: "Edit Revenue" }).click();
  await panel(page, "Revenue").getByRole("textbox", { name: "Title" }).fill("Mine");
  const { widgets } = await saved(page);
  const renamed = widgets.map((each) => (each.id === "total" ? { ...each, title: "Theirs" } : each));
  await saveDashboard(page.request, made.id, { title: "Their board", widgets: renamed });
  const notice = page.getByRole("alert").filter({ hasText: "changed this dashboard" });
  await expect(notice).toContainText("Ines Okafor");
  await notice.getByRole("button", { name: "Compare" }).click();
  const dialog = page.getByRole("dialog", { name: "Compare changes" });
  await expect(dialog).toContainText("Renamed number “Theirs” from “Revenue”");
  await expectAccessible(page);
  await dialog.getByRole("radio", { name: "Theirs" }).click();
  await dialog.getByRole("button", { name: "Merge changes" }).click();
  await expect(card(page, "Theirs")).toBeVisible();
  await save(page);
  expect(await layoutOf(page, "total")).toMatchObject({ w: 4 });
  expect(await saved(page)).toMatchObject({ title: "Their board", description: "Theirs" });
});

test("keeps changes made during a save unsaved", { tag: "@long" }, async ({ page, person }) => {
  await open(page, person);
  await place(page, "Revenue").focus();
  await page.keyboard.press("Shift+ArrowRight");
  let letGo = () => {};
  const isLetGo = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  await page.route(`**/dashboards/${made.id}`, async (route) => {
    if (route.request().method() !== "GET") await isLetGo;
    await route.continue();
  });
  const sent = page.waitForRequest((request) => request.method() === "PUT");
  await page.getByRole("button", { name: "Save dashboard", exact: true }).click();
  await sent;
  await place(page, "Revenue").focus();
  await page.keyboard.press("Shift+ArrowRight");
  letGo();
  await expect.poll(() => layoutOf(page, "total")).toMatchObject({ w: 4 });
  await expect(page.getByText("1 unsaved change")).toBeVisible();
  await page.getByRole("button", { name: "Save dashboard", exact: true }).click();
  await expect(page).toHaveURL(new RegExp(`/dashboards/${made.id}$`));
  expect(await layoutOf(page, "total")).toMatchObject({ w: 5 });
});

test("waits offline and saves when the server is back", async ({ page, person, context }) => {
  await open(page, person);
  await expect(card(page, "By month").getByRole("img")).toBeVisible();
  await place(page, "Revenue").focus();
  await context.setOffline(true);
  await page.keyboard.press("Shift+ArrowRight");
  await page.getByRole("button", { name: "Save dashboard", exact: true }).click();
  await expect(page.getByText("Offline. Saves when you reconnect.", { exact: true })).toBeVisible();
  await context.setOffline(false);
  await expect(page).toHaveURL(new RegExp(`/dashboards/${made.id}$`), { timeout: 30_000 });
  expect(await layoutOf(page, "total")).toMatchObject({ w: 4 });
});

test("is checked in light and dark, wide and narrow", { tag: "@long" }, async ({ page, person }, info) => {
  await open(page, person);
  await page.getByRole("button", { name: "Edit By month" }).click();
  await expect(card(page, "By month").getByRole("img")).toBeVisible();
  for (const [width, height] of [
    [1440, 900],
    [390, 844],
  ] as const) {
    await page.setViewportSize({ width, height });
    for (const theme of ["light", "dark"]) {
      await page.evaluate((to) => document.documentElement.setAttribute("data-theme", to), theme);
      await expectAccessible(page);
      await page.screenshot({ path: info.outputPath(`edit-${width}-${theme}.png`) });
    }
    await page.keyboard.press("Escape");
    await expectAccessible(page);
    await page.screenshot({ path: info.outputPath(`edit-${width}-page.png`) });
  }
});
