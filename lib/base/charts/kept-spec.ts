import { readExtras } from "@/lib/base/charts/extras";
import {
  CHART_KINDS,
  type ChartKind,
  type ChartSettings,
  COUNT,
  isTimeField,
  MEASURES,
  type Measure,
  SORTS,
  STACKINGS,
  TOP_MAX,
  UP_MAX,
} from "@/lib/base/charts/settings";
import { isNumericField } from "@/lib/base/values/cell-text";
import type { ResultField } from "@/lib/base/values/json-rows";

const MARKS: Record<ChartKind, string> = { line: "line", bar: "bar", area: "area", scatter: "point", histogram: "bar", pie: "arc", kpi: "text" }; // biome-ignore format: one look
const AGGREGATES = { sum: "sum", average: "mean", min: "min", max: "max", count: "count" } as const;
const STACKS = { apart: null, stacked: "zero", share: "normalize" } as const;

/**
 * Returns the stored form of a console's chart: a Vega-Lite specification over the result's columns, which other tools
 * can draw too. `usermeta` holds the complete settings.
 */
export function toKeptSpec(settings: ChartSettings, fields: readonly ResultField[]): Record<string, unknown> {
  const { kind, across, up, colour, stack, sort } = settings;
  const [first = COUNT] = up;
  const typeOf = (name: string | null) => {
    const field = fields.find((each) => each.name === name);
    if (field === undefined) return "nominal";
    return isTimeField(field) ? "temporal" : isNumericField(field) ? "quantitative" : "nominal";
  };
  const isFolded = up.length > 1 && kind !== "pie";
  const columns = up.flatMap(({ column }) => column ?? []);
  const measured = isFolded ? { ...first, column: "value" } : first;
  const amount = {
    type: "quantitative",
    ...(measured.column !== null && { field: isFolded ? "value" : escapeField(measured.column) }),
    ...(measured.of !== "each" && { aggregate: AGGREGATES[measured.of] }),
  };
  const place = across === null ? null : { field: escapeField(across), type: typeOf(across) };
  const order = sort === "value" ? "-y" : sort === "label" ? "ascending" : null;
  const series = isFolded ? "column" : colour;
  const color = series === null ? {} : { color: { field: isFolded ? series : escapeField(series), type: "nominal" } };
  const encoding =
    kind === "pie"
      ? { theta: amount, ...(place && { color: { ...place, type: "nominal" } }) }
      : kind === "kpi"
        ? { text: amount }
        : {
            ...(place && {
              x: {
                ...place,
                ...(kind === "histogram" && place.type !== "nominal" && { bin: true }),
                ...(place.type === "nominal" && { sort: order }),
              },
            }),
            y: {
              ...(kind === "histogram" ? { type: "quantitative", aggregate: "count" } : amount),
              ...((kind === "bar" || kind === "area") && { stack: STACKS[stack] }),
            },
            ...color,
            ...(kind === "bar" &&
              stack === "apart" &&
              series !== null && { xOffset: { field: isFolded ? series : escapeField(series) } }),
          };
  return {
    $schema: "https://vega.github.io/schema/vega-lite/v6.json",
    data: { name: "result" },
    ...(isFolded && { transform: [{ fold: columns, as: ["column", "value"] }] }),
    mark: { type: MARKS[kind] },
    encoding,
    usermeta: { shelves: settings },
  };
}

/**
 * Returns the settings of a stored specification: those in `usermeta`, also in the previous form, which had one measure
 * and "dots"; else those of an equivalent plain specification. Null for one that uses more.
 */
export function readSettings(spec: unknown): ChartSettings | null {
  const { usermeta } = toRecord(spec);
  const kept = toRecord(toRecord(usermeta).shelves);
  return kept.kind === undefined ? readPlainSpec(spec) : readShelves(kept);
}

function readShelves(kept: Record<string, unknown>): ChartSettings | null {
  const kind = kept.kind === "dots" ? "scatter" : CHART_KINDS.find((each) => each === kept.kind);
  const up = (Array.isArray(kept.up) ? kept.up : [kept.up]).map(readMeasure);
  const across = typeof kept.across === "string" ? kept.across : null;
  if (kind === undefined || up.length === 0 || up.length > UP_MAX || (across === null && kind !== "kpi")) return null;
  if (!up.every((measure) => measure !== null)) return null;
  const top = kept.top;
  const extras = readExtras(kept.extras);
  return {
    ...(extras && { extras }),
    kind,
    across,
    up,
    colour: typeof kept.colour === "string" ? kept.colour : null,
    stack: STACKINGS.find((each) => each === kept.stack) ?? "stacked",
    sort: SORTS.find((each) => each === kept.sort) ?? "value",
    top: typeof top === "number" && Number.isInteger(top) && top >= 1 && top <= TOP_MAX ? top : null,
  };
}

function readMeasure(value: unknown): Measure | null {
  const { of: kept, column } = toRecord(value);
  const of = MEASURES.find((each) => each === kept);
  if (of === undefined) return null;
  if (of === "count") return COUNT;
  return typeof column === "string" ? { of, column } : null;
}

const PLAIN_MARKS: Record<string, ChartKind> = { line: "line", trail: "line", bar: "bar", area: "area", point: "scatter", circle: "scatter", square: "scatter", arc: "pie" }; // biome-ignore format: one look
const OPERATIONS: Record<string, Measure["of"]> = { sum: "sum", mean: "average", average: "average", min: "min", max: "max", count: "count" }; // biome-ignore format: one look
const PARTS = new Set(["$schema", "data", "datasets", "mark", "encoding", "title", "description", "name", "width", "height", "config", "usermeta", "background", "padding", "autosize"]); // biome-ignore format: one look
const CHANNELS = new Set(["x", "y", "color", "theta", "tooltip", "xOffset", "opacity", "order"]);
const CHANNEL_PARTS = new Set([
  "field",
  "type",
  "aggregate",
  "stack",
  "bin",
  "sort",
  "title",
  "axis",
  "scale",
  "legend",
]);

/** Reads a specification with one mark over plain columns, as people and models write them. */
function readPlainSpec(spec: unknown): ChartSettings | null {
  const { mark, encoding, ...rest } = toRecord(spec);
  const type = typeof mark === "string" ? mark : toRecord(mark).type;
  const kind = PLAIN_MARKS[String(type)];
  const channels = toRecord(encoding);
  if (kind === undefined || Object.keys(rest).some((key) => !PARTS.has(key))) return null;
  if (Object.keys(channels).some((key) => !CHANNELS.has(key))) return null;
  const of = (name: string) => {
    const channel = toRecord(channels[name]);
    const isKnown = Object.keys(channel).every((key) => CHANNEL_PARTS.has(key));
    const field = typeof channel.field === "string" ? unescapeField(channel.field) : null;
    return isKnown ? { ...channel, field } : null;
  };
  const [x, y, color, theta] = [of("x"), of("y"), of("color"), of("theta")];
  if (!x || !y || !color || !theta) return null;
  const plain = { stack: "stacked", sort: toSort(toRecord(channels.x).sort), top: null } as const;
  if (kind === "pie") {
    const up = toMeasure(theta);
    return up && color.field !== null
      ? { ...plain, kind, across: color.field, up: [up], colour: null, sort: "given" }
      : null;
  }
  // Horizontal bars have their names at the side.
  const isLying = kind === "bar" && "type" in y && (y.type === "nominal" || y.type === "ordinal");
  const [across, amount] = isLying ? [y, x] : [x, y];
  const { bin, aggregate, timeUnit } = across as Record<string, unknown>;
  const up = toMeasure(amount);
  if (across.field === null || up === null || aggregate !== undefined || timeUnit !== undefined) return null;
  const colour = "value" in color ? null : color.field;
  if (bin === true && kind === "bar" && up.of === "count")
    return { ...plain, kind: "histogram", across: across.field, up: [COUNT], colour };
  if (bin !== undefined && bin !== false && bin !== null) return null;
  const stack = toRecord(channels[isLying ? "x" : "y"]).stack;
  return {
    ...plain,
    kind,
    across: across.field,
    up: [up],
    colour,
    sort: toSort(toRecord(channels[isLying ? "y" : "x"]).sort),
    stack:
      stack === "normalize" ? "share" : stack === null || stack === false || channels.xOffset ? "apart" : "stacked",
  };
}

function toSort(sort: unknown): ChartSettings["sort"] {
  if (typeof sort === "string" && /^-?[xy]$/.test(sort)) return "value";
  // Vega-Lite's default order is by name.
  return sort === undefined || sort === "ascending" ? "label" : "given";
}

function toMeasure({ field, ...channel }: { field: string | null }): Measure | null {
  const { aggregate } = channel as Record<string, unknown>;
  if (aggregate === undefined) return field === null ? null : { of: "each", column: field };
  const of = OPERATIONS[String(aggregate)];
  if (of === undefined) return null;
  if (of === "count") return COUNT;
  return field === null ? null : { of, column: field };
}

function toRecord(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};
}

/** Dots and brackets in a field's name access nested values in a specification, unless they are escaped. */
function escapeField(name: string): string {
  return name.replace(/[\\.[\]'"]/g, "\\$&");
}

function unescapeField(name: string): string {
  return name.replace(/\\(.)/g, "$1");
}
