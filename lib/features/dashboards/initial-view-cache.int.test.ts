import { randomUUID } from "node:crypto";
import { gunzipSync, gzipSync } from "node:zlib";
import { Binary, ObjectId } from "mongodb";
import { beforeAll, describe, expect, it } from "vitest";
import { collections } from "@/lib/features/instance/collections";
import { closeServerMember } from "@/lib/platform/process/server-context";
import { call } from "@/test/client";
import type { DashboardAuthor } from "@/test/fixtures/dashboards/dashboard-author";
import { type DashboardWorld, takeDashboardWorld } from "@/test/fixtures/dashboards/dashboard-world";
import type { Person } from "@/test/seed";
import { prepareFirstPages } from "./data";
import type { WidgetData } from "./schema";

const open = takeDashboardWorld();
let owner: Person;
let author: DashboardAuthor;
let connectionId: string;
let run: DashboardWorld["run"];

const source = { datasetId: "sales" };
const COUNT = { id: "count", kind: "kpi", source, spec: { measures: [{ op: "count" }] } };
const FILTERS = [{ id: "region", kind: "select", field: "region" }];
const FORGED = 4711;

beforeAll(async () => {
  ({ owner, author, connectionId, run } = await open());
  await run("create table sales as select * from (values ('north'), ('south'), ('south')) t(region)");
});

async function make(widgets: object[] = [COUNT], query = "select * from sales"): Promise<string> {
  const datasets = [{ id: "sales", name: "Sales", source: { connectionId, query } }];
  return (await author.make(randomUUID(), { access: "workspace", datasets, widgets, filters: FILTERS })).id;
}

async function look(id: string, search = ""): Promise<WidgetData[]> {
  const answer = await call("GET", `/api/workspaces/${owner.workspaceId}/dashboards/${id}/data?${search}`, owner);
  expect(answer.status, answer.text).toBe(200);
  return answer.json.data.widgets;
}
const countOf = async (id: string, search = "") => (await look(id, search))[0]?.rows[0]?.count;
const pagesOf = (id: string) =>
  collections
    .firstPages()
    .find({ dashboardId: new ObjectId(id) })
    .sort({ at: 1 })
    .toArray();

/** Changes a number in the cache, so that a response shows its origin. */
async function forge(id: string): Promise<void> {
  for (const { _id, page } of await pagesOf(id)) {
    const widgets = JSON.parse(gunzipSync(page.buffer).toString());
    widgets[0].rows[0].count = FORGED;
    const forged = new Binary(gzipSync(JSON.stringify(widgets)));
    await collections.firstPages().updateOne({ _id }, { $set: { page: forged } });
  }
}

describe("the first page of a dashboard", () => {
  it("is cached when computed, and returned whole to the next viewer, with its age", async () => {
    const id = await make();
    const [computed] = await look(id);
    await forge(id);
    await closeServerMember("crossfilterTables");
    const [kept] = await look(id);
    expect(kept?.rows).toEqual([{ count: FORGED }]);
    expect(kept).toEqual({ ...computed, rows: kept?.rows, ageMs: expect.any(Number) });
    expect(kept?.ageMs ?? 0).toBeGreaterThan(computed?.ageMs ?? 0);
    // Filters, clicks and requests for one widget are computed.
    expect(await countOf(id, `filters=${encodeURIComponent('{"region":"south"}')}`)).toBe(2);
    expect(await countOf(id, `filters=${encodeURIComponent('{"region":null}')}`)).toBe(3);
    expect(await countOf(id, "widget=count")).toBe(3);
    // Another grain and a comparison are computed too.
    expect(await countOf(id, "grain=month")).toBe(3);
    expect(await countOf(id, "compare=previous")).toBe(3);
    expect(await pagesOf(id)).toHaveLength(1);
  });

  it("is streamed in lines too, and cached by the first complete reader", async () => {
    const id = await make([COUNT, { ...COUNT, id: "again" }]);
    const lines = async () => {
      const headers = { accept: "application/x-ndjson" };
      const path = `/api/workspaces/${owner.workspaceId}/dashboards/${id}/data`;
      const { text } = await call("GET", path, { cookie: owner.cookie, headers });
      return text
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line));
    };
    // The first read of the source may exceed the wait: its widgets are then computed one by one.
    expect((await lines()).at(-1)).toEqual({ end: true });
    expect((await lines()).map(({ rows }) => rows?.[0]?.count)).toEqual([3, 3, undefined]);
    await forge(id);
    expect((await lines()).map(({ rows }) => rows?.[0]?.count)).toEqual([FORGED, 3, undefined]);
  });

  it("is cached per time zone, and dropped on each save and refresh", async () => {
    const id = await make();
    await look(id);
    await forge(id);
    expect(await countOf(id, "timezone=Asia/Tokyo")).toBe(3);
    expect(await pagesOf(id)).toHaveLength(2);
    expect(await countOf(id)).toBe(FORGED);
    const { version } = (await call("GET", `/api/workspaces/${owner.workspaceId}/dashboards/${id}`, owner)).json.data;
    const saved = await author.send("PUT", `/${id}`, { version, title: randomUUID() });
    expect(saved.status).toBe(200);
    expect(await countOf(id)).toBe(3);
    await forge(id);
    // Make the rows be read again, as a refresh does.
    await collections.datasets().updateOne({ ownerId: new ObjectId(id) }, { $unset: { kept: "" } });
    expect(await countOf(id)).toBe(3);
  });

  it("is prepared for the viewers' time zones in advance", async () => {
    const id = await make();
    await look(id, "timezone=Europe/Berlin");
    await look(id, "timezone=Asia/Tokyo");
    const before = (await pagesOf(id)).map(({ key }) => key);
    await collections.datasets().updateOne({ ownerId: new ObjectId(id) }, { $unset: { kept: "" } });
    const doc = await collections.dashboards().findOne({ _id: new ObjectId(id) });
    if (!doc) throw new Error("There is no dashboard.");
    await prepareFirstPages(doc, new AbortController().signal);
    const after = await pagesOf(id);
    expect(after.map(({ zone }) => zone).sort()).toEqual(["Asia/Tokyo", "Europe/Berlin"]);
    expect(after.some(({ key }) => before.includes(key))).toBe(false);
    await forge(id);
    expect(await countOf(id, "timezone=Europe/Berlin")).toBe(FORGED);
  });

  it("is not cached with a failure, and deleted with the dashboard", async () => {
    const broken = { id: "broken", kind: "kpi", source, spec: { measures: [{ field: "gone", op: "sum" }] } };
    const failing = await make([COUNT, broken]);
    expect((await look(failing))[1]?.error).toMatch(/Unknown column gone/);
    expect(await pagesOf(failing)).toEqual([]);
    const lost = await make([COUNT], "select * from lost_table");
    expect((await look(lost))[0]?.error).toBeDefined();
    expect(await pagesOf(lost)).toEqual([]);
    const id = await make();
    await look(id);
    expect(await pagesOf(id)).toHaveLength(1);
    expect((await author.send("DELETE", `/${id}`)).status).toBe(200);
    expect(await pagesOf(id)).toEqual([]);
  });

  it("is cached for a few zones, the newest", async () => {
    const id = await make();
    const zones = ["UTC", "Europe/Berlin", "Asia/Tokyo", "America/New_York", "America/Lima", "Asia/Kolkata"];
    const more = ["Africa/Lagos", "Europe/London", "Australia/Sydney"];
    for (const zone of [...zones, ...more]) await look(id, `timezone=${zone}`);
    expect((await pagesOf(id)).map(({ zone }) => zone)).toEqual([...zones.slice(1), ...more]);
  });

  it("of a link is the same", async () => {
    const id = await make();
    await look(id);
    await forge(id);
    const path = `/api/workspaces/${owner.workspaceId}/dashboards/${id}/share`;
    const { token } = (await call("PUT", path, { cookie: owner.cookie, body: { enabled: true } })).json.data;
    const shown = await call("GET", `/api/share/${token}/data`);
    expect(shown.json.data.widgets[0].rows).toEqual([{ count: FORGED }]);
  });
});
