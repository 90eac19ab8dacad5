import "server-only";
import type { ObjectId } from "mongodb";
import { isSealed, open, type SealContext, SealError, seal } from "@/lib/platform/secrets/seal";
import { registerSealedFields } from "@/lib/platform/secrets/sealed-fields";
import { collections } from "./collections";
import type { MailDoc } from "./model";

/*
 * Encrypts mails to accounts. Such a mail holds a link that sets the account's password. The store has nothing else
 * that opens an account: of links and sessions it has hashes. So a text that must be stored for the operator is
 * encrypted, and a sent one is not stored.
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

/** Returns the stored form of a mail to an account. @param text plain */
export function toKeptBody(_id: ObjectId, text: string, status: MailDoc["status"]): Pick<MailDoc, "text" | "html"> {
  return { text: status === "sent" ? "" : seal(text, contextOf(_id)), html: "" };
}

/** Lists the mails to accounts that no mail service has accepted, newest first. */
export function listWaitingAccountMails(limit: number): Promise<MailDoc[]> {
  return collections
    .mails()
    .find({ workspaceId: null, status: { $in: ["kept", "failed"] } })
    .sort({ _id: -1 })
    .limit(limit)
    .toArray();
}

/** Returns the text of a stored mail to an account, for the operator; if it does not decrypt, the reason. */
export function readKeptText({ _id, text }: Pick<MailDoc, "_id" | "text">): string {
  // Mails from before texts were encrypted.
  if (!isSealed(text)) return text;
  try {
    return open(text, contextOf(_id));
  } catch (error) {
    if (error instanceof SealError) return `(Couldn't decrypt this email. ${error.message})`;
    throw error;
  }
}

function contextOf(_id: ObjectId): SealContext {
  return { workspaceId: OWNER, recordId: _id.toHexString(), field: FIELD };
}
