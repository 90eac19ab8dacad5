import { env } from "@/lib/platform/env";
import { originsOf } from "@/lib/platform/net/origins";
import { FRAME_SANDBOX } from "../words";

/**
 * Returns the headers of every response below an app's address. A frame with an opaque origin may load only what the
 * policy allows, and the policy allows nothing outside the app's address.
 * @param base path of the app, with a trailing slash
 * @param framedBy sites besides ours whose pages may embed it
 */
export function viewHeaders(request: Request, base: string, framedBy: readonly string[] = []): Record<string, string> {
  const origins = originsOf(request.headers, env().publicUrl);
  // The address may be forged: encoded, it cannot inject anything into a header.
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

/** Returns the CSP. Origins are listed explicitly: browsers differ on 'self' in a sandboxed document. */
function viewPolicy(origins: readonly string[], base: string, framedBy: readonly string[]): string {
  const own = origins.map((origin) => `${origin}${base}`).join(" ");
  return [
    `sandbox ${FRAME_SANDBOX}`,
    "default-src 'none'",
    // All scripts are the app's: inline ones add no risk, and charts compile their expressions.
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
    `frame-ancestors ${[...origins, ...framedBy].join(" ")}`,
  ].join("; ");
}

/**
 * Returns the restrictions that CSP lacks in Chromium: no peer connection, preconnect or DNS lookup elsewhere. The
 * browser process enforces them, also for documents and workers that a page creates.
 */
function connectionAllowlist(origins: readonly string[], base: string): string {
  const patterns = origins.map((origin) => `"${toPattern(origin)}${inPattern(base)}*"`);
  return `(${patterns.join(" ")});redirects=block;webrtc=block`;
}

/** Returns a pattern of an origin. As in a CSP, an http source also matches https. */
function toPattern(origin: string): string {
  return origin.replace(/^http:/, "http{s}?:").replace(/\[.*\]/, inPattern);
}

/** Escapes a pattern's special characters; the backslash is doubled inside a header's string. */
function inPattern(text: string): string {
  return text.replace(/[:*+?(){}]/g, "\\\\$&");
}
