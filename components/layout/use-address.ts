"use client";

import { usePathname, useSearchParams } from "next/navigation";
import { useEffect } from "react";

type Put = (news: Record<string, string | null>, isStep?: boolean) => void;

/**
 * Returns the query of the address, which holds filters and the open item, and a function that changes it: null removes
 * a parameter. A change of a filter is not a history step; opening an item is (`isStep`).
 */
export function useAddress(): { query: ReturnType<typeof useSearchParams>; put: Put } {
  const path = usePathname();
  const query = useSearchParams();
  const put: Put = (news, isStep = false) => {
    const next = new URLSearchParams(window.location.search);
    for (const [name, value] of Object.entries(news)) {
      if (value === null) next.delete(name);
      else next.set(name, value);
    }
    window.history[isStep ? "pushState" : "replaceState"](null, "", `${path}${next.size === 0 ? "" : `?${next}`}`);
  };
  return { query, put };
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
