import { readShelves, toFirstDimension, writeShelves } from "../../browser/edit/shelves";
import type { KindTraits, Spec } from "../kind-traits";
import { fillBlank, findGroupFields, NO_SHELVES, suggestMeasures } from "../suggest";
import { readChartShelves } from "./console-chart";

const LOOKS = { line: "Line", bar: "Bar", stacked: "Stacked", area: "Area", scatter: "Scatter", pie: "Pie" } as const;
/** Properties of plain Vega-Lite; selecting a look replaces them. */
const GIVEN = ["encoding", "usermeta", "layer", "facet", "hconcat", "vconcat", "concat", "repeat", "spec", "transform", "$schema", "data", "params", "config"]; // biome-ignore format: one look
const DRAWN: ReadonlySet<string> = new Set([...GIVEN, "mark", "stack"]);

/** One mark over groups, or Vega-Lite. A look is a mark. */
export const chartTraits = {
  label: "Chart",
  reference: "the chart",
  // Half of the page.
  size: { w: 6, h: 8 },
  readsData: true,
  looks: LOOKS,
  initial: {},
  computed: ["dimensions", "measures", "sort", "limit", "timeUnit", "trend"],
  dimensions: ["dimensions"],
  lookOf(spec) {
    if (GIVEN.some((name) => spec[name] !== undefined)) return "own";
    const mark = String(
      typeof spec.mark === "object" && spec.mark !== null && "type" in spec.mark ? spec.mark.type : spec.mark,
    );
    if (mark === "bar") return spec.stack === "apart" ? "bar" : hasColour(spec) ? "stacked" : "bar";
    if (mark === "point" || mark === "circle") return "scatter";
    if (mark === "arc") return "pie";
    return Object.hasOwn(LOOKS, mark) ? mark : "line";
  },
  toPlain: (spec) => Object.fromEntries(Object.entries(spec).filter(([name]) => !DRAWN.has(name))),
  withLook(plain, look) {
    const mark = look === "stacked" ? "bar" : look;
    const stack = look === "stacked" ? "stacked" : look === "bar" ? "apart" : null;
    return { ...plain, mark, ...(stack && { stack }) };
  },
  readShelves,
  suggest(spec, look, fields) {
    const { time, word } = findGroupFields(fields);
    const across = look === "pie" ? (word ?? time) : (time ?? word);
    const other = look === "stacked" && word !== across ? word : undefined;
    const dimensions = [across ?? fields[0], other].flatMap((field) => (field ? [toFirstDimension(field)] : []));
    const shelves = { ...NO_SHELVES, dimensions, measures: suggestMeasures(fields) };
    return look === "own" ? null : fillBlank(spec, shelves);
  },
  fromChart(settings, stored) {
    const { kind, stack } = settings;
    const shelves = readChartShelves(settings);
    if (shelves === null) return { ...stored };
    return writeShelves({ ...settings.extras, mark: kind, ...(kind === "bar" && { stack }) }, shelves);
  },
} as const satisfies KindTraits;

function hasColour(spec: Spec): boolean {
  const count = (value: unknown) => (Array.isArray(value) ? value.length : 0);
  return count(spec.dimensions) > 1 || count(spec.measures) > 1;
}
