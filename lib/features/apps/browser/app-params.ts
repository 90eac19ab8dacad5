import type { AppParams } from "@/lib/features/apps/frame/messages";

/** What an app may keep in the address of its page: as much as is still handed on by hand. */
const PARAMS_MAX = 50;
const CHARS_MAX = 2_000;

/** What the address of this page holds for its app. */
export function readParams(search = window.location.search): AppParams {
  return Object.fromEntries(new URLSearchParams(search));
}

/** Puts it there, without a step in the browser's history: a filter that is moved is no place to go back to. */
export function writeParams(params: unknown): void {
  const search = toSearch(params);
  if (search === null) return;
  const { pathname, hash } = window.location;
  window.history.replaceState(window.history.state, "", `${pathname}${search}${hash}`);
}

/** As an address has it; null for what is none, or too much. */
export function toSearch(params: unknown): string | null {
  if (typeof params !== "object" || params === null) return null;
  const entries = Object.entries(params);
  const isText = entries.every(([, value]) => typeof value === "string");
  if (!isText || entries.length > PARAMS_MAX) return null;
  const query = new URLSearchParams(entries as [string, string][]).toString();
  if (query.length > CHARS_MAX) return null;
  return query === "" ? "" : `?${query}`;
}

/** Where a link of an app leads, as far as it may be followed; null for what a browser would run, and for what is none. */
export function toOutside(href: unknown): URL | null {
  if (typeof href !== "string" || href.length > CHARS_MAX || !URL.canParse(href)) return null;
  const url = new URL(href);
  return ["http:", "https:", "mailto:"].includes(url.protocol) ? url : null;
}
