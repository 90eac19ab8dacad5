/** Module that apps import as `@millrace/app`. */
import { useCallback, useEffect, useMemo, useRef, useState, useSyncExternalStore } from "react";
import type { AppParams } from "../frame/messages";
import { type BindingData, type BindingName, type BindingQuery, readBinding } from "./data";
import { link, type Theme } from "./link";

export type { AppParams } from "../frame/messages";
export type { BindingData, BindingField, BindingQuery, Condition, Measure, TimeUnit } from "./data";
export { readBinding } from "./data";
export type { Theme } from "./link";

/** The theme of the page around the app, now. In a component, `useTheme` follows it. */
export let theme: Theme = link().theme;
/** The values of the app's address, now. In a component, `useParams` follows them. */
export let params: AppParams = link().params;

link().subscribe(() => {
  theme = link().theme;
  params = link().params;
});

export type Binding<Row> = {
  /** Empty until they are there. Those of the last answer stay while the next one is under way. */
  rows: readonly Row[];
  /** The columns of the rows. */
  fields: BindingData<Row>["fields"];
  isLoading: boolean;
  /** In words for a person; null while all is well. */
  error: string | null;
  /** How old the rows are; null until they are there. */
  ageMs: number | null;
  /** There is more than these rows. */
  truncated: boolean;
  /** Asks again. */
  refresh(): void;
};

type State<Row> = { data: BindingData<Row> | null; error: string | null; isLoading: boolean };

/**
 * The rows of a binding, `bindings/<name>.sql` of this app. With `query`, sums and groups that the server makes of them: of
 * more than some thousand rows a page needs no other.
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

/** The theme of the page around the app. */
export function useTheme(): Theme {
  return useSyncExternalStore(link().subscribe, () => link().theme);
}

/** The values of the app's address, and how to set them: they stand in the address that people share, too. */
export function useParams(): [AppParams, (next: AppParams) => void] {
  return [useSyncExternalStore(link().subscribe, () => link().params), setParams];
}

/** Sets the values of the app's address. */
export function setParams(next: AppParams): void {
  link().send({ type: "params", params: next });
}

/** Opens an address outside of the app, after the page has asked the person. */
export function openOutside(href: string): void {
  link().send({ type: "open", href });
}
