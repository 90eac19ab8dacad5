import "server-only";
import { readJson, toJsonBytes } from "@/lib/platform/embedded/drawing/frames";
import {
  type DrawAnswer,
  type DrawRequest,
  PAGE_BYTES_MAX,
  PART_BYTES_MAX,
  type PicturePage,
} from "@/lib/platform/embedded/drawing/messages";
import { AppError } from "@/lib/platform/http/errors";
import { log } from "@/lib/platform/log";
import { askPictureProcess, PictureProcessEnded } from "./process";

/**
 * Time limit of a page, in ms. A full page takes two to three seconds, and ten times that on a busy machine. No one
 * waits longer for a specification.
 */
const TIMEOUT_MS = 60_000;

/** `undrawn` counts the parts that are replaced by a message. */
export type Picture = { png: Buffer; pdf: Buffer | null; undrawn: number };

/**
 * Draws a page as PNG, one page after another, in a child process with limits on memory and time.
 * @param withPdf whether to draw the page as PDF as well
 * @param timeoutMs limit for the page itself; waiting for other pages does not count
 * @throws AppError `too_large` for a page that takes too much time or memory; `unavailable` as `askPictureProcess`
 */
export async function drawPage(page: PicturePage, withPdf = false, timeoutMs = TIMEOUT_MS): Promise<Picture> {
  try {
    const frameCount = page.parts.length + 1;
    const answer = await askPictureProcess("drawing", { frames: framesOf(page, withPdf), frameCount, timeoutMs });
    const [head, png, pdf = null] = answer;
    if (!head || !png) throw new PictureProcessEnded("The response has no image.");
    return { png, pdf, undrawn: readJson<DrawAnswer>(head).undrawn };
  } catch (error) {
    if (!(error instanceof PictureProcessEnded)) throw error;
    log.warn({ err: error }, "a page crashed the process that draws it");
    throw tooLarge(error);
  }
}

/** Yields a frame for each part: serialising a whole page would delay other requests for a fraction of a second. */
function* framesOf({ parts, ...page }: PicturePage, withPdf: boolean): Generator<Buffer> {
  yield toJsonBytes({ ...page, withPdf } satisfies DrawRequest);
  let bytes = 0;
  for (const part of parts) {
    const frame = toJsonBytes(part);
    bytes += frame.length;
    if (frame.length > PART_BYTES_MAX || bytes > PAGE_BYTES_MAX) throw tooLarge(new Error(`A page of ${bytes} bytes.`));
    yield frame;
  }
}

function tooLarge(cause: unknown): AppError {
  return new AppError("too_large", "The image needs too much memory or time. Simplify the charts.", { cause });
}
