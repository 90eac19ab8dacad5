import { formatOrdinal } from "@/lib/features/runs/browser/ordinal";
import { two } from "@/lib/platform/browser/format-time";

/** Describes a cron expression of five fields: "Every Monday at 07:00". Null if it is too complex to describe. */
export function toScheduleWords(cron: string): string | null {
  const fields = cron.trim().toUpperCase().split(/\s+/);
  if (fields.length !== 5) return null;
  const [minuteText = "", hourText = "", dayText = "", monthText = "", weekdayText = ""] = fields;
  const minute = readField(minuteText, 0, 59);
  const hour = readField(hourText, 0, 23);
  const month = readField(monthText, 1, 12, MONTH_NAMES);
  const weekday = readField(weekdayText, 0, 7, DAY_NAMES);
  const isLastDay = dayText === "L";
  const day = isLastDay ? ALL : readField(dayText, 1, 31);
  if (!minute || !hour || !month || !weekday || !day) return null;
  const months = month.kind === "all" ? null : joinWords(month.values.map((at) => MONTHS[at - 1] ?? ""));
  const days = toDayWords({ day, isLastDay, weekday, months });
  const time = toTimeWords(minute, hour);
  if (time === null || days === null) return null;
  if (time.isMoments) return capital(`${days ?? "every day"} ${time.text}`);
  const isAlways = day.kind === "all" && !isLastDay && weekday.kind === "all" && months === null;
  return capital(isAlways ? time.text : `${time.text}, ${days.replace(/^every day /, "")}`);
}

type Field = { kind: "all" } | { kind: "step"; step: number; values: number[] } | { kind: "list"; values: number[] };
const ALL: Field = { kind: "all" };
const MONTHS = [
  "January", "February", "March", "April", "May", "June",
  "July", "August", "September", "October", "November", "December",
]; // biome-ignore format: a calendar
const DAYS = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
const MONTH_NAMES = new Map(MONTHS.map((name, index) => [name.slice(0, 3).toUpperCase(), index + 1]));
const DAY_NAMES = new Map(DAYS.map((name, index) => [name.slice(0, 3).toUpperCase(), index]));
/** Maximum number of times a day to list one by one. */
const TIMES_MAX = 6;

/** Returns null for anything but a list, range or step of numbers or names in these bounds. */
function readField(text: string, min: number, max: number, names?: Map<string, number>): Field | null {
  if (text === "*") return ALL;
  const stepOnly = /^\*\/(\d{1,2})$/.exec(text);
  if (stepOnly) {
    const step = Number(stepOnly[1]);
    return step > 0 ? { kind: "step", step, values: count(min, max, step) } : null;
  }
  const values = new Set<number>();
  for (const part of text.split(",")) {
    const match = /^(\w+)(?:-(\w+))?(?:\/(\d{1,2}))?$/.exec(part);
    if (!match) return null;
    const from = toValue(match[1], names);
    const to = match[2] === undefined ? (match[3] === undefined ? from : max) : toValue(match[2], names);
    const step = match[3] === undefined ? 1 : Number(match[3]);
    if (from === null || to === null || step < 1 || from < min || to > max || from > to) return null;
    for (const value of count(from, to, step)) values.add(value);
  }
  return { kind: "list", values: [...values].sort((a, b) => a - b) };
}

function toValue(text: string | undefined, names?: Map<string, number>): number | null {
  if (text === undefined) return null;
  return /^\d{1,2}$/.test(text) ? Number(text) : (names?.get(text) ?? null);
}

function count(from: number, to: number, step: number): number[] {
  return Array.from({ length: Math.floor((to - from) / step) + 1 }, (_, index) => from + index * step);
}

/** @returns `isMoments` for times of day, which follow the days; an interval precedes them */
function toTimeWords(minute: Field, hour: Field): { text: string; isMoments: boolean } | null {
  if (minute.kind === "list" && hour.kind === "list") {
    const times = hour.values.flatMap((at) => minute.values.map((past) => `${two(at)}:${two(past)}`));
    if (times.length <= TIMES_MAX) return { text: `at ${joinWords(times)}`, isMoments: true };
  }
  const minutes = toMinuteWords(minute);
  if (hour.kind === "all") return { text: minutes.alone, isMoments: false };
  if (hour.kind === "step") {
    const every = hour.step === 1 ? "every hour" : `every ${hour.step} hours`;
    return {
      text: minute.kind === "list" ? `${every} ${minutes.past}` : `${minutes.alone} of ${every}`,
      isMoments: false,
    };
  }
  const { values } = hour;
  const [first = 0, last = 0] = [values[0], values.at(-1)];
  const isRange = values.length > 1 && values.length === last - first + 1;
  const hours = isRange ? `${two(first)}:00 to ${two(last)}:59` : joinWords(values.map((at) => `${two(at)}:00`));
  return { text: `${minutes.alone} ${isRange ? "from" : "in the hours from"} ${hours}`, isMoments: false };
}

function toMinuteWords(minute: Field): { alone: string; past: string } {
  if (minute.kind === "all") return { alone: "every minute", past: "each minute" };
  if (minute.kind === "step")
    return { alone: minute.step === 1 ? "every minute" : `every ${minute.step} minutes`, past: "" };
  const past =
    minute.values.length === 1 && minute.values[0] === 0
      ? "on the hour"
      : `at minute ${joinWords(minute.values.map(String))}`;
  return { alone: `every hour ${past}`, past };
}

type Days = { day: Field; isLastDay: boolean; weekday: Field; months: string | null };

/** If both the day of the month and the day of the week are restricted, either is enough, as in cron. */
function toDayWords({ day, isLastDay, weekday, months }: Days): string | null {
  const ofMonths = months === null ? "of every month" : `of ${months}`;
  const dates = isLastDay
    ? `on the last day ${ofMonths}`
    : day.kind === "all"
      ? null
      : `on the ${joinWords(day.values.map(formatOrdinal))} ${ofMonths}`;
  const weekdays = toWeekdayWords(weekday);
  if (dates !== null) return weekdays === null ? dates : `${dates} and ${weekdays}`;
  return `${weekdays ?? "every day"}${months === null ? "" : ` in ${months}`}`;
}

function toWeekdayWords(weekday: Field): string | null {
  if (weekday.kind === "all") return null;
  const days = [...new Set(weekday.values.map((day) => (day === 0 ? 7 : day)))].sort((a, b) => a - b);
  if (days.length === 7) return null;
  if (days.join() === "1,2,3,4,5") return "every weekday";
  return `every ${joinWords(days.map((day) => DAYS[day % 7] ?? ""))}`;
}

function joinWords(words: string[]): string {
  return words.length < 2 ? words.join() : `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`;
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
