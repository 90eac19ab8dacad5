import { randomUUID } from "node:crypto";
import { ObjectId } from "mongodb";
import { beforeAll, describe, expect, it } from "vitest";
import { collections } from "@/lib/features/instance/collections";
import { call } from "@/test/client";
import type { DashboardAuthor } from "@/test/fixtures/dashboards/dashboard-author";
import { takeDashboardWorld } from "@/test/fixtures/dashboards/dashboard-world";
import type { Person } from "@/test/seed";
import { DASHBOARD_FILES } from "./file-kind";

const open = takeDashboardWorld();
let owner: Person;
let author: DashboardAuthor;
let connectionId: string;
beforeAll(async () => {
  ({ owner, author, connectionId } = await open());
});

const measures = [{ op: "count" }];
const layout = { x: 0, y: 0, w: 6, h: 4 };
const evil = { mark: "point", encoding: {}, transform: [{ calculate: "length(sequence(0,300000000))", as: "a" }] };
const widgetOf = (kind: string, spec: unknown) => ({
  ...{ id: "w", kind, title: "W", layout, spec },
  ...(kind !== "text" && { source: { connectionId, query: "select 1 as n" } }),
});

/** Kind of a widget, its specification, and the path in the error. */
const REFUSED: Record<string, [string, Record<string, unknown>, string]> = {
  "an expression without an end": ["chart", evil, "transform.0.calculate"],
  "a layer with such an expression": ["chart", { layer: [{ mark: "bar" }, evil] }, "layer.1.transform.0.calculate"],
  "a mark that is none": ["chart", { measures, mark: "sausage" }, "mark"],
  "bins without number": [
    "chart",
    { mark: "bar", encoding: { x: { field: "n", bin: { maxbins: 1e9 } } } },
    "encoding.x.bin.maxbins",
  ],
  "dimensions that are no list": ["chart", { dimensions: "region" }, "dimensions"],
  "a dimension that is a number": ["table", { dimensions: [7] }, "dimensions.0"],
  "a time unit that is none": ["chart", { dimensions: [{ field: "day", timeUnit: "fortnight" }] }, "dimensions.0"],
  "measures that are a text": ["kpi", { measures: "sum" }, "measures"],
  "an operation that is none": ["kpi", { measures: [{ op: "total", field: "n" }] }, "measures.0.op"],
  "a measure without its column": ["kpi", { measures: [{ op: "sum" }] }, "measures.0"],
  "a trend that is no dimension": ["kpi", { measures, trend: 7 }, "trend"],
  "a sort order that is a text": ["table", { sort: "n" }, "sort"],
  "an order that is none": ["table", { sort: [{ by: "n", order: "up" }] }, "sort.0.order"],
  "a limit of nothing": ["table", { limit: 0 }, "limit"],
  "a limit that is no number": ["table", { limit: "all" }, "limit"],
  "a goal that is a text": ["gauge", { measures, goal: "100" }, "goal"],
  "a gauge that is none": ["gauge", { measures, mark: "dial" }, "mark"],
  "a map that is none": ["map", { measures, mark: "globe" }, "mark"],
  "goals without a value": ["chart", { measures, mark: "bar", goals: [{ label: "Plan" }] }, "goals.0.value"],
  "a title of an axis that is none": ["chart", { measures, mark: "bar", titles: { z: "Z" } }, "titles"],
  "a colour beyond the palette": ["chart", { measures, mark: "bar", colours: { paid: 9 } }, "colours.paid"],
  "too many decimal places": ["box", { formats: { min: { digits: 7 } } }, "formats.min.digits"],
  "a number style that is none": ["funnel", { formats: { n: { style: "roman" } } }, "formats.n.style"],
  "a date format that is none": ["combo", { formats: { day: { date: "decade" } } }, "formats.day.date"],
  "labels that are a text": ["heatmap", { labels: "yes" }, "labels"],
  "a text that is a list": ["text", { text: ["# Hi"] }, "text"],
};

describe("a widget with an invalid specification", () => {
  it.each(Object.entries(REFUSED))("C39 with %s is rejected everywhere, with its path", async (_, refused) => {
    const [kind, spec, path] = refused;
    const widgets = [{ ...widgetOf("text", { text: "Hi" }), id: "first" }, widgetOf(kind, spec)];
    const { id, version } = await author.make(randomUUID());
    const ways = {
      post: await author.send("POST", "", { title: randomUUID(), widgets }),
      put: await author.send("PUT", `/${id}`, { version, widgets }),
      preview: await author.send("POST", "/preview", { widgets }),
    };
    for (const [way, { status, json }] of Object.entries(ways)) {
      expect([way, status, json.code]).toEqual([way, 400, "invalid_request"]);
      expect(json.details[0].path).toBe(`widgets.1.spec.${path}`);
      // A sentence of ours, not of a validator.
      expect(json.details[0].message).toMatch(/^[A-Za-z“].*\.$/);
      expect(json.details[0].message).not.toMatch(/invalid (?:input|option)|expected/i);
    }
    const exported = widgets.map((widget) =>
      "source" in widget ? { ...widget, source: { connection: "shop", query: "select 1 as n" } } : widget,
    );
    const imported = await author.send("POST", "/import", { dashboard: { title: randomUUID(), widgets: exported } });
    expect([imported.status, imported.json.details?.[0].path]).toEqual([400, `dashboard.widgets.1.spec.${path}`]);
    const file = { title: "A", description: "", datasets: [], filters: [] };
    const pushed = widgets.map((widget) => ({ source: null, ...widget }));
    const judged = DASHBOARD_FILES.judge(
      "dashboards/a.json",
      Buffer.from(JSON.stringify({ ...file, widgets: pushed })),
    );
    expect(judged).toContain(`is not a valid dashboard (line 1): widgets.1.spec.${path}: `);
    expect((await author.send("GET", `/${id}`)).json.data.version).toBe(version);
  });

  it("C39 that was stored before shows a message, and may stay while others change", async () => {
    const { id } = await author.make(randomUUID(), { widgets: [widgetOf("kpi", { measures })] });
    const _id = new ObjectId(id);
    const stored = await collections.dashboards().findOne({ _id });
    const file = JSON.parse(stored?.content ?? "");
    const [before] = file.widgets;
    const broken = [
      { ...before, spec: { measures: "sum" } },
      { ...before, id: "trend", spec: { measures, trend: 7 } },
      { ...before, id: "chart", kind: "chart", spec: evil },
    ];
    await collections
      .dashboards()
      .updateOne({ _id }, { $set: { content: JSON.stringify({ ...file, widgets: broken }) } });
    const data = (await author.send("GET", `/${id}/data`)).json.data.widgets;
    expect(data[0].error).toBe("Invalid widget specification. measures must be a list of {field?, op, as?}.");
    expect(data.slice(1).map(({ error }: { error?: string }) => error)).toEqual([undefined, undefined]);
    const { version, widgets } = (await author.send("GET", `/${id}`)).json.data;
    const moved = widgets.map((each: object) => ({ ...each, layout: { ...layout, x: 3 } }));
    expect((await author.send("POST", "/preview", { dashboardId: id, widgets: moved })).status).toBe(200);
    const saved = await author.send("PUT", `/${id}`, { version, widgets: moved });
    expect([saved.status, saved.json.error]).toEqual([200, undefined]);
    const changed = moved.map((each: { id: string }) =>
      each.id === "chart" ? { ...each, spec: { ...evil, a: 1 } } : each,
    );
    const refused = await author.send("PUT", `/${id}`, { version: saved.json.data.version, widgets: changed });
    expect([refused.status, refused.json.details[0].path]).toEqual([400, "widgets.2.spec.transform.0.calculate"]);
  });

  it("C1 is rejected as a console's chart, too", async () => {
    const path = `/api/workspaces/${owner.workspaceId}/consoles`;
    const refused = await call("POST", path, {
      ...owner,
      body: { name: randomUUID(), content: "select 1", chart: evil },
    });
    expect([refused.status, refused.json.details[0].path]).toEqual([400, "chart.transform.0.calculate"]);
    const made = await call("POST", path, { ...owner, body: { name: randomUUID(), content: "select 1" } });
    const put = { version: made.json.data.version, chart: evil };
    const changed = await call("PUT", `${path}/${made.json.data.id}`, { ...owner, body: put });
    expect([changed.status, changed.json.details?.[0].path]).toEqual([400, "chart.transform.0.calculate"]);
  });
});
