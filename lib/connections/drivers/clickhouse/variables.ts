import type { TypedValue, VariableBinding } from "../../variables";
import { isDay, plainValue, utcText } from "../shared/variables";

/** `{name:Type}`, which is ClickHouse's own form; its type has to be told. */
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
      return Number.isSafeInteger(value.value) ? "Int64" : "Float64";
    case "boolean":
      return "Bool";
    case "date":
      return isDay(value.value) ? "Date32" : "DateTime64(6, 'UTC')";
  }
}
