import { drawPage } from "./draw.ts";
import { readJson, toJsonBytes } from "./frames.ts";
import type { DrawAnswer, DrawRequest, PicturePart } from "./messages.ts";
import { serve } from "./serve.ts";

/*
 * Draws pages as PNG and PDF in a child process. A specification that uses up the memory or never finishes ends only
 * this process.
 */
serve(async ([head, ...rest]) => {
  if (!head) throw new Error("A page has a head.");
  const request = readJson<DrawRequest>(head);
  const parts = rest.map((frame) => readJson<PicturePart>(frame));
  const { png, pdf, undrawn } = await drawPage({ ...request, parts }, request.withPdf);
  return [toJsonBytes({ undrawn } satisfies DrawAnswer), png, ...(pdf ? [pdf] : [])];
});
