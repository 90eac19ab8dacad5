import "server-only";
import type { ObjectId } from "mongodb";
import { isSealed, open, type SealContext, SealError, seal } from "@/lib/platform/secrets/seal";
import { registerSealedFields } from "@/lib/platform/secrets/sealed-fields";
import { collections } from "./collections";
import type { MailDoc } from "./model";

/*
 * A mail to an account holds a link that sets its password, and the store keeps nothing else that opens an account: of
 * links and sessions it has hashes. So what has to be kept for the operator is sealed, and what was sent is not kept.
 */

/** Accounts belong to no workspace. */
const OWNER = "accounts";
const FIELD = "text";

registerSealedFields({
  name: "mails",
  collection: collections.mails,
  paths: (doc) => (doc.workspaceId === null && isSealed(doc.text) ? [FIELD] : []),
  context: ({ _id }) => contextOf(_id),
});

/** What the store keeps of a mail to an account. @param text plain */
export function toKeptBody(_id: ObjectId, text: string, status: MailDoc["status"]): Pick<MailDoc, "text" | "html"> {
  return { text: status === "sent" ? "" : seal(text, contextOf(_id)), html: "" };
}

/** The mails to accounts that no mail service has taken, the newest first. */
export function listWaitingAccountMails(limit: number): Promise<MailDoc[]> {
  return collections
    .mails()
    .find({ workspaceId: null, status: { $in: ["kept", "failed"] } })
    .sort({ _id: -1 })
    .limit(limit)
    .toArray();
}

/** The text of a kept mail to an account, for the operator; in its place the reason when it does not open. */
export function readKeptText({ _id, text }: Pick<MailDoc, "_id" | "text">): string {
  // Mails from before they were sealed.
  if (!isSealed(text)) return text;
  try {
    return open(text, contextOf(_id));
  } catch (error) {
    if (error instanceof SealError) return `(This mail cannot be opened. ${error.message})`;
    throw error;
  }
}

function contextOf(_id: ObjectId): SealContext {
  return { workspaceId: OWNER, recordId: _id.toHexString(), field: FIELD };
}
