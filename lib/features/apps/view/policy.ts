import { env } from "@/lib/platform/env";
import { originsOf } from "@/lib/platform/net/origins";
import { FRAME_SANDBOX } from "../words";

/**
 * What every answer below an app's address carries. Whatever a frame without an origin may load needs the answer's leave, and
 * nothing of it reaches further than the app's own address: that is what the policy is for.
 * @param base the path that the app lives below, with a slash at its end
 * @param framedBy sites whose pages may show it besides ours
 */
export function viewHeaders(request: Request, base: string, framedBy: readonly string[] = []): Record<string, string> {
  const origins = originsOf(request.headers, env().publicUrl);
  // Somebody may have made the address up: it must mean nothing in a header.
  const place = base.toWellFormed().split("/").map(encodeURIComponent).join("/");
  return {
    "Access-Control-Allow-Origin": "*",
    "Content-Security-Policy": viewPolicy(origins, place, framedBy),
    "Connection-Allowlist": connectionAllowlist(origins, place),
    "Cross-Origin-Resource-Policy": "cross-origin",
    "Referrer-Policy": "no-referrer",
    "X-DNS-Prefetch-Control": "off",
  };
}

/** The origins are written out: what 'self' is in a sandboxed document differs by browser. */
function viewPolicy(origins: readonly string[], base: string, framedBy: readonly string[]): string {
  const own = origins.map((origin) => `${origin}${base}`).join(" ");
  return [
    `sandbox ${FRAME_SANDBOX}`,
    "default-src 'none'",
    // All script there is the app's: inline costs nothing, and charts compile their expressions.
    `script-src ${own} 'unsafe-inline' 'unsafe-eval' 'wasm-unsafe-eval' blob:`,
    `style-src ${own} 'unsafe-inline'`,
    `img-src ${own} data: blob:`,
    `font-src ${own} data:`,
    `media-src ${own} data: blob:`,
    `connect-src ${own} data: blob:`,
    `worker-src ${own} blob:`,
    `manifest-src ${own}`,
    `form-action ${own}`,
    `base-uri ${own}`,
    "frame-src 'none'",
    "object-src 'none'",
    "webrtc 'block'",
    `frame-ancestors ${[...origins, ...framedBy].join(" ")}`,
  ].join("; ");
}

/**
 * What the policy above cannot say to Chromium: no peer connection, no preconnect and no lookup of a name goes anywhere else. The
 * browser's own process holds it, for the documents and workers that a page makes itself, too.
 */
function connectionAllowlist(origins: readonly string[], base: string): string {
  const patterns = origins.map((origin) => `"${toPattern(origin)}${inPattern(base)}*"`);
  return `(${patterns.join(" ")});redirects=block;webrtc=block`;
}

/** As in a policy, what is named by http is reached by https, too. */
function toPattern(origin: string): string {
  return origin.replace(/^http:/, "http{s}?:").replace(/\[.*\]/, inPattern);
}

/** What would mean something in a pattern means itself; the backslash that says so stands twice in a header's string. */
function inPattern(text: string): string {
  return text.replace(/[:*+?(){}]/g, "\\\\$&");
}
