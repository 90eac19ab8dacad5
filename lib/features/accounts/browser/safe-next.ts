/** Only its origin matters: a path that leaves it is somebody else's. */
const BASE = "https://millrace.invalid";
/** Going back to these would loop, or show JSON. */
const NEVER = /^\/(login|register|api)(\/|$)/;

/**
 * Where to go after signing in. Only a path of this site is honoured, so that a link to the sign-in page cannot send
 * people elsewhere.
 * @param next the value of `?next=`
 * @returns the path with its query and fragment, or null when it is absent or not ours
 */
export function toSafeNext(next: string | null | undefined): string | null {
  if (!next?.startsWith("/")) return null;
  let url: URL;
  try {
    url = new URL(next, BASE);
  } catch {
    return null;
  }
  // The URL parser drops tabs and line ends and reads a backslash as a slash, as browsers do: judge what it understood.
  if (url.origin !== BASE || url.pathname.startsWith("//") || NEVER.test(url.pathname)) return null;
  return `${url.pathname}${url.search}${url.hash}`;
}
