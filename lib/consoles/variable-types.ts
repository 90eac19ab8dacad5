/** One `{{name}}` of a text; offsets in UTF-16 units, `end` exclusive. */
export type Mark = { name: string; start: number; end: number };
/** A value with its kind. A date is ISO text; null has no kind of its own. */
export type Typed =
  | { type: "null" }
  | { type: "text"; value: string }
  | { type: "number"; value: number }
  | { type: "boolean"; value: boolean }
  | { type: "date"; value: string };
