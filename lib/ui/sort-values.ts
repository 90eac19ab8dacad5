import { type CellValue, isNumericField, type ResultField, toPlainText } from "@/lib/ui/cell-text";
import { compareNumberText } from "@/lib/ui/exact-number";

const COLLATOR = new Intl.Collator("en", { numeric: true, sensitivity: "base" });

/** Ascending order of two values of one column. Nulls are for the caller to put last. */
export function compareCells(a: CellValue | undefined, b: CellValue | undefined, field: ResultField): number {
  if (typeof a === "number" && typeof b === "number") return a - b;
  if (typeof a === "boolean" && typeof b === "boolean") return Number(a) - Number(b);
  const left = toPlainText(a);
  const right = toPlainText(b);
  return isNumericField(field) ? compareNumberText(left, right) : COLLATOR.compare(left, right);
}
