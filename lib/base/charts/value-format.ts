import { type CellLook, toShownText } from "@/lib/base/values/cell-look";
import { isNumericField } from "@/lib/base/values/cell-text";
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

const DATES: Readonly<Record<(typeof DATE_FORMS)[number], Intl.DateTimeFormatOptions>> = {
  day: { day: "numeric", month: "short", year: "numeric" },
  month: { month: "short", year: "numeric" },
  year: { year: "numeric" },
  weekday: { weekday: "short", day: "numeric", month: "short" },
  time: { hour: "2-digit", minute: "2-digit" },
};

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
  const text =
    date === undefined || Number.isNaN(at)
      ? toShownText(value, field, look)
      : new Intl.DateTimeFormat("en-GB", { ...DATES[date], timeZone: "UTC" }).format(at);
  return `${prefix}${text}${suffix}`;
}
