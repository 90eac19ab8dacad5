import type { FilterChoice } from "@/lib/features/dashboards/browser/client";
import { toReferenceOf } from "@/lib/features/dashboards/browser/long-choices";
import type { Period } from "@/lib/features/dashboards/browser/period-words";

/*
 * Filters of a dashboard in the address: `f.<filter>` and `at.<widget>`, each a value as JSON, or a reference to one
 * stored in this browser. The server knows clicks as `@<widget>` among the filters.
 */
const FILTER = "f.";
const CLICK = "at.";
const SERVER_CLICK = "@";

/** Everything that a page's data depends on: its filters, and the grain and comparison of all its times. */
export type PageAsk = Period & { filters: FilterChoice };

/** The click in a widget: values by column, or a range of days. */
export type ClickValue = Readonly<Record<string, readonly unknown[] | { from: string; to: string }>>;

type Query = Iterable<readonly [string, string]>;
/** Returns the value of a reference; null for one unknown to this browser. */
type FindLong = (reference: string) => string | null;

/** Returns the filters of an address. A value that is invalid JSON or unknown to this browser counts as absent. */
export function readChoice(query: Query, findLong: FindLong = () => null): FilterChoice {
  const choice: Record<string, unknown> = {};
  for (const [name, text] of query) {
    const key = toChoiceKey(name);
    if (key === null) continue;
    const reference = toReferenceOf(text);
    const json = reference === null ? text : findLong(reference);
    if (json === null) continue;
    try {
      choice[key] = JSON.parse(json);
    } catch {
      // A truncated link.
    }
  }
  return choice;
}

/** Returns the filters of an address whose values this browser does not know. */
export function readLost(query: Query, findLong: FindLong): string[] {
  return [...query].flatMap(([name, text]) => {
    const [key, reference] = [toChoiceKey(name), toReferenceOf(text)];
    return key !== null && reference !== null && findLong(reference) === null ? [key] : [];
  });
}

/** Returns the filter or click that a parameter of an address names; null for any other parameter. */
export function toChoiceKey(param: string): string | null {
  if (param.startsWith(FILTER)) return param.slice(FILTER.length);
  return param.startsWith(CLICK) ? SERVER_CLICK + param.slice(CLICK.length) : null;
}

/** Returns the parameter name of a filter or click. */
export function toParam(key: string): string {
  return key.startsWith(SERVER_CLICK) ? CLICK + key.slice(SERVER_CLICK.length) : FILTER + key;
}

export function toClickKey(widgetId: string): string {
  return SERVER_CLICK + widgetId;
}

/** Returns the widget of a click; null for a filter. */
export function toClickedWidget(key: string): string | null {
  return key.startsWith(SERVER_CLICK) ? key.slice(SERVER_CLICK.length) : null;
}

/** Returns a valid click from the address; null for any other value. */
export function toClickValue(value: unknown): ClickValue | null {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return null;
  return Object.values(value).every((each) => typeof each === "object" && each !== null) ? (value as ClickValue) : null;
}

/** Returns a canonical text: equal requests give equal texts. */
export function toAskText({ filters, grain, compare }: PageAsk): string {
  return JSON.stringify([toChoiceText(filters), grain ?? null, compare ?? null]);
}

/** Returns a canonical text, independent of the order of keys. */
export function toChoiceText(choice: FilterChoice): string {
  return JSON.stringify(Object.entries(choice).sort(([a], [b]) => (a < b ? -1 : 1)));
}
