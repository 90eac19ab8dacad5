import { randomBytes } from "node:crypto";
import { type NextRequest, NextResponse } from "next/server";
import { env } from "@/lib/env";
import { commonHeaders, pagePolicy } from "@/lib/http/security-headers";

const NONCE_BYTES = 16;

/**
 * Gives pages their security headers, and does nothing else: who may see what is decided by pages and routes
 * themselves. It never runs for /api, whose bodies it would buffer and cut.
 */
export function proxy(request: NextRequest): NextResponse {
  const nonce = randomBytes(NONCE_BYTES).toString("base64");
  const policy = pagePolicy(nonce, env().NODE_ENV === "development");
  const headers = new Headers(request.headers);
  // The framework reads the nonce for its own scripts from here.
  headers.set("content-security-policy", policy);
  headers.set("x-nonce", nonce);
  const response = NextResponse.next({ request: { headers } });
  response.headers.set("Content-Security-Policy", policy);
  for (const [name, value] of Object.entries(commonHeaders(env().publicUrl))) response.headers.set(name, value);
  return response;
}

export const config = {
  // Nothing is left out by how its name ends: what is not there is answered with a page too.
  matcher: ["/((?!api/|api$|_next/static/|_next/image).*)"],
};
