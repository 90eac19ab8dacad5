import { describe, expect, it } from "vitest";
import { PAINTS } from "../../picture/paint";
import type { WidgetData } from "../../schema";
import { drawPivot } from "./draw";

const SPEC = { rows: ["region"], columns: ["channel"], measures: [{ op: "count" }] };
const line = (region: string | null, channel: string | null, count: number) => ({ region, channel, count });
const DATA: WidgetData = {
  ...{ id: "p", cachedAt: null, ageMs: null, truncated: false },
  fields: [
    { name: "region", type: "string", dbType: "VARCHAR" },
    { name: "channel", type: "string", dbType: "VARCHAR" },
    { name: "count", type: "int64", dbType: "BIGINT" },
  ],
  rows: [line("north", "web", 1200), line("north", null, 1200), line("a<b", "web", 1), line("a<b", null, 1), line(null, "web", 1201), line(null, null, 1201)], // biome-ignore format: cells
  pivot: { rows: 1, columns: 1, levels: [[1, 1], [1, 0], [1, 1], [1, 0], [0, 1], [0, 0]], rowGroups: 2, columnGroups: 1 }, // biome-ignore format: cells
};
const draw = (width: number, height: number, data = DATA) => {
  const how = { look: { digits: "grouped" as const, times: "utc" }, period: {}, paint: PAINTS.light };
  const { parts, words } = drawPivot(SPEC, data, { x: 0, y: 0, width, height }, how);
  return { svg: parts.map((part) => ("svg" in part ? part.svg : "")).join(""), words };
};

describe("the drawing of a pivot table", () => {
  it("has headers, cells and totals, shaded below 40 %, with escaped texts", () => {
    const { svg, words } = draw(600, 200);
    for (const text of ["web", "Total", "north", "a&lt;b", "1,200", "1,201"]) expect(svg).toContain(text);
    expect(svg.match(/fill-opacity="[\d.]+"/g)).toEqual(['fill-opacity="0.4"']);
    expect(words).toEqual(["Total: count: 1,201", "north: count: 1,200", "a<b: count: 1"]);
  });

  it("keeps the grand total and reports hidden groups", () => {
    const low = draw(600, 80).svg;
    expect(low).toContain("2 more rows on the page.");
    expect(low).toContain("1,201");
    expect(draw(140, 200).svg).toContain("1 more column");
    const cut = { ...DATA, pivot: { ...DATA.pivot, rowGroups: 7 } as WidgetData["pivot"] };
    expect(draw(600, 200, cut).svg).toContain("2 of 7 row groups shown. Totals include all.");
  });
});
