import { ExactNumber } from "@/lib/base/values/exact-json";
import type { VariableBinding } from "../../variables";
import { plainValue } from "../shared/variables";

/**
 * Our parser reads the shell text, and knows literals but no placeholders. So a value is written as a literal that this
 * parser reads back to exactly this value: JSON, which no text can break out of.
 */
export const mongoVariables: VariableBinding = {
  begin: () => ({
    add: (_, value) =>
      value.type === "date"
        ? `ISODate(${JSON.stringify(value.value)})`
        : value.type === "number" && value.value instanceof ExactNumber
          ? exactLiteral(value.value)
          : JSON.stringify(plainValue(value)),
    params: () => undefined,
  }),
};

function exactLiteral(number: ExactNumber): string {
  return `${number.isInt64 ? "NumberLong" : "NumberDecimal"}("${number.text}")`;
}
