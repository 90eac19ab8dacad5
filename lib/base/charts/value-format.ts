import { type CellLook, toShownText } from "@/lib/base/values/cell-look";
import { isNumericField } from "@/lib/base/values/cell-text";
import { clockPartsOf } from "@/lib/base/values/clock-parts";
import { groupDigits } from "@/lib/base/values/exact-number";
import type { CellValue, ResultField } from "@/lib/base/values/json-rows";

/** Format of a column's values in a widget. Omitted parts stay as in the grid. */
export type ValueFormat = {
  /** `percent` multiplies by 100, `short` writes 1.21 M. */
  style?: "plain" | "percent" | "short" | undefined;
  /** Decimal places. */
  digits?: number | undefined;
  prefix?: string | undefined;
  suffix?: string | undefined;
  /** Form of dates and times. */
  date?: (typeof DATE_FORMS)[number] | undefined;
};
/** Formats by column name. */
export type ValueFormats = Readonly<Record<string, ValueFormat>>;

export const NUMBER_STYLES = ["plain", "percent", "short"] as const;
export const DATE_FORMS = ["day", "month", "year", "weekday", "time"] as const;
export const DIGITS_MAX = 6;
/** Maximum characters before or after a number. */
export const UNIT_CHARS_MAX = 12;

/** Returns the formats of a specification; invalid parts are left out, as of one that is being typed. */
export function readFormats({ formats }: Readonly<Record<string, unknown>>): ValueFormats {
  if (typeof formats !== "object" || formats === null || Array.isArray(formats)) return {};
  return Object.fromEntries(Object.entries(formats).map(([column, format]) => [column, readFormat(format)]));
}

function readFormat(value: unknown): ValueFormat {
  const { style, digits, prefix, suffix, date } = (typeof value === "object" && value !== null ? value : {}) as Record<
    string,
    unknown
  >;
  const isDigits = typeof digits === "number" && Number.isInteger(digits) && digits >= 0 && digits <= DIGITS_MAX;
  return {
    style: NUMBER_STYLES.find((each) => each === style),
    digits: isDigits ? digits : undefined,
    prefix: typeof prefix === "string" ? prefix : undefined,
    suffix: typeof suffix === "string" ? suffix : undefined,
    date: DATE_FORMS.find((each) => each === date),
  };
}

/** Writes a value as its column's format says; as the grid without one. */
export function formatValue(
  value: CellValue | undefined,
  field: ResultField,
  format: ValueFormat | undefined,
  look: CellLook,
): string {
  if (value === null || value === undefined) return "No value";
  if (format === undefined) return toShownText(value, field, look);
  if (!isNumericField(field)) return formatDate(value, field, format, look);
  if (!Number.isFinite(Number(value))) return toShownText(value, field, look);
  const text =
    format.style === undefined && format.digits === undefined
      ? toShownText(value, field, look)
      : formatNumber(value, field, format);
  return `${format.prefix ?? ""}${text}${format.suffix ?? ""}`;
}

/** Whole numbers and decimals that a double would round are text. */
function formatNumber(value: CellValue, { type }: ResultField, { style, digits }: ValueFormat): string {
  const isPlain = style === undefined || style === "plain";
  if (isPlain && digits === undefined && typeof value === "string" && type !== "float64") return groupDigits(value);
  const places = digits === undefined ? {} : { minimumFractionDigits: digits, maximumFractionDigits: digits };
  return new Intl.NumberFormat("en", {
    signDisplay: "negative",
    ...(style === "percent" && { style: "percent", maximumFractionDigits: 1 }),
    ...(style === "short" && {
      notation: "compact",
      maximumSignificantDigits: digits === undefined ? 3 : undefined,
    }),
    ...(isPlain && { maximumFractionDigits: DIGITS_MAX }),
    ...places,
    // The text is formatted without rounding it to a double.
  }).format(typeof value === "string" ? (value as Intl.StringNumericLiteral) : Number(value));
}

function formatDate(
  value: CellValue,
  field: ResultField,
  { date, prefix = "", suffix = "" }: ValueFormat,
  look: CellLook,
) {
  const at = date === undefined ? Number.NaN : Date.parse(`${String(value).replace(" ", "T").replace(/Z$/, "")}Z`);
  const text = date === undefined || Number.isNaN(at) ? toShownText(value, field, look) : dateWords(new Date(at), date);
  return `${prefix}${text}${suffix}`;
}

function dateWords(at: Date, form: (typeof DATE_FORMS)[number]): string {
  const { weekday, day, month, year, hour, minute } = clockPartsOf(at, "UTC");
  switch (form) {
    case "day":
      return `${day} ${month} ${year}`;
    case "month":
      return `${month} ${year}`;
    case "year":
      return year;
    case "weekday":
      return `${weekday} ${day} ${month}`;
    case "time":
      return `${hour}:${minute}`;
  }
}
