import type { TypedValue } from "../../variables";
import { castTo, dateType, numberedVariables } from "../shared/variables";

const INT32_MAX = 2 ** 31 - 1;
const INT64_DIGITS = 18;
const DECIMAL_DIGITS = 38;

/** A number states its type, as in PostgreSQL, and its scale: `numeric` alone has none, and would round. */
export const redshiftVariables = numberedVariables({
  own: /^[$]$/,
  wrap: (value: TypedValue, placeholder) => {
    if (value.type === "number") return castTo(placeholder, numberType(String(value.value)));
    if (value.type === "boolean") return castTo(placeholder, "boolean");
    return value.type === "date" ? castTo(placeholder, dateType(value.value)) : placeholder;
  },
});

/** Returns the type that holds a number with every digit. @param text the number as a literal */
export function numberType(text: string): string {
  const [, whole = "", part = ""] = /^[+-]?(\d*)(?:\.(\d*))?$/.exec(text) ?? [];
  if (whole === "" && part === "") return "double precision";
  if (part === "" && whole.length <= INT64_DIGITS) return Number(whole) <= INT32_MAX ? "integer" : "bigint";
  const scale = Math.max(0, Math.min(part.length, DECIMAL_DIGITS - whole.length));
  return `numeric(${DECIMAL_DIGITS},${scale})`;
}
