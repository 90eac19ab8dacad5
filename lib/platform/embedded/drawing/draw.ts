import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { initWasm, Resvg } from "@resvg/resvg-wasm";
import * as vega from "vega";
import { expressionInterpreter } from "vega-interpreter";
import { compile, type TopLevelSpec } from "vega-lite";
import { drawMarkdown } from "./markdown.ts";
import type { PicturePage, PicturePart } from "./messages.ts";
import { toPdf } from "./pdf.ts";

/*
 * Rendering makes no requests: charts load no data, images within an image are omitted, and only the shipped fonts are
 * used.
 */

const require = createRequire(import.meta.url);
/** Font subsets in the order in which they are searched for a character. */
const SUBSETS = ["latin", "latin-ext", "cyrillic", "cyrillic-ext", "vietnamese"];
/**
 * Average character width of the font, in em. Without a canvas to measure with, the library assumes much wider
 * characters.
 */
const CHARACTER_EM = 0.56;
/** Characters that XML cannot contain, not even escaped. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is taken out
const NO_XML = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g;

await initWasm(readFileSync(require.resolve("@resvg/resvg-wasm/index_bg.wasm")));
const fonts = SUBSETS.map((subset) =>
  readFileSync(require.resolve(`@fontsource-variable/geist/files/geist-${subset}-wght-normal.woff2`)),
);
const { textMetrics } = vega as unknown as {
  textMetrics: { width: (item: { fontSize?: number }, text: unknown) => number };
};
textMetrics.width = ({ fontSize = 11 }, text) => String(text ?? "").length * fontSize * CHARACTER_EM;

/** Draws a page as PNG, and as PDF on request. @returns `undrawn` counts the parts that were replaced by text */
export async function drawPage(page: PicturePage, withPdf: boolean) {
  let undrawn = 0;
  const pieces: string[] = [];
  for (const part of page.parts) {
    try {
      pieces.push(await toSvg(part));
    } catch {
      undrawn += 1;
      pieces.push(toWords(part));
    }
  }
  return { ...toFiles(page, pieces, withPdf), undrawn };
}

async function toSvg(part: PicturePart): Promise<string> {
  switch (part.kind) {
    case "svg":
      return part.svg;
    case "chart":
      return toChart(part);
    case "markdown":
      return drawMarkdown(part);
  }
}

async function toChart({ spec, x, y }: Extract<PicturePart, { kind: "chart" }>): Promise<string> {
  const compiled = compile(spec as TopLevelSpec, { logger: vega.logger(vega.None) }).spec;
  const view = new vega.View(vega.parse(compiled, undefined, { ast: true }), {
    expr: expressionInterpreter,
    renderer: "none",
    logLevel: vega.None,
    loader: {
      ...vega.loader(),
      load: () => Promise.reject(new Error("Charts can't load external data.")),
      sanitize: () => Promise.reject(new Error("Charts can't contain links.")),
    },
  });
  try {
    await view.runAsync();
    return `<g transform="translate(${x},${y})">${await view.toSVG()}</g>`;
  } finally {
    view.finalize();
  }
}

function toWords(part: PicturePart): string {
  if (part.kind === "svg") return "";
  const what = part.kind === "chart" ? "chart" : "text";
  return `<text x="${part.x + 4}" y="${part.y + 20}" font-size="12" fill="${part.ink}">Couldn't draw this ${what}.</text>`;
}

function toFiles(page: PicturePage, pieces: readonly string[], withPdf: boolean) {
  const { width, height, scale, background } = page;
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="${width}" height="${height}" font-family="Geist Variable, Geist, sans-serif"><rect width="${width}" height="${height}" fill="${background}"/>${pieces.join("")}</svg>`;
  const resvg = new Resvg(svg.toWellFormed().replace(NO_XML, ""), {
    font: { fontBuffers: fonts, defaultFontFamily: "Geist Variable", sansSerifFamily: "Geist Variable" },
    fitTo: { mode: "zoom", value: scale },
  });
  try {
    const image = resvg.render();
    try {
      const png = image.asPng();
      if (!withPdf) return { png, pdf: null };
      const pixels = { width: image.width, height: image.height, rgba: image.pixels };
      const ends = page.sheets.map((end) => Math.round(end * scale));
      return { png, pdf: toPdf(page.title, pixels, ends) };
    } finally {
      image.free();
    }
  } finally {
    resvg.free();
  }
}
