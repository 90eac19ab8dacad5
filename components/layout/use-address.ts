"use client";

import { usePathname, useSearchParams } from "next/navigation";
import { useEffect } from "react";

type Put = (news: Record<string, string | null>, isStep?: boolean) => void;

/**
 * The query of the address, where filters and what is open stand, and how to change parts of it: null takes one out.
 * A filter is no step to go back through; what is opened is (`isStep`).
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
 * Makes Back and Forward between addresses of one page that differ in parameters of its own (`isOwn`) a matter of the
 * browser alone. Of steps from before a reload the router has the page no more: it would ask the server for it, and put
 * that address back when the answer comes, although somebody has gone on since.
 * @param isOwn the same function every time; without it all parameters are the page's own
 */
export function useOwnSteps(isOwn: (param: string) => boolean = isAny): void {
  const path = usePathname();
  const rest = restOf(useSearchParams(), isOwn);
  useEffect(() => {
    const onStep = (event: PopStateEvent) => {
      const { pathname, search, href } = window.location;
      if (pathname !== path || restOf(new URLSearchParams(search), isOwn) !== rest) return;
      event.stopImmediatePropagation();
      // Without a page in the entry the router keeps the one that is shown, and takes over the address.
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
