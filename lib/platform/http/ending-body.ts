import { setTimeout as sleep } from "node:timers/promises";

/** Time for a stream that ends normally to send its last message, in ms. */
const LAST_WORD_MS = 250;

/**
 * Returns a response whose body fails when the signal aborts, and that calls `over` once when the body is read,
 * cancelled or cut off. A cut-off answer must not look complete, so the body fails.
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
    // No read-ahead: the body's reader decides the pace.
    { highWaterMark: 0 },
  );
  return new Response(guarded, response);
}
