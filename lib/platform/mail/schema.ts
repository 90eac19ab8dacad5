import { z } from "zod";
import { isoDate, objectIdText } from "@/lib/platform/http/schema";

/**
 * One mail of a workspace. `kept`: no mail service is set up, so it can only be read here. For a mail that invites an
 * owner, everyone except owners gets `WITHHELD_MAIL_TEXT` as `text` and, in a paragraph, as `html`.
 */
export const outboxEntrySchema = z.object({
  id: objectIdText,
  to: z.array(z.string()),
  subject: z.string(),
  text: z.string(),
  html: z.string(),
  status: z.enum(["sent", "kept", "failed"]),
  createdAt: isoDate,
});
export type OutboxEntry = z.infer<typeof outboxEntrySchema>;
