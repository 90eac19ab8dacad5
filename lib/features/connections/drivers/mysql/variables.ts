import { castTo, isDay, plainValue, positionalVariables, utcText } from "../shared/variables";

export const mysqlVariables = positionalVariables({
  own: /^[?]$/,
  wrap: (value, placeholder) => {
    if (value.type !== "date") return placeholder;
    return castTo(placeholder, isDay(value.value) ? "DATE" : "DATETIME(6)");
  },
  // MySQL's times have no zone; ours are UTC (docs/develop/api.md, Common rules).
  toParam: (value) => (value.type === "date" && !isDay(value.value) ? utcText(value.value) : plainValue(value)),
});
