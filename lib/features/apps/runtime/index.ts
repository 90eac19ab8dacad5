/** Module that apps import as `@millrace/app`. */
import { useCallback, useEffect, useMemo, useRef, useState, useSyncExternalStore } from "react";
import type { AppParams } from "../frame/messages";
import { type BindingData, type BindingName, type BindingQuery, readBinding } from "./data";
import { link, type Theme } from "./link";

export type { AppParams } from "../frame/messages";
export type { BindingData, BindingField, BindingQuery, Condition, Measure, TimeUnit } from "./data";
export { readBinding } from "./data";
export type { Theme } from "./link";

/** Current theme of the surrounding page. In a component, use `useTheme`. */
export let theme: Theme = link().theme;
/** Current parameters of the app's URL. In a component, use `useParams`. */
export let params: AppParams = link().params;

link().subscribe(() => {
  theme = link().theme;
  params = link().params;
});

export type Binding<Row> = {
  /** Empty before the first result. The previous rows stay while the next ones load. */
  rows: readonly Row[];
  /** Columns of the rows. */
  fields: BindingData<Row>["fields"];
  isLoading: boolean;
  /** Message for the user; null without an error. */
  error: string | null;
  /** Age of the rows in ms; null before the first result. */
  ageMs: number | null;
  /** Whether there are more rows than these. */
  truncated: boolean;
  /** Reads the rows again. */
  refresh(): void;
};

type State<Row> = { data: BindingData<Row> | null; error: string | null; isLoading: boolean };

/**
 * Returns the rows of a binding, `bindings/<name>.sql` of this app. With `query`, the server filters, groups and sums
 * them, which suits large bindings.
 */
export function useBinding<Row extends object = Record<string, unknown>>(
  name: BindingName,
  query?: BindingQuery,
): Binding<Row> {
  // A query is usually an inline object, and so a new one on each render.
  const key = query === undefined ? "" : JSON.stringify(query);
  const [state, setState] = useState<State<Row>>({ data: null, error: null, isLoading: true });
  const [asked, setAsked] = useState(0);
  const shown = useRef(name);
  // biome-ignore lint/correctness/useExhaustiveDependencies: `asked` is what asks again
  useEffect(() => {
    const stop = new AbortController();
    const isOther = shown.current !== name;
    shown.current = name;
    setState(({ data }) => ({ data: isOther ? null : data, error: null, isLoading: true }));
    readBinding<Row>(name, key === "" ? undefined : JSON.parse(key), stop.signal).then(
      (data) => setState({ data, error: null, isLoading: false }),
      (error: unknown) => {
        if (stop.signal.aborted) return;
        const words = error instanceof Error ? error.message : String(error);
        setState(({ data }) => ({ data, error: words, isLoading: false }));
      },
    );
    return () => stop.abort();
  }, [name, key, asked]);
  const refresh = useCallback(() => setAsked((times) => times + 1), []);
  const { data, error, isLoading } = state;
  return useMemo(
    () => ({
      rows: data?.rows ?? [],
      fields: data?.fields ?? [],
      isLoading,
      error,
      ageMs: data?.ageMs ?? null,
      truncated: data?.truncated ?? false,
      refresh,
    }),
    [data, error, isLoading, refresh],
  );
}

/** Returns the theme of the surrounding page. */
export function useTheme(): Theme {
  return useSyncExternalStore(link().subscribe, () => link().theme);
}

/** Returns the parameters of the app's URL and a setter. Shared links contain them. */
export function useParams(): [AppParams, (next: AppParams) => void] {
  return [useSyncExternalStore(link().subscribe, () => link().params), setParams];
}

/** Sets the parameters of the app's URL. */
export function setParams(next: AppParams): void {
  link().send({ type: "params", params: next });
}

/** Opens an external URL after the user confirms. */
export function openOutside(href: string): void {
  link().send({ type: "open", href });
}
