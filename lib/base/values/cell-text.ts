import { groupDigits } from "@/lib/base/values/exact-number";
import type { CellValue, ResultField } from "@/lib/base/values/json-rows";

const NUMERIC = new Set(["int32", "int64", "float64", "decimal"]);
/** Numbers that name something are easier to read and to copy without separators. */
const IDENTIFIER = /(^|_)(id|ids|year|code|zip|number|no)$/i;

export function isNumericField(field: ResultField): boolean {
  return NUMERIC.has(field.type);
}

/** Numbers that name something: adding them up means nothing. */
export function isIdentifierField(field: ResultField): boolean {
  return isNumericField(field) && IDENTIFIER.test(field.name);
}

/** The value as plain text, exact, as it is copied: null is the empty text, structures are JSON. */
export function toPlainText(value: CellValue | undefined): string {
  if (value === null || value === undefined) return "";
  if (typeof value === "object") return JSON.stringify(value);
  return String(value);
}

/** The value as the grid shows it: plain text, with digits grouped where they count something. */
export function toCellText(value: CellValue | undefined, field: ResultField): string {
  const text = toPlainText(value);
  return isNumericField(field) && !IDENTIFIER.test(field.name) ? groupDigits(text) : text;
}
