import { randomUUID } from "node:crypto";
import { ObjectId } from "mongodb";
import { beforeAll, describe, expect, it } from "vitest";
import { collections } from "@/lib/features/instance/collections";
import { writeNow } from "@/lib/features/query/history-writer";
import { call } from "@/test/client";
import { connectFile } from "@/test/fixtures/connections/connect-file";
import type { DashboardAuthor } from "@/test/fixtures/dashboards/dashboard-author";
import { type DashboardWorld, takeDashboardWorld } from "@/test/fixtures/dashboards/dashboard-world";
import { type Person, seedKey, seedMember, seedPerson } from "@/test/seed";
import type { Preview } from "./schema";

const open = takeDashboardWorld();
let owner: Person;
let stranger: Person;
let author: DashboardAuthor;
let connectionId: string;
let run: DashboardWorld["run"];

const SUM = { dimensions: ["region"], measures: [{ field: "amount", op: "sum", as: "total" }] };
const EACH = [
  { region: "north", total: "15.00" },
  { region: "south", total: "1.25" },
];

beforeAll(async () => {
  ({ owner, author, connectionId, run } = await open());
  stranger = await seedPerson("Stranger");
  await run(`create table sales as select * from (values
    ('north', 10.50::decimal(10,2)), ('north', 4.50), ('south', 1.25)) t(region, amount)`);
});

const ask = (body: Record<string, unknown>, who: { cookie: string } | { key: string } = owner) =>
  call("POST", `/api/workspaces/${owner.workspaceId}/dashboards/preview`, { ...who, body });
async function see(body: Record<string, unknown>, who: { cookie: string } | { key: string } = owner): Promise<Preview> {
  const answer = await ask(body, who);
  expect(answer.status, answer.text).toBe(200);
  return answer.json.data;
}
/** Returns a source that no other test reads. */
const sales = () => ({ connectionId, query: `select * from sales -- ${randomUUID()}` });
const widgetOf = (source: object, spec: object = SUM) => ({ id: "w", kind: "chart", source, spec });
async function countReads(): Promise<number> {
  await writeNow();
  return collections.executions().countDocuments({});
}

describe("unsaved widgets", () => {
  it("are read with their columns, once for any number of drawings", async () => {
    const source = sales();
    const before = await countReads();
    const { widgets, sources } = await see({ widgets: [widgetOf(source)] });
    expect(widgets).toMatchObject([{ id: "w", rows: EACH }]);
    // The cost of a click is reported to the editor, not to viewers.
    expect(widgets[0]?.tookMs).toEqual(expect.any(Number));
    expect(sources).toMatchObject([
      { name: "widget:w", rowCount: 3, truncated: false, fields: [{ name: "region" }, { name: "amount" }] },
    ]);
    const again = await see({ widgets: [{ ...widgetOf(source, { measures: [{ op: "count" }] }), id: "other" }] });
    expect(again.widgets).toMatchObject([{ id: "other", rows: [{ count: 3 }] }]);
    expect(await countReads()).toBe(before + 1);
  });

  it("use the dashboard's stored rows if possible, without querying the source", async () => {
    const datasets = [{ id: "sales", name: "Sales", source: sales() }];
    const saved = [{ id: "w", kind: "table", source: { datasetId: "sales" } }];
    const { id: dashboardId } = await author.make(randomUUID(), { access: "workspace", datasets, widgets: saved });
    expect((await author.send("GET", `/${dashboardId}/data`)).status).toBe(200);
    const before = await countReads();
    const member = await seedMember(owner.workspaceId, "member");
    const widgets = [widgetOf({ datasetId: "sales" })];
    expect((await see({ dashboardId, datasets, widgets }, member)).widgets).toMatchObject([{ rows: EACH }]);
    expect(await countReads()).toBe(before);
    // New sources are read for the editing user only and leave the saved data unchanged.
    const tried = [{ ...datasets[0], source: { connectionId, query: "select 'east' as region, 2 as amount" } }];
    expect((await see({ dashboardId, datasets: tried, widgets }, member)).widgets[0]?.rows).toHaveLength(1);
    expect((await author.send("GET", `/${dashboardId}/data`)).json.data.widgets[0].rows).toHaveLength(3);
  });

  it("include the columns of unused datasets", async () => {
    const { widgets, sources } = await see({ datasets: [{ id: "d", name: "New", source: sales() }] });
    expect(widgets).toEqual([]);
    expect(sources.map(({ name, fields }) => [name, fields.length])).toEqual([["dataset:d", 2]]);
  });

  it("apply unsaved filters", async () => {
    const filters = [{ id: "f", kind: "select", field: "region", default: "south" }];
    const body = { widgets: [widgetOf(sales())], filters };
    expect((await see(body)).widgets[0]?.rows).toEqual([EACH[1]]);
    expect((await see({ ...body, values: { f: null } })).widgets[0]?.rows).toEqual(EACH);
    expect((await ask({ ...body, values: { f: ["south"] } })).status).toBe(400);
    expect((await ask({ ...body, values: { nobody: 1 } })).status).toBe(400);
  });

  it("report a failure alone, and can't write", async () => {
    const widgets = [
      { ...widgetOf({ connectionId, query: "select * from nowhere_at_all" }), id: "gone" },
      { ...widgetOf({ connectionId, query: "drop table sales" }), id: "writes" },
      { ...widgetOf(sales()), id: "good" },
      { ...widgetOf(sales(), { measures: [{ field: "x", op: "sum" }] }), id: "wrong" },
    ];
    const answer = await see({ widgets });
    const [gone, writes, good, wrong] = answer.widgets;
    expect(gone).toMatchObject({ rows: [], error: expect.stringContaining("nowhere_at_all") });
    expect(writes?.error).toMatch(/read/i);
    expect(good?.rows).toEqual(EACH);
    expect(wrong?.error).toMatch(/Unknown column x/);
    expect(answer.sources.find(({ name }) => name === "widget:gone")).toMatchObject({ rowCount: null, fields: [] });
  });

  it("are cached for their author only, the newest one", async () => {
    const member = await seedMember(owner.workspaceId, "member");
    const ownerId = new ObjectId(member.id);
    for (let n = 0; n < 22; n++)
      await see({ widgets: [widgetOf({ connectionId, query: `select ${n} as amount` }, {})] }, member);
    expect(await collections.datasets().countDocuments({ kind: "draft", ownerId })).toBeLessThanOrEqual(21);
    await collections.datasets().updateMany({ kind: "draft", ownerId }, { $set: { "kept.at": new Date(0) } });
    await see({}, member);
    expect(await collections.datasets().countDocuments({ kind: "draft", ownerId })).toBe(0);
  });
});

describe("previewing unsaved widgets", () => {
  it("requires access to the dashboard, the connection and the console", async () => {
    const member = await seedMember(owner.workspaceId, "member");
    const { id: hidden } = await author.make(randomUUID(), { access: "private" });
    expect((await ask({ dashboardId: hidden }, member)).status).toBe(404);
    expect((await ask({ dashboardId: new ObjectId().toHexString() })).status).toBe(404);
    const theirs = { connectionId: await connectFile(stranger, "theirs"), query: "select 1 as n" };
    expect((await ask({ widgets: [widgetOf(theirs)] })).status).toBe(404);
    const body = { name: `${randomUUID()}.sql`, content: "select 7 as n", connectionId, access: "private" };
    const made = await call("POST", `/api/workspaces/${owner.workspaceId}/consoles`, { cookie: owner.cookie, body });
    const console = { consoleId: made.json.data.id };
    expect((await ask({ widgets: [widgetOf(console, {})] }, member)).status).toBe(404);
    expect((await see({ widgets: [widgetOf(console, {})] })).widgets[0]?.rows).toEqual([{ n: 7 }]);
  });

  it("allows a read-only key", async () => {
    const key = await seedKey(owner.workspaceId, owner, "read");
    expect((await see({ widgets: [widgetOf(sales())] }, { key })).widgets[0]?.rows).toEqual(EACH);
  });

  it.each([
    [{ widgets: [{ id: "w", kind: "chart", source: { datasetId: "nobody" } }] }, /Dataset “nobody” not found/],
    [{ widgets: [{ id: "w", kind: "chart" }] }, /source is required/],
    [{ widgets: Array.from({ length: 61 }, () => ({ kind: "text" })) }, /limited to 60 widgets/],
    [
      { datasets: Array.from({ length: 21 }, () => ({ name: "d", source: { consoleId: "c".repeat(24) } })) },
      /limited to 20 datasets/,
    ],
    [{ filters: [{ kind: "select", field: "x", exclude: ["nobody"] }] }, /Widget “nobody” not found/],
    [{ timezone: "Nowhere/Land" }, /Unknown time zone/],
    [{ dashboardId: "x" }, /./],
  ])("is rejected for %j", async (body, words) => {
    const answer = await ask(body);
    expect(answer.status).toBe(400);
    expect(answer.text).toMatch(words);
  });
});
