/* Text in an image: estimated widths and line breaks. */

/** Classes of characters by their width in em. An image clips text that is still too long. */
const NARROW = /[iljtfr.,:;|!'"()[\] ]/;
const WIDE = /[mwMW@%]/;
const CAPITAL = /[A-Z0-9&€$£#+=]/;
const FULL = /[\u1100-\u11ff\u2e80-\ua4cf\uac00-\ud7af\uf900-\ufaff\uff00-\uffef\u{1f000}-\u{3ffff}]/u;

/** Returns the estimated width of a text, in pixels. */
export function widthOf(text: string, size: number): number {
  let em = 0;
  for (const character of text) {
    if (NARROW.test(character)) em += 0.3;
    else if (WIDE.test(character)) em += 0.86;
    else if (CAPITAL.test(character)) em += 0.63;
    else em += FULL.test(character) ? 1 : 0.56;
  }
  return em * size;
}

/** Returns the part of a text that fits, with an ellipsis if it was cut. */
export function cutTo(text: string, width: number, size: number): string {
  if (widthOf(text, size) <= width) return text;
  let kept = "";
  for (const character of text) {
    if (widthOf(`${kept}${character}…`, size) > width) break;
    kept += character;
  }
  return `${kept.trimEnd()}…`;
}

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

type TextLook = { size: number; fill: string; isBold?: boolean; isEnd?: boolean };

/** Returns one line of text at its baseline, as SVG. */
export function toText(text: string, x: number, y: number, { size, fill, isBold = false, isEnd = false }: TextLook) {
  // The shipped font has one weight for pictures, so bold text is drawn with an outline in its own colour.
  const edge = isBold ? ` stroke="${fill}" stroke-width="${(size * 0.035).toFixed(2)}"` : "";
  const anchor = isEnd ? ' text-anchor="end"' : "";
  return `<text x="${round(x)}" y="${round(y)}" font-size="${size}" fill="${fill}"${edge}${anchor} xml:space="preserve">${escapeXml(text)}</text>`;
}

export function round(px: number): number {
  return Math.round(px * 100) / 100;
}
