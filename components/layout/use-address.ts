"use client";

import { ReadonlyURLSearchParams, usePathname, useSearchParams } from "next/navigation";
import { useCallback, useEffect, useMemo, useSyncExternalStore } from "react";
import { type PageAddress, WrittenAddress } from "@/components/layout/written-address";

type Put = (news: Record<string, string | null>, isStep?: boolean) => void;

const written = new WrittenAddress();
const readNone = () => null;

/**
 * Returns the query of the address, which holds filters and the open item, and a function that changes it: null removes
 * a parameter. The next render has the change. A change of a filter is not a history step; opening an item is
 * (`isStep`).
 */
export function useAddress(): { query: ReturnType<typeof useSearchParams>; put: Put } {
  const path = usePathname();
  const routed = useSearchParams();
  const subscribe = useCallback((listener: () => void) => subscribeAt(path, listener), [path]);
  const own = useSyncExternalStore(subscribe, written.read, readNone);
  const search = routed.toString();
  useEffect(() => written.follow({ path, search }, readActual()), [path, search]);
  const shown = own?.path === path ? own.search : search;
  const query = useMemo(
    () => (shown === routed.toString() ? routed : new ReadonlyURLSearchParams(new URLSearchParams(shown))),
    [shown, routed],
  );
  const put: Put = (news, isStep = false) => {
    const next = new URLSearchParams(window.location.search);
    for (const [name, value] of Object.entries(news)) {
      if (value === null) next.delete(name);
      else next.set(name, value);
    }
    writeQuery(path, next, isStep);
  };
  return { query, put };
}

/** Replaces the query of the address. @param isStep adds a history entry */
export function writeQuery(path: string, query: URLSearchParams, isStep: boolean): void {
  const search = query.toString();
  window.history[isStep ? "pushState" : "replaceState"](null, "", search === "" ? path : `${path}?${search}`);
  written.write({ path, search });
}

function subscribeAt(path: string, listener: () => void): () => void {
  const leave = written.subscribe(listener);
  // Back and Forward change the address before the router shows it, too.
  const onStep = () => written.write(window.location.pathname === path ? readActual() : null);
  window.addEventListener("popstate", onStep);
  return () => {
    leave();
    window.removeEventListener("popstate", onStep);
  };
}

function readActual(): PageAddress {
  const { pathname, search } = window.location;
  return { path: pathname, search: new URLSearchParams(search).toString() };
}

/**
 * Handles Back and Forward in the browser alone, between addresses of one page that differ only in the page's
 * parameters (`isOwn`). After a reload, the router no longer has the pages of earlier steps: it would request them from
 * the server, and restore that address when the response arrives, although the user may have moved on.
 * @param isOwn the same function on every call; without it, all parameters are the page's
 */
export function useOwnSteps(isOwn: (param: string) => boolean = isAny): void {
  const path = usePathname();
  const rest = restOf(useSearchParams(), isOwn);
  useEffect(() => {
    const onStep = (event: PopStateEvent) => {
      const { pathname, search, href } = window.location;
      if (pathname !== path || restOf(new URLSearchParams(search), isOwn) !== rest) return;
      event.stopImmediatePropagation();
      // Without a page in the history entry, the router keeps the shown one and adopts the address.
      History.prototype.replaceState.call(window.history, null, "", href);
      window.history.replaceState(null, "", href);
      written.write(readActual());
    };
    window.addEventListener("popstate", onStep, { capture: true });
    return () => window.removeEventListener("popstate", onStep, { capture: true });
  }, [path, rest, isOwn]);
}

function isAny(): boolean {
  return true;
}

function restOf(query: { entries(): Iterable<[string, string]> }, isOwn: (param: string) => boolean): string {
  return new URLSearchParams([...query.entries()].filter(([name]) => !isOwn(name))).toString();
}
