import type { Expression } from "./expression";
import { type Metric, type Model, targetOf } from "./file";

/** Metrics that a metric refers to, one through another; deeper ones count as not additive. */
const REFERENCES_DEEP_MAX = 10;

/**
 * Returns whether the values of groups add up to the value of all: true for sums and counts, false for ratios, means,
 * distinct counts and balances.
 */
export function isAdditive(model: Model, { expression, semiAdditive }: Metric, depth = 0): boolean {
  if (!expression || semiAdditive || depth > REFERENCES_DEEP_MAX) return false;
  const addsUp = (part: Expression): boolean => {
    switch (part.kind) {
      case "aggregate":
        return (part.name === "sum" || part.name === "count") && !part.isDistinct;
      case "unary":
        return part.op === "-" && addsUp(part.value);
      case "cast":
        return addsUp(part.value);
      case "binary":
        if (part.op === "+" || part.op === "-") return addsUp(part.left) && addsUp(part.right);
        return (part.op === "*" || part.op === "/") && part.right.kind === "number" && addsUp(part.left);
      case "call": {
        const [value, otherwise] = part.values;
        const isZero = otherwise?.kind === "number" && Number(otherwise.text) === 0;
        return part.name === "coalesce" && part.values.length === 2 && isZero && value !== undefined && addsUp(value);
      }
      case "reference": {
        const target = targetOf(model, part, false);
        return typeof target !== "string" && "metric" in target && isAdditive(model, target.metric, depth + 1);
      }
      default:
        return false;
    }
  };
  return addsUp(expression);
}
