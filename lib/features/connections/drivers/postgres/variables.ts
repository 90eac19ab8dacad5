import { ExactNumber } from "@/lib/base/values/exact-json";
import type { TypedValue } from "../../variables";
import { castTo, dateType, numberedVariables } from "../shared/variables";

const INT32_MAX = 2 ** 31 - 1;

/** An operator's other side decides the type of `$1`, so a number states its type; a text takes the expected type. */
export const postgresVariables = numberedVariables({
  own: /^[$]$/,
  wrap: (value: TypedValue, placeholder) => {
    if (value.type === "number") return castTo(placeholder, numberType(value.value));
    if (value.type === "boolean") return castTo(placeholder, "boolean");
    return value.type === "date" ? castTo(placeholder, dateType(value.value)) : placeholder;
  },
});

function numberType(value: number | ExactNumber): string {
  if (value instanceof ExactNumber) return value.isInt64 ? "bigint" : "numeric";
  if (!Number.isSafeInteger(value)) return "numeric";
  return Math.abs(value) <= INT32_MAX ? "integer" : "bigint";
}
