import { ExactNumber } from "@/lib/base/values/exact-json";
import { AppError } from "@/lib/platform/http/errors";
import type { TypedValue, VariableBinding } from "../../variables";
import { plainNumber } from "../shared/flows/rows";
import { isDay, plainValue, utcText } from "../shared/variables";

/** ClickHouse's `{name:Type}`, which requires the type. */
export const clickHouseVariables: VariableBinding = {
  begin() {
    const params: Record<string, unknown> = {};
    return {
      add(name, value) {
        params[name] = value.type === "date" && !isDay(value.value) ? utcText(value.value) : plainValue(value);
        return `{${name}:${typeOf(value)}}`;
      },
      params: () => params,
    };
  },
};

function typeOf(value: TypedValue): string {
  switch (value.type) {
    case "null":
      return "Nullable(String)";
    case "text":
      return "String";
    case "number":
      if (value.value instanceof ExactNumber) return exactTypeOf(value.value);
      return Number.isSafeInteger(value.value) ? "Int64" : "Float64";
    case "boolean":
      return "Bool";
    case "date":
      return isDay(value.value) ? "Date32" : "DateTime64(6, 'UTC')";
  }
}

/** Digits of a Decimal256. */
const DIGITS_MAX = 76;

/** Returns the type of a number. @throws AppError `invalid_request` for a number that no type of ClickHouse holds */
function exactTypeOf(number: ExactNumber): string {
  if (number.isInteger) return number.isInt64 ? "Int64" : "Int256";
  const [whole = "", fraction = ""] = plainNumber(number.text).replace("-", "").split(".");
  if (whole.length + fraction.length <= DIGITS_MAX) return `Decimal(${DIGITS_MAX}, ${fraction.length})`;
  throw new AppError("invalid_request", `${number.text.slice(0, 60)} has more digits than ClickHouse supports.`);
}
