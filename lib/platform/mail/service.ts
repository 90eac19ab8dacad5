import "server-only";
import { render, toPlainText } from "@react-email/render";
import { ObjectId } from "mongodb";
import type { ReactElement } from "react";
import type { Caller } from "@/lib/platform/access/caller";
import type { Role } from "@/lib/platform/access/roles";
import { findPage } from "@/lib/platform/db/find-page";
import { env } from "@/lib/platform/env";
import type { Page, PageRequest } from "@/lib/platform/http/paging";
import { log } from "@/lib/platform/log";
import { toKeptBody } from "./account-mail";
import { collections } from "./collections";
import { type MailDoc, type MailFile, type OutgoingMail, toOutboxEntry } from "./model";
import { sendByResend } from "./resend";
import type { OutboxEntry } from "./schema";
import { sendBySmtp } from "./smtp";

/** Maximum length of a subject, which is one header line: longer ones are cut, control characters are removed (T83). */
const SUBJECT_MAX = 200;

export type Mail = {
  to: string[];
  subject: string;
  content: ReactElement;
  /** Role in the workspace that a link in the mail grants; null if it grants none. */
  grants: Role | null;
  /** The only user who may read it in the outbox, if it contains private data. Absent: all admins. */
  privateTo?: ObjectId | null;
  /** Attachments; the outbox stores only the text. */
  files?: readonly MailFile[];
};

/**
 * Sends a mail through the mail service, or stores it in the outbox if none is set up (docs/develop/api.md,
 * Workspaces). A failure is logged and never thrown: the action that caused the mail is done.
 * @param workspaceId whose admins may read the mail in the outbox; null for a mail to an account
 */
export async function sendMail(workspaceId: ObjectId | null, mail: Mail, now = new Date()): Promise<MailDoc["status"]> {
  return (await sendOnce(workspaceId, mail, { mailId: new ObjectId() }, now)).status;
}

/**
 * Sends a mail that may be sent several times until it is accepted: it stays one entry of the outbox.
 * @param once `key` tells the mail service that it is the same mail
 * @returns the outcome, with a readable reason for a failure; `kept` counts as sent, since no retry would succeed
 */
export async function sendOnce(
  workspaceId: ObjectId | null,
  mail: Mail,
  once: { key?: string; mailId: ObjectId },
  now = new Date(),
): Promise<Pick<MailDoc, "status" | "error">> {
  const { mailId: _id, key } = once;
  const html = await render(mail.content);
  const rendered = { to: mail.to, subject: toSubject(mail.subject), html, text: toPlainText(html) };
  const outcome = await deliver({ ...rendered, files: mail.files ?? [] }, key);
  const body = workspaceId === null && toKeptBody(_id, rendered.text, outcome.status);
  const { grants, privateTo = null } = mail;
  const entry = { workspaceId, ...rendered, ...body, grants, privateTo, ...outcome, createdAt: now };
  await collections.mails().updateOne({ _id }, { $set: entry }, { upsert: true });
  return outcome;
}

/**
 * Returns the workspace's mails of the last 30 days, newest first. The caller's role decides which parts of a mail they
 * see; mails to another user alone are left out.
 * @throws AppError `invalid_request` for a bad cursor
 */
export async function listOutbox({ workspaceId, user, role }: Caller, page: PageRequest): Promise<Page<OutboxEntry>> {
  const visible = { workspaceId, privateTo: { $in: [null, user._id] } };
  return findPage(collections.mails(), visible, page, { order: "newest" }, (doc) => toOutboxEntry(doc, role));
}

/** Returns the service that sends mails; `outbox` if none is set up. */
export function mailService(): "smtp" | "resend" | "outbox" {
  const { SMTP_URL, RESEND_API_KEY } = env();
  return SMTP_URL ? "smtp" : RESEND_API_KEY ? "resend" : "outbox";
}

async function deliver(mail: OutgoingMail, key: string | undefined): Promise<Pick<MailDoc, "status" | "error">> {
  const { SMTP_URL, RESEND_API_KEY } = env();
  if (!SMTP_URL && !RESEND_API_KEY) return { status: "kept", error: null };
  try {
    if (SMTP_URL) {
      const { refused } = await sendBySmtp(SMTP_URL, mail, { key });
      // A repeated mail would reach the others twice.
      if (refused.length > 0) return { status: "sent", error: `The mail server rejected ${refused.join(", ")}.` };
    } else if (RESEND_API_KEY) await sendByResend(RESEND_API_KEY, mail, key);
    return { status: "sent", error: null };
  } catch (error) {
    log.warn({ err: error }, "a mail could not be sent");
    return { status: "failed", error: error instanceof Error ? error.message : "unknown" };
  }
}

function toSubject(text: string): string {
  const line = text.replace(/[\p{Cc}\u2028\u2029]+/gu, " ");
  return [...line].slice(0, SUBJECT_MAX).join("");
}
