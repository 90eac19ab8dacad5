import { z } from "zod";
import type { StaticKind } from "../kind";
import { toMarkdownPart } from "./draw";

export const textKind: StaticKind = {
  spec: z.object({ text: z.string("“text” must be Markdown text.").optional() }),
  data: null,
  draw: ({ text }, body, { paint }) => ({ parts: [toMarkdownPart(String(text ?? ""), body, paint)], words: [] }),
};
