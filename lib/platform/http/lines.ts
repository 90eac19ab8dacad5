import "server-only";
import { NDJSON } from "@/lib/base/values/ndjson";

/** Says whether a client reads an answer line by line. */
export function acceptsLines(request: Request): boolean {
  return request.headers.get("accept")?.includes(NDJSON) === true;
}

/**
 * Answers with the lines that the work writes, each as JSON, until it ends. The work reports its own failure in a line.
 * @param signal of the request
 * @param work receives a signal that also ends when the client disconnects; lines written later are dropped
 */
export function streamLines<Line>(
  signal: AbortSignal,
  work: (write: (line: Line) => void, signal: AbortSignal) => Promise<void>,
): Response {
  const left = new AbortController();
  const encoder = new TextEncoder();
  let isOpen = true;
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => {
      const write = (line: Line) => {
        if (isOpen) controller.enqueue(encoder.encode(`${JSON.stringify(line)}\n`));
      };
      void work(write, AbortSignal.any([signal, left.signal])).finally(() => {
        if (isOpen) controller.close();
        isOpen = false;
      });
    },
    cancel: () => {
      isOpen = false;
      left.abort();
    },
  });
  // Compression would buffer lines.
  return new Response(body, { headers: { "content-type": NDJSON, "cache-control": "no-store, no-transform" } });
}
