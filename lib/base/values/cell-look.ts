import { isIdentifierField, isNumericField, toCellText, toPlainText } from "@/lib/base/values/cell-text";
import { isPlainNumber } from "@/lib/base/values/exact-number";
import { toGrainText } from "@/lib/base/values/grain-text";
import type { CellValue, ResultField } from "@/lib/base/values/json-rows";
import { deviceZone, toZoneName } from "@/lib/base/values/names";
import { offsetsOf } from "@/lib/base/values/offsets";

export const DIGIT_LOOKS = ["grouped", "plain"] as const;
export const TIME_LOOKS = ["local", "utc", "raw"] as const;
/** Times in this device's zone, in UTC, as the database has them, or in the zone of this name. */
export type TimesLook = (typeof TIME_LOOKS)[number] | (string & {});
/** Display of numbers and times: digit groups of three or none, and the time zone. */
export type CellLook = { digits: (typeof DIGIT_LOOKS)[number]; times: TimesLook };

/** Returns a stored choice; null if it is invalid, or a zone that this runtime does not know. */
export function toTimesLook(kept: unknown): TimesLook | null {
  if (typeof kept !== "string") return null;
  return TIME_LOOKS.find((look) => look === kept) ?? toZoneName(kept);
}

/** Decimal places that a column reserves room for. Longer numbers stand out, unchanged. */
const ALIGNED_DIGITS_MAX = 8;
const STAMP = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d)(:\d\d)?(\.\d+)?(Z)?$/;

/** Cached: computing it for each cell would slow down scrolling. It is read again with the next page. */
let ownZone: string | null = null;
function readDeviceZone(): string {
  ownZone ??= deviceZone();
  return ownZone;
}

/** Returns the maximum number of decimal places in a numeric column. */
export function toScale(field: ResultField, values: Iterable<CellValue | undefined>): number {
  let scale = 0;
  if (!isNumericField(field)) return scale;
  for (const value of values) {
    const text = toPlainText(value);
    const point = text.indexOf(".");
    if (point >= 0 && isPlainNumber(text)) scale = Math.max(scale, text.length - point - 1);
  }
  return Math.min(scale, ALIGNED_DIGITS_MAX);
}

/** Returns a value in readable form. The exact value is in the title, in the row's panel and in copies. */
export function toShownText(value: CellValue | undefined, field: ResultField, look: CellLook): string {
  if (isNumericField(field)) return look.digits === "grouped" ? toCellText(value, field) : toPlainText(value);
  const text = toPlainText(value);
  if (look.times === "raw") return text;
  const span = field.grain === undefined ? null : toGrainText(text, field.grain);
  if (span !== null) return span;
  return field.type === "timestamp" || field.type === "timestamptz" ? toStamp(text, look) : text;
}

/**
 * Returns spaces after a number of a right-aligned column, so that the decimal points are aligned without adding digits
 * to the value.
 */
export function toPadding(text: string, field: ResultField, scale: number): string {
  if (scale === 0 || isIdentifierField(field) || !/^-?[\d,]+(\.\d+)?$/.test(text)) return "";
  const point = text.indexOf(".");
  const missing = point < 0 ? scale + 1 : scale - (text.length - point - 1);
  return " ".repeat(Math.max(0, missing));
}

/** Formats a timestamp. Zero seconds without fractions are kept: all values of a column look alike. */
function toStamp(text: string, { times }: CellLook): string {
  const parts = STAMP.exec(text);
  if (parts === null) return text;
  const [, day = "", minute = "", second = "", fraction = "", zone] = parts;
  if (zone === undefined || times === "utc") return `${day} ${minute}${second}${fraction}`;
  // The zone does not change digits beyond milliseconds.
  const at = Date.parse(`${day}T${minute}:00Z`);
  if (Number.isNaN(at)) return text;
  const local = new Date(at + offsetsOf(times === "local" ? readDeviceZone() : times)(at));
  const iso = local.toISOString();
  return `${iso.slice(0, 10)} ${iso.slice(11, 16)}${second}${fraction}`;
}
