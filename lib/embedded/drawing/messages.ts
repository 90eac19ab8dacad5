/** A piece of a page, in CSS pixels: plain SVG, or a Vega-Lite specification with its rows in it. */
export type PicturePart =
  | { kind: "svg"; svg: string }
  | { kind: "chart"; spec: object; x: number; y: number; width: number; height: number; ink: string };

/** A page that is to become a picture. `sheets` says where those of a PDF end, in CSS pixels. */
export type PicturePage = {
  title: string;
  width: number;
  height: number;
  scale: number;
  background: string;
  sheets: number[];
  parts: PicturePart[];
};

export type DrawRequest = { id: number; page: PicturePage; withPdf: boolean };
/** `undrawn` counts the charts whose specification could not be drawn; words stand in their place. */
export type DrawAnswer =
  | { id: number; png: Uint8Array; pdf: Uint8Array | null; undrawn: number }
  | { id: number; error: string };
