import "server-only";
import type { Readable } from "node:stream";
import { ReadableStream as WebStream } from "node:stream/web";
import { request } from "undici";
import { AppError } from "@/lib/platform/http/errors";
import { ownTurn } from "@/lib/platform/process/own-turn";
import { sharedState } from "@/lib/platform/process/shared-state";
import type { Purpose } from "./address";
import { toConnectionFailure } from "./failures";
import { sharedAgent } from "./fetch-through";
import { parseWebTarget } from "./host";

/**
 * Reads of answers that one server makes in a second, of all that are open together (F12): what each brings goes through a
 * dozen streams, and at 10,000 a second nothing else is answered. So an answer that is alone is read as it comes, one of
 * fifty ten times a second, one of five hundred twice.
 */
const READS_PER_SECOND = 500;
/** What a reader may wait for words that are there, however many answers there are. */
const HELD_MS_MAX = 500;

/**
 * What a library has to hold until it understands something: a line of a stream, or all of a refusal. Twice what an answer
 * of the agent may hold; one without an end would take all memory.
 */
const HELD_BYTES_MAX = 16 * 1024 * 1024;
const NEW_LINE = 10;

const openAnswers = () => sharedState("net.open-answers", () => ({ count: 0 }));

/**
 * A `fetch` for libraries whose answers are long streams of small pieces, such as the model providers', through the egress
 * door as `fetchThrough`: bytes that come shortly behind each other go on together, the first ones at once. Redirects come
 * back as 3xx; a line that does not end breaks the answer with `too_large`; time is the library's to limit. It takes an
 * address and a text.
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
        // Between two words a model may think; whoever asks has a limit of its own.
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

/** Returns how long an answer's next bytes are held, in ms, by how many answers are open. */
export function heldByOpenAnswers(): number {
  return Math.min(HELD_MS_MAX, (openAnswers().count / READS_PER_SECOND) * 1000);
}

/**
 * What a stream brings, in as few pieces as there is time for. It fills no more than its own buffer meanwhile.
 * @param signal with it the stream counts no longer, whether anybody reads it to its end or not
 * @param heldMs how long to wait between two reads, asked each time
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
    // One read gives all that has come by then.
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
      // Five hundred that have waited equally long would go on in one turn of the loop, and nobody else in between.
      await ownTurn();
    }
  } finally {
    signal?.removeEventListener("abort", close);
    close();
  }
}

/**
 * The same bytes, until there are too many of them to be held.
 * @param isByLine a line at a time is held, else everything
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
    if (held > bytesMax)
      throw new AppError("too_large", "The answer holds more in one piece than can be read. Try again.");
    yield bytes;
  }
}
