/** Placeholder origin: a path that resolves to another origin is rejected. */
const BASE = "https://millrace.invalid";
/** Returning to these would loop, or show JSON. */
const NEVER = /^\/(login|register|api)(\/|$)/;

/**
 * Returns the path to open after signing in. Only paths of this site are accepted, so that a link to the sign-in page
 * cannot send people elsewhere.
 * @param next the value of `?next=`
 * @returns the path with its query and fragment, or null if it is absent or leads to another site
 */
export function toSafeNext(next: string | null | undefined): string | null {
  if (!next?.startsWith("/")) return null;
  let url: URL;
  try {
    url = new URL(next, BASE);
  } catch {
    return null;
  }
  // The URL parser drops tabs and line ends and reads a backslash as a slash, as browsers do: validate its result.
  if (url.origin !== BASE || url.pathname.startsWith("//") || NEVER.test(url.pathname)) return null;
  return `${url.pathname}${url.search}${url.hash}`;
}
