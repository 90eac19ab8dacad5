/* Dates that stand for a span of days, as people write them. */

/** Months, as all dates in words have them: Intl writes Sep or Sept, depending on its data. */
export const MONTH_NAMES = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
/** A date, or the midnight that a database returns for the start of a span. */
const START = /^(\d{4})-(\d\d)-(\d\d)(?:[T ]00:00(?::00(?:\.0+)?)?Z?)?$/;
const DAY_MS = 86_400_000;

/**
 * Formats the first day of a span by its grain: "2026", "Q1 2026", "Jan 2026", "week of 5 Jan 2026", "5 Jan 2026".
 * Null for other grains and values, such as an hour.
 */
export function toGrainText(start: string, grain: string): string | null {
  const parts = START.exec(start);
  if (parts === null) return null;
  const [, year = "", month = "", day = ""] = parts;
  const monthName = `${MONTH_NAMES[Number(month) - 1] ?? month} ${year}`;
  const dayName = `${Number(day)} ${monthName}`;
  switch (grain) {
    case "year":
      return year;
    case "quarter":
      return `Q${Math.ceil(Number(month) / 3)} ${year}`;
    case "month":
      return monthName;
    case "week":
      return `week of ${dayName}`;
    case "day":
      return dayName;
    default:
      return null;
  }
}

/** Formats the days of one calendar year, quarter, month or week by its grain; null for other ranges. */
export function toSpanText(from: string, to: string): string | null {
  const start = new Date(`${from}T00:00:00Z`);
  const end = Date.parse(`${to}T00:00:00Z`) + DAY_MS;
  const [year, month, day] = [start.getUTCFullYear(), start.getUTCMonth(), start.getUTCDate()];
  const spans = [
    { grain: "year", isStart: day === 1 && month === 0, next: Date.UTC(year + 1, 0, 1) },
    { grain: "quarter", isStart: day === 1 && month % 3 === 0, next: Date.UTC(year, month + 3, 1) },
    { grain: "month", isStart: day === 1, next: Date.UTC(year, month + 1, 1) },
    { grain: "week", isStart: start.getUTCDay() === 1, next: start.getTime() + 7 * DAY_MS },
  ];
  const span = spans.find(({ isStart, next }) => isStart && next === end);
  return span ? toGrainText(from, span.grain) : null;
}
