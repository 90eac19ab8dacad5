import { castTo, isDay, plainValue, positionalVariables } from "../shared/variables";

export const trinoVariables = positionalVariables({
  own: /^[?]$/,
  wrap: (value, placeholder) => {
    if (value.type !== "date") return placeholder;
    if (isDay(value.value)) return castTo(placeholder, "date");
    // Parses both forms, with a zone and without one, which is UTC.
    return `from_iso8601_timestamp(${placeholder})`;
  },
  toParam: plainValue,
});
