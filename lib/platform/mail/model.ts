import type { ObjectId } from "mongodb";
import type { Role } from "@/lib/platform/access/roles";
import { mayGive } from "@/lib/platform/access/roles";
import type { OutboxEntry } from "./schema";
import { WITHHELD_MAIL_TEXT } from "./words";

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
  /** The role in the workspace that a link in it gives; null for none, absent where nobody has said. */
  grants?: Role | null;
  /** Who alone may read it; null or absent for all admins. */
  privateTo?: ObjectId | null;
  status: "sent" | "kept" | "failed";
  /** Why it was not sent, in words for the operator; null otherwise. */
  error: string | null;
  createdAt: Date;
};

/** A file that goes along with a mail. By its `contentId` the mail shows a picture within it. */
export type MailFile = { filename: string; contentType: string; contentId?: string; bytes: Buffer };

/** A rendered mail, ready for a mail service. */
export type OutgoingMail = { to: string[]; subject: string; html: string; text: string; files: readonly MailFile[] };

/** @param reader the role of who reads: a link that gives more than they may give themselves is not for them */
export function toOutboxEntry(doc: MailDoc, reader: Role): OutboxEntry {
  const { grants = "owner" } = doc;
  const isOpen = grants === null || mayGive(reader, grants);
  return {
    id: doc._id.toHexString(),
    to: doc.to,
    subject: doc.subject,
    text: isOpen ? doc.text : WITHHELD_MAIL_TEXT,
    html: isOpen ? doc.html : `<p>${WITHHELD_MAIL_TEXT}</p>`,
    status: doc.status,
    createdAt: doc.createdAt.toISOString(),
  };
}
