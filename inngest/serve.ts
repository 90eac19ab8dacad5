import "server-only";
import type { InngestFunction } from "inngest";
import { serve } from "inngest/next";
import { env } from "@/lib/platform/env";
import { HeldBody, readBytes } from "@/lib/platform/http/body";
import { CALL_BYTES_MAX } from "@/lib/platform/jobs/limits";
import { isEmbeddedRunner, runnerKeys } from "@/lib/platform/jobs/runner";
import { isSigned, SIGNATURE_HEADER } from "@/lib/platform/jobs/signature";
import { inngest } from "./client";

/** A call with all that a runner may put into it, and its own words around that. */
const BODY_BYTES_MAX = CALL_BYTES_MAX + 64 * 1024;
/**
 * Up to here the SDK decides alone: it reads a body before it judges it. A runner that signs another form of the JSON
 * than it sends, as may happen when it asks for the functions, sends no more.
 */
const UNJUDGED_BYTES_MAX = 16 * 1024;

export type JobsHandler = (request: Request) => Promise<Response>;

/**
 * The endpoint that a job runner calls. Only who signs with the runner's key is heard, whatever the method: nobody else
 * makes us read much, call somewhere or run anything (T102, T103).
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
      // Not before: it asks for keys and addresses, which a build has not.
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
    // The embedded executor calls this server by itself; another runner gets the address that people are told.
    ...(!isEmbeddedRunner() && { serveOrigin: env().publicUrl, servePath: "/api/inngest" }),
  });
  // It takes what older frameworks passed beside the request, too.
  const { GET, POST, PUT } = handle as unknown as Record<"GET" | "POST" | "PUT", JobsHandler>;
  return { GET, POST, PUT };
}

/** The SDK's own words for it. */
function unauthorized(): Response {
  return Response.json({ message: "Unauthorized" }, { status: 401, headers: { "x-inngest-sdk-handled": "true" } });
}

function withBody(request: Request, body: Uint8Array): Request {
  const { method, url, headers, signal } = request;
  const hasBody = method !== "GET" && method !== "HEAD";
  return new Request(url, { method, headers, signal, ...(hasBody && { body: Buffer.from(body) }) });
}
