import type { ChartData } from "@/lib/base/charts/data";
import { isCell, type Picture, type Stop, type StopRow } from "@/lib/base/charts/picture";
import { type ChartKind, type ChartSettings, toMeasureName } from "@/lib/base/charts/settings";
import { formatValue, type ValueFormat } from "@/lib/base/charts/value-format";
import { formatCount, formatCountOf } from "@/lib/base/values/amounts";
import { type CellLook, toShownText } from "@/lib/base/values/cell-look";
import { toGrainText } from "@/lib/base/values/grain-text";
import type { ResultField } from "@/lib/base/values/json-rows";

export const KIND_NAMES: Record<ChartKind, string> = {
  line: "Line chart",
  bar: "Bar chart",
  area: "Area chart",
  scatter: "Scatter chart",
  histogram: "Histogram",
  pie: "Pie chart",
  kpi: "Number",
};
const DAY_MS = 86_400_000;
/** Field of a sum or a count, without a column type. */
const AMOUNT: ResultField = { name: "", type: "decimal" };

/** Formats a value of the value axis as the grid would, with all digits. */
export function formatUp(text: string, { data }: Pick<Picture, "data">, series: number, look: CellLook): string {
  const field = data.upFields.length > 1 ? data.upFields[series] : data.upFields[0];
  return formatValue(text, field ?? AMOUNT, upFormatOf(data, series), look);
}

/** Returns the format of a series' values: that of its measure, if there are several. */
export function upFormatOf({ upFormats = [] }: ChartData, series: number): ValueFormat | undefined {
  return upFormats.length > 1 ? upFormats[series] : upFormats[0];
}

/** Formats 0.1234 as "12.3%"; a share above 0 is never "0%". */
export function formatShare(share: number): string {
  if (share > 0 && share < 0.0005) return "<0.1%";
  return `${Number((share * 100).toFixed(1))}%`;
}

/** Formats a position on the x axis as the grid would; a bucket by its start, in its grain. */
export function formatPlace(data: ChartData, place: number, look: CellLook): string {
  const { at, text } = data.places[place] ?? { at: "", text: null };
  if (typeof at === "string") return at;
  if (data.scale === "none") return "all rows";
  if (data.scale === "time") return formatTime(data, at, text, look);
  const field = data.acrossField ?? AMOUNT;
  if (text !== null) return toShownText(text, field, look);
  const from = toShownText(String(at), field, look);
  return data.step === null ? from : `${from} to ${toShownText(String(toEnd(at, data.step.size)), field, look)}`;
}

/** Returns the heading above the values at a stop. */
export function formatStop(picture: Picture, stop: Stop, look: CellLook): string {
  const { data, kind } = picture;
  if (kind === "pie") return data.series[stop.place]?.name ?? "";
  if (kind !== "scatter") return formatPlace(data, stop.place, look);
  const text = data.dots[stop.place]?.xText ?? "";
  return data.acrossField === null ? text : toShownText(text, data.acrossField, look);
}

/** Formats a row of a stop: "1,883 (40%)"; "no value" for rows without one. */
export function formatRow(picture: Picture, { series, text, share }: StopRow, look: CellLook): string {
  if (text === null) return "no value";
  const value = formatUp(text, picture, series, look);
  return share === null ? value : `${value} (${formatShare(share)})`;
}

/** Describes a stop in one sentence, for screen readers. */
export function describeStop(picture: Picture, stop: Stop, look: CellLook): string {
  const { data } = picture;
  const hasSeries = data.series.length > 1 && picture.kind !== "pie";
  const rows = stop.rows.map((row) => {
    const name = hasSeries ? `${data.series[row.series]?.name ?? ""} ` : "";
    return `${name}${formatRow(picture, row, look)}`;
  });
  const total = stop.total === null ? "" : `, total ${formatUp(stop.total, picture, 0, look)}`;
  return `${formatStop(picture, stop, look)}: ${rows.join(", ")}${total}`;
}

/** Returns a name for the chart: "Line chart of sum revenue by week". */
export function nameChart({ kind, across, up, colour }: ChartSettings): string {
  const of = kind === "histogram" ? "" : ` of ${(kind === "pie" ? up.slice(0, 1) : up).map(toMeasureName).join(", ")}`;
  if (kind === "histogram")
    return `${KIND_NAMES[kind]} of ${across ?? "rows"}${colour === null ? "" : ` by ${colour}`}`;
  return `${KIND_NAMES[kind]}${of}${across === null ? "" : ` by ${across}`}`;
}

/** Describes a chart for screen readers: its settings, its series, its highest and lowest point. */
export function describeChart(picture: Picture, look: CellLook): string {
  const { data, stops, settings, shown, kind } = picture;
  const named = nameChart({ ...settings, kind: settings.kind });
  const drawn = kind === settings.kind ? "" : `, shown as a ${kind} chart`;
  if (kind === "kpi") {
    const figures = toFigures(data).map(
      ({ series, text }) =>
        `${data.series[series]?.name ?? ""} ${text === null ? "no value" : formatUp(text, picture, series, look)}`,
    );
    return `${named}: ${figures.join(", ")}.`;
  }
  const points = stops.flatMap((stop) =>
    stop.rows.flatMap((row) => (row.text === null ? [] : [{ stop, row, value: Number(row.text) }])),
  );
  const [first] = points;
  if (first === undefined) return `${named}, no data`;
  const high = points.reduce((most, point) => (point.value > most.value ? point : most), first);
  const low = points.reduce((least, point) => (point.value < least.value ? point : least), first);
  const hasSeries = data.series.length > 1;
  const at = ({ stop, row }: typeof first) => {
    const series = hasSeries && kind !== "pie" ? ` (${data.series[row.series]?.name ?? ""})` : "";
    return `${formatRow(picture, row, look)} at ${formatStop(picture, stop, look)}${series}`;
  };
  const names = shown.map((series) => data.series[series]?.name).join(", ");
  const lines =
    settings.up.length > 1 || kind === "pie" || settings.colour === null
      ? ""
      : `, coloured by ${settings.colour}: ${names}`;
  return `${named}${drawn}${lines}. Highest ${at(high)}, lowest ${at(low)}.`;
}

/**
 * Lists what a chart leaves out, groups or draws differently, one sentence each; empty if it shows everything
 * unchanged.
 */
export function describeCuts({ data, settings, notes, kind }: Picture): string[] {
  const cuts: string[] = [];
  const { across, colour, up } = settings;
  const name = settings.kind === "pie" ? across : colour;
  if (data.step !== null && kind !== "histogram") cuts.push(`Grouped by ${data.step.name}.`);
  const shown = data.places.length - Number(data.restPlaces > 0);
  if (data.scale === "category" && kind !== "scatter" && data.placeCount > shown) {
    const rest = data.restPlaces > 0 ? `; the rest as "other"` : "";
    cuts.push(`Top ${formatCount(shown)} of ${formatCount(data.placeCount)} ${across}${rest}.`);
  }
  if (up.length === 1 && data.seriesCount > data.series.length) {
    cuts.push(`Top ${data.series.length - 1} of ${formatCount(data.seriesCount)} ${name}; the rest as "other".`);
  }
  if (data.everyNth > 1) cuts.push(`Showing 1 of every ${formatCount(data.everyNth)} rows.`);
  if (data.isAddedUp) cuts.push("Values with the same x value are summed.");
  if (data.noPlace > 0) cuts.push(`${formatCountOf(data.noPlace, "row")} without ${across ?? "an x value"} not shown.`);
  if (data.noValue > 0) {
    const columns = up.flatMap(({ column }) => column ?? []).join(", ");
    cuts.push(
      `${formatCountOf(data.noValue, "value")} of ${columns} ${data.noValue === 1 ? "is" : "are"} empty or not numeric.`,
    );
  }
  if (data.blurred > 0) {
    cuts.push(
      `${formatCountOf(data.blurred, "value")} of ${across} ${data.blurred === 1 ? "is" : "are"} too close together to draw separately.`,
    );
  }
  if (kind === "scatter" || kind === "kpi" ? false : data.places.length === 1 && (kind === "line" || kind === "area")) {
    cuts.push("A line needs at least two points.");
  }
  return [...cuts, ...notes];
}

export type ChartTable = {
  head: string[];
  rows: string[][] /** Columns from here on are numbers. */;
  numbersFrom: number;
  rowCount: number;
};

/** Returns the drawn values of a chart as a table. @param rowsMax maximum number of rows; `rowCount` counts all */
export function toChartTable(picture: Picture, look: CellLook, rowsMax: number): ChartTable {
  const { data, kind, settings, shown, stops } = picture;
  const across = settings.across ?? "Rows";
  const measure = settings.up.map(toMeasureName)[0] ?? "";
  const seriesName = (series: number) => data.series[series]?.name ?? "";
  if (kind === "kpi") {
    const figures = data.places.flatMap((_, place) => data.series.map((__, series) => ({ place, series })));
    return {
      head: [across, "Number", "Value"],
      rows: figures.slice(0, rowsMax).map(({ place, series }) => {
        const met = data.cells[series]?.[place];
        return [
          formatPlace(data, place, look),
          seriesName(series),
          isCell(met) ? formatUp(met.text, picture, series, look) : "no value",
        ];
      }),
      numbersFrom: 2,
      rowCount: figures.length,
    };
  }
  const rowCount = stops.length;
  const cut = stops.slice(0, rowsMax);
  if (kind === "pie") {
    return {
      head: [across, measure, "Share"],
      rows: cut.map((stop) => {
        const [row] = stop.rows;
        const text = row?.text ?? null;
        return [
          formatStop(picture, stop, look),
          text === null ? "no value" : formatUp(text, picture, stop.place, look),
          formatShare(row?.share ?? 0),
        ];
      }),
      numbersFrom: 1,
      rowCount,
    };
  }
  if (kind === "scatter") {
    const hasColour = settings.colour !== null;
    return {
      head: [...(hasColour ? [settings.colour ?? ""] : []), across, measure],
      rows: cut.map((stop) => {
        const [row] = stop.rows;
        const name = hasColour ? [seriesName(row?.series ?? 0)] : [];
        return [...name, formatStop(picture, stop, look), row ? formatRow(picture, row, look) : ""];
      }),
      numbersFrom: hasColour ? 1 : data.scale === "number" ? 0 : 1,
      rowCount,
    };
  }
  const hasTotal = stops.some(({ total }) => total !== null);
  return {
    head: [
      across,
      ...(data.series.length > 1 ? shown.map(seriesName) : [kind === "histogram" ? "rows" : measure]),
      ...(hasTotal ? ["Total"] : []),
    ],
    rows: cut.map((stop) => [
      formatStop(picture, stop, look),
      ...stop.rows.map((row) => (row.text === null ? "" : formatRow(picture, row, look))),
      ...(hasTotal ? [stop.total === null ? "" : formatUp(stop.total, picture, 0, look)] : []),
    ]),
    numbersFrom: 1,
    rowCount,
  };
}

/**
 * A figure and its change from the previous position. `change` is a fraction of the previous value; null if there is
 * none or it was 0.
 */
export type Figure = {
  series: number;
  text: string | null;
  place: number;
  before: { text: string; place: number } | null;
  change: number | null;
  line: (number | null)[];
};

/** Returns the figures of a chart: the last position with a value, compared with the one before it. */
export function toFigures({ cells, places }: ChartData): Figure[] {
  return cells.map((met, series) => {
    const at = met.findLastIndex(isCell);
    const last = met[at];
    const beforeAt = met.slice(0, Math.max(0, at)).findLastIndex(isCell);
    const before = met[beforeAt];
    const now = isCell(last) ? last.value : null;
    const then = isCell(before) ? before.value : null;
    return {
      series,
      text: isCell(last) ? last.text : null,
      place: Math.max(0, at),
      before: isCell(before) ? { text: before.text, place: beforeAt } : null,
      change: now === null || then === null || then === 0 ? null : (now - then) / Math.abs(then),
      line: places.length > 1 ? met.map((each) => (isCell(each) ? each.value : null)) : [],
    };
  });
}

function formatTime(
  { step, acrossField, places, extras }: ChartData,
  at: number,
  text: string | null,
  look: CellLook,
): string {
  if (step === null && text !== null && look.times === "raw") return text;
  const iso = new Date(at).toISOString();
  const day = iso.slice(0, 10);
  const format = acrossField ? extras?.formats?.[acrossField.name] : undefined;
  if (acrossField && format?.date) return formatValue(iso.slice(0, 19), { ...acrossField, type: "date" }, format, look);
  const span = toGrainText(day, step?.name ?? acrossField?.grain ?? "");
  if (span !== null && Number(at) % DAY_MS === 0) return span;
  if (acrossField?.type === "date" || step?.name === "day" || (step !== null && step.size >= DAY_MS)) return day;
  const hasSeconds = step === null ? places.some((place) => Number(place.at) % 60_000 !== 0) : step.size < 60_000;
  const clock = `${day} ${iso.slice(11, hasSeconds ? 19 : 16)}`;
  return Number(at) % 1000 === 0 || step !== null ? clock : `${clock}${iso.slice(19, 23)}`;
}

function toEnd(at: number, size: number): number {
  return Number((at + size).toPrecision(12));
}

/** Formats "+8.4% vs 2026-11-09 (1,204)": the change from a previous figure; null without one. */
export function describeChange(
  picture: Picture,
  { series, place, before, change }: Figure,
  look: CellLook,
): string | null {
  const { data } = picture;
  if (data.scale === "none") return null;
  const at = formatPlace(data, place, look);
  if (before === null) return at;
  const then = `${formatPlace(data, before.place, look)} (${formatUp(before.text, picture, series, look)})`;
  if (change === null) return `${at}, previously ${then}`;
  const sign = change < 0 ? "-" : "+";
  return `${at}, ${sign}${formatShare(Math.abs(change))} vs ${then}`;
}
