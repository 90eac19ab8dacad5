import type { ExactNumber } from "@/lib/base/values/exact-json";

/** A value of a console's variable with its type. A date is ISO text; null has no type. */
export type TypedValue =
  | { type: "null" }
  | { type: "text"; value: string }
  | { type: "number"; value: number | ExactNumber }
  | { type: "boolean"; value: boolean }
  | { type: "date"; value: string };

/** Collects the values of one statement. */
export type VariableBinder = {
  /** Adds a value and returns its placeholder. */
  add: (name: string, value: TypedValue) => string;
  params: () => unknown[] | Record<string, unknown> | undefined;
};

/** The way in which an engine takes values beside the text. */
export type VariableBinding = {
  /** Native placeholder symbols of the engine: combined with variables, each would get the other's values. */
  own?: RegExp;
  begin: () => VariableBinder;
};
