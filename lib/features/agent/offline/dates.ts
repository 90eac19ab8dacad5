import { NUMBER_WORD, toNumber } from "./words";

/** Spans of days in natural language, relative to a given day. Ends are exclusive; null is open. */

export type Grain = "day" | "week" | "month" | "quarter" | "year";
/** Words that name a grain. */
export const GRAIN_NOUNS: Readonly<Record<string, Grain>> = {
  day: "day", days: "day", date: "day", dates: "day", week: "week", weeks: "week", month: "month", months: "month",
  quarter: "quarter", quarters: "quarter", year: "year", years: "year",
}; // biome-ignore format: a table
/** Words that say how often. */
export const GRAIN_ADVERBS: Readonly<Record<string, Grain>> = { daily: "day", weekly: "week", monthly: "month", quarterly: "quarter", yearly: "year", annual: "year", annually: "year" }; // biome-ignore format: short

export type DateSpan = { start: string | null; end: string | null };
export type DateMention = DateSpan & {
  /** Start and end of the mention in the text. */
  at: number;
  until: number;
  /** Whether it is only a number that may be a year. */
  isBareYear: boolean;
  /** Whether the word before it leaves one end open. */
  isOpen: boolean;
};

const DAY_MS = 86_400_000;
const MONTHS = ["january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november", "december"]; // biome-ignore format: short
const ORDINALS = ["first", "second", "third", "fourth"];
const MONTH = `(?:${MONTHS.map((name) => (name === "may" ? "may" : `${name.slice(0, 3)}(?:${name.slice(3)})?`)).join("|")}|sept)\\.?`;
const COUNT = `(\\d{1,4}|${NUMBER_WORD})`;
/** Numbers that are read as years. */
const YEAR = "((?:19|20)\\d\\d)";

type Found = DateSpan & { isBareYear?: boolean };
type Rule = { pattern: RegExp; span: (match: RegExpExecArray, today: string) => Found | null };

/** Single dates and spans, the longest wording first. */
const POINTS: Rule[] = [
  rule(`(\\d{4}-\\d{2}-\\d{2})`, (m) => dayOf(m[1] ?? "")),
  rule(`(\\d{4})-(\\d{2})(?!\\d|-)`, (m) => monthSpan(Number(m[1]), Number(m[2]))),
  rule(`(?:the )?(first|second|third|fourth) quarter(?: (?:of|in))? ${YEAR}`, (m) =>
    quarterSpan(Number(m[2]), ORDINALS.indexOf(m[1] ?? "") + 1),
  ),
  rule(`q([1-4])(?: of)?[ -]?${YEAR}`, (m) => quarterSpan(Number(m[2]), Number(m[1]))),
  rule(`${YEAR}[ -]?q([1-4])`, (m) => quarterSpan(Number(m[1]), Number(m[2]))),
  rule(`(?:the )?(first|second) half of ${YEAR}`, (m) => half(Number(m[2]), m[1] === "first" ? 1 : 2)),
  rule(`h([12])(?: of)? ${YEAR}`, (m) => half(Number(m[2]), Number(m[1]))),
  rule(`(${MONTH}) (\\d{1,2})(?:st|nd|rd|th)?,? ${YEAR}`, (m) => day(Number(m[3]), monthNumber(m[1]), Number(m[2]))),
  rule(`(?:the )?(\\d{1,2})(?:st|nd|rd|th)?(?: of)? (${MONTH}),? ${YEAR}`, (m) =>
    day(Number(m[3]), monthNumber(m[2]), Number(m[1])),
  ),
  rule(`(${MONTH})(?: of)?,? ${YEAR}`, (m) => monthSpan(Number(m[2]), monthNumber(m[1]))),
  rule(`(${MONTH}) (?:this|of this) year`, (m, today) => monthSpan(yearOf(today), monthNumber(m[1]))),
  rule(`(${MONTH}) (?:last|of last) year`, (m, today) => monthSpan(yearOf(today) - 1, monthNumber(m[1]))),
  rule(`(${MONTH}) (\\d{1,2})(?:st|nd|rd|th)?(?! ?\\d)`, (m, today) =>
    latest(today, (year) => day(year, monthNumber(m[1]), Number(m[2]))),
  ),
  rule(`(?:the )?(first|second|third|fourth) quarter(?: of (?:this|the current) year)?|q([1-4])`, (m, today) =>
    latest(today, (year) => quarterSpan(year, m[2] ? Number(m[2]) : ORDINALS.indexOf(m[1] ?? "") + 1)),
  ),
  rule(
    `(?:the |over the |in the |during the |within the )?(?:last|past|previous) ${COUNT} (day|week|month|quarter|year)s?`,
    unitsBefore,
  ),
  rule(`${COUNT} (day|week|month|year)s? ago`, (m, today) => {
    const at = unitsAgo(today, m);
    return { start: at, end: addDays(at, 1) };
  }),
  rule(
    `(this|the current|current|last|the previous|previous|the past|past|next|the last) (day|week|month|quarter|year)`,
    (m, today) => {
      const step = /last|prev|past/.test(m[1] ?? "") ? -1 : m[1] === "next" ? 1 : 0;
      return spanAround(today, m[2] as Grain, step);
    },
  ),
  rule(`(?:the )?year to date|ytd|so far this year`, (_, today) => ({
    start: `${yearOf(today)}-01-01`,
    end: addDays(today, 1),
  })),
  rule(`today`, (_, today) => ({ start: today, end: addDays(today, 1) })),
  rule(`yesterday`, (_, today) => ({ start: addDays(today, -1), end: today })),
  rule(
    `(?<=\\b(?:in|since|of|for|during|after|before|until|from|to|through|and|between|until|last|this|by) )(${MONTH})(?! \\d)`,
    (m, today) => latest(today, (year) => monthSpan(year, monthNumber(m[1]))),
  ),
  rule(`(?:the )?(?:calendar )?(?:year )?${YEAR}`, (m) => ({ ...yearSpan(Number(m[1])), isBareYear: true })),
];

/** Returns each span that the text names, from left to right. @param today "YYYY-MM-DD" */
export function findDates(text: string, today: string): DateMention[] {
  const lower = text.toLowerCase();
  const found: DateMention[] = [];
  let at = 0;
  while (at < lower.length) {
    const point = pointFrom(lower, at, today);
    if (!point) break;
    at = point.until;
    const before = lower.slice(0, point.at);
    // A range between two of them.
    const link = /^ (and|to|until|till|through|-|–) /.exec(lower.slice(point.until));
    const second = link && pointAt(lower, point.until + link[0].length, today);
    const opener = /(?:\b(between|from)\s+)$/.exec(before);
    if (link && second && (opener || link[1] !== "and")) {
      found.push({
        start: startBefore(second, lower.slice(point.at, point.until)) ?? point.start,
        end: second.end,
        at: opener ? opener.index : point.at,
        until: second.until,
        isBareYear: point.isBareYear && second.isBareYear,
        isOpen: false,
      });
      at = second.until;
      continue;
    }
    const words =
      /\b(since|from|after|later than|starting(?: in| from)?|as of|before|earlier than|prior to|until|till|up to|by the end of)\s+(?:the (?:start|beginning) of )?(?:in )?$/.exec(
        before,
      );
    const word = words?.[1] ?? "";
    const isOpen = word !== "";
    const span: DateSpan = /^(after|later)/.test(word)
      ? { start: point.end, end: null }
      : /^(since|from|starting|as of)/.test(word)
        ? { start: point.start, end: null }
        : /^(before|earlier|prior)/.test(word)
          ? { start: null, end: point.start }
          : /^(until|till|up|by)/.test(word)
            ? { start: null, end: point.end }
            : { start: point.start, end: point.end };
    const isFromOnly = word === "from" && !/^ (on|onwards?)\b/.test(lower.slice(point.until));
    found.push({
      ...(isFromOnly ? { start: point.start, end: point.end } : span),
      at: words ? words.index : point.at,
      until: point.until,
      isBareYear: point.isBareYear,
      isOpen,
    });
  }
  return found;
}

/** Returns the start of a month without a year, the last one before the end of the span: "between March and May 2025". */
function startBefore({ start, end }: DateSpan, said: string): string | null {
  const month = new RegExp(`^${MONTH}$`).test(said) ? monthNumber(said) : 0;
  if (month === 0 || !start || !end) return null;
  const sameYear = iso(yearOf(start), month, 1);
  return sameYear < end ? sameYear : iso(yearOf(start) - 1, month, 1);
}

type Point = DateSpan & { at: number; until: number; isBareYear: boolean };

function pointFrom(lower: string, from: number, today: string): Point | null {
  for (let at = from; at < lower.length; at++) {
    if (at > 0 && /[\p{L}\p{N}_]/u.test(lower[at - 1] ?? "")) continue;
    const point = pointAt(lower, at, today);
    if (point) return point;
  }
  return null;
}

function pointAt(lower: string, at: number, today: string): Point | null {
  for (const { pattern, span } of POINTS) {
    pattern.lastIndex = at;
    const match = pattern.exec(lower);
    if (!match || /[\p{L}\p{N}_]/u.test(lower[at + match[0].length] ?? "")) continue;
    const found = span(match, today);
    if (found)
      return {
        start: found.start,
        end: found.end,
        isBareYear: found.isBareYear ?? false,
        at,
        until: at + match[0].length,
      };
  }
  return null;
}

function rule(source: string, span: Rule["span"]): Rule {
  return { pattern: new RegExp(source, "y"), span };
}

function addDays(date: string, days: number): string {
  return new Date(Date.parse(`${date}T00:00:00Z`) + days * DAY_MS).toISOString().slice(0, 10);
}

function addMonths(date: string, months: number): string {
  const [year = 0, month = 1, dayOfMonth = 1] = date.split("-").map(Number);
  const first = new Date(Date.UTC(year, month - 1 + months, 1));
  const last = new Date(Date.UTC(first.getUTCFullYear(), first.getUTCMonth() + 1, 0)).getUTCDate();
  return iso(first.getUTCFullYear(), first.getUTCMonth() + 1, Math.min(dayOfMonth, last));
}

/** Returns the day that is some units of time before another; the pattern found their number and the unit. */
function unitsAgo(date: string, [, number = "", unit]: RegExpExecArray): string {
  const count = -(toNumber(number) ?? 0);
  if (unit === "day" || unit === "week") return addDays(date, count * (unit === "week" ? 7 : 1));
  return addMonths(date, count * monthsIn(unit as Grain));
}

/** Returns whole units up to the present one, which is excluded as in the date presets of dashboards. */
function unitsBefore([, number = "", unit]: RegExpExecArray, today: string): DateSpan {
  const grain = unit as Grain;
  const end = spanAround(today, grain, 0).start ?? today;
  const count = -(toNumber(number) ?? 0);
  const isDays = grain === "day" || grain === "week";
  const start = isDays ? addDays(end, count * (grain === "week" ? 7 : 1)) : addMonths(end, count * monthsIn(grain));
  return { start, end };
}

function monthsIn(grain: Grain): number {
  return grain === "year" ? 12 : grain === "quarter" ? 3 : 1;
}

function iso(year: number, month: number, dayOfMonth: number): string {
  return `${String(year).padStart(4, "0")}-${String(month).padStart(2, "0")}-${String(dayOfMonth).padStart(2, "0")}`;
}

function yearOf(date: string): number {
  return Number(date.slice(0, 4));
}

function monthNumber(name: string | undefined): number {
  return MONTHS.findIndex((month) => month.slice(0, 3) === name?.slice(0, 3)) + 1;
}

function dayOf(date: string): DateSpan | null {
  const time = Date.parse(`${date}T00:00:00Z`);
  return Number.isNaN(time) ? null : { start: date, end: addDays(date, 1) };
}

function day(year: number, month: number, dayOfMonth: number): DateSpan | null {
  return dayOf(iso(year, month, dayOfMonth));
}

function yearSpan(year: number): DateSpan {
  return { start: iso(year, 1, 1), end: iso(year + 1, 1, 1) };
}

function monthSpan(year: number, month: number): DateSpan | null {
  if (month < 1 || month > 12) return null;
  const start = iso(year, month, 1);
  return { start, end: addMonths(start, 1) };
}

function quarterSpan(year: number, quarter: number): DateSpan {
  const start = iso(year, quarter * 3 - 2, 1);
  return { start, end: addMonths(start, 3) };
}

function half(year: number, which: number): DateSpan {
  const start = iso(year, which === 1 ? 1 : 7, 1);
  return { start, end: addMonths(start, 6) };
}

/** Returns the last one that has started. */
function latest(today: string, of: (year: number) => DateSpan | null): DateSpan | null {
  const span = of(yearOf(today));
  return span?.start && span.start > today ? of(yearOf(today) - 1) : span;
}

function spanAround(today: string, grain: Grain, step: number): DateSpan {
  if (grain === "day") return { start: addDays(today, step), end: addDays(today, step + 1) };
  if (grain === "week") {
    const weekday = (new Date(`${today}T00:00:00Z`).getUTCDay() + 6) % 7;
    const start = addDays(today, -weekday + step * 7);
    return { start, end: addDays(start, 7) };
  }
  const months = monthsIn(grain);
  const [year = 0, month = 1] = today.split("-").map(Number);
  const first = iso(year, Math.floor((month - 1) / months) * months + 1, 1);
  const start = addMonths(first, step * months);
  return { start, end: addMonths(start, months) };
}
