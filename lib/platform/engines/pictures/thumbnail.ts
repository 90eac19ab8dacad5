import "server-only";
import { log } from "@/lib/platform/log";
import { askPictureProcess, PictureProcessEnded } from "./process";

/** The decoders have 10 s for each of three sizes. */
const TIMEOUT_MS = 40_000;

/**
 * Creates a JPEG of an image for link previews, in a child process.
 * @returns null for an image that cannot be shown
 * @throws AppError `unavailable` as `askPictureProcess`
 */
export async function makeThumbnail(source: Buffer): Promise<Buffer | null> {
  try {
    const request = { frames: [source], frameCount: 1, timeoutMs: TIMEOUT_MS };
    const [jpeg = null] = await askPictureProcess("thumbnails", request);
    return jpeg;
  } catch (error) {
    if (!(error instanceof PictureProcessEnded)) throw error;
    log.warn({ err: error }, "an image crashed the process that decodes it");
    return null;
  }
}
