import { randomUUID } from "node:crypto";
import { ObjectId } from "mongodb";
import { beforeAll, describe, expect, it } from "vitest";
import { collections } from "@/lib/features/instance/collections";
import { writeNow } from "@/lib/features/query/history-writer";
import { call } from "@/test/client";
import { authorOf, type DashboardAuthor } from "@/test/fixtures/dashboards/dashboard-author";
import { type DashboardWorld, takeDashboardWorld } from "@/test/fixtures/dashboards/dashboard-world";
import { type Person, removeMember, seedKey, seedMember, seedPerson } from "@/test/seed";
import type { WidgetData } from "./schema";

const open = takeDashboardWorld();
let owner: Person;
let stranger: Person;
let author: DashboardAuthor;
let connectionId: string;
let run: DashboardWorld["run"];

const SALES = "select * from sales";
const WIDGETS = [
  {
    id: "by-region",
    kind: "chart",
    source: { datasetId: "sales" },
    spec: { dimensions: ["region"], measures: [{ field: "amount", op: "sum", as: "total" }], mark: "bar" },
  },
  { id: "count", kind: "kpi", source: { datasetId: "sales" }, spec: { measures: [{ op: "count" }] } },
  { id: "words", kind: "text", spec: { text: "# Sales" } },
];
const FILTERS = [
  { id: "region", kind: "multiSelect", field: "region", exclude: ["by-region"] },
  { id: "when", kind: "dateRange", field: "day" },
  { id: "lost", kind: "select", field: "nowhere" },
];

beforeAll(async () => {
  ({ owner, author, connectionId, run } = await open());
  stranger = await seedPerson("Stranger");
  await run(`create table sales as select * from (values
    ('north', 10.50::decimal(10,2), date '2026-01-05'), ('north', 4.50, date '2026-02-05'), ('south', 1.25, date '2026-02-06')
  ) t(region, amount, day)`);
});

async function make(more: Record<string, unknown> = {}): Promise<string> {
  const datasets = [{ id: "sales", name: "Sales", source: { connectionId, query: SALES } }];
  const parts = { access: "workspace", datasets, widgets: WIDGETS, filters: FILTERS, ...more };
  return (await author.make(randomUUID(), parts)).id;
}

const ask = (
  id: string,
  search: Record<string, unknown> = {},
  path = "data",
  who: Person | { key: string } = owner,
) => {
  const text = Object.entries(search).map(
    ([name, value]) => `${name}=${encodeURIComponent(typeof value === "string" ? value : JSON.stringify(value))}`,
  );
  return call("GET", `/api/workspaces/${owner.workspaceId}/dashboards/${id}/${path}?${text.join("&")}`, who);
};
async function widgetsOf(id: string, search: Record<string, unknown> = {}): Promise<Map<string, WidgetData>> {
  const answer = await ask(id, search);
  expect(answer.status, answer.text).toBe(200);
  return new Map((answer.json.data.widgets as WidgetData[]).map((widget) => [widget.id, widget]));
}
const rowsOf = async (id: string, widget: string, filters?: unknown) =>
  (await widgetsOf(id, filters === undefined ? {} : { filters })).get(widget)?.rows;

const BY_DAY = {
  id: "by-day",
  kind: "chart",
  source: { datasetId: "sales" },
  spec: {
    dimensions: [{ field: "day", timeUnit: "day" }],
    measures: [{ op: "count", as: "n" }],
    sort: [{ by: "day" }],
  },
};
const TOTAL = {
  id: "total",
  kind: "kpi",
  source: { datasetId: "sales" },
  spec: { measures: [{ field: "amount", op: "sum", as: "total" }], trend: { field: "day", timeUnit: "month" } },
};

describe("the lines of a dashboard's data", () => {
  const lines = async (id: string, search = "") => {
    const path = `/api/workspaces/${owner.workspaceId}/dashboards/${id}/data${search}`;
    const headers = { accept: "application/x-ndjson" };
    return call("GET", path, { cookie: owner.cookie, headers });
  };

  it("have one widget each, as in the whole response, and an end marker", async () => {
    const id = await make({ filters: [] });
    const whole = await widgetsOf(id);
    const answer = await lines(id);
    expect(answer.headers.get("content-type")).toBe("application/x-ndjson");
    const read = answer.text
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(read.at(-1)).toEqual({ end: true });
    const widgets = read.slice(0, -1) as WidgetData[];
    expect(widgets.map((each) => each.id).sort()).toEqual([...whole.keys()].sort());
    for (const { id: widgetId, rows } of widgets) expect(rows).toEqual(whole.get(widgetId)?.rows);
  });

  it("report a failing source in its line, and a rejected request as usual", async () => {
    const broken = { id: "broken", kind: "table", source: { connectionId, query: "select * from nowhere" } };
    const id = await make({ widgets: [...WIDGETS, broken] });
    const read = (await lines(id)).text
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(read.find((each) => each.id === "broken")?.error).toContain("nowhere");
    expect(read.find((each) => each.id === "count")).toMatchObject({ rows: [{ count: 3 }] });
    const refused = await lines(id, "?filters=[]");
    expect([refused.status, refused.json.code]).toEqual([400, "invalid_request"]);
    expect((await lines(new ObjectId().toHexString())).status).toBe(404);
  });
});

describe("the grain and the comparison of a page", () => {
  it("groups all times, whatever the widgets say, and a number's sparkline", async () => {
    const id = await make({ widgets: [BY_DAY, TOTAL], filters: [FILTERS[1]] });
    const plain = await widgetsOf(id);
    expect(plain.get("by-day")?.rows.map(({ day }) => day)).toEqual(["2026-01-05", "2026-02-05", "2026-02-06"]);
    expect(plain.get("total")).toMatchObject({
      rows: [{ total: "16.25" }],
      trend: [
        { at: "2026-01-01", total: "10.50" },
        { at: "2026-02-01", total: "5.75" },
      ],
    });
    const yearly = await widgetsOf(id, { grain: "year" });
    expect(yearly.get("by-day")?.rows).toEqual([{ day: "2026-01-01", n: 3 }]);
    expect(yearly.get("total")?.trend).toEqual([{ at: "2026-01-01", total: "16.25" }]);
    expect(yearly.get("total")).not.toHaveProperty("before");
  });

  it("compares charts and numbers with the previous period, aligned to the current one", async () => {
    const id = await make({
      widgets: [BY_DAY, TOTAL, { ...BY_DAY, id: "table", kind: "table" }],
      filters: [FILTERS[1]],
    });
    const filters = { when: { from: "2026-02-05", to: "2026-03-07" } };
    const widgets = await widgetsOf(id, { filters, compare: "previous" });
    expect(widgets.get("total")).toMatchObject({
      rows: [{ total: "5.75" }],
      before: { from: "2026-01-05", to: "2026-02-04", rows: [{ total: "10.50" }] },
    });
    // 5 January is the first of its 31 days, and 5 February is the first of these.
    expect(widgets.get("by-day")?.before?.rows).toEqual([{ day: "2026-02-05", n: 1 }]);
    expect(widgets.get("table")?.before?.rows).toEqual([{ day: "2026-02-05", n: 1 }]);
    const year = await widgetsOf(id, { filters, compare: "year" });
    expect(year.get("total")?.before).toEqual({ from: "2025-02-05", to: "2025-03-07", rows: [{ total: null }] });
    expect((await widgetsOf(id, { compare: "previous" })).get("total")).not.toHaveProperty("before");
    // Days brushed in one widget are a range for the others.
    const brushed = await widgetsOf(id, {
      filters: { "@by-day": { day: { from: "2026-02-06", to: "2026-02-06" } } },
      compare: "previous",
    });
    expect(brushed.get("total")).toMatchObject({ rows: [{ total: "1.25" }], before: { rows: [{ total: "4.50" }] } });
  });

  it("compares shown groups with their previous values, and plain rows with nothing", async () => {
    const sold = (kind: string, spec: object) => ({ id: kind, kind, source: { datasetId: "s" }, spec });
    const measures = [{ field: "n", op: "sum", as: "sold" }];
    const first = { dimensions: ["what"], measures, sort: [{ by: "sold", order: "desc" }], limit: 1 };
    const values =
      "(date '2026-05-01', 'oar', 9), (date '2026-05-01', 'net', 2), (date '2026-05-02', 'net', 5), (date '2026-05-02', 'rod', 1)";
    const id = await make({
      datasets: [
        { id: "s", name: "S", source: { connectionId, query: `select * from (values ${values}) t(day, what, n)` } },
      ],
      widgets: [sold("chart", first), sold("table", { ...first, limit: 2 }), { ...sold("table", {}), id: "rows" }],
      filters: [{ id: "when", kind: "dateRange", field: "day", datasets: "all" }],
    });
    const widgets = await widgetsOf(id, {
      filters: { when: { from: "2026-05-02", to: "2026-05-02" } },
      compare: "previous",
    });
    // The top group of the previous period was another one: each current group is compared with itself.
    expect(widgets.get("chart")).toMatchObject({
      rows: [{ what: "net" }],
      before: { rows: [{ what: "net", sold: 2 }] },
    });
    expect(widgets.get("table")).toMatchObject({
      rows: [{ what: "net" }, { what: "rod" }],
      before: { rows: [{ what: "net", sold: 2 }] },
    });
    expect(widgets.get("rows")).not.toHaveProperty("before");
  });

  it("compares a chart with the year before its range, which its own rows lack", async () => {
    const values = "(date '2023-01-10', 1), (date '2023-02-10', 2), (date '2024-01-20', 3), (date '2024-02-20', 4)";
    const query = `select day, day + 400 as sent, n from (values ${values}) t(day, n)`;
    const spec = {
      ...{ dimensions: [{ field: "day", timeUnit: "month" }], measures: [{ field: "n", op: "sum", as: "sold" }] },
      ...{ mark: "line", compare: "year" },
    };
    const limited = { ...spec, sort: [{ by: "day", order: "desc" }], limit: 1 };
    const id = await make({
      datasets: [{ id: "s", name: "S", source: { connectionId, query } }],
      widgets: [
        { id: "chart", kind: "chart", source: { datasetId: "s" }, spec },
        { id: "limited", kind: "chart", source: { datasetId: "s" }, spec: limited },
      ],
      filters: ["day", "sent"].map((field) => ({ id: field, kind: "dateRange", field, datasets: "all" })),
    });
    const beforeOf = async (filters: object) => {
      const widgets = await widgetsOf(id, { filters });
      return ["chart", "limited"].map((widget) => widgets.get(widget)?.before?.rows);
    };
    const [jan, feb] = [
      { day: "2024-01-01", sold: 1 },
      { day: "2024-02-01", sold: 2 },
    ];
    expect(await beforeOf({ day: { from: "2024-01-01", to: "2024-12-31" } })).toEqual([[jan, feb], [feb]]);
    // An open range ends today, so it has the current rows a year later too.
    const later = [
      { day: "2025-01-01", sold: 3 },
      { day: "2025-02-01", sold: 4 },
    ];
    expect(await beforeOf({ day: { from: "2024-02-01", to: null } })).toEqual([[feb, ...later], [feb]]);
    // The filter of another column applies to both years.
    const sent = { from: "2024-01-01", to: "2024-03-01" };
    expect(await beforeOf({ day: { from: "2024-01-01", to: "2024-12-31" }, sent })).toEqual([[jan], []]);
    expect(await beforeOf({ sent })).toEqual([undefined, undefined]);
  });

  it("rejects an unknown grain or comparison", async () => {
    const id = await make();
    for (const search of [{ grain: "hour" }, { grain: "x" }, { compare: "ever" }])
      expect((await ask(id, search)).status).toBe(400);
  });
});

describe("the data of a dashboard", () => {
  it("is computed from stored rows per widget, exactly, and a text has none", async () => {
    const widgets = await widgetsOf(await make());
    expect([...widgets.keys()]).toEqual(["by-region", "count"]);
    expect(widgets.get("by-region")).toMatchObject({
      fields: [
        { name: "region", type: "string" },
        { name: "total", type: "decimal" },
      ],
      rows: [
        { region: "north", total: "15.00" },
        { region: "south", total: "1.25" },
      ],
      truncated: false,
      cachedAt: expect.stringMatching(/^20/),
      ageMs: expect.any(Number),
    });
    expect(widgets.get("count")?.rows).toEqual([{ count: 3 }]);
    expect(widgets.get("count")).not.toHaveProperty("error");
  });

  it("applies filters except to excluded widgets, without querying the source", async () => {
    const id = await make();
    await widgetsOf(id);
    const executions = () => collections.executions().countDocuments({});
    await writeNow();
    const before = await executions();
    expect(await rowsOf(id, "count", { region: ["south"] })).toEqual([{ count: 1 }]);
    expect(await rowsOf(id, "by-region", { region: ["south"] })).toHaveLength(2);
    expect(await rowsOf(id, "by-region", { when: { from: "2026-02-01" } })).toEqual([
      { region: "north", total: "4.50" },
      { region: "south", total: "1.25" },
    ]);
    expect(await rowsOf(id, "count", { region: ["' or 1=1 --"] })).toEqual([{ count: 0 }]);
    await writeNow();
    expect(await executions()).toBe(before);
  });

  it("applies clicks to other widgets, except excluded ones", async () => {
    const widgets = [
      ...WIDGETS,
      { id: "alone", kind: "kpi", source: { datasetId: "sales" }, spec: { measures: [{ op: "count" }] } },
      {
        id: "press",
        kind: "chart",
        source: { datasetId: "sales" },
        spec: { dimensions: ["region", "day"], measures: [{ op: "count" }], exclude: ["alone"] },
      },
    ];
    const id = await make({ widgets });
    const filters = { "@press": { region: ["north"], day: { from: "2026-02-01", to: "2026-02-28" } } };
    const data = await widgetsOf(id, { filters });
    expect(data.get("count")?.rows).toEqual([{ count: 1 }]);
    expect(data.get("by-region")?.rows).toEqual([{ region: "north", total: "4.50" }]);
    expect(data.get("alone")?.rows).toEqual([{ count: 3 }]);
    expect(data.get("press")?.rows).toHaveLength(3);
    const list = await ask(id, { filters }, "filters/region/values");
    expect(list.json.data.values).toEqual([{ value: "north", count: 1 }]);
    // A column that the widget hides cannot be probed by a click.
    expect(await rowsOf(id, "count", { "@press": { amount: ["1.25"] } })).toEqual([{ count: 3 }]);
    // An unknown column filters nothing, and neither does a cleared click.
    expect(await rowsOf(id, "count", { "@press": { nowhere: [1] } })).toEqual([{ count: 3 }]);
    expect(await rowsOf(id, "count", { "@press": null })).toEqual([{ count: 3 }]);
    expect(await rowsOf(id, "count", { "@press": { region: ["' or 1=1 --"] } })).toEqual([{ count: 0 }]);
  });

  it("of one widget can be its underlying rows, also of a click", async () => {
    const id = await make();
    const rows = async (search: object) => {
      const widgets = await widgetsOf(id, { widget: "by-region", rows: "true", ...search });
      expect([...widgets.keys()]).toEqual(["by-region"]);
      return widgets.get("by-region")?.rows;
    };
    expect(await rows({})).toHaveLength(3);
    expect(await rows({ filters: { when: { from: "2026-02-01" } } })).toHaveLength(2);
    expect(await rows({ filters: { "@by-region": { region: ["south"] } } })).toEqual([
      { region: "south", amount: "1.25", day: "2026-02-06" },
    ]);
    expect((await ask(id, { rows: "true" })).status).toBe(400);
    expect((await ask(id, { zoom: "true" })).status).toBe(400);
    const zoomed = { widget: "by-region", zoom: "true", filters: { "@by-region": { region: ["south"] } } };
    expect((await widgetsOf(id, zoomed)).get("by-region")?.rows).toMatchObject([{ region: "south" }]);
    expect((await ask(id, { rows: "all", widget: "by-region" })).status).toBe(400);
  });

  it.each([
    ["in no widget", { "@nobody": { region: ["north"] } }, "Widget “nobody” not found"],
    ["on no list", { "@count": { region: "north" } }, "Must be a list of values"],
    ["on nothing", { "@count": { region: [] } }, "Invalid click on widget"],
    ["backwards", { "@count": { day: { from: "2026-02-02", to: "2026-02-01" } } }, "Invalid click on widget"],
    ["on 201 values", { "@count": { region: Array.from({ length: 201 }, () => "") } }, "Invalid click on widget"],
  ])("rejects a click %s", async (_, filters, said) => {
    const answer = await ask(await make(), { filters });
    expect(answer.status).toBe(400);
    expect(answer.json.error).toContain(said);
  });

  it("starts with the filters' defaults, which null removes", async () => {
    const id = await make({ filters: [{ id: "region", kind: "select", field: "region", default: "north" }] });
    expect(await rowsOf(id, "count")).toEqual([{ count: 2 }]);
    expect(await rowsOf(id, "count", { region: null })).toEqual([{ count: 3 }]);
  });

  it("of one widget includes only it, from its own source or a console", async () => {
    const body = { name: `${randomUUID()}.sql`, content: "select 7 as n", connectionId, access: "workspace" };
    const made = await call("POST", `/api/workspaces/${owner.workspaceId}/consoles`, { cookie: owner.cookie, body });
    const widgets = [
      { id: "own", kind: "table", source: { connectionId, query: "select 1 as n, 'a' as t" } },
      { id: "console", kind: "table", source: { consoleId: made.json.data.id } },
    ];
    const id = await make({ datasets: [], filters: [], widgets });
    expect([...(await widgetsOf(id, { widget: "own" })).keys()]).toEqual(["own"]);
    expect(await rowsOf(id, "own")).toEqual([{ n: 1, t: "a" }]);
    expect(await rowsOf(id, "console")).toEqual([{ n: 7 }]);
  });

  it("isolates the failure of a widget, with its reason", async () => {
    const widgets = [
      { id: "good", kind: "table", source: { connectionId, query: "select 1 as n" } },
      { id: "gone", kind: "table", source: { connectionId, query: "select * from nowhere_at_all" } },
      {
        id: "wrong",
        kind: "kpi",
        source: { connectionId, query: "select 1 as n" },
        spec: { measures: [{ field: "x", op: "sum" }] },
      },
      { id: "writes", kind: "kpi", source: { connectionId, query: "drop table sales" } },
    ];
    const answers = await widgetsOf(await make({ datasets: [], filters: [], widgets }));
    expect(answers.get("good")?.rows).toEqual([{ n: 1 }]);
    expect(answers.get("gone")).toMatchObject({
      rows: [],
      cachedAt: null,
      error: expect.stringMatching(/nowhere_at_all/),
    });
    expect(answers.get("wrong")?.error).toMatch(/Unknown column x/);
    expect(answers.get("writes")?.error).toMatch(/read/i);
  });

  it("does not query a failing source again, for any number of viewers", async () => {
    const table = `late_${randomUUID().replaceAll("-", "")}`;
    const widget = (source: object) => [{ id: "w", kind: "table", source }];
    const parts = { datasets: [], filters: [] };
    const query = `select * from ${table}`;
    const id = await make({ ...parts, widgets: widget({ connectionId, query }) });
    const missing = { rows: [], error: expect.stringContaining(table) };
    expect((await widgetsOf(id)).get("w")).toMatchObject(missing);
    await run(`create table ${table} as select 1 as n`);
    expect((await widgetsOf(id)).get("w")).toMatchObject(missing);
    const mended = await make({ ...parts, widgets: widget({ connectionId, query: `${query} -- mended` }) });
    expect((await widgetsOf(mended)).get("w")).toMatchObject({ rows: [{ n: 1 }] });
  });

  it("reports a missing column only in its widgets, by name", async () => {
    const table = `shrinks_${randomUUID().replaceAll("-", "")}`;
    await run(`create table ${table} as select * from sales`);
    const source = { datasetId: "shrinks" };
    const sum = [{ field: "amount", op: "sum", as: "total" }];
    const id = await make({
      datasets: [{ id: "shrinks", name: "S", source: { connectionId, query: `select * from ${table}` }, maxAgeS: 1 }],
      filters: [{ id: "region", kind: "multiSelect", field: "region" }],
      widgets: [
        { id: "sum", kind: "chart", source, spec: { dimensions: ["region"], measures: sum } },
        { id: "count", kind: "kpi", source, spec: { measures: [{ op: "count" }] } },
      ],
    });
    expect(await rowsOf(id, "count", { region: ["north"] })).toEqual([{ count: 2 }]);
    await run(`alter table ${table} drop column amount`);
    await expect
      .poll(async () => (await widgetsOf(id, { filters: { region: ["north"] } })).get("sum")?.error, {
        timeout: 20_000,
      })
      .toBe("Unknown column amount. Columns: region, day.");
    expect(await rowsOf(id, "count", { region: ["north"] })).toEqual([{ count: 2 }]);
  });

  it("of sixty widgets over two hundred columns is one response, also filtered", { tags: ["long"] }, async () => {
    const columns = Array.from({ length: 200 }, (_, n) => `(i * ${n + 1})::bigint as c${n}`);
    const query = `select i % 7 as part, ${columns.join(", ")} from range(2000) t(i)`;
    const id = await make({
      datasets: [{ id: "wide", name: "Wide", source: { connectionId, query } }],
      filters: [{ id: "part", kind: "multiSelect", field: "part" }],
      widgets: Array.from({ length: 60 }, (_, n) => ({
        id: `w${n}`,
        kind: "kpi",
        source: { datasetId: "wide" },
        spec: { measures: [{ field: `c${n * 3}`, op: "sum", as: "n" }] },
      })),
    });
    const all = await widgetsOf(id);
    // 0 + 1 + ... + 1,999, and of those the multiples of seven, times the column's own number.
    expect([...all.values()].map(({ rows }) => rows[0]?.n)).toEqual(
      Array.from({ length: 60 }, (_, n) => 1_999_000 * (n * 3 + 1)),
    );
    const some = await widgetsOf(id, { filters: { part: [0] } });
    const ofSeven = 7 * ((285 * 286) / 2);
    expect([...some.values()].map(({ rows }) => rows[0]?.n)).toEqual(
      Array.from({ length: 60 }, (_, n) => ofSeven * (n * 3 + 1)),
    );
  });

  it("of a deleted connection is reported in each of its widgets", async () => {
    const workspace = `/api/workspaces/${owner.workspaceId}`;
    const body = { name: "Going", type: "sqlite", config: { file: `${randomUUID()}.sqlite` }, readOnly: false };
    const going: string = (await call("POST", `${workspace}/connectors`, { cookie: owner.cookie, body })).json.data.id;
    const widgets = [
      { id: "going", kind: "table", source: { connectionId: going, query: "select 1 as n" } },
      { id: "stays", kind: "table", source: { connectionId, query: "select 2 as n" } },
    ];
    const id = await make({ datasets: [], filters: [], widgets });
    expect(await rowsOf(id, "going")).toEqual([{ n: 1 }]);
    expect((await call("DELETE", `${workspace}/connections/sources/${going}?force=true`, owner)).status).toBe(200);
    const answers = await widgetsOf(id);
    expect(answers.get("going")).toMatchObject({ rows: [], error: expect.stringMatching(/connection/i) });
    expect(answers.get("stays")?.rows).toEqual([{ n: 2 }]);
  });

  it("that is stale is shown with its age and refreshed in the background", async () => {
    const datasets = [
      { id: "sales", name: "Sales", source: { connectionId, query: "select random() as n" }, maxAgeS: 1 },
    ];
    const id = await make({
      datasets,
      filters: [],
      widgets: [{ id: "t", kind: "table", source: { datasetId: "sales" } }],
    });
    const first = await rowsOf(id, "t");
    await expect.poll(() => rowsOf(id, "t"), { timeout: 20_000, interval: 300 }).not.toEqual(first);
  });

  it("requires access, and ends with the owner's membership", async () => {
    const id = await make();
    const hidden = await make({ access: "private" });
    const member = await seedMember(owner.workspaceId, "member");
    for (const who of [member, { key: await seedKey(owner.workspaceId, owner, "read") }]) {
      expect((await ask(id, {}, "data", who)).status).toBe(200);
    }
    expect((await ask(hidden, {}, "data", member)).status).toBe(404);
    expect((await ask(id, {}, "data", stranger)).status).toBe(403);
    const theirs = await authorOf(member, owner.workspaceId).make(randomUUID(), {
      access: "workspace",
      widgets: [{ id: "w", kind: "table", source: { connectionId, query: "select 1 as n" } }],
    });
    await removeMember(owner.workspaceId, member);
    expect((await widgetsOf(theirs.id)).get("w")).toMatchObject({
      rows: [],
      error: expect.stringMatching(/no longer a member/),
    });
  });

  it("of a removed widget or dataset is deleted with it", async () => {
    const id = await make();
    await widgetsOf(id);
    const kept = async () =>
      (
        await collections
          .datasets()
          .find({ ownerId: new ObjectId(id) })
          .toArray()
      ).map(({ name }) => name);
    expect(await kept()).toEqual(["dataset:sales"]);
    const saved = await author.send("PUT", `/${id}`, { version: 1, datasets: [], widgets: [], filters: [] });
    expect(saved.status, saved.text).toBe(200);
    expect(await kept()).toEqual([]);
  });

  it("whose rows are replaced again and again is unavailable for a second, by each endpoint", async () => {
    const id = await make();
    await widgetsOf(id);
    const ofIt = { ownerId: new ObjectId(id), name: "dataset:sales" };
    const doc = await collections.datasets().findOne(ofIt);
    // No look-up finds rows that are still stored.
    await collections.datasets().updateOne(ofIt, { $set: { "kept.resultId": new ObjectId() } });
    for (const path of ["data", "filters/region/values", "widgets/by-region/cube"]) {
      const answer = await ask(id, {}, path);
      expect([path, answer.status, answer.headers.get("retry-after")]).toEqual([path, 503, "1"]);
    }
    await collections.datasets().updateOne(ofIt, { $set: { "kept.resultId": doc?.kept?.resultId } });
    for (const path of ["data", "filters/region/values", "widgets/by-region/cube"])
      expect((await ask(id, {}, path)).status).toBe(200);
  });

  it("is deleted with the dashboard and its rows", async () => {
    const id = await make();
    await widgetsOf(id);
    const kept = () => collections.datasets().countDocuments({ ownerId: { $exists: true }, name: "dataset:sales" });
    const before = await kept();
    await author.send("DELETE", `/${id}`);
    await expect.poll(kept).toBe(before - 1);
    expect((await ask(id)).status).toBe(404);
  });

  it.each([
    [{ filters: "no JSON" }, /must be a JSON object/],
    [{ filters: [1] }, /must be a JSON object/],
    [{ filters: { nobody: 1 } }, /Filter “nobody” not found/],
    [{ filters: { region: "south" } }, /Invalid value for filter “?region/],
    [{ filters: { when: "someday" } }, /Invalid value for filter “?when/],
    [{ filters: { lost: "x" } }, /No dataset has field nowhere of filter “lost”/],
    [{ timezone: "Nowhere/Land" }, /Unknown time zone/],
  ])("is rejected for %j", async (search, words) => {
    const answer = await ask(await make(), search);
    expect(answer.status).toBe(400);
    expect(answer.text).toMatch(words);
  });

  it("returns 404 for an unknown widget", async () => {
    expect((await ask(await make(), { widget: "nobody" })).status).toBe(404);
  });
});

describe("a filter's values", () => {
  const valuesOf = async (id: string, filter: string, search: Record<string, unknown> = {}) => {
    const answer = await ask(id, search, `filters/${filter}/values`);
    expect(answer.status, answer.text).toBe(200);
    return answer.json.data;
  };

  it("are returned with row counts, limited by other filters and the search", async () => {
    const id = await make();
    expect(await valuesOf(id, "region")).toEqual({
      field: { name: "region", type: "string" },
      values: [
        { value: "north", count: 2 },
        { value: "south", count: 1 },
      ],
      isMore: false,
    });
    const narrowed = { filters: { region: ["south"], when: { from: "2026-02-01" } } };
    expect((await valuesOf(id, "region", narrowed)).values).toEqual([
      { value: "north", count: 1 },
      { value: "south", count: 1 },
    ]);
    expect((await valuesOf(id, "region", { q: "SOU" })).values).toEqual([{ value: "south", count: 1 }]);
    expect(await valuesOf(id, "region", { limit: "1" })).toMatchObject({ values: [{ value: "north" }], isMore: true });
  });

  it("return 404 for an unknown filter, and 400 for an unknown field", async () => {
    const id = await make();
    expect((await ask(id, {}, "filters/nobody/values")).status).toBe(404);
    expect((await ask(id, {}, "filters/lost/values")).status).toBe(400);
  });
});
