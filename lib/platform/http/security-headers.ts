const YEAR_SECONDS = 365 * 24 * 60 * 60;

/** Returns the headers of every answer, for pages and the API (T106). */
export function commonHeaders(publicUrl: string): Record<string, string> {
  return {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "strict-origin-when-cross-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
    // A browser ignores it on plain http, and a local installation must not be pinned to https.
    ...(publicUrl.startsWith("https:") && { "Strict-Transport-Security": `max-age=${YEAR_SECONDS}` }),
  };
}

/** Paths that pages show in frames: published apps, and apps in development. */
const FRAMED_PATHS = ["/api/apps/view/", "/api/apps/dev/"];

/**
 * Returns the content security policy of a page: only scripts with this answer's nonce and scripts that they load.
 * Inline styles are allowed, since editor and grid position their rows with them.
 * @param isDevelopment the framework's development client evaluates code
 * @param framedBy origins whose pages may frame it
 * @param origins of this server
 */
export function pagePolicy(
  nonce: string,
  isDevelopment: boolean,
  { framedBy = [], origins = [] }: { framedBy?: readonly string[]; origins?: readonly string[] } = {},
): string {
  const framed = origins.flatMap((origin) => FRAMED_PATHS.map((path) => `${origin}${path}`));
  return [
    "default-src 'self'",
    `script-src 'self' 'nonce-${nonce}' 'strict-dynamic'${isDevelopment ? " 'unsafe-eval'" : ""}`,
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data: blob:",
    "font-src 'self'",
    "connect-src 'self'",
    "worker-src 'self' blob:",
    // Also applies to a frame that navigates itself: an app cannot send data out in an address.
    `frame-src ${framed.length > 0 ? framed.join(" ") : "'none'"}`,
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'self'",
    `frame-ancestors ${framedBy.length > 0 ? framedBy.join(" ") : "'none'"}`,
  ].join("; ");
}

/** Content security policy of an API answer: it is data, and nothing in it may run. */
export const DATA_POLICY = "default-src 'none'; frame-ancestors 'none'; sandbox";
