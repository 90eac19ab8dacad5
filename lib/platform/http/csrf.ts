import { AppError } from "./errors";

/**
 * Rejects a write that another site makes a browser send (docs/develop/api.md, Common rules; T13, T14). Applies to
 * cookie-authorised writes, login and register. Without either header the client is not a browser, and SameSite=Lax
 * protects.
 * @param publicUrl the public address, beside the one the request came to
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
  // Compares PUBLIC_URL by the complete origin: anyone on the network can serve a plain-http page under its name.
  if (origin !== publicUrl && hostOf(origin) !== headers.get("host")) throw crossSite();
}

/**
 * Returns the host of an origin; an empty text for "null", the origin of sandboxed frames and redirects: no request has
 * it.
 */
function hostOf(origin: string): string {
  return URL.canParse(origin) ? new URL(origin).host : "";
}

function crossSite(): AppError {
  return new AppError("forbidden", "Cross-site request blocked. Send it from Millrace, or with an API key.");
}
