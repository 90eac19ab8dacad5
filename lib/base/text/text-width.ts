/* Estimated widths of text in pixels, where nothing can be measured. */

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

/** Returns the estimated width of the widest text, in pixels; 0 without texts. */
export function widestOf(texts: Iterable<string>, size: number): number {
  let widest = 0;
  for (const text of texts) widest = Math.max(widest, widthOf(text, size));
  return widest;
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
