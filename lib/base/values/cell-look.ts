import { isIdentifierField, isNumericField, toCellText, toPlainText } from "@/lib/base/values/cell-text";
import { isPlainNumber } from "@/lib/base/values/exact-number";
import type { CellValue, ResultField } from "@/lib/base/values/json-rows";
import { deviceZone, toZoneName } from "@/lib/base/values/names";
import { offsetsOf } from "@/lib/base/values/offsets";

export const DIGIT_LOOKS = ["grouped", "plain"] as const;
export const TIME_LOOKS = ["local", "utc", "raw"] as const;
/** Times in this device's zone, in UTC, as the database has them, or in the zone of this name. */
export type TimesLook = (typeof TIME_LOOKS)[number] | (string & {});
/** How numbers and times are shown: in groups of three or not, and by which clock. */
export type CellLook = { digits: (typeof DIGIT_LOOKS)[number]; times: TimesLook };

/** A choice that was kept elsewhere; null for what is none, or a zone that only others know. */
export function toTimesLook(kept: unknown): TimesLook | null {
  if (typeof kept !== "string") return null;
  return TIME_LOOKS.find((look) => look === kept) ?? toZoneName(kept);
}

/** Digits behind the point that a column makes room for; longer ones stand out, as they are. */
const ALIGNED_DIGITS_MAX = 8;
const STAMP = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d)(:\d\d)?(\.\d+)?(Z)?$/;

/** Asking for it for each cell would be felt while scrolling; a device that travels is asked again with the next page. */
let ownZone: string | null = null;
function readDeviceZone(): string {
  ownZone ??= deviceZone();
  return ownZone;
}

/** How many digits behind the point the numbers of a column have, at most. */
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

/** The value as people read it. What it is exactly is in the title, in the row's panel and in copies. */
export function toShownText(value: CellValue | undefined, field: ResultField, look: CellLook): string {
  if (isNumericField(field)) return look.digits === "grouped" ? toCellText(value, field) : toPlainText(value);
  const text = toPlainText(value);
  return look.times === "raw" || (field.type !== "timestamp" && field.type !== "timestamptz")
    ? text
    : toStamp(text, look);
}

/**
 * Space behind a number of a right-aligned column, so that the points of all stand below each other: no digit is added
 * that the value does not have.
 */
export function toPadding(text: string, field: ResultField, scale: number): string {
  if (scale === 0 || isIdentifierField(field) || !/^-?[\d,]+(\.\d+)?$/.test(text)) return "";
  const point = text.indexOf(".");
  const missing = point < 0 ? scale + 1 : scale - (text.length - point - 1);
  return " ".repeat(Math.max(0, missing));
}

/** Seconds that are none, of a value without fractions, are kept: all values of a column look alike. */
function toStamp(text: string, { times }: CellLook): string {
  const parts = STAMP.exec(text);
  if (parts === null) return text;
  const [, day = "", minute = "", second = "", fraction = "", zone] = parts;
  if (zone === undefined || times === "utc") return `${day} ${minute}${second}${fraction}`;
  // Digits beyond milliseconds do not change with the zone.
  const at = Date.parse(`${day}T${minute}:00Z`);
  if (Number.isNaN(at)) return text;
  const local = new Date(at + offsetsOf(times === "local" ? readDeviceZone() : times)(at));
  const iso = local.toISOString();
  return `${iso.slice(0, 10)} ${iso.slice(11, 16)}${second}${fraction}`;
}
