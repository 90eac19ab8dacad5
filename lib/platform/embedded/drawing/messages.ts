/** A part of a page, in CSS pixels: plain SVG, a Vega-Lite specification with its rows, or Markdown text. */
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

/** The first frame of a request to draw a page. A frame of JSON for each part follows. */
export type DrawRequest = Omit<PicturePage, "parts"> & { withPdf: boolean };
/**
 * The first frame of the answer. The PNG follows, and the PDF on request. `undrawn` counts the parts that could not be
 * drawn and were replaced by text.
 */
export type DrawAnswer = { undrawn: number };

const MIB = 1024 * 1024;

/** Maximum size of a part. Sixty charts of 5,000 rows are 30 MiB as JSON. */
export const PART_BYTES_MAX = 64 * MIB;
export const PAGE_BYTES_MAX = 128 * MIB;
