import "server-only";
import { AppError } from "@/lib/platform/http/errors";
import { log } from "@/lib/platform/log";
import { HEARTBEAT } from "./pkt-line";

/** Silence after which a client is told that work goes on; proxies cut connections that say nothing for longer. */
const HEARTBEAT_MS = 5_000;
/** A client that takes nothing for this long has gone to sleep, and what it holds here is given back. */
const STALL_MS = 120_000;

/** Waits for work, with a sign of life every few seconds. Only for where the protocol has room for one. */
export async function* alive<T>(work: Promise<T>, everyMs = HEARTBEAT_MS): AsyncGenerator<Buffer, T> {
  // Whoever reads may have left by the time it fails.
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
 * An answer that is made while it is read, no more than a piece ahead. It ends when its reader leaves, or takes nothing
 * for long: then `signal` aborts and the maker's clean-up runs.
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
          const error = new Error("Nobody reads the answer.");
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

/** What a person is told of a failure; what nobody expected is logged whole and told in one fixed sentence. */
export function wordsOf(thrown: unknown, signal: AbortSignal): string {
  if (thrown instanceof AppError) {
    if (thrown.kind !== "internal") return thrown.message;
  } else if (signal.aborted) return "The connection was closed.";
  log.error({ err: thrown }, "git over HTTP failed");
  return "Something went wrong on our side. Try again in a moment.";
}
