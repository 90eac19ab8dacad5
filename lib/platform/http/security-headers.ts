const YEAR_SECONDS = 365 * 24 * 60 * 60;

/** What every answer carries, pages and API alike (T106). */
export function commonHeaders(publicUrl: string): Record<string, string> {
  return {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "strict-origin-when-cross-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
    // On plain http a browser ignores it, and a local installation must not be pinned to https.
    ...(publicUrl.startsWith("https:") && { "Strict-Transport-Security": `max-age=${YEAR_SECONDS}` }),
  };
}

/** What pages show in frames: apps as they are published, and as they are worked on. */
const FRAMED_PATHS = ["/api/apps/view/", "/api/apps/dev/"];

/**
 * The policy of a page: scripts only with this answer's nonce and what they load themselves. Styles may stand inline,
 * since editor and grid place their rows by them.
 * @param isDevelopment the framework's own development client evaluates code
 * @param framedBy origins whose pages may show it in a frame
 * @param origins where this server is reached
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
    // A frame that navigates itself is judged by this, too: an app cannot carry data out by an address.
    `frame-src ${framed.length > 0 ? framed.join(" ") : "'none'"}`,
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'self'",
    `frame-ancestors ${framedBy.length > 0 ? framedBy.join(" ") : "'none'"}`,
  ].join("; ");
}

/** The policy of an API answer: it is data, and nothing in it may ever run. */
export const DATA_POLICY = "default-src 'none'; frame-ancestors 'none'; sandbox";
