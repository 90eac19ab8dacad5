import { randomBytes } from "node:crypto";
import { type NextRequest, NextResponse } from "next/server";
import { sitesThatFrame } from "@/lib/features/shares/frames";
import { admitVisitor } from "@/lib/features/shares/visits";
import { env } from "@/lib/platform/env";
import { AppError } from "@/lib/platform/http/errors";
import { commonHeaders, pagePolicy } from "@/lib/platform/http/security-headers";
import { originsOf } from "@/lib/platform/net/origins";

const NONCE_BYTES = 16;

const SHARED = /^\/share(?:\/|$)/;

/**
 * Gives pages their security headers, and lets no address ask for shared pages without end. Who may see what is decided by
 * pages and routes themselves. It never runs for /api and /git, whose bodies it would buffer and cut.
 */
export async function proxy(request: NextRequest): Promise<NextResponse> {
  const { pathname } = request.nextUrl;
  if (SHARED.test(pathname)) {
    try {
      await admitVisitor(request.headers);
    } catch (error) {
      if (error instanceof AppError) return withHeaders(refuse(error), toPolicy());
      throw error;
    }
  }
  const nonce = randomBytes(NONCE_BYTES).toString("base64");
  const policy = toPolicy(nonce, {
    framedBy: await sitesThatFrame(pathname),
    origins: originsOf(request.headers, env().publicUrl),
  });
  const headers = new Headers(request.headers);
  // The framework reads the nonce for its own scripts from here.
  headers.set("content-security-policy", policy);
  headers.set("x-nonce", nonce);
  return withHeaders(NextResponse.next({ request: { headers } }), policy);
}

/** A page of plain text: a styled one would cost the work that it saves. */
function refuse({ message, status, retryAfterSeconds = 1 }: AppError): NextResponse {
  return new NextResponse(message, {
    status,
    headers: {
      "Content-Type": "text/plain; charset=utf-8",
      "Cache-Control": "no-store",
      "Retry-After": String(retryAfterSeconds),
    },
  });
}

function toPolicy(
  nonce = randomBytes(NONCE_BYTES).toString("base64"),
  sides: Parameters<typeof pagePolicy>[2] = {},
): string {
  return pagePolicy(nonce, env().NODE_ENV === "development", sides);
}

function withHeaders(response: NextResponse, policy: string): NextResponse {
  response.headers.set("Content-Security-Policy", policy);
  for (const [name, value] of Object.entries(commonHeaders(env().publicUrl))) response.headers.set(name, value);
  return response;
}

export const config = {
  // No path is excluded by its extension: a missing file is answered with a page as well.
  matcher: ["/((?!api/|api$|git/|_next/static/|_next/image).*)"],
};
