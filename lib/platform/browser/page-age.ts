import { createStore } from "zustand/vanilla";

/* Detects whether the open page is of an older build than the server's. */

/** Whether the server no longer has this page's build. */
export const isOutdated = createStore(() => false);

/** Reports that the server no longer has this page's build. Only a reload fixes that. */
export function reportOutdated(): void {
  isOutdated.setState(true);
}

/**
 * Selector of the page's scripts: their names contain a hash of their content, and a server has only those of its
 * build.
 */
const OWN_SCRIPTS = 'script[src*="/_next/static/"]';

/** Checks whether the server still has this page's scripts. Call it when a server is back: it may be another build. */
export async function checkPageAge(): Promise<void> {
  const urls = [...document.querySelectorAll<HTMLScriptElement>(OWN_SCRIPTS)].map(({ src }) => src);
  const statuses = await Promise.all(urls.map(statusOf));
  if (statuses.includes(404)) reportOutdated();
}

/** Returns null without an answer. */
function statusOf(url: string): Promise<number | null> {
  return fetch(url, { method: "HEAD", cache: "no-store" }).then(
    ({ status }) => status,
    () => null,
  );
}
