import { z } from "zod";

/** State of a preview, probed at that moment. */
export const previewSchema = z.object({
  serving: z.boolean().describe("The dev server answers its first page"),
  socket: z.boolean().describe("There is a session, and its line to the server stands"),
  port: z.int().nullable().describe("null: dev servers listen on no port, they are reached by `url` alone"),
  url: z.string().optional().describe("The first page, for a frame of ours; there while a session runs"),
});
export type Preview = z.infer<typeof previewSchema>;

/** Any text: an unknown address is answered like that of an ended session. */
export const capability = z.string().max(100);
