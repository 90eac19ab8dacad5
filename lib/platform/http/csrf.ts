import { AppError } from "./errors";

/**
 * Refuses a write that another site makes a browser send (docs/develop/api.md, Common rules; T13, T14).
 * Applies to cookie-authorized writes, login and register. Without either header there is no browser, and
 * SameSite=Lax is the guard.
 * @param publicUrl the address that people use, beside the one the request came to
 * @throws AppError `forbidden`
 */
export function refuseCrossSite(headers: Headers, publicUrl: string): void {
  const site = headers.get("sec-fetch-site");
  if (site !== null) {
    if (site !== "same-origin" && site !== "none") throw crossSite();
    return;
  }
  const origin = headers.get("origin");
  if (origin === null) return;
  // PUBLIC_URL by the whole origin: a plain-http page of its name may be anybody's on the network.
  if (origin !== publicUrl && hostOf(origin) !== headers.get("host")) throw crossSite();
}

/** An empty text for "null", the origin of sandboxed frames and redirects: no request has such a host. */
function hostOf(origin: string): string {
  return URL.canParse(origin) ? new URL(origin).host : "";
}

function crossSite(): AppError {
  return new AppError(
    "forbidden",
    "This request came from another site. Send it from Millrace itself, or with an API key.",
  );
}
