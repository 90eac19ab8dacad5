import "server-only";
import { ObjectId } from "mongodb";
import { createElement } from "react";
import { ResetPasswordMail } from "@/emails/reset-password";
import { findUserByEmail } from "@/lib/features/users/service";
import { addressSubject, consume } from "@/lib/platform/access/rate-limit";
import { databaseReady } from "@/lib/platform/db/ready";
import { env } from "@/lib/platform/env";
import { AppError } from "@/lib/platform/http/errors";
import { log } from "@/lib/platform/log";
import { sendMail } from "@/lib/platform/mail/service";
import { collections } from "./collections";
import { endSessionsOf } from "./own-sessions";
import { hashPassword, inLineForHashing } from "./passwords";
import type { ResetPasswordBody } from "./schema";
import { hashToken, newToken } from "./tokens";

/** Lifetime of a reset link (docs/develop/api.md, Accounts). */
const LINK_MINUTES = 30;

/**
 * Mails a one-time link that sets a new password. Neither the answer nor its timing tells whether the address has an
 * account: the work continues after the answer.
 * @throws AppError `rate_limited`
 */
export async function requestPasswordReset(email: string, address: string | null): Promise<void> {
  await consume("passwordForgot", addressSubject(address));
  mailLink(email).catch((error) => log.error({ err: error }, "failed to create a reset link"));
}

/** Revokes all reset links of the account mailed so far. */
export async function endResetLinks(userId: ObjectId): Promise<void> {
  await collections.passwordResets().deleteMany({ userId });
}

/** Returns whether a link can still set a password, so that users do not choose one for an expired link. */
export async function isResetLinkOpen(token: string, now = new Date()): Promise<boolean> {
  // The page calls this without a session, which would have prepared the database.
  await databaseReady();
  return (await collections.passwordResets().findOne(openLink(token, now), { projection: { _id: 1 } })) !== null;
}

/**
 * Sets a new password by the link's token, once, and ends all sessions of the account and its other links.
 * @throws AppError `invalid_request` for an unknown, used or expired link; `unavailable`, and the link stays valid
 */
export function resetPassword(body: ResetPasswordBody, now = new Date()): Promise<void> {
  return inLineForHashing(() => setByLink(body, now));
}

async function setByLink(body: ResetPasswordBody, now: Date): Promise<void> {
  const link = openLink(body.token, now);
  if (!(await collections.passwordResets().findOne(link, { projection: { _id: 1 } }))) throw linkEnded();
  const passwordHash = await hashPassword(body.password);
  // Of two concurrent requests, one uses the link.
  const reset = await collections.passwordResets().findOneAndDelete(link);
  if (!reset) throw linkEnded();
  await collections
    .credentials()
    .updateOne({ _id: reset.userId }, { $set: { passwordHash, changedAt: now } }, { upsert: true });
  await endResetLinks(reset.userId);
  await endSessionsOf(reset.userId);
}

function openLink(token: string, now: Date) {
  return { tokenHash: hashToken(token), expiresAt: { $gt: now } };
}

function linkEnded(): AppError {
  return new AppError("invalid_request", "This link has expired or was already used. Request a new one.", {
    details: [{ path: "token", message: `Links work once and expire after ${LINK_MINUTES} minutes.` }],
  });
}

async function mailLink(email: string, now = new Date()): Promise<void> {
  const user = await findUserByEmail(email);
  if (!user || !(await maySendMail(user._id))) return;
  const token = newToken();
  await collections.passwordResets().insertOne({
    _id: new ObjectId(),
    userId: user._id,
    tokenHash: hashToken(token),
    expiresAt: new Date(now.getTime() + LINK_MINUTES * 60_000),
  });
  const content = createElement(ResetPasswordMail, {
    href: `${env().publicUrl}/reset/${token}`,
    minutes: LINK_MINUTES,
  });
  await sendMail(null, { to: [email], subject: "Reset your password", content, grants: null }, now);
}

/** Limits mails to one mailbox, for all callers and addresses together. */
async function maySendMail(userId: ObjectId): Promise<boolean> {
  try {
    await consume("passwordMails", userId.toHexString());
    return true;
  } catch (error) {
    if (error instanceof AppError && error.kind === "rate_limited") return false;
    throw error;
  }
}
