import { z } from "zod";

/** State of a preview, probed at that moment. */
export const previewSchema = z.object({
  serving: z.boolean().describe("The dev server serves its first page"),
  socket: z.boolean().describe("A session exists and is connected"),
  port: z.int().nullable().describe("Always null: dev servers are reached by `url`"),
  url: z.string().optional().describe("URL of the first page, for a frame. Present while a session runs"),
});
export type Preview = z.infer<typeof previewSchema>;

/** Any text: an unknown address is answered like that of an ended session. */
export const capability = z.string().max(100);
