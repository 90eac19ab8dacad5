import { toNumber } from "@/lib/base/charts/amount";
import { rangeOf } from "@/lib/base/charts/number-axis";
import { toShade } from "@/lib/base/charts/shade";
import type { Drawing, LayOut, Shape } from "@/lib/base/charts/shapes";
import { formatValue, readFormats } from "@/lib/base/charts/value-format";
import { type Extent, type Projection, toExtent, toProjection } from "@/lib/base/geo/projection";
import { type Country, findCountry, readWorld } from "@/lib/base/geo/world";
import { cutTo, widthOf } from "@/lib/base/text/text-width";
import { formatCount, formatCountOf } from "@/lib/base/values/amounts";
import { toPlainText } from "@/lib/base/values/cell-text";
import { ExactSum } from "@/lib/base/values/exact-sum";
import type { CellValue, ResultField } from "@/lib/base/values/json-rows";

/** Each is an element with a tooltip that the keyboard reaches. */
export const POINTS_MAX = 2_000;
const LINE_PX = 18;
const SIZE_PX = 12;
/** A picture shows this much beyond a drawing. */
const EDGE_PX = 8;
const DOT_PX = { least: 3, most: 13, country: 4 };
/** Points that overlap stay visible. */
const DOT_OPACITY = 0.75;
const LAND = { fill: "line", opacity: 0.7 } as const;
const NEAREST = { regions: { width: 40, height: 25 }, points: { width: 8, height: 5 } };
/** Names of a note; the rest is a count. */
const NAMED_MAX = 20;

type Layout = Parameters<LayOut>;
type Data = Layout[1];
type TextOf = (value: CellValue | undefined, field: ResultField) => string;

/** Draws countries shaded by a value, or points. Values without a place are listed below. */
export const layOutMap: LayOut = (spec, data, size, look) => {
  const formats = readFormats(spec);
  const textOf: TextOf = (value, field) => formatValue(value, field, formats[field.name], look);
  return spec.mark === "points" ? layOutPoints(spec, data, size, textOf) : layOutRegions(spec, data, size, textOf);
};

type Region = { country: Country; rows: number[]; value: CellValue };

function layOutRegions(spec: Layout[0], data: Data, size: Layout[2], textOf: TextOf): Drawing | null {
  const [place, amount] = data.fields;
  if (!place || !amount) return null;
  const { regions, unknown, repeated } = toRegions(spec, data.rows, place, amount);
  const notes = [
    toNote(unknown, "value", "that is no country", "that are no countries"),
    toNote(repeated, "value", "that repeats a country", "that repeat a country"),
    toCutNote(data),
  ].filter((each) => each !== null);
  const numbers = regions.flatMap(({ value }) => toNumber(value) ?? []);
  const range = rangeOf(numbers) ?? { low: 0, high: 0 };
  const frame = { width: size.width, height: size.height - LINE_PX * (notes.length + 1) };
  const projection = toProjection(
    toExtent(
      regions.map(({ country }) => extentOf(country)),
      NEAREST.regions,
    ),
    frame,
  );
  const shapes = toLand(projection);
  const words: string[] = [];
  const shadeOf = toShade(range);
  for (const { country, rows, value } of regions.toSorted((a, b) => sizeOf(b.country) - sizeOf(a.country))) {
    const number = toNumber(value);
    const title = `${country.name}: ${textOf(value, amount)}`;
    const shade = number === null ? LAND : shadeOf(number);
    const [row = 0, ...more] = rows;
    const mark = { fill: shade.fill, opacity: shade.opacity, row, more, title };
    const d = country.rings.map(projection.toPath).join("");
    const at = projection.toPoint(...country.at);
    shapes.push(d === "" ? { kind: "dot", ...at, r: DOT_PX.country, ...mark } : { kind: "path", d, ...mark });
    words.push(title);
  }
  const borders = readWorld().countries.flatMap(({ rings }) => rings.map(projection.toPath));
  shapes.push({ kind: "stroke", d: borders.join(""), ink: "sheet", width: 0.5 });
  // Small countries stay above the borders.
  shapes.sort((a, b) => Number(a.kind === "dot") - Number(b.kind === "dot"));
  shapes.push(toFoot(frame, size));
  if (numbers.length > 0) shapes.push(...toLegend(range, frame.height + 13, (value) => textOf(value, amount)));
  return withNotes({ shapes, words }, notes, size);
}

/** Groups rows by country. Values of one country that cannot be added up are left out, as `repeated`. */
function toRegions(spec: Layout[0], rows: Data["rows"], place: ResultField, amount: ResultField) {
  const byCode = new Map<string, Region>();
  const [unknown, repeated]: [string[], string[]] = [[], []];
  const [measure] = Array.isArray(spec.measures) ? spec.measures : [];
  const isSum = measure?.op === "sum" || measure?.op === "count";
  for (const [index, row] of rows.entries()) {
    const name = row[place.name] ?? null;
    const country = findCountry(name);
    const known = country && byCode.get(country.code);
    if (country === null) unknown.push(name === null ? "null" : toPlainText(name) || "(empty)");
    else if (!known) byCode.set(country.code, { country, rows: [index], value: row[amount.name] ?? null });
    else if (isSum) {
      const sum = new ExactSum();
      for (const each of [known.value, row[amount.name] ?? null]) sum.add(each);
      known.value = sum.result()?.sum ?? null;
      known.rows.push(index);
    } else repeated.push(toPlainText(name));
  }
  return { regions: [...byCode.values()], unknown, repeated };
}

type Point = { index: number; east: number; north: number; size: number; title: string; colour: number | null };

function layOutPoints(spec: Layout[0], data: Data, size: Layout[2], textOf: TextOf): Drawing | null {
  const count = Array.isArray(spec.dimensions) ? spec.dimensions.length : 0;
  const [north, east, label] = data.fields.slice(0, Math.min(3, count));
  const [amount, colour] = data.fields.slice(count);
  if (!north || !east || !amount) return null;
  const named = [...(label ? [label] : []), amount, ...(colour ? [colour] : [])];
  const all = data.rows.flatMap((row, index): Point[] => {
    const [up, across] = [toNumber(row[north.name] ?? null), toNumber(row[east.name] ?? null)];
    // Longitudes up to 360 are counted eastwards.
    if (up === null || across === null || Math.abs(up) > 90 || across < -180 || across > 360) return [];
    const size = Math.max(0, toNumber(row[amount.name] ?? null) ?? 0);
    const said = named.map((field) => (field === label ? "" : `${field.name} `) + textOf(row[field.name], field));
    const title = `${label ? "" : `${up}, ${across}: `}${said.join(", ")}`;
    const shade = colour ? toNumber(row[colour.name] ?? null) : null;
    return [{ index, east: across, north: up, size, title, colour: shade }];
  });
  // The largest points are drawn first, below the smaller ones.
  const points = all.toSorted((a, b) => b.size - a.size).slice(0, POINTS_MAX);
  const lost = data.rows.length - all.length;
  const notes = [
    ...(lost > 0 ? [`${formatCountOf(lost, "row")} without a valid latitude and longitude`] : []),
    ...(points.length < all.length
      ? [`Showing the ${formatCount(points.length)} largest of ${formatCount(all.length)} points`]
      : []),
    toCutNote(data),
  ].filter((each) => each !== null);
  const shades = points.flatMap(({ colour: value }) => value ?? []);
  const range = rangeOf(shades);
  const shadeOf = range && toShade(range);
  const frame = { width: size.width, height: size.height - LINE_PX * (notes.length + (range ? 1 : 0)) };
  const extents = points.map((at) => ({ west: at.east, east: at.east, south: at.north, north: at.north }));
  const projection = toProjection(toExtent(extents, NEAREST.points), frame);
  const shapes = toLand(projection);
  const borders = readWorld().countries.flatMap(({ rings }) => rings.map(projection.toPath));
  shapes.push({ kind: "stroke", d: borders.join(""), ink: "sheet", width: 0.5 });
  const most = points[0]?.size ?? 0;
  for (const point of points) {
    const share = most > 0 ? Math.sqrt(point.size / most) : 0;
    const shade = shadeOf && point.colour !== null ? shadeOf(point.colour) : { fill: 0, opacity: 1 };
    shapes.push({
      kind: "dot",
      ...projection.toPoint(point.east, point.north),
      r: DOT_PX.least + (DOT_PX.most - DOT_PX.least) * share,
      ...{ fill: shade.fill, opacity: shade.opacity * DOT_OPACITY, row: point.index, title: point.title },
    });
  }
  shapes.push(toFoot(frame, size));
  if (range && colour) shapes.push(...toLegend(range, frame.height + 13, (value) => textOf(value, colour)));
  return withNotes({ shapes, words: points.map(({ title }) => title) }, notes, size);
}

/** The part of a country that a map has to show: its largest outline, since some have islands in other oceans. */
function extentOf({ rings, at: [east, north] }: Country): Extent {
  const area = (ring: Extent) => (ring.east - ring.west) * (ring.north - ring.south);
  const [largest] = rings.toSorted((a, b) => area(b) - area(a));
  return largest ?? { west: east, east, south: north, north };
}

function sizeOf(country: Country): number {
  const { west, east, south, north } = extentOf(country);
  return (east - west) * (north - south);
}

/** All land as one shape that has no value. */
function toLand({ toPath }: Projection): Shape[] {
  const { countries, land } = readWorld();
  const rings = [...countries.flatMap((country) => country.rings), ...land];
  return [{ kind: "path", d: rings.map(toPath).join(""), ...LAND }];
}

/** Covers land below the map, where the legend and the notes are. */
function toFoot({ height }: Layout[2], size: Layout[2]): Shape {
  const box = { x: -EDGE_PX, y: height, width: size.width + 2 * EDGE_PX, height: size.height - height + EDGE_PX };
  return { kind: "rect", ...box, fill: "sheet" };
}

const SWATCHES = 5;

/** The colours of the lowest to the highest value. */
function toLegend({ low, high }: { low: number; high: number }, y: number, textOf: (value: number) => string): Shape[] {
  const shadeOf = toShade({ low, high });
  const start = textOf(low);
  const label = { kind: "label", y, size: SIZE_PX, ink: "faint" } as const;
  if (low === high) return [{ ...label, x: 0, text: start }];
  const from = widthOf(start, SIZE_PX) + 8;
  const swatches = Array.from({ length: SWATCHES }, (_, at): Shape => {
    const { fill, opacity } = shadeOf(low + ((high - low) * at) / (SWATCHES - 1));
    return { kind: "rect", x: from + at * 16, y: y - 9, width: 15, height: 10, fill, opacity };
  });
  return [{ ...label, x: 0, text: start }, ...swatches, { ...label, x: from + SWATCHES * 16 + 7, text: textOf(high) }];
}

function toNote(names: readonly string[], noun: string, one: string, many: string): string | null {
  if (names.length === 0) return null;
  const listed = names.slice(0, NAMED_MAX).join(", ");
  const more = names.length > NAMED_MAX ? `, and ${formatCount(names.length - NAMED_MAX)} more` : "";
  return `${formatCountOf(names.length, noun)} ${names.length === 1 ? one : many}: ${listed}${more}`;
}

function toCutNote({ isTruncated, rows }: Data): string | null {
  return isTruncated ? `First ${formatCountOf(rows.length, "group")}. Raise the limit to show more.` : null;
}

function withNotes({ shapes, words }: Drawing, notes: readonly string[], { width, height }: Layout[2]): Drawing {
  const lines = notes.map((text, at): Shape => {
    const y = height - LINE_PX * (notes.length - at) + 13;
    return { kind: "label", x: 0, y, text: cutTo(text, width, SIZE_PX), size: SIZE_PX, ink: "quiet", title: text };
  });
  return { shapes: [...shapes, ...lines], words: [...words, ...notes] };
}
