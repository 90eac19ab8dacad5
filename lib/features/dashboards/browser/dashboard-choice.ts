import type { FilterChoice } from "@/lib/features/dashboards/browser/client";
import { toReferenceOf } from "@/lib/features/dashboards/browser/long-choices";
import type { Period } from "@/lib/features/dashboards/browser/period-words";

/*
 * Filters of a dashboard as the address holds them: `f.<filter>` and `at.<widget>`, each a value as JSON, or a reference to
 * one that this browser keeps. The server knows clicks by `@<widget>` among the filters.
 */
const FILTER = "f.";
const CLICK = "at.";
const SERVER_CLICK = "@";

/** What is asked of the data of a page: what filters it, and the grain and comparison of all its times. */
export type PageAsk = Period & { filters: FilterChoice };

/** Of what was pressed in a widget: values by column, or a range of days. */
export type ClickValue = Readonly<Record<string, readonly unknown[] | { from: string; to: string }>>;

type Query = Iterable<readonly [string, string]>;
/** Returns the value of a reference; null for one that this browser does not know. */
type FindLong = (reference: string) => string | null;

/** Returns the filters of an address. A value that is no JSON, or is unknown to this browser, counts as absent. */
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
      // A link that was cut in two.
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

/** Returns the filter or press that a parameter of an address names; null for any other parameter. */
export function toChoiceKey(param: string): string | null {
  if (param.startsWith(FILTER)) return param.slice(FILTER.length);
  return param.startsWith(CLICK) ? SERVER_CLICK + param.slice(CLICK.length) : null;
}

/** The name under which the address holds a filter, or a click. */
export function toParam(key: string): string {
  return key.startsWith(SERVER_CLICK) ? CLICK + key.slice(SERVER_CLICK.length) : FILTER + key;
}

export function toClickKey(widgetId: string): string {
  return SERVER_CLICK + widgetId;
}

/** The widget that a key is a click in; null for a filter. */
export function toClickedWidget(key: string): string | null {
  return key.startsWith(SERVER_CLICK) ? key.slice(SERVER_CLICK.length) : null;
}

/** A click as the address may hold it; null for what is none. */
export function toClickValue(value: unknown): ClickValue | null {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return null;
  return Object.values(value).every((each) => typeof each === "object" && each !== null) ? (value as ClickValue) : null;
}

/** The same text for the same question. */
export function toAskText({ filters, grain, compare }: PageAsk): string {
  return JSON.stringify([toChoiceText(filters), grain ?? null, compare ?? null]);
}

/** The same text for the same choice, whatever the order of its keys. */
export function toChoiceText(choice: FilterChoice): string {
  return JSON.stringify(Object.entries(choice).sort(([a], [b]) => (a < b ? -1 : 1)));
}
