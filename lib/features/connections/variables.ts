import type { ExactNumber } from "@/lib/base/values/exact-json";

/** A value of a console's variable with its kind. A date is ISO text; null has no kind of its own. */
export type TypedValue =
  | { type: "null" }
  | { type: "text"; value: string }
  | { type: "number"; value: number | ExactNumber }
  | { type: "boolean"; value: boolean }
  | { type: "date"; value: string };

/** Gathers the values of one statement. */
export type VariableBinder = {
  /** Takes a value, and gives the text that stands for it. */
  add: (name: string, value: TypedValue) => string;
  params: () => unknown[] | Record<string, unknown> | undefined;
};

/** How an engine takes values beside the text. */
export type VariableBinding = {
  /** Symbols that begin a placeholder of the engine's own: they and the variables would get each other's values. */
  own?: RegExp;
  begin: () => VariableBinder;
};
