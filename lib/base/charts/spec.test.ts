// @module-tag heavy
import { describe, expect, it } from "vitest";
import { toChartData } from "@/lib/base/charts/data";
import { readExtras } from "@/lib/base/charts/extras";
import { readSettings, toKeptSpec } from "@/lib/base/charts/kept-spec";
import { toPicture } from "@/lib/base/charts/picture";
import { CHART_KINDS, type ChartSettings, STACKINGS } from "@/lib/base/charts/settings";
import { toDrawnSpec } from "@/lib/base/charts/spec";
import { formatPlace } from "@/lib/base/charts/words";
import { widthOf } from "@/lib/base/text/text-width";
import type { CellTable } from "@/lib/base/values/json-rows";
import { SIZE, settingsOf, THEME, tableOf, toSvg } from "@/test/fixtures/charts/samples";

const sales = tableOf(
  ["week:date", "region:string", "revenue:decimal", "year:int32"],
  [
    ["2026-10-05", "north", "50000", 2024],
    ["2026-10-12", "north", "100000", 2025],
    ["2026-10-12", "south", "150000", 2026],
    ["2026-10-19", "south", "0.5", 2026],
  ],
);
const LINES = settingsOf({ kind: "line", across: "week", up: [{ of: "sum", column: "revenue" }], colour: "region" });
const draw = (table: CellTable, settings: ChartSettings, frame?: Parameters<typeof toDrawnSpec>[3]) =>
  toSvg(toDrawnSpec(toPicture(toChartData(table, null, settings), settings), THEME, SIZE, frame));

/** Returns the visible labels below a plot from left to right, with their estimated ends in pixels. */
function labelsAcross(svg: string) {
  const [, axis = ""] = /aria-label="X-axis|class="mark-text role-axis-label"/.test(svg)
    ? (/class="mark-text role-axis-label"[^>]*>(.*?)<\/g>/.exec(svg) ?? [])
    : [];
  return [...axis.matchAll(/<text([^>]*)>([^<]*)<\/text>/g)]
    .filter(([, attributes = ""]) => !/opacity="0"/.test(attributes))
    .map(([, attributes = "", text = ""]) => {
      const x = Number(/translate\(([-\d.]+)/.exec(attributes)?.[1]);
      const anchor = /text-anchor="(\w+)"/.exec(attributes)?.[1];
      const width = widthOf(text, 12);
      const from = anchor === "middle" ? x - width / 2 : anchor === "end" ? x - width : x;
      return { from, to: from + width, text };
    })
    .sort((a, b) => a.from - b.from);
}

describe("toDrawnSpec", () => {
  it.each([
    ["year", "2026", ["2024", "2025", "2026"]],
    ["quarter", "Q1 2026", ["Q1 2024", "Q1 2025", "Q1 2026"]],
    ["month", "Jan 2026", ["Jan 2024", "Jan 2025", "Jan 2026"]],
  ])("names times by their grain, a %s", async (grain, last, labels) => {
    const rows = ["2024-01-01", "2025-01-01", "2026-01-01"].map((at, i) => [at, i + 1]);
    const table = tableOf(["at:date", "n:int32"], rows);
    const fields = table.fields.map((field, i) => (i === 0 ? { ...field, grain } : field));
    const settings = settingsOf({ kind: "bar", across: "at", up: [{ of: "sum", column: "n" }] });
    const withGrain = { fields, rowCount: table.rowCount, at: table.at.bind(table) };
    expect(labelsAcross(await draw(withGrain, settings)).map(({ text }) => text)).toEqual(labels);
    const data = toChartData(withGrain, null, settings);
    expect(formatPlace(data, 2, { digits: "grouped", times: "utc" })).toBe(last);
  });

  it("draws every kind over times, numbers and categories, without text as code or overflow", async () => {
    for (const kind of CHART_KINDS.filter((each) => each !== "kpi")) {
      for (const across of ["week", "region", "year"]) {
        for (const stack of STACKINGS) {
          const svg = await draw(sales, { ...LINES, kind, across, stack, colour: kind === "pie" ? null : "region" });
          expect(svg, `${kind} ${across} ${stack}`).toContain(THEME.series[0]);
          expect(svg).not.toMatch(/NaN|Infinity|undefined/);
        }
      }
    }
  });

  it("draws goals, titles, value labels, formats and own colours with every kind, scale and stacking", async () => {
    const extras = {
      goals: [{ value: 400_000, label: "Plan <b>" }],
      titles: { x: "Across", y: "Amount" },
      labels: true,
      formats: { revenue: { prefix: "€", digits: 1 }, week: { date: "weekday" as const } },
      colours: { north: 4 },
    };
    for (const kind of CHART_KINDS.filter((each) => each !== "kpi" && each !== "pie")) {
      for (const across of ["week", "region", "year"]) {
        for (const stack of STACKINGS) {
          const settings = { ...LINES, kind, across, stack, extras };
          const svg = await draw(sales, settings);
          expect(svg).not.toMatch(/NaN|Infinity|undefined/);
          expect(svg, `${kind} ${across} ${stack}`).toContain(">Amount<");
          const isShare = toPicture(toChartData(sales, null, settings), settings).stack === "share";
          if (!isShare) expect(svg, `${kind} ${across} ${stack}`).toContain(">Plan &lt;b&gt;<");
          expect(svg).toContain(THEME.series[3]);
        }
      }
    }
    const svg = await draw(sales, { ...LINES, kind: "line", extras });
    expect(svg).toContain(">Mon 5 Oct<");
    expect(svg).toContain("€50,000.0");
  });

  it("shows the only place of a line and of a stacked area", async () => {
    const one = tableOf(["week:date", "region:string", "revenue:decimal"], [["2026-10-05", "north", "5"]]);
    for (const stack of STACKINGS) {
      const svg = await draw(one, { ...LINES, kind: "area", stack });
      expect(svg).toMatch(/<path[^>]*d="M[^"]*[A-Za-z][^"]*"[^>]*(fill|stroke)/);
    }
  });

  it("labels a few weeks with days, and thousands with a separate unit", async () => {
    const svg = await draw(sales, { ...LINES, colour: null });
    for (const label of [">5 Oct<", ">12 Oct<", ">19 Oct<", ">100 k<", ">0<"]) expect(svg).toContain(label);
    expect(svg).not.toContain(">0 k<");
  });

  it("keeps a gap between the labels of every kind, scale and width", async () => {
    const quarters = Array.from(
      { length: 12 },
      (_, i) => `${2023 + Math.floor(i / 4)}-${["01", "04", "07", "10"][i % 4]}-01`,
    );
    const uneven = ["2020-01-01", "2020-01-03", "2021-06-01", "2024-01-01", "2024-04-01"];
    const axes: [string, string[]][] = [
      ["date", quarters],
      ["date", quarters.slice(0, 2)],
      ["date", uneven],
      ["timestamp", Array.from({ length: 24 }, (_, i) => `2026-10-05T${String(i).padStart(2, "0")}:00:00Z`)],
      ["string", ["Northern territories", "Southern territories", "West"]],
      ["string", Array.from({ length: 11 }, (_, i) => `Region ${i}`)],
      ["int32", Array.from({ length: 30 }, (_, i) => String(i * 100_000))],
    ];
    for (const [type, ats] of axes) {
      const table = tableOf([`at:${type}`, "n:int32"], ats.map((at, i) => [type === "int32" ? Number(at) : at, i])); // biome-ignore format: one look
      for (const kind of ["line", "bar", "area", "scatter", "histogram"] as const) {
        for (const width of [60, 120, 200, 280, 340, 560, 1100]) {
          const settings = settingsOf({ kind, across: "at" });
          const picture = toPicture(toChartData(table, null, settings), settings);
          const svg = await toSvg(toDrawnSpec(picture, THEME, { width, height: 200 }));
          const boxes = labelsAcross(svg);
          for (const [i, { from, text }] of boxes.entries()) {
            const before = boxes[i - 1];
            const what = `${kind} ${type} ${width}: ${before?.text} ${text}`;
            if (before) expect(from - before.to, what).toBeGreaterThan(3);
          }
        }
      }
    }
  });

  it("writes years as years", async () => {
    const svg = await draw(sales, { ...LINES, across: "year", colour: null });
    expect(svg).toContain(">2025<");
    expect(svg).not.toMatch(/>2,02|>2 k|>2\.02/);
  });

  it("draws one row, position or value in the middle", async () => {
    for (const kind of ["line", "bar", "area", "scatter", "histogram"] as const) {
      for (const across of ["week", "region", "year"]) {
        const one = { ...sales, rowCount: 1 };
        expect(await draw(one, { ...LINES, kind, across })).not.toMatch(/NaN|Infinity/);
      }
    }
  });

  it("draws empty axes when every series is hidden", async () => {
    const data = toChartData(sales, null, LINES);
    for (const kind of ["line", "bar", "area", "scatter"] as const) {
      const picture = toPicture(data, { ...LINES, kind }, new Set([0, 1]));
      expect(await toSvg(toDrawnSpec(picture, THEME, SIZE))).not.toMatch(/NaN|Infinity/);
    }
  });

  it("of a file has its name, notes, a legend and a background", async () => {
    const svg = await draw(sales, { ...LINES, kind: "bar" }, { title: "Weekly", lines: ["Put together."], background: "#fafafa" }); // biome-ignore format: one look
    for (const text of [">Weekly<", ">Put together.<", ">north<", ">south<", "#fafafa"]) expect(svg).toContain(text);
  });

  it("never runs values as code (T60)", async () => {
    const evil = '<img src=x onerror="window.ran=1">';
    const table = tableOf([`${evil}:string`, "n:int32"], [[evil, 1], ["plain", 2], ["datum.value", 3]]); // biome-ignore format: one look
    for (const kind of ["bar", "pie", "line"] as const) {
      const svg = await draw(table, settingsOf({ kind, across: evil, colour: evil }), { title: evil, lines: [evil], background: "#ffffff" }); // biome-ignore format: one look
      expect(svg).not.toContain("<img");
    }
  });
});

describe("a stored specification", () => {
  it("names the result's columns for other tools, and keeps all settings", async () => {
    const fields = [{ name: "a.b[c]", type: "timestamp" }, ...sales.fields];
    const settings = { ...LINES, across: "a.b[c]", top: 5, sort: "label", stack: "share" } as const;
    const spec = toKeptSpec(settings, fields);
    expect(spec).toMatchObject({
      mark: { type: "line" },
      encoding: {
        x: { field: "a\\.b\\[c\\]", type: "temporal" },
        y: { aggregate: "sum", field: "revenue" },
        color: { field: "region" },
      },
    });
    expect(readSettings(JSON.parse(JSON.stringify(spec)))).toEqual(settings);
    for (const kind of CHART_KINDS) {
      const up: ChartSettings["up"] = [
        { of: "sum", column: "revenue" },
        { of: "average", column: "revenue" },
      ];
      const kept = toKeptSpec({ ...LINES, kind, up, colour: null }, sales.fields);
      expect(await toSvg({ ...kept, data: { values: [] } } as never)).toContain("<svg");
    }
  });

  it("of an older version, with one measure and dots, keeps its meaning", () => {
    const shelves = { kind: "dots", across: "x", up: { of: "each", column: "y" }, colour: null };
    expect(readSettings({ mark: { type: "point" }, usermeta: { shelves } })).toEqual(
      settingsOf({ kind: "scatter", across: "x", up: [{ of: "each", column: "y" }] }),
    );
    const count = { kind: "bar", across: "x", up: { of: "count", column: null }, colour: "c" };
    expect(readSettings({ usermeta: { shelves: count } })).toMatchObject({ kind: "bar", up: [{ of: "count" }], stack: "stacked" }); // biome-ignore format: one look
  });

  it("of another tool is read completely or not at all", () => {
    const encoding = { x: { field: "week", type: "nominal" }, y: { field: "extra", type: "quantitative" } };
    expect(readSettings({ mark: "bar", encoding })).toEqual(
      settingsOf({ across: "week", up: [{ of: "each", column: "extra" }], sort: "label" }),
    );
    const share = { x: { field: "n", aggregate: "sum", stack: "normalize" }, y: { field: "a\\.b", type: "nominal", sort: "-x" }, color: { field: "c" } }; // biome-ignore format: one look
    expect(readSettings({ mark: { type: "bar" }, encoding: share })).toEqual(settingsOf({ across: "a.b", colour: "c", stack: "share" })); // biome-ignore format: one look
    for (const spec of [
      null, "bar", { mark: "bar" }, { layer: [] }, { mark: "bar", encoding, transform: [{ filter: "datum.n > 1" }] },
      { mark: "bar", encoding: { ...encoding, row: { field: "c" } } }, { mark: "boxplot", encoding },
      { mark: "bar", encoding: { ...encoding, y: { field: "n", aggregate: "stdev" } } },
      { mark: "bar", encoding: { ...encoding, x: { field: "week", timeUnit: "month" } } },
      { usermeta: { shelves: { kind: "bar", across: "x", up: [] } } }, { usermeta: { shelves: { kind: "evil", across: "x", up: [{ of: "count" }] } } },
    ]) expect(readSettings(spec)).toBeNull(); // biome-ignore format: one look
  });
});

it("keeps additions with a console's chart, and reads only valid ones", () => {
  const extras = { goals: [{ value: 5, label: "Plan" }], titles: { y: "Amount" }, labels: true };
  expect(readSettings(toKeptSpec({ ...LINES, extras }, sales.fields))?.extras).toEqual(extras);
  expect(readSettings(toKeptSpec(LINES, sales.fields))).not.toHaveProperty("extras");
  const odd = { goals: [{ value: "5" }, { value: 7 }], titles: { y: 3 }, labels: "yes", colours: { a: 99, b: 2 } };
  expect(readExtras(odd)).toEqual({ goals: [{ value: 7 }], colours: { b: 2 } });
});

it("names every bar that lies in a row of 15 px", async () => {
  const rows = Array.from({ length: 12 }, (_, i) => [`A long product ${i}`, String(i + 1)]);
  const bars = settingsOf({ kind: "bar", across: "product", up: [{ of: "sum", column: "sold" }] });
  const table = tableOf(["product:string", "sold:int32"], rows);
  const spec = toDrawnSpec(toPicture(toChartData(table, null, bars), bars), THEME, {
    width: 400,
    height: 12 * 15 + 40,
  });
  const shown = [...(await toSvg(spec)).matchAll(/<text([^>]*)>A long product/g)].filter(
    ([, attributes]) => !/opacity="0"/.test(String(attributes)),
  );
  expect(shown).toHaveLength(12);
});

it("writes no value over another below horizontal bars", async () => {
  const rows = Array.from({ length: 12 }, (_, i) => [`A long product ${i}`, String((i + 1) * 400_000)]);

  const extras = { formats: { sold: { prefix: "€", digits: 0 } } };
  const bars = settingsOf({ kind: "bar", across: "product", up: [{ of: "sum", column: "sold" }], extras });
  const chart = toChartData(tableOf(["product:string", "sold:int32"], rows), null, bars);
  for (const width of [120, 160, 200, 260, 400]) {
    const svg = await toSvg(toDrawnSpec(toPicture(chart, bars), THEME, { width, height: 240 }));
    const shown = labelsAcross(svg).filter(({ text }) => text !== "");
    for (const [i, { from }] of shown.slice(1).entries())
      expect([width, from]).toEqual([width, expect.closeTo(Math.max(from, shown[i]?.to ?? 0))]);
    expect([width, shown.at(-1)?.text]).toEqual([width, expect.stringMatching(/[1-9]/)]);
  }
});
