import "server-only";
import { makeThumbnail } from "@/lib/platform/engines/pictures/thumbnail";
import { serverMember } from "@/lib/platform/process/server-context";

/** Maximum size of a picture for link previews; larger files were made for something else. */
const SOURCE_BYTES_MAX = 5 * 1024 * 1024;
/** Each is at most 300 KB. */
const KEPT_MAX = 30;

/** Returns whether the content is in a format that thumbnails may have, by its first bytes: a name proves nothing. */
function isRaster(content: Buffer): boolean {
  const begins = (hex: string, at = 0) => content.subarray(at, at + hex.length / 2).toString("hex") === hex;
  const isWebp = begins("52494646") && content.subarray(8, 12).toString("latin1") === "WEBP";
  return begins("89504e470d0a1a0a") || begins("ffd8ff") || isWebp;
}

const previews = serverMember("appPreviewPictures", () => new Map());

/**
 * Returns a thumbnail as a JPEG for link previews, without metadata on camera and location. Cached by the id of its
 * content.
 * @returns null if it is not a picture that may be shown
 */
export async function toPreview(oid: string, read: () => Promise<Buffer>): Promise<Buffer | null> {
  const kept = previews();
  const known = kept.get(oid);
  if (known) return known;
  const made = await makePreview(await read());
  if (!made) return null;
  kept.set(oid, made);
  for (const oldest of kept.keys()) {
    if (kept.size <= KEPT_MAX) break;
    kept.delete(oldest);
  }
  return made;
}

/** Creates the picture, bypassing the cache. */
export async function makePreview(source: Buffer): Promise<Buffer | null> {
  return source.length > SOURCE_BYTES_MAX || !isRaster(source) ? null : makeThumbnail(source);
}
