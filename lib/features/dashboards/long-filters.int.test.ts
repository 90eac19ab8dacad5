import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import { splitCases } from "@/test/cases";
import { call } from "@/test/client";
import type { DashboardAuthor } from "@/test/fixtures/dashboards/dashboard-author";
import { takeDashboardWorld } from "@/test/fixtures/dashboards/dashboard-world";
import type { Person } from "@/test/seed";

const open = takeDashboardWorld();
let owner: Person;
let author: DashboardAuthor;
let connectionId: string;

/** Columns of 200 values each, offered by a filter's list. Expressions over `i`, from 0 to 199. */
const COLUMNS: [name: string, expression: string][] = [
  ["short", "'value ' || i"],
  ["long", "lpad(i::varchar, 1000, 'x')"],
  ["greek", "repeat('λ', 300) || i"],
  ["emoji", "repeat('🎉', 100) || i"],
  ["quotes", "repeat('\"\\', 200) || i"],
  ["nothing", "case when i = 0 then null when i = 1 then '' else chr(i + 32) end"],
  ["int", "i"],
  ["big", "9223372036854775607 + i"],
  ["unsigned", "18446744073709551415::ubigint + i::ubigint"],
  ["price", "(i / 7)::decimal(20, 4)"],
  ["float", "case i when 0 then 'NaN'::double when 1 then '-Infinity'::double when 2 then 1e300 else i / 3.0::double end"],
  ["day", "case i when 0 then 'infinity'::date when 1 then '0044-03-15 (BC)'::date when 2 then '12026-01-01'::date else date '2026-01-01' + i::integer end"],
  ["at", "case i when 0 then '-infinity'::timestamp else timestamp '2026-01-01 10:00:00.000001' + interval (i) hour end"],
  ["zoned", "case i when 0 then 'infinity'::timestamptz else timestamptz '2026-01-01 10:00:00.000001+00' + interval (i) hour end"],
  ["nanos", "make_timestamp_ns(1767225600000000000 + i)"],
  ["clock", "time '00:00:00' + interval (i) minute"],
  ["bytes", "(i::varchar)::blob"],
  ["list", "[i, i + 1]"],
  ["object", "{'a': i}"],
  ["flag", "i % 2 = 0"],
]; // biome-ignore format: a table

beforeAll(async () => {
  ({ owner, author, connectionId } = await open());
});

const at = (id: string, rest: string) => `/api/workspaces/${owner.workspaceId}/dashboards/${id}${rest}`;
const get = (path: string) => call("GET", path, { cookie: owner.cookie });
const post = (path: string, body: unknown) => call("POST", path, { cookie: owner.cookie, body });

const COUNT = { id: "count", kind: "kpi", source: { datasetId: "d" }, spec: { measures: [{ op: "count" }] } };
const BY_INT = { id: "ints", kind: "table", source: { datasetId: "d" }, spec: { ...COUNT.spec, dimensions: ["int"] } };

async function make(filters: Record<string, unknown>[]): Promise<string> {
  const columns = COLUMNS.map(([name, expression]) => `${expression} as "${name}"`);
  const query = `select ${columns.join(", ")} from (select range::integer as i from range(200)) t`;
  const datasets = [{ id: "d", name: "D", source: { connectionId, query } }];
  return (await author.make(randomUUID(), { access: "workspace", datasets, widgets: [COUNT, BY_INT], filters })).id;
}

const filterOf = (field: string, more: Record<string, unknown> = {}) => ({
  id: field,
  field,
  kind: "multiSelect",
  ...more,
});
type Widgets = { id: string; rows: { count: number }[]; error?: string }[];
const countOf = (widgets: Widgets) => widgets.find(({ id }) => id === "count")?.rows[0]?.count;

describe("C37 a filter accepts every value that its list offers", () => {
  let id: string;
  beforeAll(async () => {
    id = await make(COLUMNS.map(([name]) => filterOf(name)));
  });

  for (const { tags, cases } of splitCases(
    COLUMNS.map(([name]) => name),
    2,
  ))
    it.each(cases)("of the column %s, on every route", { tags }, async (name) => {
      const listed = await get(at(id, `/filters/${name}/values`));
      expect(listed.status, listed.text).toBe(200);
      const values = (listed.json.data.values as { value: unknown }[]).map(({ value }) => value);
      expect(values).toHaveLength(name === "flag" ? 2 : 200);
      const filters = { [name]: values };
      const data = await post(at(id, "/data"), { filters });
      expect([data.status, data.json.error]).toEqual([200, undefined]);
      expect(countOf(data.json.data.widgets), JSON.stringify(data.json.data.widgets[0])).toBe(200);
      // One value matches its own row.
      for (const value of [values[0], values.at(-1)]) {
        const one = await post(at(id, "/data"), { filters: { [name]: [value] }, widget: "count" });
        expect([value, countOf(one.json.data.widgets)]).toEqual([value, name === "flag" ? 100 : 1]);
      }
      const others = await post(at(id, "/filters/short/values"), { filters });
      expect(others.json.data.values).toHaveLength(200);
      const cube = await post(at(id, "/widgets/ints/cube"), { filters });
      expect([cube.status, cube.json.error]).toEqual([200, undefined]);
      const text = encodeURIComponent(JSON.stringify(filters));
      const byGet = await get(at(id, `/data?filters=${text}`));
      if (JSON.stringify(filters).length <= 8000) expect(countOf(byGet.json.data.widgets)).toBe(200);
      else expect([byGet.status, byGet.json.error]).toEqual([400, expect.stringContaining("in the body of a POST")]);
    });

  it("by a link, too", async () => {
    const shared = await call("PUT", at(id, "/share"), { cookie: owner.cookie, body: { enabled: true } });
    const root = `/api/share/${shared.json.data.token}`;
    const send = (path: string, body: unknown) => call("POST", `${root}${path}`, { body });
    const listed = await send("/filters/long/values", {});
    const filters = { long: (listed.json.data.values as { value: unknown }[]).map(({ value }) => value) };
    const data = await send("/data", { filters });
    expect(countOf(data.json.data.widgets)).toBe(200);
    expect((await send("/widgets/ints/cube", { filters })).status).toBe(200);
    expect((await send("/filters/short/values", { filters })).json.data.values).toHaveLength(200);
  });

  it("by lines, and for underlying rows", async () => {
    const listed = await get(at(id, "/filters/long/values"));
    const filters = { long: (listed.json.data.values as { value: unknown }[]).map(({ value }) => value) };
    const lines = await call("POST", at(id, "/data"), {
      cookie: owner.cookie,
      body: { filters },
      headers: { accept: "application/x-ndjson" },
    });
    expect(lines.text.trimEnd().split("\n")).toHaveLength(3);
    const rows = await post(at(id, "/data"), { filters, widget: "count", rows: true });
    expect(rows.json.data.widgets[0].rows).toHaveLength(200);
  });

  it("as a default, null with the others", async () => {
    const listed = await get(at(id, "/filters/nothing/values"));
    const values = (listed.json.data.values as { value: unknown }[]).map(({ value }) => value);
    expect(values).toContain(null);
    const other = await make([filterOf("nothing", { default: values })]);
    expect(countOf((await get(at(other, "/data"))).json.data.widgets)).toBe(200);
    const copy = await make([filterOf("nothing", { default: [null] })]);
    expect(countOf((await get(at(copy, "/data"))).json.data.widgets)).toBe(1);
  });

  it("in a snapshot", async () => {
    const listed = await get(at(id, "/filters/long/values"));
    const filters = { long: (listed.json.data.values as { value: unknown }[]).map(({ value }) => value) };
    const body = { cron: "0 7 * * *", timezone: "UTC", channelType: "email", recipients: ["a@example.com"], filters };
    const saved = await post(at(id, "/snapshots"), body);
    expect([saved.status, saved.json.error]).toEqual([201, undefined]);
  });
});

describe("C37 the list of a filter", () => {
  it("offers no value that is too long, and says that there are more", async () => {
    const query = "select repeat('x', 999 + i::integer) as v from range(4) t(i)";
    const datasets = [{ id: "d", name: "D", source: { connectionId, query } }];
    const { id } = await author.make(randomUUID(), { datasets, widgets: [COUNT], filters: [filterOf("v")] });
    const { values, isMore } = (await get(at(id, "/filters/v/values"))).json.data;
    expect([values.map(({ value }: { value: string }) => value.length).sort(), isMore]).toEqual([
      [1000, 999].sort(),
      true,
    ]);
  });
});

describe("C37 filters in a body", () => {
  it.each([
    ["filters that are no object", { filters: "[]" }, 400],
    ["a list in their place", { filters: [] }, 400],
    ["an unknown filter", { filters: { nowhere: ["x"] } }, 400],
    ["more values than a filter takes", { filters: { short: Array(1001).fill("x") } }, 400],
    ["a value that is too long", { filters: { short: ["x".repeat(1001)] } }, 400],
    ["rows of no widget", { rows: true }, 400],
    ["an unknown zone", { timezone: "Mars/Olympus" }, 400],
    ["a body above the limit", { filters: { short: ["x".repeat(1_100_000)] } }, 413],
  ])("rejects %s", async (_, body, status) => {
    const id = await make([filterOf("short")]);
    const answer = await post(at(id, "/data"), body);
    expect([answer.status, typeof answer.json.error]).toEqual([status, "string"]);
  });
});
