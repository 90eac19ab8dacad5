import type { CellLook } from "@/lib/base/values/cell-look";
import type { Comparison, Grain } from "@/lib/features/results/crossfilter/words";
import type { PicturePart } from "@/lib/platform/embedded/drawing/messages";
import { round, toText, wrapTo } from "@/lib/platform/embedded/drawing/text";
import type { Paint } from "./paint";

/** Time grain and comparison of the page. */
export type PagePeriod = { grain?: Grain | undefined; compare?: Comparison | undefined };
/** The area of a widget's content, in pixels of the picture. */
export type Box = { x: number; y: number; width: number; height: number };
/** Parts of the picture, and the same in words. */
export type Drawn = { parts: PicturePart[]; words: string[] };
/** The reader's formats, the page's period, and the colours. */
export type How = { look: CellLook; period: PagePeriod; paint: Paint };

export function drawWords(text: string, body: Box, fill: string): Drawn {
  const lines = wrapTo(text, body.width, 12);
  const svg = lines.map((line, at) => toText(line, body.x, body.y + 14 + at * 17, { size: 12, fill })).join("");
  return { parts: clip(body, svg), words: [text] };
}

let clips = 0;

/** Clips content that exceeds its box, since text widths are estimates. */
export function clip({ x, y, width, height }: Box, svg: string): PicturePart[] {
  clips = (clips + 1) % 1_000_000;
  const id = `clip-${clips}`;
  const box = `<rect x="${round(x - 2)}" y="${round(y - 4)}" width="${round(width + 4)}" height="${round(height + 12)}"/>`;
  return [{ kind: "svg", svg: `<clipPath id="${id}">${box}</clipPath><g clip-path="url(#${id})">${svg}</g>` }];
}
