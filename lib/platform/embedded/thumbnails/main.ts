import { serve } from "../drawing/serve.ts";
import { toJpeg } from "./jpeg.ts";

/* Makes link previews of uploaded images in a child process, because its decoders read untrusted files. */
serve(async ([source]) => {
  const jpeg = source ? await toJpeg(source) : null;
  return jpeg ? [jpeg] : [];
});
