"use client";

// biome-ignore lint/style/noRestrictedImports: it is the framework that writes the head
import dynamic from "next/dynamic";

/**
 * Has what draws charts loaded beside the page's own scripts, and not after them: the framework names in the page's head
 * what such a component imports. It shows nothing.
 */
export const ChartsAhead = dynamic(() =>
  // The server does not draw here: it has nothing of it.
  typeof window === "undefined" ? toNothing() : toNothing(() => import("@/components/chart/vega")),
);

/** The page runs what was loaded when it has asked for its rows, and not while it wakes up. */
async function toNothing(_load?: () => Promise<unknown>) {
  return Nothing;
}

function Nothing() {
  return null;
}
