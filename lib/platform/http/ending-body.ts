import { setTimeout as sleep } from "node:timers/promises";

/** A stream that ends by itself, with a last word to its reader, has so long for it. */
const LAST_WORD_MS = 250;

/**
 * Returns a response whose body breaks off when the signal aborts, and that calls `over` once when the body is read, left or
 * broken off. The rows of an answer that is cut must not look whole, so the body fails.
 */
export function endingWith(response: Response, signal: AbortSignal, over: () => void): Response {
  const { body } = response;
  if (!body) {
    over();
    return new Response(null, response);
  }
  const reader = body.getReader();
  let isOver = false;
  let onAbort = () => {};
  const finish = () => {
    if (isOver) return;
    isOver = true;
    signal.removeEventListener("abort", onAbort);
    over();
  };
  const guarded = new ReadableStream<Uint8Array>(
    {
      start(controller) {
        onAbort = () => {
          void sleep(LAST_WORD_MS, undefined, { ref: false }).then(() => {
            if (isOver) return;
            controller.error(signal.reason);
            reader.cancel(signal.reason).catch(() => {});
            finish();
          });
        };
        if (signal.aborted) onAbort();
        else signal.addEventListener("abort", onAbort, { once: true });
      },
      async pull(controller) {
        try {
          const { done, value } = await reader.read();
          if (isOver) return;
          if (!done) return controller.enqueue(value);
          finish();
          controller.close();
        } catch (error) {
          if (isOver) return;
          finish();
          controller.error(error);
        }
      },
      cancel(reason) {
        finish();
        return reader.cancel(reason);
      },
    },
    // Nothing is read ahead: the body's own reader decides the pace.
    { highWaterMark: 0 },
  );
  return new Response(guarded, response);
}
