import "server-only";
import { AppError } from "@/lib/platform/http/errors";
import { toAppError } from "@/lib/platform/http/to-app-error";
import { log } from "@/lib/platform/log";
import { HEARTBEAT } from "./pkt-line";

/** Silence after which the client gets a progress message; proxies cut connections that are silent for longer. */
const HEARTBEAT_MS = 5_000;
/** Time after which a client that reads nothing counts as gone and its resources are released, in ms. */
const STALL_MS = 120_000;

/** Waits for work, with a heartbeat every few seconds. Only for protocol phases that allow one. */
export async function* alive<T>(work: Promise<T>, everyMs = HEARTBEAT_MS): AsyncGenerator<Buffer, T> {
  // The reader may have disconnected before it fails.
  work.catch(() => undefined);
  for (;;) {
    let timer: NodeJS.Timeout | undefined;
    const silence = new Promise<null>((resolve) => {
      timer = setTimeout(resolve, everyMs, null);
    });
    const outcome = await Promise.race([work.then((value) => ({ value })), silence]).finally(() => clearTimeout(timer));
    if (outcome) return outcome.value;
    yield HEARTBEAT;
  }
}

/**
 * Streams a response that is generated while it is read, at most one piece ahead. It ends if its reader disconnects or
 * stalls: then `signal` aborts and the generator's clean-up runs.
 */
export function streamed(
  make: (signal: AbortSignal) => AsyncGenerator<Buffer, void>,
  reader: AbortSignal,
): ReadableStream<Uint8Array> {
  const stop = new AbortController();
  const signal = AbortSignal.any([stop.signal, reader]);
  const pieces = make(signal);
  let stall: NodeJS.Timeout | undefined;
  const end = async (reason: unknown) => {
    clearTimeout(stall);
    stop.abort(reason);
    await pieces.return();
  };
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        clearTimeout(stall);
        const { done, value } = await pieces.next();
        if (done) {
          controller.close();
          return;
        }
        controller.enqueue(value);
        stall = setTimeout(() => {
          const error = new Error("The client stopped reading.");
          controller.error(error);
          void end(error);
        }, STALL_MS);
        stall.unref();
      },
      cancel: (reason) => end(reason),
    },
    { highWaterMark: 1 },
  );
}

/**
 * Returns an error message for the client. An unexpected error is logged in full and replaced by one fixed sentence.
 */
export function wordsOf(thrown: unknown, signal: AbortSignal): string {
  if (signal.aborted && !(thrown instanceof AppError)) return "The connection was closed.";
  const error = toAppError(thrown);
  if (error.kind !== "internal") return error.message;
  log.error({ err: thrown }, "git over HTTP failed");
  return "Internal error. Try again in a moment.";
}
