import "server-only";
import { createHash, timingSafeEqual } from "node:crypto";
import { env } from "@/lib/platform/env";
import { isProxied, remoteAddress } from "@/lib/platform/http/remote-address";
import { commonHeaders } from "@/lib/platform/http/security-headers";
import { metrics } from "@/lib/platform/metrics/metrics";
import { isLoopback } from "@/lib/platform/net/exposure";

/**
 * Answers Prometheus in its text format: with METRICS_TOKEN, to requests with it as a bearer token; without it, to this
 * machine alone. All others get a 404.
 */
export async function serveMetrics(request: Request): Promise<Response> {
  if (request.method !== "GET" && request.method !== "HEAD") {
    return answer("Use GET.\n", 405, { Allow: "GET, HEAD" });
  }
  const { METRICS_TOKEN } = env();
  if (METRICS_TOKEN !== undefined) {
    if (!hasToken(request.headers, METRICS_TOKEN)) {
      return answer("Send METRICS_TOKEN as a bearer token.\n", 401, { "WWW-Authenticate": "Bearer" });
    }
  } else if (!isLocal(request.headers)) return answer("Not found.\n", 404);
  const { registry } = metrics();
  const text = request.method === "HEAD" ? null : await registry.metrics();
  return answer(text, 200, { "Content-Type": registry.contentType });
}

function hasToken(headers: Headers, token: string): boolean {
  const given = /^Bearer (.+)$/i.exec(headers.get("authorization") ?? "")?.[1] ?? "";
  return timingSafeEqual(digest(given), digest(token));
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}

function isLocal(headers: Headers): boolean {
  return !isProxied(headers) && isLoopback(remoteAddress(headers, 0) ?? undefined);
}

function answer(body: string | null, status: number, headers: Record<string, string> = {}): Response {
  return new Response(body, {
    status,
    headers: {
      "Content-Type": "text/plain; charset=utf-8",
      "Cache-Control": "no-store",
      ...commonHeaders(env().publicUrl),
      ...headers,
    },
  });
}
