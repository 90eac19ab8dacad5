export type ColumnKind = "text" | "number" | "time" | "boolean" | "json" | "binary" | "other";

// The first match decides: "timestamp" before "time", "interval" before "int".
const PATTERNS: [RegExp, ColumnKind][] = [
  [/json|struct|map|variant|object|document|\[\]|array|list/i, "json"],
  [/date|time|interval|year/i, "time"],
  [/bool/i, "boolean"],
  [/blob|bytea|binary/i, "binary"],
  [/int|serial|numeric|decimal|float|double|real|number|money/i, "number"],
  [/char|text|string|uuid|enum|clob|citext/i, "text"],
];

/** Guesses the kind of a column from the engine's type name, for its icon. */
export function toColumnKind(type: string): ColumnKind {
  return PATTERNS.find(([pattern]) => pattern.test(type))?.[1] ?? "other";
}
