import "server-only";
import type { InngestFunction } from "inngest";
import { serve } from "inngest/next";
import { env } from "@/lib/platform/env";
import { HeldBody, readBytes } from "@/lib/platform/http/body";
import { CALL_BYTES_MAX } from "@/lib/platform/jobs/limits";
import { isEmbeddedRunner, runnerKeys } from "@/lib/platform/jobs/runner";
import { isSigned, SIGNATURE_HEADER } from "@/lib/platform/jobs/signature";
import { inngest } from "./client";

/** Maximum body: a call with everything that a runner may add, and its envelope. */
const BODY_BYTES_MAX = CALL_BYTES_MAX + 64 * 1024;
/**
 * Largest body that reaches the SDK although its signature does not match here, in bytes: the SDK reads a body before
 * it verifies it. A runner that signs another form of the JSON than it sends, such as when it requests the functions,
 * sends no more than this.
 */
const UNJUDGED_BYTES_MAX = 16 * 1024;

export type JobsHandler = (request: Request) => Promise<Response>;

/**
 * Returns the endpoint that a job runner calls. Every method requires the runner's signature. Unsigned callers cannot
 * make the server read much, send requests or run anything (T102, T103).
 */
export function serveFunctions(functions: readonly InngestFunction.Any[]): JobsHandler {
  let methods: Record<string, JobsHandler> | undefined;
  return async (request) => {
    const signature = request.headers.get(SIGNATURE_HEADER);
    if (signature === null) return unauthorized();
    const held = new HeldBody();
    try {
      const body = await readBytes(request, BODY_BYTES_MAX, held);
      const { signingKey, signingKeyFallback } = runnerKeys();
      const keys = signingKeyFallback === null ? [signingKey] : [signingKey, signingKeyFallback];
      if (body.byteLength > UNJUDGED_BYTES_MAX && !isSigned(body, signature, keys)) return unauthorized();
      // Created late: it needs keys and addresses, which a build does not have.
      methods ??= methodsOf(functions);
      const method = methods[request.method === "HEAD" ? "GET" : request.method];
      return method ? await method(withBody(request, body)) : unauthorized();
    } finally {
      held.release();
    }
  };
}

function methodsOf(functions: readonly InngestFunction.Any[]): Record<string, JobsHandler> {
  const handle = serve({
    client: inngest,
    functions,
    enableUnauthedSync: false,
    streaming: false,
    // The embedded executor reaches this server without an address; another runner gets the public one.
    ...(!isEmbeddedRunner() && { serveOrigin: env().publicUrl, servePath: "/api/inngest" }),
  });
  // It also accepts the additional arguments of older frameworks.
  const { GET, POST, PUT } = handle as unknown as Record<"GET" | "POST" | "PUT", JobsHandler>;
  return { GET, POST, PUT };
}

/** Returns the SDK's response for it. */
function unauthorized(): Response {
  return Response.json({ message: "Unauthorized" }, { status: 401, headers: { "x-inngest-sdk-handled": "true" } });
}

function withBody(request: Request, body: Uint8Array): Request {
  const { method, url, headers, signal } = request;
  const hasBody = method !== "GET" && method !== "HEAD";
  return new Request(url, { method, headers, signal, ...(hasBody && { body: Buffer.from(body) }) });
}
