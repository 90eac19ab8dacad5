import "server-only";
import type { Readable } from "node:stream";
import { ReadableStream as WebStream } from "node:stream/web";
import { request } from "undici";
import { AppError } from "@/lib/platform/http/errors";
import { serverMember } from "@/lib/platform/process/server-context";
import { yieldToEventLoop } from "@/lib/platform/process/yield-to-event-loop";
import type { Purpose } from "./address";
import { toConnectionFailure } from "./failures";
import { sharedAgent } from "./fetch-through";
import { parseWebTarget } from "./host";

/**
 * Reads per second that one server spends on all open responses together (F12). Each read passes through a dozen
 * streams, and at 10,000 a second nothing else is served. A single response is therefore read as it arrives, one of
 * fifty 10 times per second, one of five hundred twice.
 */
const READS_PER_SECOND = 500;
/** Maximum time that received bytes may be held back, in ms, regardless of the number of open responses. */
const HELD_MS_MAX = 500;

/**
 * Maximum bytes that a library has to buffer before it can parse them: a line of a stream, or a whole error response.
 * Twice the size limit of an agent's answer. Without a limit, an endless line would use up the memory.
 */
const HELD_BYTES_MAX = 16 * 1024 * 1024;
const NEW_LINE = 10;

const openAnswers = serverMember("openAnswers", () => ({ count: 0 }));

/**
 * Returns a `fetch` for libraries whose responses are long streams of small pieces, such as the model providers'. It
 * uses the egress proxy as `fetchThrough` does. Bytes that arrive in quick succession are passed on together, the first
 * ones at once. Redirects are returned as 3xx. An endless line fails the response with `too_large`. The library limits
 * the time. It takes an address and a text body.
 */
export function streamThrough(purpose: Purpose): typeof fetch {
  const agent = sharedAgent(purpose);
  const guarded = async (address: string | URL, init: RequestInit = {}): Promise<Response> => {
    const { url } = parseWebTarget(String(address));
    const { method = "GET", body, signal } = init;
    try {
      const answer = await request(url, {
        method: method as "GET" | "POST",
        headers: Object.fromEntries(new Headers(init.headers)),
        body: body as string | undefined,
        signal,
        dispatcher: agent,
        // A model may pause between two words; the caller has its own time limit.
        bodyTimeout: 0,
        headersTimeout: 0,
      });
      const headers = new Headers();
      for (const [name, value] of Object.entries(answer.headers)) headers.set(name, String(value));
      const isStream = answer.statusCode === 200;
      const pieces = within(HELD_BYTES_MAX, paced(answer.body, signal), isStream);
      const stream = WebStream.from(pieces) as unknown as ReadableStream;
      return new Response(stream, { status: answer.statusCode, headers });
    } catch (error) {
      if (signal?.aborted) throw error;
      throw toConnectionFailure(error);
    }
  };
  return guarded as typeof fetch;
}

/** Returns how long a response's next bytes are held back, in ms, depending on the number of open responses. */
export function heldByOpenAnswers(): number {
  return Math.min(HELD_MS_MAX, (openAnswers().count / READS_PER_SECOND) * 1000);
}

/**
 * Yields a stream's bytes in as few pieces as the pace allows. During a wait, only the stream's own buffer fills.
 * @param signal ends the stream's share of the pace, even when it is not read to its end
 * @param heldMs returns the time to wait between two reads, in ms; called before each wait
 */
export async function* paced(
  source: Readable,
  signal: AbortSignal | null | undefined,
  heldMs: () => number = heldByOpenAnswers,
): AsyncGenerator<Uint8Array> {
  let isOpen = true;
  let endHold = () => {};
  const close = () => {
    if (isOpen) openAnswers().count -= 1;
    isOpen = false;
    endHold();
  };
  openAnswers().count += 1;
  signal?.addEventListener("abort", close, { once: true });
  try {
    // One read returns all bytes that have arrived.
    for await (const bytes of source as AsyncIterable<Uint8Array>) {
      const nextAt = performance.now() + heldMs();
      yield bytes;
      const left = nextAt - performance.now();
      if (left <= 0 || !isOpen) continue;
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, left);
        endHold = () => {
          clearTimeout(timer);
          resolve();
        };
      });
      // Five hundred streams with equal waits would all continue in one turn of the event loop and block everything
      // else.
      await yieldToEventLoop();
    }
  } finally {
    signal?.removeEventListener("abort", close);
    close();
  }
}

/**
 * Passes bytes through until more than `bytesMax` of them would have to be buffered.
 * @param isByLine whether one line is buffered at a time; otherwise everything is
 * @throws AppError `too_large`
 */
export async function* within(
  bytesMax: number,
  source: AsyncIterable<Uint8Array>,
  isByLine: boolean,
): AsyncGenerator<Uint8Array> {
  let held = 0;
  for await (const bytes of source) {
    const lineAt = isByLine ? bytes.lastIndexOf(NEW_LINE) : -1;
    held = lineAt < 0 ? held + bytes.length : bytes.length - lineAt - 1;
    if (held > bytesMax) throw new AppError("too_large", "The response contains a chunk that is too large.");
    yield bytes;
  }
}
