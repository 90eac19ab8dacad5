/* Text in an image: line breaks and elements. */

import { px } from "../../../base/charts/shapes.ts";
import { cutTo, widthOf } from "../../../base/text/text-width.ts";

export { cutTo, px as round, widthOf };

/** Breaks a text into lines between words. A word that is wider than a line is cut. */
export function wrapTo(text: string, width: number, size: number): string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(/\s+/).filter((each) => each !== "")) {
    const longer = line === "" ? word : `${line} ${word}`;
    if (line !== "" && widthOf(longer, size) > width) {
      lines.push(cutTo(line, width, size));
      line = word;
    } else line = longer;
  }
  return line === "" ? lines : [...lines, cutTo(line, width, size)];
}

/** Escapes text for SVG content and attributes. */
export function escapeXml(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;")
    .replaceAll("'", "&#39;");
}

type TextLook = { size: number; fill: string; isBold?: boolean; anchor?: "middle" | "end" };

/** Returns one line of text at its baseline, as SVG. */
export function toText(text: string, x: number, y: number, { size, fill, isBold = false, anchor }: TextLook) {
  // The shipped font has one weight for pictures, so bold text is drawn with an outline in its own colour.
  const edge = isBold ? ` stroke="${fill}" stroke-width="${(size * 0.035).toFixed(2)}"` : "";
  const place = anchor === undefined ? "" : ` text-anchor="${anchor}"`;
  return `<text x="${px(x)}" y="${px(y)}" font-size="${size}" fill="${fill}"${edge}${place} xml:space="preserve">${escapeXml(text)}</text>`;
}
