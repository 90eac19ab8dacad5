import { AppError } from "./errors";

/**
 * Refuses a write that another site makes a browser send (contract, section 1; T13, T14).
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
  const host = originHost(origin);
  if (host === null || (host !== headers.get("host") && host !== originHost(publicUrl))) throw crossSite();
}

function originHost(origin: string): string | null {
  try {
    return new URL(origin).host || null;
  } catch {
    return null; // "null", the origin of sandboxed frames and redirects
  }
}

function crossSite(): AppError {
  return new AppError(
    "forbidden",
    "This request came from another site. Send it from Millrace itself, or with an API key.",
  );
}
