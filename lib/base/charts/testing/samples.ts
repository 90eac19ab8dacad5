import * as vega from "vega";
import { expressionInterpreter } from "vega-interpreter";
import { compile, type TopLevelSpec } from "vega-lite";
import { toTable } from "@/lib/base/charts/rows-fields";
import type { ChartSettings } from "@/lib/base/charts/settings";
import type { ChartTheme } from "@/lib/base/charts/spec";
import type { CellLook } from "@/lib/base/values/cell-look";
import type { CellTable, CellValue } from "@/lib/base/values/json-rows";

export const LOOK: CellLook = { digits: "grouped", times: "utc" };
export const THEME: ChartTheme = {
  series: ["#111111", "#222222", "#333333", "#444444", "#555555", "#666666", "#777777", "#888888"],
  grid: "#eeeeee",
  axis: "#999999",
  text: "#000000",
  surface: "#ffffff",
  font: "sans-serif",
};
export const SIZE = { width: 600, height: 300 };

/** A table of columns "name:type". */
export function tableOf(columns: string[], rows: CellValue[][]): CellTable {
  const fields = columns.map((column) => {
    const [name = "", type = ""] = column.split(":");
    return { name, type };
  });
  return toTable(
    fields,
    rows.map((row) => Object.fromEntries(fields.map(({ name }, i): [string, CellValue] => [name, row[i] ?? null]))),
  );
}

export function settingsOf(change: Partial<ChartSettings>): ChartSettings {
  const up: ChartSettings["up"] = [{ of: "sum", column: "n" }];
  return { kind: "bar", across: "name", up, colour: null, stack: "stacked", sort: "value", top: null, ...change };
}

/** Draws as the page does: expressions are interpreted, nothing is made into code. */
export async function toSvg(spec: TopLevelSpec): Promise<string> {
  const runtime = vega.parse(compile(spec).spec, undefined, { ast: true });
  const view = new vega.View(runtime, { expr: expressionInterpreter, renderer: "none" });
  try {
    return await view.toSVG();
  } finally {
    view.finalize();
  }
}
