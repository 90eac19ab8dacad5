import type { ResultField } from "@/lib/base/values/json-rows";
import { isNumericField } from "@/lib/features/results/browser/cell-text";

/** Roles of columns on a card (docs/develop/design.md, Phones): indexes into the fields, null when no column fits. */
export type CardPlan = { title: number; figure: number | null; rest: number[] };

/**
 * Plans the card of a row: the first text column is the title, the sorted number (or the last one) appears at the
 * right, and everything else below.
 * @param sorted the column that the rows are sorted by, if any
 */
export function planCards(fields: ResultField[], sorted: string | null): CardPlan {
  const isNumber = fields.map(isNumericField);
  const firstText = fields.findIndex((field, i) => !isNumber[i] && (field.type === "string" || field.type === "other"));
  const title = Math.max(firstText, 0);
  const sortedAt = fields.findIndex((field, i) => field.name === sorted && isNumber[i]);
  const lastNumber = isNumber.lastIndexOf(true);
  const figure = sortedAt >= 0 ? sortedAt : lastNumber;
  const isFigure = figure >= 0 && figure !== title;
  const rest = fields.map((_, i) => i).filter((i) => i !== title && !(isFigure && i === figure));
  return { title, figure: isFigure ? figure : null, rest };
}
