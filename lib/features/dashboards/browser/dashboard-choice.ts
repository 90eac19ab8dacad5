import type { FilterChoice } from "@/lib/features/dashboards/browser/client";
import type { Period } from "@/lib/features/dashboards/browser/period-words";

/*
 * What filters a dashboard, as the address holds it: `f.<filter>` and `at.<widget>`, each a value as JSON. The server
 * knows clicks by `@<widget>` among the filters.
 */
const FILTER = "f.";
const CLICK = "at.";
const SERVER_CLICK = "@";

/** What is asked of the data of a page: what filters it, and the grain and comparison of all its times. */
export type PageAsk = Period & { filters: FilterChoice };

/** Of what was pressed in a widget: values by column, or a range of days. */
export type ClickValue = Readonly<Record<string, readonly unknown[] | { from: string; to: string }>>;

/** What the address says; a value that is no JSON is as if it were not there. */
export function readChoice(query: Iterable<readonly [string, string]>): FilterChoice {
  const choice: Record<string, unknown> = {};
  for (const [name, text] of query) {
    const key = name.startsWith(FILTER)
      ? name.slice(FILTER.length)
      : name.startsWith(CLICK)
        ? SERVER_CLICK + name.slice(CLICK.length)
        : null;
    if (key === null) continue;
    try {
      choice[key] = JSON.parse(text);
    } catch {
      // A link that was cut in two.
    }
  }
  return choice;
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
