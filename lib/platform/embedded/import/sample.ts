import { MISFITS_SHARE_MAX } from "./limits.ts";
import { type ColumnType, DATE_FORMATS, type DateFormat } from "./messages.ts";

/** Numbers with leading zeros or a plus sign: codes and telephone numbers, which a number would change. */
export const MARKED = "[+-]?0[0-9]+([.,][0-9]+)?|\\+[0-9].*";
const PATTERNS = {
  integers: /^[+-]?[0-9]+$/,
  points: /^[+-]?([0-9]+|[0-9]{1,3}(,[0-9]{3})+)(\.[0-9]+)?$/,
  commas: /^[+-]?([0-9]+|[0-9]{1,3}(\.[0-9]{3})+)(,[0-9]+)?$/,
  numbers: /^[+-]?[0-9]+([.,][0-9]+)?([eE][+-]?[0-9]+)?$/,
  booleans: /^(true|false)$/i,
  stamps: /^[0-9]{4}-[0-9]{2}-[0-9]{2}[ T][0-9]{1,2}:[0-9]{2}(:[0-9]{2}(\.[0-9]{1,6})?)?$/,
  zoned:
    /^[0-9]{4}-[0-9]{2}-[0-9]{2}[ T][0-9]{1,2}:[0-9]{2}(:[0-9]{2}(\.[0-9]{1,6})?)? ?(Z|[+-][0-9]{2}(:?[0-9]{2})?)$/,
  times: /^[0-9]{1,2}:[0-9]{2}(:[0-9]{2}(\.[0-9]{1,6})?)?$/,
};
const IS_MARKED = new RegExp(`^(${MARKED})$`);
/** A date in digits, with the clock after it if there is one. */
const DATE = /^([0-9]{1,4})([-/.])([0-9]{1,2})\2([0-9]{1,4})( [0-9]{1,2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]{1,6})?)?)?$/;

type Counts = Record<keyof typeof PATTERNS, number>;
/** Numbers of a column's values that have the form of a type. */
export type Sample = Counts & {
  n: number;
  marked: number;
  markedText: string;
  pointsOnly: number;
  commasOnly: number;
  dates: Record<DateFormat, number>;
  localStamps: Record<DateFormat, number>;
};

/** Counts the forms of a column's values. @param words texts that are missing values */
export function sampleOf(values: readonly (string | null)[], words: ReadonlySet<string>): Sample {
  const none = () => Object.fromEntries(DATE_FORMATS.map((format) => [format, 0])) as Record<DateFormat, number>;
  const counts = Object.fromEntries(Object.keys(PATTERNS).map((name) => [name, 0])) as Counts;
  const sample: Sample = {
    ...counts,
    n: 0,
    marked: 0,
    markedText: "",
    pointsOnly: 0,
    commasOnly: 0,
    dates: none(),
    localStamps: none(),
  };
  for (const value of values) {
    if (value === null || value === "" || words.has(value)) continue;
    sample.n += 1;
    // No type has a longer text.
    if (value.length > 60) continue;
    for (const [name, pattern] of Object.entries(PATTERNS)) if (pattern.test(value)) sample[name as keyof Counts] += 1;
    const isPoint = PATTERNS.points.test(value);
    const isComma = PATTERNS.commas.test(value);
    if (isPoint && !isComma) sample.pointsOnly += 1;
    if (isComma && !isPoint) sample.commasOnly += 1;
    if (IS_MARKED.test(value)) {
      sample.marked += 1;
      sample.markedText ||= value;
    }
    countDates(sample, value);
  }
  return sample;
}

function countDates(sample: Sample, value: string): void {
  const found = DATE.exec(value);
  if (!found) return;
  const [, first = "", separator = "", second = "", third = "", clock] = found;
  for (const format of DATE_FORMATS) {
    if (format[format.startsWith("YYYY") ? 4 : 2] !== separator) continue;
    const isYearFirst = format.startsWith("YYYY");
    const year = isYearFirst ? first : third;
    const [month, day] = isYearFirst ? [second, third] : format.startsWith("MM") ? [first, second] : [second, first];
    if (year.length !== 4 || day.length > 2 || month.length > 2 || !isDay(Number(year), Number(month), Number(day)))
      continue;
    if (clock === undefined) sample.dates[format] += 1;
    else sample.localStamps[format] += 1;
  }
}

function isDay(year: number, month: number, day: number): boolean {
  return month >= 1 && month <= 12 && day >= 1 && day <= new Date(Date.UTC(year, month, 0)).getUTCDate();
}

export function fits(count: number, { n }: Sample): boolean {
  return n > 0 && count >= n * (1 - MISFITS_SHARE_MAX);
}

/** Returns the decimal mark of the numbers. @param prefersComma decides where both are as likely */
export function detectDecimal(samples: Iterable<Sample>, prefersComma: boolean): "." | "," {
  let points = 0;
  let commas = 0;
  for (const sample of samples) {
    if (!fits(Math.max(sample.points, sample.commas), sample)) continue;
    points += sample.pointsOnly;
    commas += sample.commasOnly;
  }
  if (points === commas) return prefersComma ? "," : ".";
  return points > commas ? "." : ",";
}

/** Returns the form of dates that are not in ISO form; ambiguous if days and months can be exchanged. */
export function detectDateFormat(samples: readonly Sample[]): { dateFormat: DateFormat; isAmbiguous: boolean } {
  const totals = DATE_FORMATS.filter((format) => format !== "YYYY-MM-DD").map((format) => {
    const counts = samples.map(({ n, dates, localStamps }) => ({ n, count: dates[format] + localStamps[format] }));
    return { format, total: counts.reduce((sum, { n, count }) => sum + (count >= n / 2 ? count : 0), 0) };
  });
  const most = Math.max(...totals.map(({ total }) => total));
  const best = totals.filter(({ total }) => total === most);
  if (most === 0 || !best[0]) return { dateFormat: "YYYY-MM-DD", isAmbiguous: false };
  return { dateFormat: best[0].format, isAmbiguous: best.length > 1 };
}

/** Returns the type that the values of a sample have. @param isQuoted whether numbers are texts in the file */
export function candidateOf(
  sample: Sample,
  { decimal, dateFormat }: { decimal: "." | ","; dateFormat: DateFormat },
  isQuoted: boolean,
): ColumnType {
  if (sample.n === 0 || sample.marked > 0) return "text";
  const decimals = decimal === "." ? sample.points : sample.commas;
  if (fits(Math.max(decimals, sample.integers, sample.numbers, sample.booleans), sample)) {
    if (isQuoted) return "text";
    if (fits(sample.integers, sample)) return "integer";
    if (fits(decimals, sample)) return "decimal";
    return fits(sample.numbers, sample) ? "number" : fits(sample.booleans, sample) ? "boolean" : "text";
  }
  const iso = sample.dates["YYYY-MM-DD"];
  const local = dateFormat === "YYYY-MM-DD" ? 0 : sample.dates[dateFormat];
  const localStamps = dateFormat === "YYYY-MM-DD" ? 0 : sample.localStamps[dateFormat];
  if (fits(iso + local, sample)) return "date";
  if (fits(iso + local + sample.stamps + localStamps, sample)) return "timestamp";
  if (fits(sample.zoned, sample)) return "timestamptz";
  return fits(sample.times, sample) ? "time" : "text";
}
