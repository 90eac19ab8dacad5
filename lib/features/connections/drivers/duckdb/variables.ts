import { castTo, dateType, numberedVariables } from "../shared/variables";

export const duckdbVariables = numberedVariables({
  own: /^[$?]$/,
  wrap: (value, placeholder) => (value.type === "date" ? castTo(placeholder, dateType(value.value)) : placeholder),
});
