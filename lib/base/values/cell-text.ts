import { groupDigits } from "@/lib/base/values/exact-number";
import type { CellValue, ResultField } from "@/lib/base/values/json-rows";

const NUMERIC = new Set(["int32", "int64", "float64", "decimal"]);
/** Identifiers are easier to read and to copy without separators. */
const IDENTIFIER = /(^|_)(id|ids|year|code|zip|number|no)$/i;

export function isNumericField(field: ResultField): boolean {
  return NUMERIC.has(field.type);
}

/** Returns whether the numbers are identifiers, whose sum means nothing. */
export function isIdentifierField(field: ResultField): boolean {
  return isNumericField(field) && IDENTIFIER.test(field.name);
}

/** Returns the exact value as plain text, for copying: null is the empty text, structures are JSON. */
export function toPlainText(value: CellValue | undefined): string {
  if (value === null || value === undefined) return "";
  if (typeof value === "object") return JSON.stringify(value);
  return String(value);
}

/** Returns the value as the grid shows it: plain text, with grouped digits for quantities. */
export function toCellText(value: CellValue | undefined, field: ResultField): string {
  const text = toPlainText(value);
  return isNumericField(field) && !IDENTIFIER.test(field.name) ? groupDigits(text) : text;
}
