import type { CellValue } from "../../../values/json-rows.ts";
import { farTime } from "../shared.ts";

/* PostgreSQL's syntax of values that results show in another form. */

/** Returns a time before year 1 or after 9999 in PostgreSQL's syntax; null for others. */
export function toEra(text: string): string | null {
  const far = farTime(text);
  return far && `${far.date}${far.time}${far.isBeforeChrist ? " BC" : ""}`;
}

/** Formats a list: `{1,NULL,"a"}`. */
export function arrayText(items: readonly CellValue[], areTimes: boolean): string {
  const texts = items.map((item) => {
    if (item === null) return "NULL";
    if (Array.isArray(item)) return arrayText(item, areTimes);
    const plain = typeof item === "object" ? JSON.stringify(item) : String(item);
    const text = (areTimes ? toEra(plain) : null) ?? plain;
    return `"${text.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`;
  });
  return `{${texts.join(",")}}`;
}
