"use client";

// biome-ignore lint/style/noRestrictedImports: it is the framework that writes the head
import dynamic from "next/dynamic";

/**
 * Loads the chart library in parallel with the page's scripts, not after them: the framework lists the imports of such
 * a component in the page's head. Renders nothing.
 */
export const ChartsAhead = dynamic(() =>
  // The server draws no charts, so its bundle omits the library.
  typeof window === "undefined" ? toNothing() : toNothing(() => import("@/components/chart/vega")),
);

/** Only loads the library. It is evaluated once the page has requested its rows, not during start-up. */
async function toNothing(_load?: () => Promise<unknown>) {
  return Nothing;
}

function Nothing() {
  return null;
}
