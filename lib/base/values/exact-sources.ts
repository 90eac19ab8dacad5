import { ExactNumber, mayRound, parseExactJson } from "./exact-json";

/**
 * Parses JSON of dashboards. Numbers that no double holds stay exact under the key `source`, whose query and params a
 * database receives. All others are rounded to doubles, with which widgets are drawn.
 * @throws SyntaxError for text that is not JSON
 */
export function parseDashboardJson(text: string): unknown {
  return mayRound(text) ? withDoubles(parseExactJson(text), "source") : JSON.parse(text);
}

/** Replaces numbers that no double holds by the nearest double. @param except key of the values that stay exact */
export function withDoubles<T>(value: T, except?: string): T {
  if (value instanceof ExactNumber) return Number(value.text) as T;
  if (Array.isArray(value)) return value.map((each) => withDoubles(each, except)) as T;
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [key, key === except ? each : withDoubles(each, except)]),
  ) as T;
}

/**
 * Replaces numbers that no double holds by their texts: for values of filters, which lists of values offer as texts.
 */
export function withTexts<T>(value: T): T {
  if (value instanceof ExactNumber) return value.text as T;
  if (Array.isArray(value)) return value.map(withTexts) as T;
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, withTexts(each)])) as T;
}
