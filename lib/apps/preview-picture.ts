import "server-only";
import type Sharp from "sharp";
import { log } from "@/lib/log";
import { sharedState } from "@/lib/process/shared-state";

/** What link previews show at the most (docs/api.md, Shares). */
const WIDTH_MAX = 1200;
/** A strip of any length is none that somebody shows. */
const HEIGHT_MAX = 1200;
const BYTES_MAX = 300 * 1000;
/** A picture for previews; what is larger was made for something else. */
const SOURCE_BYTES_MAX = 5 * 1024 * 1024;
/** The library's own limit lets 600 KB of PNG take 690 MB. */
const PIXELS_MAX = 40_000_000;
const TIMEOUT_SECONDS = 10;
/** Tried in turn until it fits; then the picture is made smaller. */
const QUALITIES = [82, 70, 55, 40];
const WIDTHS = [WIDTH_MAX, 900, 600];
/** Each is 300 KB at the most. */
const KEPT_MAX = 30;

/** The formats that thumbnails may have, by how their files begin: a name says nothing. */
function isRaster(content: Buffer): boolean {
  const begins = (hex: string, at = 0) => content.subarray(at, at + hex.length / 2).toString("hex") === hex;
  const isWebp = begins("52494646") && content.subarray(8, 12).toString("latin1") === "WEBP";
  return begins("89504e470d0a1a0a") || begins("ffd8ff") || isWebp;
}

/** Loaded by the first picture: a server that shows none does without its memory. */
function library(): Promise<typeof Sharp> {
  return sharedState("apps.sharp", () => ({ loaded: load() })).loaded;
}

async function load(): Promise<typeof Sharp> {
  const { default: sharp } = await import("sharp");
  // No other loader may ever see a file, whatever it begins with (T97).
  sharp.block({ operation: ["VipsForeignLoad"] });
  sharp.unblock({
    operation: ["VipsForeignLoadJpegBuffer", "VipsForeignLoadPngBuffer", "VipsForeignLoadWebpBuffer"],
  });
  sharp.cache(false);
  sharp.concurrency(1);
  return sharp;
}

/**
 * A thumbnail as a JPEG for link previews, without whatever it says of camera and place. Kept by its content's id.
 * @returns null for what is no picture that may be shown
 */
export async function toPreview(oid: string, read: () => Promise<Buffer>): Promise<Buffer | null> {
  const kept = sharedState("apps.previews", () => new Map<string, Buffer>());
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

/** The same, made anew. */
export async function makePreview(source: Buffer): Promise<Buffer | null> {
  if (source.length > SOURCE_BYTES_MAX || !isRaster(source)) return null;
  const sharp = await library();
  try {
    for (const width of WIDTHS) {
      const { data, info } = await sharp(source, { limitInputPixels: PIXELS_MAX, pages: 1, sequentialRead: true })
        .timeout({ seconds: TIMEOUT_SECONDS })
        .autoOrient()
        .resize({ width, height: HEIGHT_MAX, fit: "inside", withoutEnlargement: true })
        .flatten({ background: "#ffffff" })
        .toColourspace("srgb")
        .raw()
        .toBuffer({ resolveWithObject: true });
      const { width: w, height: h, channels } = info;
      for (const quality of QUALITIES) {
        const jpeg = await sharp(data, { raw: { width: w, height: h, channels } })
          .jpeg({ quality, mozjpeg: true })
          .toBuffer();
        if (jpeg.length <= BYTES_MAX) return jpeg;
      }
    }
    return null;
  } catch (err) {
    log.info({ err }, "a thumbnail is no picture that could be shown");
    return null;
  }
}
