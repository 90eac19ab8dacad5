/** A piece of a page, in CSS pixels: plain SVG, a Vega-Lite specification with its rows in it, or a text in Markdown. */
export type PicturePart =
  | { kind: "svg"; svg: string }
  | { kind: "chart"; spec: object; x: number; y: number; width: number; height: number; ink: string }
  | { kind: "markdown"; text: string; x: number; y: number; width: number; height: number; ink: string; quiet: string };

/** A page to draw. `sheets` are the lower edges of a PDF's sheets, in CSS pixels. */
export type PicturePage = {
  title: string;
  width: number;
  height: number;
  scale: number;
  background: string;
  sheets: number[];
  parts: PicturePart[];
};

/**
 * The first frame of a request; a frame of JSON for each part follows. The frames are those of `../engine/wire.ts`, and a
 * connection carries one request. The process greets each connection with an empty frame.
 */
export type DrawRequest = Omit<PicturePage, "parts"> & { partCount: number; withPdf: boolean };
/**
 * The first frame of an answer, after the greeting. A frame with the PNG follows, and one with the PDF where `hasPdf` says so. `undrawn` counts
 * the parts that could not be drawn; words take their place.
 */
export type DrawAnswer = { undrawn: number; hasPdf: boolean } | { error: string };

const MIB = 1024 * 1024;

/** Sixty charts of 5,000 rows are 30 MiB as JSON. */
export const PART_BYTES_MAX = 64 * MIB;
export const PAGE_BYTES_MAX = 128 * MIB;
/** A page of noise at its full height is 60 MB of pixels. */
export const FILE_BYTES_MAX = 128 * MIB;

const LENGTH_BYTES = 4;

/** Returns the bytes as one frame of the wire. */
export function toFrame(bytes: Uint8Array): Buffer {
  const frame = Buffer.allocUnsafe(LENGTH_BYTES + bytes.length);
  frame.writeUInt32LE(bytes.length, 0);
  frame.set(bytes, LENGTH_BYTES);
  return frame;
}
