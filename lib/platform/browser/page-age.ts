/* Whether the open page is of an older build than the server's. */

let isOutdated = false;
const listeners = new Set<() => void>();

export function readIsOutdated(): boolean {
  return isOutdated;
}

export function subscribePageAge(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** The server has no part of this page's build any more. Only a reload mends that. */
export function reportOutdated(): void {
  if (isOutdated) return;
  isOutdated = true;
  for (const listener of listeners) listener();
}

/** The page's own scripts: the names of a build hold what is in them, and a server has those of its own build alone. */
const OWN_SCRIPTS = 'script[src*="/_next/static/"]';

/** Looks whether the server still has this page's scripts. Call it when a server is back: it may be another build. */
export async function checkPageAge(): Promise<void> {
  const urls = [...document.querySelectorAll<HTMLScriptElement>(OWN_SCRIPTS)].map(({ src }) => src);
  const statuses = await Promise.all(urls.map(statusOf));
  if (statuses.includes(404)) reportOutdated();
}

/** Null when nothing answers. */
function statusOf(url: string): Promise<number | null> {
  return fetch(url, { method: "HEAD", cache: "no-store" }).then(
    ({ status }) => status,
    () => null,
  );
}
