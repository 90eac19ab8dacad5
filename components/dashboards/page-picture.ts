import { toBlob } from "html-to-image";
import { saveFile } from "@/lib/platform/browser/save-file";

/** Scale that is sharp on any screen and in print. */
const SCALE = 2;
/** Maximum canvas side that browsers draw, in pixels: a longer page gets a lower resolution. */
const SIDE_MAX = 16_000;
/** Selector of controls, which have no meaning in a picture. */
const LEFT_OUT = ".btn, .widget-more, .filter-clear, .dashboard-said";

/** Saves the whole dashboard in its current state as a picture. @throws when the browser cannot draw it */
export async function savePageAs(title: string, page: HTMLElement): Promise<void> {
  const { scrollWidth: width, scrollHeight: height } = page;
  const blob = await toBlob(page, {
    width,
    height,
    pixelRatio: Math.min(SCALE, SIDE_MAX / Math.max(width, height)),
    backgroundColor: getComputedStyle(document.documentElement).getPropertyValue("--surface-frame"),
    // Its own font lookup inserts an element that the page's content security policy blocks.
    fontEmbedCSS: `${await toFontStyles()}\n* { scrollbar-width: none !important; }`,
    filter: (node) => !(node instanceof Element && node.matches(LEFT_OUT)),
  });
  if (blob === null) throw new Error("The browser couldn't render the image");
  saveFile(blob, `${title.replaceAll(/[/\\:*?"<>|]/g, " ").trim() || "Dashboard"}.png`);
}

/** Returns the loaded fonts of the page inlined into styles: a picture loads nothing. */
async function toFontStyles(): Promise<string> {
  const loaded = new Set([...document.fonts].filter(({ status }) => status === "loaded").map(nameFace));
  const faces = [...document.styleSheets]
    .flatMap((sheet) => [...sheet.cssRules])
    .filter((rule) => rule instanceof CSSFontFaceRule)
    .filter(({ style }) =>
      loaded.has(
        nameFace({
          family: style.getPropertyValue("font-family"),
          unicodeRange: style.getPropertyValue("unicode-range"),
        }),
      ),
    );
  const texts = await Promise.all(
    faces.map(async (rule) => {
      const address = /url\("?([^")]+)"?\)/.exec(rule.style.getPropertyValue("src"))?.[1];
      if (address === undefined) return "";
      const font = await fetch(new URL(address, rule.parentStyleSheet?.href ?? document.baseURI));
      return rule.cssText.replace(address, await toDataUrl(await font.blob()));
    }),
  );
  return texts.join("\n");
}

function nameFace({ family, unicodeRange }: Pick<FontFace, "family" | "unicodeRange">): string {
  return `${family.replaceAll(/["']/g, "")} ${unicodeRange.toLowerCase().replaceAll(/\s/g, "")}`;
}

function toDataUrl(blob: Blob): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(blob);
  });
}
