import { NDJSON } from "@/lib/base/values/ndjson";
import { lastOutage, reportReachable, reportUnreachable } from "@/lib/platform/browser/connectivity";
import type { FilteredRequest } from "@/lib/platform/browser/filtered";
import { ApiError, parseEnvelope, refuseDotNames, toApiError } from "@/lib/platform/browser/request";

/**
 * Sends a request and yields the lines of its answer as they arrive. A server that answers all at once is accepted if
 * `fromWhole` says which lines that is.
 * @throws ApiError when the request is refused or the server can't be reached
 */
export async function* readLines<Line>(
  { url, method, ...rest }: FilteredRequest,
  { signal, fromWhole }: { signal?: AbortSignal | undefined; fromWhole?: (data: unknown) => Line[] },
): AsyncGenerator<Line, void> {
  refuseDotNames(url);
  const sentAfter = lastOutage();
  try {
    const response = await fetch(url, {
      method,
      headers: {
        accept: fromWhole ? `${NDJSON}, application/json` : NDJSON,
        ...("body" in rest && { "content-type": "application/json" }),
      },
      ...("body" in rest && { body: JSON.stringify(rest.body) }),
      cache: "no-store",
      ...(signal && { signal }),
    });
    if (!response.ok || response.body === null || !response.headers.get("content-type")?.startsWith(NDJSON)) {
      const answer = parseEnvelope(await response.text());
      if (answer !== null) reportReachable(sentAfter);
      if (!response.ok || answer?.success !== true || !fromWhole) {
        throw toApiError(response.status, response.headers.get("retry-after"), answer);
      }
      yield* fromWhole(answer.data);
      return;
    }
    reportReachable(sentAfter);
    const decoder = new TextDecoder();
    let unfinished = "";
    for await (const bytes of chunksOf(response.body)) {
      const lines = (unfinished + decoder.decode(bytes, { stream: true })).split("\n");
      unfinished = lines.pop() ?? "";
      for (const line of lines) yield JSON.parse(line) as Line;
    }
  } catch (cause) {
    if (signal?.aborted || cause instanceof ApiError) throw cause;
    reportUnreachable();
    throw ApiError.unreachable();
  }
}

/** Returns the error of lines that ended before the one that says so. */
export function linesCut(): ApiError {
  return new ApiError(0, "cut", "The response was interrupted. Try again.");
}

/** Not every browser iterates over a stream. */
async function* chunksOf(body: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array, void> {
  const reader = body.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } finally {
    // After an error this has no effect; after an early end it ends the request.
    await reader.cancel().catch(() => {});
  }
}
