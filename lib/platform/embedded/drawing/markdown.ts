import { lexer, type Token } from "marked";
import type { PicturePart } from "./messages.ts";
import { round, toText, wrapTo } from "./text.ts";

let clips = 0;

/**
 * Returns a text's blocks as lines of SVG; inline marks become plain words. Omits lines that do not fit into the box.
 */
export function drawMarkdown({ text, x, y: top, width, height, ink, quiet }: MarkdownPart): string {
  const svg: string[] = [];
  let y = top;
  const add = (
    said: string,
    { size, isBold = false, inset = 0 }: { size: number; isBold?: boolean; inset?: number },
  ) => {
    for (const line of wrapTo(said, width - inset, size)) {
      y += size + 6;
      if (y > top + height) return;
      svg.push(toText(line, x + inset, y, { size, fill: isBold ? ink : quiet, isBold }));
    }
  };
  for (const token of lexer(text, { gfm: true })) {
    if (token.type === "space") continue;
    if (token.type === "heading") add(wordsOf(token), { size: token.depth === 1 ? 17 : 14, isBold: true });
    else if (token.type === "list") {
      for (const [at, item] of (token.items as Token[]).entries()) {
        const mark = token.ordered ? `${Number(token.start || 1) + at}.` : "•";
        add(`${mark} ${wordsOf(item)}`, { size: 13, inset: 4 });
      }
    } else add(wordsOf(token), { size: 13 });
    y += 4;
  }
  clips += 1;
  const id = `text-clip-${clips}`;
  const box = `<rect x="${round(x - 2)}" y="${round(top - 4)}" width="${round(width + 4)}" height="${round(height + 12)}"/>`;
  return `<clipPath id="${id}">${box}</clipPath><g clip-path="url(#${id})">${svg.join("")}</g>`;
}

type MarkdownPart = Extract<PicturePart, { kind: "markdown" }>;

function wordsOf(token: Token): string {
  const inner = "tokens" in token && Array.isArray(token.tokens) ? token.tokens : null;
  if (inner) return inner.map(wordsOf).join("");
  if (token.type === "br") return " ";
  return "text" in token && typeof token.text === "string" ? token.text : token.raw;
}
