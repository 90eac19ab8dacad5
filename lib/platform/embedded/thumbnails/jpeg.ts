import sharp from "sharp";

/** Maximum width of link previews (docs/develop/api.md, Shares). */
const WIDTH_MAX = 1200;
const HEIGHT_MAX = 1200;
const BYTES_MAX = 300 * 1000;
/** Maximum number of pixels. With the library's own limit, a PNG of 600 KB may take 690 MB. */
const PIXELS_MAX = 40_000_000;
const TIMEOUT_SECONDS = 10;
/** Qualities to try in turn until the file fits; then the image is scaled down. */
const QUALITIES = [82, 70, 55, 40];
const WIDTHS = [WIDTH_MAX, 900, 600];

// Blocks all other loaders, regardless of the first bytes of a file (T97).
sharp.block({ operation: ["VipsForeignLoad"] });
sharp.unblock({ operation: ["VipsForeignLoadJpegBuffer", "VipsForeignLoadPngBuffer", "VipsForeignLoadWebpBuffer"] });
sharp.cache(false);
sharp.concurrency(1);

/** Returns an image as JPEG without metadata; null for one that cannot be decoded or does not fit. */
export async function toJpeg(source: Uint8Array): Promise<Buffer | null> {
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
  } catch {
    return null;
  }
}
