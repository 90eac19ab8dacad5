import type { ObjectId } from "mongodb";
import type { Role } from "@/lib/platform/access/roles";
import { mayGive } from "@/lib/platform/access/roles";
import type { OutboxEntry } from "./schema";
import { WITHHELD_MAIL_TEXT } from "./words";

/**
 * A sent or stored mail. `workspaceId` is null for mails to an account, which no workspace may read; their text is
 * encrypted (account-mail.ts), and empty once they were sent.
 */
export type MailDoc = {
  _id: ObjectId;
  workspaceId: ObjectId | null;
  to: string[];
  subject: string;
  text: string;
  html: string;
  /** Role in the workspace that a link in it grants; null for none, absent if unknown. */
  grants?: Role | null;
  /** The only user who may read it; null or absent for all admins. */
  privateTo?: ObjectId | null;
  status: "sent" | "kept" | "failed";
  /** Reason of a failure, for the operator; null otherwise. */
  error: string | null;
  createdAt: Date;
};

/** An attachment of a mail. A picture in the mail refers to it by its `contentId`. */
export type MailFile = { filename: string; contentType: string; contentId?: string; bytes: Buffer };

/** A rendered mail, ready for a mail service. */
export type OutgoingMail = { to: string[]; subject: string; html: string; text: string; files: readonly MailFile[] };

/** @param reader the reader's role: a link that grants more than they may grant is withheld */
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
