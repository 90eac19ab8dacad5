import type { PicturePart } from "@/lib/platform/embedded/drawing/messages";
import type { Paint } from "../../picture/paint";
import type { Box } from "../../picture/parts";

/** The drawing process parses Markdown: some texts of 64 KiB take it seconds. */
export function toMarkdownPart(text: string, body: Box, paint: Paint): PicturePart {
  return { kind: "markdown", text, ...body, ink: paint.ink, quiet: paint.quiet };
}
