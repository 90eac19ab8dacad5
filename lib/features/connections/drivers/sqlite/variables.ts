import { plainValue, positionalVariables } from "../shared/variables";

export const sqliteVariables = positionalVariables({
  own: /^(?:[?]$|[:@$#])/,
  wrap: (_, placeholder) => placeholder,
  // SQLite has no booleans: true is 1.
  toParam: (value) => (value.type === "boolean" ? Number(value.value) : plainValue(value)),
});
