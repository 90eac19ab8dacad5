"use client";

import { usePathname, useSearchParams } from "next/navigation";

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
