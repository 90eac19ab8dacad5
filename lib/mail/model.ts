import type { ObjectId } from "mongodb";
import type { OutboxEntry } from "./schema";

/**
 * A mail as it was sent or kept. `workspaceId` is null for mails to an account, which no workspace may read; their text
 * is sealed (account-mail.ts), and empty once they were sent.
 */
export type MailDoc = {
  _id: ObjectId;
  workspaceId: ObjectId | null;
  to: string[];
  subject: string;
  text: string;
  html: string;
  status: "sent" | "kept" | "failed";
  /** Why it was not sent, in words for the operator; null otherwise. */
  error: string | null;
  createdAt: Date;
};

export function toOutboxEntry(doc: MailDoc): OutboxEntry {
  return {
    id: doc._id.toHexString(),
    to: doc.to,
    subject: doc.subject,
    text: doc.text,
    html: doc.html,
    status: doc.status,
    createdAt: doc.createdAt.toISOString(),
  };
}
