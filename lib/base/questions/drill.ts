import { sumNumberTexts } from "../values/exact-number.ts";
import type { CellValue } from "../values/json-rows.ts";
import { offsetAt } from "../values/offset.ts";
import { ofLocal, toStamp } from "../values/period.ts";
import { grainsOf, isTemporal, type QuestionKind } from "./kinds.ts";
import {
  type ColumnRef,
  NEW_QUESTION_ROWS,
  QUESTION_LIMITS,
  type Question,
  type QuestionFilter,
  type QuestionGrain,
  type QuestionGroup,
} from "./question.ts";
import type { FoundColumn } from "./tables.ts";

/**
 * Value of a group at a mark or in a row: as the result has it, or a span of local times in ms since 1970 that a chart
 * drew as one. `to` is excluded.
 */
export type MarkValue = { group: number } & ({ value: CellValue } | { from: number; to: number });

/** The questions behind a mark. */
export type Drill = {
  /** The rows that it summarizes; null if filters cannot name them. */
  rows: Question | null;
  /** The same question about its span of time, in finer grains. */
  finer: { grain: QuestionGrain; question: Question }[];
};

const DAY_MS = 86_400_000;
const FINER: Readonly<Partial<Record<QuestionGrain, readonly QuestionGrain[]>>> = {
  year: ["quarter"],
  quarter: ["month"],
  month: ["week", "day"],
  week: ["day"],
  day: ["hour"],
};
const LENGTHS: Readonly<Record<QuestionGrain, readonly [number, "ms" | "month"]>> = {
  minute: [60_000, "ms"],
  hour: [3_600_000, "ms"],
  day: [DAY_MS, "ms"],
  week: [7 * DAY_MS, "ms"],
  month: [1, "month"],
  quarter: [3, "month"],
  year: [12, "month"],
};
/** The last moment that a value names. */
const LAST_MS = Date.parse("9999-12-31T23:59:59.999Z");
/** Largest whole number up to which all have a float of four bytes. */
const SINGLE_EXACT_MAX = 2 ** 24;
/** Types whose values equal the text that shows them. */
const COMPARED_AS_SHOWN = /^(?:time|inet|cidr|macaddr|money|objectId)\b(?!.*\|)/i;
/** MySQL's type whose values are shown with six digits. */
const SHORTENED_FLOAT = /^float\b/;
const LOCAL = /^(?!0000)(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d)(?::(\d\d)(?:\.(\d+))?)?)?/;
const ZONED = /(?:Z|[+-]\d\d(?::?\d\d)?)$/;

/**
 * Returns the questions behind a mark of a summarized question. Groups without a value in `marks` are not filtered.
 * @param find finds the columns of the question (`columnFinder`)
 */
export function drillInto(
  question: Question,
  marks: readonly MarkValue[],
  find: (ref: ColumnRef) => FoundColumn | null,
): Drill {
  const filtersOf = (mark: MarkValue): QuestionFilter[] | null => {
    const group = question.groups[mark.group];
    const found = group && find(group.column);
    return found ? toFilters(group, found, mark, question.timezone) : null;
  };
  const withFilters = (added: readonly (QuestionFilter[] | null)[]): QuestionFilter[] | null => {
    const filters = [...question.filters, ...added.flatMap((each) => each ?? [])];
    return added.includes(null) || filters.length > QUESTION_LIMITS.parts ? null : filters;
  };
  const filters = withFilters(marks.map(filtersOf));
  const rest = { summaries: [], groups: [], columns: [], sorts: [], limit: NEW_QUESTION_ROWS };
  return { rows: filters && { ...question, ...rest, filters }, finer: toFiner() };

  function toFiner(): Drill["finer"] {
    const mark = marks.find(({ group }) => question.groups[group]?.grain !== undefined);
    const group = mark && question.groups[mark.group];
    if (!group?.grain || !mark || ("value" in mark && mark.value === null)) return [];
    const own = withFilters([filtersOf(mark)]);
    const known = grainsOf(find(group.column)?.kind ?? "other");
    const grains = (FINER[group.grain] ?? []).filter((grain) => known.includes(grain));
    return grains.flatMap((grain) => {
      const groups = question.groups.with(mark.group, { ...group, grain });
      return own ? [{ grain, question: { ...question, filters: own, groups } }] : [];
    });
  }
}

/** Returns the filters for the rows of a group's value; null if none names exactly these. */
function toFilters(
  { column, grain, bin }: QuestionGroup,
  { kind, column: found }: Pick<FoundColumn, "kind" | "column">,
  mark: MarkValue,
  zone: string,
): QuestionFilter[] | null {
  if (!("value" in mark)) return toSpan(column, kind, mark, zone);
  const { value } = mark;
  const type = found?.type ?? "";
  // Other types may have values that are shown like another, as the null of JSON.
  if (kind === "other" && !COMPARED_AS_SHOWN.test(type) && (value !== null || /json|variant|^array$|\|/i.test(type)))
    return null;
  if (value === null) return [{ column, op: "isNull", values: [] }];
  if (typeof value === "object") return null;
  const only = (each: string | number | boolean): QuestionFilter[] => [{ column, op: "eq", values: [each] }];
  if (isTemporal(kind)) return toTimes(column, kind, { text: String(value), grain, zone });
  if (kind === "boolean") return only(/^(?:t|true|1)$/i.test(String(value)));
  if (kind !== "number") return String(value).length > QUESTION_LIMITS.valueChars ? null : only(String(value));
  const number = typeof value === "boolean" ? Number(value) : value;
  if (String(number).trim() === "" || !Number.isFinite(Number(number))) return null;
  if (bin === undefined) return SHORTENED_FLOAT.test(type) ? null : only(number);
  // A database without types returns floats as numbers.
  const floatType = type === "" || (typeof number === "number" && !/float|real/i.test(type)) ? "double" : type;
  const end = sumNumberTexts([String(number), String(bin)])?.sum;
  if (end === undefined || isRounded([String(number), end], bin, floatType)) return null;
  return [
    { column, op: "gte", values: [number] },
    { column, op: "lt", values: [end] },
  ];
}

/** Whether a float's type, or MongoDB's long, has no exact bounds of a range. */
function isRounded(bounds: readonly string[], bin: number, type: string): boolean {
  if (!/float|double|real|^long$/i.test(type)) return false;
  const exactMax = /double|float8|long/i.test(type) ? Number.MAX_SAFE_INTEGER : SINGLE_EXACT_MAX;
  const places = String(bin).split(".")[1]?.length ?? 0;
  return bounds.some((bound) => Math.abs(Number(bound)) * 10 ** places > exactMax);
}

type Time = { text: string; grain: QuestionGrain | undefined; zone: string };

function toTimes(column: ColumnRef, kind: QuestionKind, { text, grain, zone }: Time): QuestionFilter[] | null {
  const [, day, minute = "00:00", second = "00", fraction = ""] = LOCAL.exec(text) ?? [];
  if (day === undefined) return null;
  const start = Date.parse(`${day}T${minute}:${second}Z`);
  if (Number.isNaN(start)) return null;
  if (grain !== undefined) {
    // MongoDB returns the moment at which a span starts, other databases its local time.
    const isMoment = ZONED.test(text.slice(day.length));
    const from = isMoment && kind === "instant" ? start + offsetAt(start, zone) : start;
    const to = endOf(from, grain);
    const end = start + to - from;
    const isShort = isMoment && kind === "instant" && (grain === "hour" || grain === "minute");
    if (isShort && (ofLocal(from, zone).instant !== start || ofLocal(to, zone).instant !== end)) {
      const [first, last] = [start, end].map((at) => `${toStamp(at, false).replace(" ", "T")}Z`) as [string, string];
      return [
        { column, op: "gte", values: [first] },
        { column, op: "lt", values: [last] },
      ];
    }
    return toSpan(column, kind, { from, to }, zone);
  }
  if (kind === "date") return [{ column, op: "eq", values: [day] }];
  const offset = kind === "instant" ? (ZONED.exec(text.slice(day.length))?.[0] ?? "Z") : "";
  const at = Date.parse(`${day}T${minute}:${second}.${fraction.padEnd(3, "0").slice(0, 3)}${toOffset(offset)}`);
  if (Number.isNaN(at)) return null;
  // Values of filters have six digits of a second.
  const digits = fraction.replace(/0+$/, "");
  if (digits.length > 6) return null;
  const micros = digits.slice(3);
  const stamp = toStamp(at, false).replace(" ", "T");
  const written = micros === "" ? stamp : `${stamp.padEnd("2026-05-31T14:30:00.000".length, ".000")}${micros}`;
  return [{ column, op: "eq", values: [written + (kind === "instant" ? "Z" : "")] }];
}

/** Returns an offset as JavaScript reads it: "+02" as "+02:00". A local time is read as if it were UTC. */
function toOffset(offset: string): string {
  const [, hours, minutes = "00"] = /^([+-]\d\d):?(\d\d)?$/.exec(offset) ?? [];
  return hours === undefined ? "Z" : `${hours}:${minutes}`;
}

/** Returns the filters for a span of local times: whole days where it has them. */
function toSpan(
  column: ColumnRef,
  kind: QuestionKind,
  { from, to }: { from: number; to: number },
  zone: string,
): QuestionFilter[] | null {
  const isDays = from % DAY_MS === 0 && to % DAY_MS === 0;
  if ((isDays ? to - DAY_MS : to) > LAST_MS) return null;
  const [start, end] = kind === "instant" ? [instantsOf(from, zone), instantsOf(to, zone)] : [[from], [to]];
  // A span within an hour that the clock shows twice has two parts.
  if (start.length > 1 && end.length > 1) return null;
  const isPlain =
    kind !== "instant" || (start[0] === ofLocal(from, zone).instant && end[0] === ofLocal(to, zone).instant);
  if (isDays && isPlain) {
    const [first, last] = [toStamp(from, true), toStamp(to - DAY_MS, true)];
    return [first === last ? { column, op: "eq", values: [first] } : { column, op: "between", values: [first, last] }];
  }
  const written = (local: number, [instant = local]: readonly number[]) =>
    isPlain ? toStamp(local, false).replace(" ", "T") : `${toStamp(instant, false).replace(" ", "T")}Z`;
  return [
    { column, op: "gte", values: [written(from, start)] },
    { column, op: "lt", values: [written(to, end)] },
  ];
}

/** Returns the moments at which clocks show a local time, the first one first: two where they are set back. */
function instantsOf(local: number, zone: string): number[] {
  const offsets = new Set([offsetAt(local - DAY_MS, zone), offsetAt(local + DAY_MS, zone)]);
  const found = [...offsets].map((offset) => local - offset).filter((at) => at + offsetAt(at, zone) === local);
  return found.length === 0 ? [ofLocal(local, zone).instant] : found.sort((a, b) => a - b);
}

/** Returns the start of the next span of a grain. */
function endOf(start: number, grain: QuestionGrain): number {
  const date = new Date(start);
  const [count, unit] = LENGTHS[grain];
  return unit === "month" ? date.setUTCMonth(date.getUTCMonth() + count) : start + count;
}
