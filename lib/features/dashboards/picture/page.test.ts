// @module-tag heavy
import { inflateSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { cutTo, widthOf, wrapTo } from "@/lib/platform/embedded/drawing/text";
import { drawPage } from "@/lib/platform/engines/pictures/draw";
import type { Widget, WidgetData } from "../schema";
import { type PageToDraw, toPicturePage } from "./page";

const NASTY = `<script>&"' \u0000\ud800 日本 \u{1F9AB}`;
const layout = (x: number, y: number, w: number, h: number) => ({ x, y, w, h });
const widget = (id: string, kind: Widget["kind"], spec: Record<string, unknown>, at: Widget["layout"]): Widget => ({
  ...{ id, kind, spec, layout: at, title: id, source: null },
});
const data = (id: string, fields: WidgetData["fields"], rows: WidgetData["rows"], more: Partial<WidgetData> = {}) => ({
  ...{ id, fields, rows, cachedAt: "2026-11-23T08:00:00.000Z", ageMs: 0, truncated: false },
  ...more,
});
const REGION = { name: "region", type: "string" as const, dbType: "VARCHAR" };
const SOLD = { name: "sold", type: "int64" as const, dbType: "BIGINT" };
const DAY = { name: "day", type: "date" as const, dbType: "DATE" };
const measures = [{ field: "n", op: "sum", as: "sold" }];

function page(more: Partial<PageToDraw> = {}): PageToDraw {
  const days = Array.from({ length: 28 }, (_, at) => `2026-11-${String(at + 1).padStart(2, "0")}`);
  const regions = ["North", "South"];
  const byDay = days.flatMap((day, at) =>
    regions.map((region, i) => ({ day, region, sold: 40 + i * 30 + ((at * 7) % 11) })),
  );
  return {
    title: "Shop pulse",
    lines: ["Mon 23 Nov 2026, 08:00 Europe/Vienna"],
    zone: "Europe/Vienna",
    period: { compare: "previous" },
    theme: "light",
    widgets: [
      widget("Revenue", "kpi", { measures, prefix: "€", better: "up" }, layout(0, 0, 3, 3)),
      widget("Orders", "kpi", { measures }, layout(3, 0, 3, 3)),
      widget(
        "Words",
        "text",
        { text: "# Weekly\n\nWhat we *sold*, by [region](https://x.example).\n\n- one\n- two" },
        layout(6, 0, 6, 3),
      ),
      widget(
        "By day",
        "chart",
        { dimensions: [{ field: "day", timeUnit: "day" }, "region"], measures, mark: "line" },
        layout(0, 3, 8, 7),
      ),
      widget("Regions", "table", { dimensions: ["region"], measures, totals: true }, layout(8, 3, 4, 7)),
      widget("Bars", "chart", { dimensions: ["region"], measures, mark: "bar" }, layout(0, 10, 6, 6)),
      widget(
        "Own",
        "chart",
        { mark: "circle", encoding: { x: { field: "region" }, y: { field: "sold", type: "quantitative" } } },
        layout(6, 10, 3, 6),
      ),
      widget("Down", "table", { dimensions: ["region"], measures }, layout(9, 10, 3, 6)),
    ],
    data: [
      data("Revenue", [SOLD], [{ sold: 1214000 }], {
        before: { from: "2026-10-26", to: "2026-11-22", rows: [{ sold: 1000000 }] },
        trend: days.map((at, i) => ({ at, sold: 100 + ((i * 13) % 17) })),
      }),
      data("Orders", [SOLD], [{ sold: 16284 }]),
      data("By day", [DAY, REGION, SOLD], byDay),
      data(
        "Regions",
        [REGION, SOLD],
        regions.map((region, i) => ({ region, sold: 1000 + i })),
      ),
      data(
        "Bars",
        [REGION, SOLD],
        regions.map((region, i) => ({ region, sold: 1000 + i * 400 })),
      ),
      data(
        "Own",
        [REGION, SOLD],
        regions.map((region, i) => ({ region, sold: 1000 + i * 400 })),
      ),
      { ...data("Down", [], []), cachedAt: null, error: "This data is unavailable." },
    ],
    ...more,
  };
}

/** Counts the dark pixels in a box of a picture. */
function countInk(png: Buffer, [left, top, right, bottom]: [number, number, number, number]): number {
  const width = png.readUInt32BE(16);
  expect([png.subarray(1, 4).toString(), png[24], png[25]]).toEqual(["PNG", 8, 6]);
  const parts: Buffer[] = [];
  for (let at = 8; at < png.length; ) {
    const length = png.readUInt32BE(at);
    if (png.subarray(at + 4, at + 8).toString() === "IDAT") parts.push(png.subarray(at + 8, at + 8 + length));
    at += length + 12;
  }
  const raw = inflateSync(Buffer.concat(parts));
  const bytes = width * 4;
  const before = Buffer.alloc(bytes);
  let ink = 0;
  for (let y = 0; y < bottom; y++) {
    const filter = raw[y * (bytes + 1)] ?? 0;
    const line = raw.subarray(y * (bytes + 1) + 1, (y + 1) * (bytes + 1));
    for (let x = 0; x < bytes; x++) {
      const [a, b, c] = [x >= 4 ? (line[x - 4] ?? 0) : 0, before[x] ?? 0, x >= 4 ? (before[x - 4] ?? 0) : 0];
      const near = Math.abs(b - c) <= Math.abs(a - c) && Math.abs(b - c) <= Math.abs(a + b - 2 * c);
      const first = Math.abs(b - c) <= Math.abs(a - c) && Math.abs(b - c) <= Math.abs(a + b - 2 * c);
      const paeth = first ? a : Math.abs(a - c) <= Math.abs(a + b - 2 * c) ? b : c;
      const guess = [0, a, b, (a + b) >> 1, near ? a : paeth][filter] ?? 0;
      line[x] = ((line[x] ?? 0) + guess) & 0xff;
    }
    line.copy(before);
    if (y < top) continue;
    for (let x = left; x < right; x++) if ((line[x * 4] ?? 255) < 128) ink += 1;
  }
  return ink;
}

describe("a dashboard as an image", () => {
  it("is drawn with charts, numbers, tables and texts, in bundled fonts", {
    timeout: 120_000,
  }, async () => {
    const { page: drawn, words, left } = toPicturePage(page());
    const { png, undrawn } = await drawPage(drawn);
    if (process.env.PICTURE_TO) (await import("node:fs")).writeFileSync(process.env.PICTURE_TO, png);
    expect([png.readUInt32BE(16), png.readUInt32BE(20), undrawn, left]).toEqual([1760, drawn.height * 2, 0, 0]);
    // Boxes that contain only letters: the title and the figure.
    expect(countInk(png, [40, 30, 400, 80])).toBeGreaterThan(500);
    expect(countInk(png, [60, 220, 250, 290])).toBeGreaterThan(500);
    expect(words.find(({ title }) => title === "Revenue")?.lines).toEqual(["€1.21 M (+21.4% vs previous 4 weeks)"]);
    expect(words.find(({ title }) => title === "Regions")?.lines).toEqual([
      "region: North, sold: 1,000",
      "region: South, sold: 1,001",
    ]);
    expect(words.find(({ title }) => title === "By day")?.lines[0]).toMatch(/^Line chart of .*Highest .*lowest/);
    expect(words.find(({ title }) => title === "Down")?.lines).toEqual(["This data is unavailable."]);
  });

  it("is drawn in the other theme too, and as a PDF that breaks between widgets", {
    timeout: 120_000,
  }, async () => {
    const widgets = Array.from({ length: 6 }, (_, at) =>
      widget(`w${at}`, "text", { text: "x" }, layout(0, at * 8, 12, 8)),
    );
    const { page: drawn } = toPicturePage(page({ theme: "dark", widgets, data: [] }));
    expect(drawn.background).toBe("#0A1413");
    // Widgets of 352 with their gaps, below a head of 72: three on a sheet of 1,245, and a foot below the last.
    expect(drawn.sheets).toEqual([72 + 3 * 352 - 6, drawn.height]);
    const { png, pdf } = await drawPage(drawn, true);
    if (process.env.PICTURE_TO) (await import("node:fs")).writeFileSync(`${process.env.PICTURE_TO}.pdf`, pdf ?? "");
    expect(countInk(png, [0, 0, 40, 40])).toBe(1600);
    expect(pdf?.subarray(0, 5).toString()).toBe("%PDF-");
    expect(pdf?.toString("latin1").match(/\/Type \/Page /g)).toHaveLength(2);
    expect((await drawPage(drawn)).pdf).toBeNull();
  });

  it("is drawn with gauges, funnels, heat maps, box plots, combo charts and a chart's additions", {
    timeout: 120_000,
  }, async () => {
    const CITY = { ...REGION, name: "city" };
    const FIVE = ["min", "q1", "median", "q3", "max"].map((name) => ({ ...SOLD, name }));
    const regions = ["North", "South", NASTY];
    const rows = regions.map((region, i) => ({ region, sold: 100 - i * 30 }));
    const bar = { dimensions: ["region"], measures, mark: "bar" };
    const extras = {
      ...{ goals: [{ value: 130, label: NASTY }], titles: { x: NASTY, y: "Sold" }, labels: true },
      ...{ formats: { sold: { prefix: "\u2028'", suffix: '"', digits: 1 } }, colours: { North: 4, [NASTY]: 2 } },
    };
    const lone = [{ day: "2026-11-01", sold: 5 }];
    const shown: [string, Widget["kind"], Record<string, unknown>, WidgetData["fields"], WidgetData["rows"]][] = [
      ["gauge", "gauge", { measures, goal: 120, formats: { sold: { suffix: " kg" } } }, [SOLD], [{ sold: 75 }]],
      ["progress", "gauge", { measures, mark: "progress", goal: 50 }, [SOLD], [{ sold: 75 }]],
      ["funnel", "funnel", bar, [REGION, SOLD], rows],
      ["heatmap", "heatmap", { labels: true }, [REGION, CITY, SOLD], rows.map((row) => ({ ...row, city: NASTY }))],
      [
        "box",
        "box",
        {},
        [REGION, ...FIVE],
        regions.map((region) => ({ region, min: 1, q1: 2, median: 4, q3: 6, max: 9 })),
      ],
      ["combo", "combo", {}, [REGION, SOLD, { ...SOLD, name: "n" }], rows.map((row, n) => ({ ...row, n }))],
      ["bars", "chart", { ...bar, ...extras }, [REGION, SOLD], rows],
      ["sankey", "sankey", {}, [REGION, CITY, SOLD], rows.map((row) => ({ ...row, city: `to ${NASTY}` }))],
      ["map", "map", bar, [REGION, SOLD], [{ region: "DE", sold: 5 }, ...rows]],
      ["line", "chart", { ...bar, ...extras, dimensions: ["day"], mark: "line" }, [DAY, SOLD], lone],
      ["area", "chart", { dimensions: ["day"], measures, mark: "area" }, [DAY, SOLD], lone],
    ];
    const { page: drawn, words } = toPicturePage(
      page({
        widgets: shown.map(([id, kind, spec], at) =>
          widget(id, kind, spec, layout((at % 2) * 6, Math.floor(at / 2) * 6, 6, 6)),
        ),
        data: shown.map(([id, , , fields, own]) => data(id, fields, own)),
      }),
    );
    const { png, undrawn } = await drawPage(drawn);
    if (process.env.PICTURE_TO) (await import("node:fs")).writeFileSync(`${process.env.PICTURE_TO}.kinds.png`, png);
    expect(undrawn).toBe(0);
    expect(words.find(({ title }) => title === "gauge")?.lines).toEqual(["75 kg (63% of 120 kg)"]);
    expect(words.find(({ title }) => title === "progress")?.lines).toEqual(["75 (150% of 50)"]);
    expect(words.find(({ title }) => title === "map")?.lines).toEqual([
      "Germany: 5",
      `3 values that are no countries: North, South, ${NASTY}`,
    ]);
    expect(words.find(({ title }) => title === "bars")?.lines[0]).toContain("'100.0");
  });

  it("survives any names, and a chart that can't be drawn fails no other", {
    timeout: 120_000,
  }, async () => {
    const rows = [{ region: NASTY, sold: 1 }];
    const broken = { encoding: { x: { field: "region" } }, layer: [{}] };
    const { page: drawn } = toPicturePage(
      page({
        title: NASTY,
        widgets: [
          { ...widget("a", "table", { dimensions: ["region"], measures }, layout(0, 0, 6, 4)), title: NASTY },
          widget("b", "chart", { dimensions: ["region"], measures, mark: "bar" }, layout(6, 0, 6, 4)),
          widget("c", "chart", broken, layout(0, 4, 6, 4)),
          widget("d", "text", { text: NASTY.repeat(40) }, layout(6, 4, 6, 4)),
        ],
        data: ["a", "b", "c"].map((id) => data(id, [REGION, SOLD], rows)),
      }),
    );
    const { png, undrawn } = await drawPage(drawn);
    expect([png.readUInt32BE(16), undrawn]).toEqual([1760, 1]);
  });

  it("ends at a maximum length, and says how much is left", () => {
    const widgets = Array.from({ length: 20 }, (_, at) =>
      widget(`w${at}`, "text", { text: "x" }, layout(0, at * 10, 12, 10)),
    );
    const { page: drawn, left } = toPicturePage(page({ widgets, data: [] }));
    expect(drawn.height).toBeLessThanOrEqual(4000);
    expect(left).toBe(12);
    expect(JSON.stringify(drawn)).toContain("12 more in the dashboard");
  });
});

describe("texts in an image", () => {
  it("are cut and wrapped to fit", () => {
    expect(cutTo("short", 100, 12)).toBe("short");
    const cut = cutTo("a rather long heading of a widget", 60, 12);
    expect(cut.endsWith("…")).toBe(true);
    expect(widthOf(cut, 12)).toBeLessThanOrEqual(60);
    expect(wrapTo("one two three", widthOf("one two", 12), 12)).toEqual(["one two", "three"]);
    expect(wrapTo("   ", 50, 12)).toEqual([]);
  });
});
