import type { AppParams } from "@/lib/features/apps/frame/messages";

/** Limits of what an app may keep in its page's address, so that the address can still be passed on. */
const PARAMS_MAX = 50;
const CHARS_MAX = 2_000;

/** Reads the app's parameters from the page's address. */
export function readParams(search = window.location.search): AppParams {
  return Object.fromEntries(new URLSearchParams(search));
}

/** Writes the parameters to the address without a history entry: Back should not undo single filter changes. */
export function writeParams(params: unknown): void {
  const search = toSearch(params);
  if (search === null) return;
  const { pathname, hash } = window.location;
  window.history.replaceState(window.history.state, "", `${pathname}${search}${hash}`);
}

/** Returns the query string; null for invalid or too many parameters. */
export function toSearch(params: unknown): string | null {
  if (typeof params !== "object" || params === null) return null;
  const entries = Object.entries(params);
  const isText = entries.every(([, value]) => typeof value === "string");
  if (!isText || entries.length > PARAMS_MAX) return null;
  const query = new URLSearchParams(entries as [string, string][]).toString();
  if (query.length > CHARS_MAX) return null;
  return query === "" ? "" : `?${query}`;
}

/**
 * Returns the URL of an app's link if it may be opened; null for invalid URLs and for schemes that a browser would
 * execute.
 */
export function toOutside(href: unknown): URL | null {
  if (typeof href !== "string" || href.length > CHARS_MAX || !URL.canParse(href)) return null;
  const url = new URL(href);
  return ["http:", "https:", "mailto:"].includes(url.protocol) ? url : null;
}
