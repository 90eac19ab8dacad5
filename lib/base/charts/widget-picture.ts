import { EXTRAS, readExtras } from "@/lib/base/charts/extras";
import { readSettings } from "@/lib/base/charts/kept-spec";
import {
  CHART_KINDS,
  type ChartSettings,
  fitSettings,
  isTimeField,
  type Measure,
  STACKINGS,
  UP_MAX,
} from "@/lib/base/charts/settings";
import { isNumericField } from "@/lib/base/values/cell-text";
import type { ResultField } from "@/lib/base/values/json-rows";

/** Drawing of a widget's rows: by our settings, or by a Vega-Lite specification that uses more than those. */
export type WidgetPicture =
  | { kind: "settings"; settings: ChartSettings }
  | { kind: "vega"; spec: Record<string, unknown> };

/** Keys of a specification that the server computes; the rest describes the picture. */
export const COMPUTED: ReadonlySet<string> = new Set(["dimensions", "measures", "sort", "limit", "timeUnit", "trend"]);
/** Aggregates that can be summed over groups. For all others the rest cannot be computed and is left out. */
const ADDED_UP = new Set(["sum", "count"]);
const MARKS: Readonly<Record<string, ChartSettings["kind"]>> = { point: "scatter", circle: "scatter", arc: "pie", text: "kpi" }; // biome-ignore format: one look

/**
 * Returns the picture of a chart's specification over the columns of its data. `mark` names the kind, the first
 * dimension is on the x axis, the second is the colour, and all measures are drawn; `encoding` and `usermeta` say it as
 * Vega-Lite does. Null if no column can be drawn.
 */
export function toWidgetPicture(
  spec: Readonly<Record<string, unknown>>,
  fields: readonly ResultField[],
): WidgetPicture | null {
  const picture = Object.fromEntries(Object.entries(spec).filter(([key]) => !COMPUTED.has(key) && !EXTRAS.has(key)));
  const extras = readExtras(spec);
  const withExtras = (settings: ChartSettings) => ({ kind: "settings", settings: { extras, ...settings } }) as const;
  if (picture.usermeta !== undefined || picture.encoding !== undefined) {
    const settings = fitSettings(readSettings(picture), fields);
    if (settings) return withExtras(settings);
  }
  if (picture.encoding !== undefined || LAYERED.some((key) => picture[key] !== undefined)) {
    return { kind: "vega", spec: picture };
  }
  const settings = toPlainSettings(spec, fields);
  return settings && withExtras(settings);
}

const LAYERED = ["layer", "facet", "hconcat", "vconcat", "concat", "repeat", "spec"];

function toPlainSettings(spec: Readonly<Record<string, unknown>>, fields: readonly ResultField[]) {
  const measures = Array.isArray(spec.measures) ? spec.measures : [];
  const dimensionCount = Array.isArray(spec.dimensions) ? spec.dimensions.length : 0;
  const isComputed = measures.length + dimensionCount > 0;
  // Dimensions come first, then measures; raw rows have neither.
  const across = isComputed ? fields.slice(0, dimensionCount) : fields.filter((field) => !isNumericField(field));
  const drawn = (isComputed ? fields.slice(dimensionCount) : fields.filter(isNumericField)).slice(0, UP_MAX);
  const up = drawn.map(({ name }, at): Measure => ({ of: toMeasure(measures[at]), column: name }));
  if (up.length === 0) return null;
  const [first, second] = across;
  const kind = toKind(spec.mark) ?? (first === undefined ? "kpi" : isTimeField(first) ? "line" : "bar");
  if (first === undefined && kind !== "kpi") return null;
  const colour = across.find(({ name }) => name === spec.colour) ?? second;
  return {
    kind,
    across: first?.name ?? null,
    up,
    colour: colour?.name ?? null,
    stack: STACKINGS.find((each) => each === spec.stack) ?? "stacked",
    // The server has sorted the rows as the widget asks.
    sort: Array.isArray(spec.sort) && spec.sort.length > 0 ? "given" : "value",
    top: null,
  } satisfies ChartSettings;
}

function toMeasure(measure: unknown): Measure["of"] {
  const op = typeof measure === "object" && measure !== null && "op" in measure ? measure.op : "sum";
  // Each group has one value, which is drawn unchanged.
  return ADDED_UP.has(String(op)) ? "each" : op === "min" ? "min" : op === "max" ? "max" : "average";
}

function toKind(mark: unknown): ChartSettings["kind"] | undefined {
  const name = String(typeof mark === "object" && mark !== null && "type" in mark ? mark.type : mark);
  return CHART_KINDS.find((each) => each === name) ?? MARKS[name];
}

const SHORT = [
  { from: 1e12, unit: "tn" },
  { from: 1e9, unit: "bn" },
  { from: 1e6, unit: "M" },
];
const WHOLE = new Intl.NumberFormat("en", { maximumFractionDigits: 2 });
const SMALL = new Intl.NumberFormat("en", { maximumSignificantDigits: 3 });

/**
 * Shortens a figure for display at a distance: "1.21 M", "16,284", "74.31". Text that is not a number stays unchanged.
 */
export function formatFigure(text: string): string {
  const value = Number(text);
  if (text === "" || !Number.isFinite(value)) return text;
  const size = Math.abs(value);
  const short = SHORT.find(({ from }) => size >= from);
  if (short) return `${SMALL.format(value / short.from)} ${short.unit}`;
  // Adding 0 removes the sign of a zero.
  return size > 0 && size < 0.1 ? SMALL.format(value) : WHOLE.format(value + 0);
}
