import { serve } from "../drawing/serve.ts";
import { toJpeg } from "./jpeg.ts";

/* Makes link previews of images that people uploaded, in a child process: its decoders read what anybody made. */
serve(async ([source]) => {
  const jpeg = source ? await toJpeg(source) : null;
  return jpeg ? [jpeg] : [];
});
