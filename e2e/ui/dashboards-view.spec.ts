import { readFile } from "node:fs/promises";
import type { Locator, Page, Route } from "@playwright/test";
import { dashboardBench, salesBoard } from "./dashboards.fixtures";
import { expect, expectAccessible, hold, type Person, test } from "./fixtures";

// Forty rows: each of ten days has one of 1, 2, 3 and 4; north has 1 and 3, south 2 and 4; web has 1 and 2, shop 3 and
// 4.

async function openBoard(page: Page, person: Person, more: object = {}): Promise<string> {
  const { make, sample } = await dashboardBench(page.request);
  const { id } = await make(salesBoard(sample, more));
  await page.goto(`/w/${person.slug}/dashboards/${id}`);
  await expect(widget(page, "Revenue")).toContainText("€100");
  return id;
}
const widget = (page: Page, name: string) => page.getByRole("article", { name, exact: true });

test("loads all widgets in one request, and isolates a failed one", async ({ page, person }) => {
  const asked: string[] = [];
  page.on("request", (request) => {
    if (/\/dashboards\/[0-9a-f]{24}\/data/.test(request.url())) asked.push(request.url());
  });
  await openBoard(page, person);
  await expect(page.getByRole("heading", { level: 1, name: "Shop pulse" })).toBeVisible();
  await expect(widget(page, "Orders")).toContainText("40");
  await expect(widget(page, "Text")).toContainText("All amounts are net.");
  await expect(widget(page, "Revenue by day").getByRole("img")).toBeVisible();
  await expect(widget(page, "By region").getByRole("img")).toBeVisible();
  const total = widget(page, "By channel").getByRole("row", { name: /^Total/ });
  await expect(total).toContainText("100.00");
  await expect(total).toContainText("40");
  await expect(widget(page, "Broken")).toContainText("no_such_table");
  await expect(page.getByText(/^Refreshed just now|^Some data is stale, from just now/)).toBeVisible();
  // All of them at once; at most one more time, when the page subscribes to changes.
  expect(new Set(asked).size).toBe(1);
  expect(asked.length).toBeLessThanOrEqual(2);
  await expectAccessible(page);
});

test("draws each widget as soon as its own data arrives", async ({ page, person }) => {
  const { make, sample } = await dashboardBench(page.request);
  const board = salesBoard(sample);
  const slow = {
    id: "slow",
    kind: "kpi",
    title: "Slow",
    // Joins ten thousand million rows: it runs until the page is left.
    source: { connectionId: sample, query: "select sum(a.i * b.i) as n from range(200000) a(i), range(200000) b(i)" },
    spec: { measures: [{ field: "n", op: "max", as: "n" }] },
    layout: { x: 8, y: 15, w: 4, h: 3 },
  };
  const { id } = await make({ ...board, widgets: [...board.widgets, slow] });
  await page.goto(`/w/${person.slug}/dashboards/${id}`);
  await expect(widget(page, "Revenue")).toContainText("€100");
  await expect(widget(page, "Broken")).toContainText("no_such_table");
  await expect(widget(page, "Slow").getByRole("status", { name: "Loading data" })).toBeVisible();
});

test("filters widgets, with the filters in the URL, and removes them by Back and chips", async ({ page, person }) => {
  await openBoard(page, person);
  const filters = page.getByRole("region", { name: "Filters" });
  await filters.getByRole("button", { name: "Region: any" }).click();
  const list = page.getByRole("list", { name: "Values of Region" });
  await expect(list.getByRole("listitem")).toHaveText([/north20/, /south20/]);
  await expectAccessible(page);
  await list.getByRole("checkbox", { name: /north/ }).click();
  await expect(widget(page, "Revenue")).toContainText("€40");
  await expect(page).toHaveURL(/f\.region=%22north%22/);
  // Values are counted under the other filters.
  await filters.getByRole("button", { name: "Channel: any" }).click();
  const channels = page.getByRole("list", { name: "Values of Channel" });
  await expect(channels.getByRole("listitem")).toHaveText([/shop10/, /web10/]);
  // Two that are selected before the first is rendered stay selected.
  await channels.getByRole("checkbox").evaluateAll(async (boxes) => {
    for (const box of boxes as HTMLInputElement[]) {
      box.click();
      await Promise.resolve();
    }
  });
  await expect(filters.getByRole("button", { name: /^Channel: (shop, web|web, shop|2 )/ })).toBeVisible();
  await channels.getByRole("checkbox", { name: /shop/ }).click();
  await expect(widget(page, "Revenue")).toContainText("€10");
  await page.keyboard.press("Escape");
  await page.reload();
  await expect(widget(page, "Revenue")).toContainText("€10");
  for (const _ of ["shop", "web", "shop"]) await page.goBack();
  await expect(widget(page, "Revenue")).toContainText("€40");
  await expect(filters.getByRole("button", { name: "Channel: any" })).toBeVisible();
  await filters.getByRole("button", { name: "Clear Region: north" }).click();
  await expect(widget(page, "Revenue")).toContainText("€100");
  await filters.getByRole("button", { name: "Day: any" }).click();
  await page.getByLabel("From").fill("2026-03-02");
  await page.getByLabel("To (inclusive)").fill("2026-02-30");
  await expect(page.getByText("Enter dates as YYYY-MM-DD.")).toBeVisible();
  await page.getByLabel("To (inclusive)").fill("2026-03-02");
  await page.getByRole("button", { name: "Open calendar" }).last().click();
  await expect(page.getByRole("dialog", { name: "Calendar" }).getByText("March 2026")).toBeAttached();
  await expectAccessible(page);
  await page.getByRole("button", { name: "2 March", exact: true }).press("ArrowRight");
  await expect(page.getByRole("button", { name: "3 March", exact: true })).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(page.getByLabel("To (inclusive)")).toHaveValue("2026-03-03");
  await expectAccessible(page);
  await page.getByRole("button", { name: "Apply" }).click();
  await expect(widget(page, "Revenue")).toContainText("€20");
  await expect(filters.getByRole("button", { name: "Day: 2 Mar 2026 to 3 Mar 2026", exact: true })).toBeVisible();
  await filters.getByRole("searchbox", { name: "Region holds" }).fill("SOU");
  await expect(widget(page, "Revenue")).toContainText("€12");
  await page.getByRole("button", { name: "Clear filters" }).click();
  await expect(widget(page, "Revenue")).toContainText("€100");
  await expect(page).toHaveURL(/\/dashboards\/[0-9a-f]{24}$/);
});

/** Button of the filter that `brush` sets. */
const CLEAR_BRUSH = /^Clear Revenue by day: 3 Mar 2026 to 5 Mar 2026/;

/** Brushes from the third day of ten to the fifth. @param onPressed called while the pointer is down */
async function brush(page: Page, hand: Locator, onPressed?: () => Promise<void>): Promise<void> {
  const box = await hand.boundingBox();
  if (!box) throw new Error("The chart has no box.");
  const at = async (part: number) => page.mouse.move(box.x + 44 + (box.width - 60) * part, box.y + box.height / 2);
  await at(2 / 9);
  await page.mouse.down();
  await at(3 / 9);
  await onPressed?.();
  await at(4 / 9);
  await page.mouse.up();
}

test("filters other widgets by clicked marks, by keyboard and pointer", async ({ page, person }) => {
  await openBoard(page, person);
  const days = widget(page, "Revenue by day");
  const hand = days.getByRole("slider");
  await expect(days.locator(".chart-host svg")).toBeVisible();
  await hand.focus();
  await page.keyboard.press("Home");
  await expect(hand).toHaveAttribute("aria-valuetext", /2026-03-01/);
  await page.keyboard.press("Enter");
  await expect(widget(page, "Revenue")).toContainText("€10");
  await expect(hand).toHaveAttribute("aria-valuemax", "10");
  const filters = page.getByRole("region", { name: "Filters" });
  await expect(filters.getByRole("button", { name: "Clear Revenue by day: 1 Mar 2026" })).toBeVisible();
  // Two more days by the keyboard: a range.
  await hand.focus();
  await page.keyboard.press("Home");
  await page.keyboard.press("Shift+ArrowRight");
  await page.keyboard.press("Shift+ArrowRight");
  await page.keyboard.press("Enter");
  await expect(widget(page, "Revenue")).toContainText("€30");
  await widget(page, "By channel").getByRole("button", { name: "web", exact: true }).click();
  await expect(widget(page, "Revenue")).toContainText("€9");
  await expect(widget(page, "By channel").getByRole("button", { name: "web" })).toHaveAttribute("aria-pressed", "true");
  await expect(widget(page, "By channel").getByRole("button", { name: "shop" })).toBeVisible();
  await expectAccessible(page);
  await page.reload();
  await expect(widget(page, "Revenue")).toContainText("€9");
  await page.getByRole("button", { name: "Clear filters" }).click();
  await expect(widget(page, "Revenue")).toContainText("€100");
  // Two that are added before the first is rendered both stay.
  const cells = widget(page, "By channel").locator("button.widget-cell");
  await cells.evaluateAll(async (all) => {
    for (const cell of all) {
      cell.dispatchEvent(new MouseEvent("click", { bubbles: true, shiftKey: true }));
      await Promise.resolve();
    }
  });
  for (const name of ["web", "shop"]) {
    await expect(cells.filter({ hasText: name })).toHaveAttribute("aria-pressed", "true");
  }
  await page.getByRole("button", { name: "Clear filters" }).click();
  await expect(widget(page, "Revenue")).toContainText("€100");
  await brush(page, hand);
  await expect(filters.getByRole("button", { name: CLEAR_BRUSH })).toBeVisible();
  await expect(widget(page, "Revenue")).toContainText("€30");
});

for (const isReleasedFirst of [false, true]) {
  test(`keeps a brush that starts before the chart is drawn, released ${isReleasedFirst ? "before" : "after"} it`, async ({
    page,
    person,
  }) => {
    const drawing = Promise.withResolvers<void>();
    await page.route("**/_next/static/**/*.js", async (route) => {
      const response = await route.fetch();
      // Only the chart library has this message.
      if ((await response.text()).includes("Unrecognized signal name")) await drawing.promise;
      await route.fulfill({ response });
    });
    await openBoard(page, person);
    const days = widget(page, "Revenue by day");
    const hand = days.getByRole("slider");
    await expect(hand).toHaveAttribute("aria-valuemax", "10");
    const drawn = days.locator(".chart-host svg");
    const draw = async () => {
      drawing.resolve();
      await expect(drawn).toBeVisible();
    };
    await expect(drawn).toHaveCount(0);
    await brush(page, hand, isReleasedFirst ? undefined : draw);
    await draw();
    await expect(page.getByRole("button", { name: CLEAR_BRUSH })).toBeVisible();
    await expect(widget(page, "Revenue")).toContainText("€30");
  });
}

test("answers clicks in the browser while the pointer is in a widget", async ({ page, person }) => {
  await openBoard(page, person, { widgets: salesBoard("").widgets.filter(({ id }) => id !== "broken") });
  const channels = widget(page, "By channel");
  const cube = page.waitForResponse("**/widgets/rows/cube?**");
  await channels.hover();
  expect((await cube).status()).toBe(200);
  const asked: string[] = [];
  page.on("request", (request) => void (/\/data\?/.test(request.url()) && asked.push(request.url())));
  await channels.getByRole("button", { name: "web", exact: true }).click();
  await expect(widget(page, "Revenue")).toContainText("€30");
  await expect(widget(page, "Orders")).toContainText("20");
  await channels.getByRole("button", { name: "web", exact: true }).click();
  await channels.getByRole("button", { name: "shop", exact: true }).click();
  await expect(widget(page, "Revenue")).toContainText("€70");
  await page.goBack();
  await page.goBack();
  await expect(widget(page, "Revenue")).toContainText("€30");
  expect(asked).toEqual([]);
  // Another filter is a new query.
  await page.getByRole("button", { name: "Region: any" }).click();
  await page.getByRole("checkbox", { name: /north/ }).click();
  await expect(widget(page, "Revenue")).toContainText("€10");
  expect(asked.length).toBeGreaterThan(0);
});

test("does not filter an excluded widget", { tag: "@long" }, async ({ page, person }) => {
  const { make, sample } = await dashboardBench(page.request);
  const board = salesBoard(sample);
  const widgets = board.widgets.map((each) =>
    each.id === "rows" ? { ...each, spec: { ...each.spec, exclude: ["total"] } } : each,
  );
  const { id } = await make({ ...board, widgets });
  await page.goto(`/w/${person.slug}/dashboards/${id}`);
  await widget(page, "By channel").getByRole("button", { name: "web", exact: true }).click();
  await expect(widget(page, "Orders")).toContainText("20");
  await expect(widget(page, "Revenue")).toContainText("€100");
});

test("keeps only the newest request waiting, and the current drawing until then", { tag: "@long" }, async ({
  page,
  person,
}) => {
  await openBoard(page, person);
  const asked: string[] = [];
  page.on("request", (request) => request.url().includes("/data?") && asked.push(request.url()));
  const letGo = await hold(page, "**/data?**");
  const search = page.getByRole("searchbox", { name: "Region holds" });
  for (const text of ["n", "no", "nor"]) {
    await search.fill(text);
    await expect(page).toHaveURL(new RegExp(`f\\.find=%22${text}%22$`));
  }
  await expect(widget(page, "Revenue")).toContainText("€100");
  expect(asked).toHaveLength(1);
  letGo();
  await expect(widget(page, "Revenue")).toContainText("€40");
  await expect.poll(() => asked.length).toBe(2);
  expect(decodeURIComponent(asked[1] ?? "")).toContain('"nor"');
});

test("C37 keeps long filter values out of the URL, over Back and a reload, and reports them missing elsewhere", {
  tag: "@long",
}, async ({ page, person, browser }) => {
  const { make, sample } = await dashboardBench(page.request);
  // 80 cities with names of 60 characters, each of them 1.
  const query = "select rpad('city ' || range || ' ', 60, 'x') as city, 1 as amount from range(80)";
  const { id } = await make({
    title: "Cities",
    datasets: [{ id: "cities", name: "Cities", source: { connectionId: sample, query } }],
    widgets: [
      { id: "total", kind: "kpi", title: "Amount", source: { datasetId: "cities" }, spec: { measures: [{ field: "amount", op: "sum", as: "amount" }] }, layout: { x: 0, y: 0, w: 3, h: 3 } }, // biome-ignore format: one look
    ],
    filters: [{ id: "city", kind: "multiSelect", field: "city", title: "City", datasets: ["cities"] }],
  });
  await page.goto(`/w/${person.slug}/dashboards/${id}`);
  await expect(widget(page, "Amount")).toContainText("80");
  const filters = page.getByRole("region", { name: "Filters" });
  await filters.getByRole("button", { name: "City: any" }).click();
  const boxes = page.getByRole("list", { name: "Values of City" }).getByRole("checkbox");
  await expect(boxes).not.toHaveCount(0);
  const tick = (count: number) =>
    boxes.evaluateAll(async (all, wanted) => {
      for (const box of (all as HTMLInputElement[]).filter(({ checked }) => !checked).slice(0, wanted)) {
        box.click();
        await new Promise((resolve) => setTimeout(resolve));
      }
    }, count);
  // The address holds ten values in full; forty are 2,800 characters, escaped.
  await tick(10);
  await expect(widget(page, "Amount")).toContainText("10");
  expect(new URL(page.url()).searchParams.get("f.city")).toContain("city ");
  await tick(30);
  await expect(widget(page, "Amount")).toContainText("40");
  const short = page.url();
  expect(new URL(short).search.length).toBeLessThan(100);
  await page.keyboard.press("Escape");
  await page.reload();
  await expect(widget(page, "Amount")).toContainText("40");
  await expect(filters.getByRole("button", { name: /^City: 40 / })).toBeVisible();
  await page.goBack();
  await expect(widget(page, "Amount")).toContainText("39");
  await page.goForward();
  await expect(widget(page, "Amount")).toContainText("40");
  // Another tab of this browser has the values, another browser does not.
  const tab = await page.context().newPage();
  await tab.goto(short);
  await expect(widget(tab, "Amount")).toContainText("40");
  await tab.close();
  const { cookies } = await page.context().storageState();
  const elsewhere = await browser.newContext({ storageState: { cookies, origins: [] } });
  const other = await elsewhere.newPage();
  await other.goto(short);
  await expect(widget(other, "Amount")).toContainText("80");
  const lost = other.getByText("1 filter of this link is stored in another browser. Select again.");
  await expect(lost).toBeVisible();
  await expectAccessible(other);
  await other.getByRole("button", { name: "Clear filters" }).click();
  await expect(lost).toHaveCount(0);
  await expect(other).toHaveURL(/\/dashboards\/[0-9a-f]{24}$/);
  await elsewhere.close();
});

test("reports a link with lost filters, and clears it", { tag: "@long" }, async ({ page, person }) => {
  const id = await openBoard(page, person);
  await page.goto(`/w/${person.slug}/dashboards/${id}?f.gone=%22x%22`);
  const alert = page.getByRole("main").getByRole("alert");
  await expect(alert).toContainText(/Filter “.+” not found/);
  await page.goto(`/w/${person.slug}/dashboards/${id}?at.days=5`);
  await expect(alert).toContainText("Invalid click on widget “days”");
  await page.getByRole("button", { name: "Clear filters" }).click();
  await expect(widget(page, "Revenue")).toContainText("€100");
});

test("enlarges a widget, shows its query, and exports its rows and picture", async ({ page, person }) => {
  await openBoard(page, person);
  const choose = async (name: string, item: string) => {
    await page.getByRole("button", { name: `Actions for ${name}`, exact: true }).click();
    await page.getByRole("menuitem", { name: item }).click();
  };
  await choose("By channel", "Full screen");
  const large = page.getByRole("dialog", { name: "By channel" });
  await expect(large.getByRole("grid")).toContainText("shop");
  await expectAccessible(page);
  await page.keyboard.press("Escape");
  await widget(page, "By channel").getByRole("button", { name: "shop", exact: true }).click();
  await choose("By channel", "View selected rows");
  const behind = page.getByRole("dialog", { name: "Underlying rows: By channel" });
  await expect(behind).toContainText("20 rows");
  await expect(behind.getByRole("grid")).toContainText("region");
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Clear filters" }).click();
  // A mark leads to its rows and to finer groups; the page's filters stay.
  await widget(page, "By channel").getByRole("row", { name: /^web/ }).click({ button: "right" });
  await page.getByRole("menuitem", { name: "See these rows" }).click();
  await expect(page.getByRole("dialog", { name: "Underlying rows: By channel, web" })).toContainText("20 rows");
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Time grain", exact: true }).click();
  await page.getByRole("button", { name: "Month", exact: true }).click();
  const days = widget(page, "Revenue by day").getByRole("slider");
  // A right click that ends in the menu selects no range with the next move of the pointer.
  await days.hover();
  await page.mouse.down({ button: "right" });
  await page.getByRole("menuitem", { name: "See these rows" }).hover();
  await page.mouse.up({ button: "right" });
  await page.keyboard.press("Escape");
  await expect(page.getByRole("menu")).toHaveCount(0);
  await days.hover({ position: { x: 90, y: 20 } });
  await days.hover({ position: { x: 200, y: 20 } });
  await expect(widget(page, "Revenue by day").locator(".chart-cross .picked")).toHaveCount(0);
  await days.focus();
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("Shift+F10");
  await page.getByRole("menuitem", { name: "Zoom in by week" }).click();
  const zoomed = page.getByRole("dialog", { name: "Revenue by day: Mar 2026, by week" });
  await expect(zoomed.getByRole("slider")).toHaveAttribute("aria-valuemax", "3");
  await expectAccessible(page);
  await page.keyboard.press("Escape");
  await expect(page).not.toHaveURL(/at\./);
  await choose("Revenue", "View query");
  const query = page.getByRole("dialog", { name: "Query: Revenue" });
  await expect(query).toContainText("from range(40)");
  await expect(query).toContainText("Connection: Sample shop");
  await expectAccessible(page);
  await page.keyboard.press("Escape");
  const rows = page.waitForEvent("download");
  await choose("By channel", "Export CSV");
  expect(await readFile(await (await rows).path(), "utf8")).toBe(
    "channel,revenue,orders\r\nshop,70.00,20\r\nweb,30.00,20",
  );
  const picture = page.waitForEvent("download");
  await choose("Revenue by day", "Export PNG");
  const file = await picture;
  expect(file.suggestedFilename()).toBe("Revenue by day.png");
  expect((await readFile(await file.path())).subarray(1, 4).toString()).toBe("PNG");
});

test("exports the whole page as an image, including parts out of sight", { tag: "@long" }, async ({ page, person }) => {
  await openBoard(page, person);
  await expect(widget(page, "Revenue by day").locator("svg").first()).toBeVisible();
  await expect(widget(page, "By region").getByRole("img")).toBeVisible();
  const picture = page.waitForEvent("download");
  await page.getByRole("button", { name: "Dashboard actions" }).click();
  await page.getByRole("menuitem", { name: "Export PNG" }).click();
  const file = await picture;
  expect(file.suggestedFilename()).toBe("Shop pulse.png");
  const bytes = await readFile(await file.path());
  const [width, height] = [bytes.readUInt32BE(16), bytes.readUInt32BE(20)];
  const shown = await page
    .locator(".dashboard-host .page-in")
    .evaluate((each) => [each.scrollWidth, each.scrollHeight]);
  expect([width, height]).toEqual(shown.map((side) => side * 2));
  // The browser renders it again: the picture has more than one colour, down to its last rows.
  const colours = await page.evaluate(
    async (url) => {
      const image = new Image();
      image.src = url;
      await image.decode();
      const canvas = document.createElement("canvas");
      [canvas.width, canvas.height] = [image.width, image.height];
      const pen = canvas.getContext("2d");
      pen?.drawImage(image, 0, 0);
      const from = Math.round(image.height * 0.75);
      const { data = [] } = pen?.getImageData(0, from, image.width, image.height - from) ?? {};
      const seen = new Set<string>();
      for (let at = 0; at < data.length; at += 4) seen.add(`${data[at]} ${data[at + 1]} ${data[at + 2]}`);
      return seen.size;
    },
    `data:image/png;base64,${bytes.toString("base64")}`,
  );
  expect(colours).toBeGreaterThan(20);
});

test("shows a wall without controls, reloads it, and keeps data on a failure", { tag: "@long" }, async ({
  page,
  person,
}) => {
  const id = await openBoard(page, person);
  await page.clock.install();
  await page.goto(`/w/${person.slug}/dashboards/${id}?wall=1`);
  await expect(widget(page, "Revenue")).toContainText("€100");
  await expect(page.getByRole("navigation", { name: "Workspace" })).toHaveCount(0);
  await expectAccessible(page);
  const read = page.waitForRequest("**/data?**");
  await page.clock.fastForward(61_000);
  await read;
  await page.route("**/data?**", (route) => route.fulfill({ status: 500, body: "{}" }));
  await page.clock.fastForward(61_000);
  await expect(page.getByRole("main").getByRole("alert")).toContainText("Showing older data.");
  await expect(widget(page, "Revenue")).toContainText("€100");
});

test("reloads by itself after an outage, on a shared page too", async ({ page, person, browser }) => {
  const { make, sample, root } = await dashboardBench(page.request);
  const { id } = await make(salesBoard(sample));
  const shared = await page.request.put(`${root}/${id}/share`, { data: { enabled: true } });
  const { url } = (await shared.json()).data;
  let isAway = true;
  const cutOff = (route: Route) => (isAway ? route.abort() : route.continue());
  await page.route("**/data?**", cutOff);
  await page.goto(`/w/${person.slug}/dashboards/${id}`);
  await expect(page.getByRole("main").getByRole("alert")).toContainText("The server did not respond.");
  isAway = false;
  await expect(widget(page, "Revenue")).toContainText("€100", { timeout: 30_000 });
  await expect(page.getByRole("main").getByRole("alert")).toHaveCount(0);

  const context = await browser.newContext();
  const visitor = await context.newPage();
  await visitor.clock.install();
  for (const part of ["**/api/share/*/dashboard", "**/api/share/*/data?**"]) {
    isAway = true;
    await visitor.route(part, cutOff);
    await visitor.goto(url);
    await expect(visitor.getByRole("main").getByRole("alert")).toContainText("The server did not respond.");
    isAway = false;
    await visitor.clock.fastForward(60_000);
    await expect(widget(visitor, "Revenue")).toContainText("€100");
    await expect(visitor.getByRole("main").getByRole("alert")).toHaveCount(0);
  }
  await context.close();
});

test("stacks widgets on a phone, numbers two abreast", { tag: "@long" }, async ({ page, person }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await openBoard(page, person);
  // Content above them may still grow while their positions are read.
  await expect(async () => {
    const left = await widget(page, "Revenue").boundingBox();
    const right = await widget(page, "Orders").boundingBox();
    expect(left?.y).toBe(right?.y);
  }).toPass();
  const wide = await widget(page, "Revenue by day").boundingBox();
  expect(wide?.width).toBeGreaterThan(340);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
  await expectAccessible(page);
});

test("tells a person without access what to do", { tag: "@long" }, async ({ page, person }) => {
  await page.goto(`/w/${person.slug}/dashboards/${"0".repeat(24)}`);
  await expect(page.getByRole("heading", { name: "You can't open this dashboard" })).toBeVisible();
});
