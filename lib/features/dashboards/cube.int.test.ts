import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import type { Cube, NoCube, WidgetCube } from "@/lib/base/cubes/cube";
import { openCube, type Pressed } from "@/lib/base/cubes/narrow";
import type { WireValue } from "@/lib/base/values/fields";
import { splitCases } from "@/test/cases";
import { call } from "@/test/client";
import type { DashboardAuthor } from "@/test/fixtures/dashboards/dashboard-author";
import { takeDashboardWorld } from "@/test/fixtures/dashboards/dashboard-world";
import { randomOf } from "@/test/random";
import { type Person, seedPerson } from "@/test/seed";
import type { WidgetData } from "./schema";

const open = takeDashboardWorld();
let owner: Person;
let author: DashboardAuthor;
let connectionId: string;

const BERLIN = "Europe/Berlin";
/**
 * Hours of two years around both changes of the clock, decimals with endless averages, fractions, integers beyond the
 * exact range of a number, and nulls in each column.
 */
const QUERY = `select
  case when i % 13 = 0 then null else 'region ' || (hash(i, 1) % 5) end as region,
  case when i % 17 = 0 then null else (hash(i, 2) % 7)::int - 3 end as grade,
  case when i % 11 = 0 then null else timestamptz '2025-03-01 00:30:00+00' + to_hours((hash(i, 3) % 17520)::bigint) end as at,
  case when i % 19 = 0 then null else date '2025-03-01' + (hash(i, 4) % 90)::int end as day,
  case when i % 7 = 0 then null else ((hash(i, 5) % 100000)::bigint / 7)::decimal(12, 2) - 5000 end as amount,
  case when i % 5 = 0 then null else (hash(i, 6) % 1000) / 8.0 end as weight,
  case when i % 23 = 0 then null else 9007199254740991 + (hash(i, 7) % 1000)::bigint end as huge,
  hash(i, 8) % 2 = 0 as paid,
  ((hash(i, 9) % 30) / 4)::decimal(6, 2) as price,
  case when i % 29 = 0 then 'NaN'::double else (hash(i, 10) % 4)::double end as rate
  from range(3000) t(i)`;
const OTHER = "select 'region ' || (i % 3) as region, i as n from range(50) t(i)";

const source = { datasetId: "sales" };
const ALL = ["count", "sum", "avg", "min", "max"];
const measures = (field: string) => ALL.map((op) => ({ field, op }));
const chart = (id: string, spec: object, more: object = {}) => ({ id, kind: "chart", source, spec, ...more });
const WIDGETS = [
  chart("figures", { measures: [{ op: "count" }, ...measures("amount"), ...measures("grade")] }),
  chart("fractions", { dimensions: ["paid"], measures: measures("weight") }),
  chart("huge", { dimensions: ["region"], measures: measures("huge"), sort: [{ by: "avg_huge", order: "desc" }] }),
  chart("months", {
    dimensions: [{ field: "at", timeUnit: "month" }],
    measures: [
      ...measures("amount"),
      { field: "at", op: "min", as: "first" },
      { field: "region", op: "max", as: "last" },
    ],
  }),
  chart("weeks", { dimensions: [{ field: "at", timeUnit: "week" }, "region"], measures: [{ op: "count" }] }),
  chart("best", {
    dimensions: ["region", "grade"],
    measures: [
      { field: "amount", op: "avg", as: "mean" },
      { field: "day", op: "max", as: "newest" },
    ],
    sort: [{ by: "mean", order: "desc" }],
    limit: 7,
  }),
  chart("newest", {
    dimensions: ["grade"],
    measures: [{ field: "at", op: "max", as: "newest" }],
    sort: [
      { by: "newest", order: "asc" },
      { by: "grade", order: "desc" },
    ],
  }),
  chart("days", { dimensions: ["day"], measures: [{ field: "amount", op: "sum" }], limit: 20 }),
  chart("hours", { dimensions: [{ field: "at", timeUnit: "hour" }], measures: [{ op: "count" }], limit: 30 }),
  chart("moments", { dimensions: ["at"], measures: [{ op: "count" }], limit: 10 }),
  chart("rates", {
    dimensions: ["rate"],
    measures: [{ field: "price", op: "sum" }],
    sort: [{ by: "rate", order: "desc" }],
  }),
  chart("prices", {
    dimensions: ["price", "paid"],
    measures: [{ op: "count" }],
    sort: [{ by: "count", order: "desc" }],
  }),
  chart("other", { dimensions: ["region"], measures: [{ field: "n", op: "sum" }] }, { source: { datasetId: "other" } }),
  chart("distinct", { measures: [{ field: "grade", op: "countDistinct" }] }),
  chart("middle", { measures: [{ op: "count" }, { field: "amount", op: "median" }] }),
  { id: "rows", kind: "table", source, spec: { limit: 5 } },
  chart("quiet", { dimensions: ["grade"], measures: [{ op: "count" }], exclude: ["figures", "huge"] }),
  chart("nothing", { dimensions: ["gone"], measures: [{ op: "count" }] }),
  { id: "words", kind: "text", spec: { text: "# Sales" } },
];
const FILTERS = [
  { id: "region", kind: "multiSelect", field: "region", exclude: ["huge"] },
  { id: "when", kind: "dateRange", field: "at" },
];

let id: string;
beforeAll(async () => {
  ({ owner, author, connectionId } = await open());
  id = await make(WIDGETS);
});

async function make(widgets: object[], query = QUERY, filters: object[] = FILTERS): Promise<string> {
  const datasets = [
    { id: "sales", name: "Sales", source: { connectionId, query } },
    { id: "other", name: "Other", source: { connectionId, query: OTHER } },
  ];
  return (await author.make(randomUUID(), { access: "workspace", datasets, widgets, filters })).id;
}

const at = (path: string, filters: object, zone = BERLIN, of = id) =>
  `/api/workspaces/${owner.workspaceId}/dashboards/${of}/${path}?${new URLSearchParams({ filters: JSON.stringify(filters), timezone: zone })}`;
async function dataOf(filters: object, zone = BERLIN): Promise<Map<string, WidgetData>> {
  const answer = await call("GET", at("data", filters, zone), owner);
  expect(answer.status, answer.text).toBe(200);
  return new Map(answer.json.data.widgets.map((widget: WidgetData) => [widget.id, widget]));
}
async function cubesOf(widget: string, filters: object = {}, zone = BERLIN, of = id) {
  const answer = await call("GET", at(`widgets/${widget}/cube`, filters, zone, of), owner);
  expect(answer.status, answer.text).toBe(200);
  return new Map((answer.json.data as Cube).widgets.map((cube) => [cube.id, cube]));
}
const isCube = (cube: WidgetCube | NoCube | undefined): cube is WidgetCube => cube !== undefined && "axes" in cube;

/** Rounds sums of binary fractions, whose last digits depend on the order of summation. */
function rounded(rows: readonly Record<string, unknown>[]): unknown[] {
  const round = (value: unknown) =>
    typeof value === "number" && !Number.isInteger(value) ? Number(value.toPrecision(13)) : value;
  return rows.map((row) => Object.fromEntries(Object.entries(row).map(([name, value]) => [name, round(value)])));
}

/** Returns a random click in a widget on values that it shows. */
function pressesOf(widget: (typeof WIDGETS)[number], data: WidgetData, random: () => number): Pressed {
  const spec = widget.spec as { dimensions?: (string | { field: string; timeUnit: string })[] };
  const some = <T>(all: readonly T[]): T[] => all.filter(() => random() < 0.4);
  const chosen = (spec.dimensions ?? []).map((dimension, index) => {
    const isNamed = typeof dimension === "string";
    const field = isNamed ? dimension : dimension.field;
    const values = [...new Set(data.rows.map((row) => row[data.fields[index]?.name ?? ""] as WireValue))];
    if (isNamed && field !== "at" && (field !== "day" || random() < 0.5))
      return [field, [...some(values), values[0] ?? null]];
    const known = values.filter((value) => value !== null).map((value) => String(value).slice(0, 10));
    const days = [...some(known), known[0] ?? "2025-03-01"].sort();
    const unit = isNamed ? "day" : dimension.timeUnit;
    return [field, { from: days[0] ?? "", to: endOf(days.at(-1) ?? "", unit) }];
  });
  return Object.fromEntries(random() < 0.7 ? chosen : chosen.slice(0, 1));
}

function endOf(begin: string, unit: string): string {
  const date = new Date(begin);
  if (unit === "month") date.setUTCMonth(date.getUTCMonth() + 1, 0);
  if (unit === "week") date.setUTCDate(date.getUTCDate() + 6);
  return date.toISOString().slice(0, 10);
}

describe("a cube", () => {
  it("has the page's grain, and is missing for widgets with more than their own numbers", async () => {
    const trend = { id: "trend", kind: "kpi", source, spec: { measures: [{ op: "count" }], trend: "day" } };
    const plain = { id: "plain", kind: "kpi", source, spec: { measures: [{ op: "count" }] } };
    const weeks = chart("weeks", { dimensions: [{ field: "at", timeUnit: "week" }], measures: [{ op: "count" }] });
    const page = await make(
      [weeks, trend, plain, { id: "table", kind: "table", source, spec: weeks.spec }],
      QUERY,
      FILTERS.slice(1),
    );
    const filters = { when: { from: "2025-06-01", to: "2025-06-30" } };
    const ask = async (widget: string, more: string) => {
      const answer = await call("GET", `${at(`widgets/${widget}/cube`, filters, BERLIN, page)}${more}`, owner);
      expect(answer.status, answer.text).toBe(200);
      return new Map((answer.json.data as Cube).widgets.map((cube) => [cube.id, cube]));
    };
    const months = await ask("weeks", "&grain=month");
    expect(months.get("trend")).toEqual({ id: "trend", none: "trend" });
    expect(months.get("plain")).toMatchObject({ axes: [{ field: "at", bin: "month", values: ["2025-06-01"] }] });
    const beside = await ask("table", "&compare=previous");
    expect(["weeks", "plain", "trend"].map((id) => beside.get(id))).toEqual([
      { id: "weeks", none: "earlier" },
      { id: "plain", none: "earlier" },
      { id: "trend", none: "trend" },
    ]);
    expect((await ask("weeks", "&compare=previous")).get("table")).toEqual({ id: "table", none: "earlier" });
  });

  it("is missing for a compared chart where a click adds the range of its earlier period", async () => {
    const of = (id: string, field: object, more: object = {}) =>
      chart(id, { dimensions: [field], measures: [{ op: "count" }], ...more });
    const months = { field: "at", timeUnit: "month" };
    const page = await make([of("weeks", { field: "at", timeUnit: "week" }), of("regions", { field: "region" }), of("years", months, { compare: "year" })], QUERY, []); // biome-ignore format: one look
    const ask = async (widget: string, more = "") => {
      const answer = await call("GET", `${at(`widgets/${widget}/cube`, {}, BERLIN, page)}${more}`, owner);
      return new Map((answer.json.data as Cube).widgets.map((cube) => [cube.id, isCube(cube) ? "a cube" : cube.none]));
    };
    expect(await ask("weeks")).toEqual(new Map([["regions", "a cube"], ["years", "earlier"]])); // biome-ignore format: one look
    expect((await ask("regions")).get("years")).toBe("a cube");
    expect((await ask("weeks", "&compare=year")).get("regions")).toBe("earlier");
  });

  const PRESSED = [
    "months",
    "weeks",
    "best",
    "days",
    "hours",
    "moments",
    "rates",
    "prices",
    "fractions",
    "newest",
    "quiet",
    "other",
  ];

  describe.each(splitCases(PRESSED, 6))("pressed", ({ tags, cases }) => {
    it.each(cases)(
      "of %s matches the server's answer for any click, filter and time zone",
      { tags },
      async (pressed) => {
        const widget = WIDGETS.find((each) => each.id === pressed);
        if (!widget) throw new Error("There is no such widget.");
        let compared = 0;
        for (let seed = 1; seed <= 3; seed++) {
          const random = randomOf(seed * 7919 + PRESSED.indexOf(pressed));
          const zone = [BERLIN, "America/New_York", "UTC"][seed % 3] ?? BERLIN;
          const region = random() < 0.5 ? { region: ["region 1", "region 3"] } : {};
          const when = random() < 0.3 ? { when: { from: "2025-03-29", to: "2025-11-02" } } : {};
          const elsewhere = random() < 0.3 && pressed !== "fractions" ? { "@fractions": { paid: [true] } } : {};
          const filters = { ...region, ...when, ...elsewhere };
          const [plain, cubes] = [await dataOf(filters, zone), await cubesOf(pressed, filters, zone)];
          const opened = new Map([...cubes.values()].filter(isCube).map((cube) => [cube.id, openCube(cube)]));
          expect(opened.size).toBeGreaterThan(0);
          const shown = plain.get(pressed);
          if (!shown) throw new Error("It shows nothing.");
          for (let step = 0; step < 3; step++) {
            const press = step === 0 ? null : pressesOf(widget, shown, random);
            const answers = await dataOf({ ...filters, ...(press && { [`@${pressed}`]: press }) }, zone);
            for (const [each, cube] of opened) {
              const narrowed = cube.narrow(press);
              const answer = answers.get(each);
              expect({ each, press, rows: rounded(narrowed?.rows ?? []) }).toEqual({
                ...{ each, press, rows: rounded(answer?.rows ?? []) },
              });
              expect([each, narrowed?.fields, narrowed?.truncated]).toEqual([each, answer?.fields, answer?.truncated]);
              compared += 1;
            }
            // A widget without a cube because clicks do not affect it must not change.
            for (const { id: each, ...why } of cubes.values()) {
              if (!("none" in why) || why.none !== "unaffected") continue;
              expect([each, answers.get(each)?.rows]).toEqual([each, plain.get(each)?.rows]);
            }
          }
        }
        expect(compared).toBeGreaterThan(40);
      },
    );
  });

  it("is sent for affected widgets, and others give the reason", async () => {
    const cubes = await cubesOf("quiet");
    const why = Object.fromEntries([...cubes.values()].map((cube) => [cube.id, isCube(cube) ? "a cube" : cube.none]));
    expect(why).toMatchObject({
      ...{ figures: "unaffected", huge: "unaffected", months: "a cube", other: "unaffected" },
      ...{ distinct: "distinct", middle: "distinct", rows: "rows", nothing: "failed" },
    });
    expect(Object.keys(why)).not.toContain("quiet");
    expect(Object.keys(why)).not.toContain("words");
    // Any column of a plain row is clickable, and nothing in a text or a single figure.
    const kinds = async (widget: string) =>
      new Set([...(await cubesOf(widget)).values()].map((cube) => (isCube(cube) ? "a cube" : cube.none)));
    expect(await kinds("rows")).toEqual(new Set(["rows"]));
    for (const widget of ["words", "figures"]) expect(await kinds(widget)).toEqual(new Set(["unaffected"]));
  });

  it("asks the server between its bins, and for selections without rows", async () => {
    const month = openCube([...(await cubesOf("months")).values()].filter(isCube)[0] as WidgetCube);
    expect(month.narrow({ at: { from: "2025-04-01", to: "2025-05-31" } })).not.toBeNull();
    for (const [from, to] of [
      ["2025-04-02", "2025-05-31"],
      ["2025-04-01", "2025-05-30"],
      ["april", "may"],
    ] as const) {
      expect(month.narrow({ at: { from, to } })).toBeNull();
    }
    expect(month.narrow({ at: ["2025-04-01T00:00:00Z"] })).toBeNull();
    const grade = openCube((await cubesOf("quiet")).get("months") as WidgetCube);
    expect(grade.narrow({ grade: ["good"] })).toBeNull();
    expect(grade.narrow({ grade: ["2", 2] })?.rows).toEqual(grade.narrow({ grade: [2] })?.rows);
    // An unknown column filters nothing, as on the server.
    expect(grade.narrow({ region: ["region 1"] })?.rows).toEqual(grade.narrow(null)?.rows);
  });

  it("has at most fifty thousand cells, in page order", async () => {
    const wide = `select i % 40000 as k, i % 200 as g, i as n from range(80000) t(i)`;
    const of = await make(
      [
        chart("keys", { dimensions: ["k"], measures: [{ op: "count" }] }),
        chart("sum", { measures: [{ field: "n", op: "sum" }] }),
        chart("groups", { dimensions: ["g"], measures: [{ op: "count" }] }),
        chart("few", { measures: [{ op: "count" }], sort: [] }),
      ],
      wide,
      [],
    );
    const sizes = Object.fromEntries(
      [...(await cubesOf("keys", {}, "UTC", of)).values()].map((cube) => [
        cube.id,
        isCube(cube) ? cube.axes[0]?.codes.length : cube.none,
      ]),
    );
    expect(sizes).toEqual({ sum: 40_000, groups: "size", few: "size" });
    expect(Object.keys(Object.fromEntries(await cubesOf("groups", {}, "UTC", of)))).toEqual(["keys", "sum", "few"]);
  });

  it("is rejected like data", async () => {
    expect((await call("GET", at("widgets/gone/cube", {}), owner)).status).toBe(404);
    expect((await call("GET", at("widgets/months/cube", { gone: 1 }), owner)).status).toBe(400);
    expect((await call("GET", at("widgets/months/cube", { region: 1 }), owner)).status).toBe(400);
    expect((await call("GET", at("widgets/%20/cube", {}), owner)).status).toBe(400);
    const stranger = await seedPerson("Stranger");
    expect((await call("GET", at("widgets/months/cube", {}), stranger)).status).toBe(403);
  });

  it("of a shared page is the same and reveals nothing more", async () => {
    const share = { cookie: owner.cookie, body: { enabled: true } };
    const { token } = (await call("PUT", at("share", {}), share)).json.data;
    const query = new URLSearchParams({ filters: "{}", timezone: BERLIN });
    const answer = await call("GET", `/api/share/${token}/widgets/quiet/cube?${query}`);
    expect(answer.status).toBe(200);
    const ours = await cubesOf("quiet");
    const { ageMs: _, ...shown } = answer.json.data.widgets.find((cube: WidgetCube) => cube.id === "months");
    expect(ours.get("months")).toMatchObject(shown);
    for (const secret of [connectionId, owner.workspaceId, "range(3000)"]) expect(answer.text).not.toContain(secret);
  });
});
