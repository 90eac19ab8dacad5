import "server-only";
import type { ClientSession, ObjectId } from "mongodb";
import { createElement } from "react";
import { InviteMail } from "@/emails/invite";
import type { Applicant } from "@/lib/features/accounts/sign-up";
import { hashToken, newToken } from "@/lib/features/accounts/tokens";
import { findUser, findUserByEmail } from "@/lib/features/users/service";
import { findRole, join } from "@/lib/features/workspaces/memberships";
import { toWorkspace } from "@/lib/features/workspaces/model";
import type { Workspace } from "@/lib/features/workspaces/schema";
import { getWorkspaceDocOrThrow } from "@/lib/features/workspaces/service";
import type { Caller, UserCaller } from "@/lib/platform/access/caller";
import { mayGive, ROLES, type Role } from "@/lib/platform/access/roles";
import { isDuplicateKey } from "@/lib/platform/db/duplicate-key";
import { findPage } from "@/lib/platform/db/find-page";
import { inTransaction } from "@/lib/platform/db/transaction";
import { env } from "@/lib/platform/env";
import { AppError } from "@/lib/platform/http/errors";
import type { Page, PageRequest } from "@/lib/platform/http/paging";
import { sendMail } from "@/lib/platform/mail/service";
import { collections } from "./collections";
import { type InviteDoc, toInvite } from "./model";
import { type CreatedInvite, type CreateInviteBody, type Invitation, type Invite, inviteToken } from "./schema";
import { toInvitedRole, toInviteToken } from "./words";

/** Lifetime of an invitation (docs/develop/api.md, Workspaces). */
const INVITE_DAYS = 7;
/**
 * Maximum number of open invitations per address: it may be invited to several workspaces, and one valid invitation is
 * enough.
 */
const OPEN_INVITES_MAX = 20;
const DAY_MS = 24 * 60 * 60 * 1000;

/**
 * Invites an address and mails the link. A second invitation of one address replaces the first, whose link ends.
 * @throws AppError `forbidden` if a caller who is not an owner invites an owner, or an address that an owner has
 * invited as
 *   one; `conflict` if the address belongs to a member
 */
export async function createInvite(caller: Caller, body: CreateInviteBody, now = new Date()): Promise<CreatedInvite> {
  const { workspaceId, user: inviter, role } = caller;
  if (!mayGive(role, body.role)) {
    throw new AppError("forbidden", "Only owners can invite owners.");
  }
  const workspace = await getWorkspaceDocOrThrow(workspaceId);
  const known = await findUserByEmail(body.email);
  if (known && (await findRole(workspaceId, known._id)) !== null) {
    throw new AppError("conflict", "This person is already a member.");
  }

  const token = newToken();
  const facts = {
    role: body.role,
    invitedBy: inviter._id,
    tokenHash: hashToken(token),
    createdAt: now,
    expiresAt: new Date(now.getTime() + INVITE_DAYS * DAY_MS),
  };
  const invite = await putInvite(caller, body.email, facts);

  const link = `${env().publicUrl}/invites/${token}`;
  const content = createElement(InviteMail, {
    workspaceName: workspace.name,
    inviterName: inviter.name,
    role: toInvitedRole(body.role),
    href: link,
    days: INVITE_DAYS,
  });
  const subject = `${inviter.name} invited you to ${workspace.name}`;
  const mail = await sendMail(workspaceId, { to: [body.email], subject, content, grants: body.role }, now);
  return { ...toInvite(invite), link, mail };
}

/** Lists the workspace's open invitations, newest first. */
export async function listInvites({ workspaceId }: Caller, page: PageRequest, now = new Date()): Promise<Page<Invite>> {
  const open = { workspaceId, expiresAt: { $gt: now } };
  return findPage(collections.invites(), open, page, { order: "newest" }, toInvite);
}

/**
 * Deletes an invitation; its link ends at once.
 * @throws AppError `not_found`; `forbidden` for an owner's invitation, which only owners create and delete
 */
export async function deleteInvite({ workspaceId, role }: Caller, inviteId: ObjectId): Promise<void> {
  const which = { _id: inviteId, workspaceId };
  const { deletedCount } = await collections.invites().deleteOne({ ...which, role: { $in: givableBy(role) } });
  if (deletedCount > 0) return;
  if (await collections.invites().findOne(which, { projection: { _id: 1 } })) throw ownersAlone();
  throw new AppError("not_found", "Invitation not found.");
}

/**
 * Ends the invitations that depend on a lost right to grant roles: the user's, and the others' for more than a member,
 * whose links they could read. An account's address is not verified, so a remembered link would restore the role that
 * the user lost.
 * @param after the user's new role; null for a user who leaves
 */
export async function endInvitesOf(
  workspaceId: ObjectId,
  userId: ObjectId,
  { before, after }: { before: Role; after: Role | null },
  session: ClientSession,
): Promise<void> {
  const lost = givableBy(before).filter((role) => after === null || !mayGive(after, role));
  if (lost.length === 0) return;
  await collections
    .invites()
    .deleteMany(
      { workspaceId, role: { $in: lost }, $or: [{ invitedBy: userId }, { role: { $ne: "member" } }] },
      { session },
    );
}

/** Returns the invitation of a link. @throws AppError `not_found` for an unknown, used or expired link */
export async function getInvitation(token: string, now = new Date()): Promise<Invitation> {
  const invite = await getOpenInviteOrThrow(token, now);
  const [workspace, inviter] = await Promise.all([
    getWorkspaceDocOrThrow(invite.workspaceId),
    findUser(invite.invitedBy),
  ]);
  return {
    workspaceName: workspace.name,
    inviterName: inviter?.name ?? "A former member",
    email: invite.email,
    role: invite.role,
    expiresAt: invite.expiresAt.toISOString(),
  };
}

/**
 * Returns the invitation of a text that may be a token. Null for an unknown, used or expired one: the caller cannot
 * tell them apart.
 */
export async function findInvitation(token: string): Promise<Invitation | null> {
  if (!inviteToken.safeParse(token).success) return null;
  try {
    return await getInvitation(token);
  } catch (error) {
    if (error instanceof AppError && error.kind === "not_found") return null;
    throw error;
  }
}

/**
 * Returns the invitation that a user signs in or signs up for.
 * @param next the validated path to open afterwards
 * @returns null if the path is not an invitation; "ended" for a link that is no longer valid
 */
export async function findInvitationBehind(
  next: string | null,
): Promise<(Invitation & { token: string }) | "ended" | null> {
  const token = toInviteToken(next);
  if (token === null) return null;
  const invitation = await findInvitation(token);
  return invitation === null ? "ended" : { ...invitation, token };
}

/**
 * Returns whether an open invitation admits an applicant: by the token of its link, or by its address alone if a
 * provider has verified it.
 */
export async function isInvited(applicant: Applicant, now = new Date()): Promise<boolean> {
  const { email, inviteToken: token, isVerified } = applicant;
  if (token === null && !isVerified) return false;
  const which = token === null ? { email } : { email, tokenHash: hashToken(token) };
  const open = await collections
    .invites()
    .find({ ...which, expiresAt: { $gt: now } })
    .limit(OPEN_INVITES_MAX)
    .toArray();
  const backed = await Promise.all(open.map((invite) => isBacked(invite)));
  return backed.includes(true);
}

/**
 * Makes the user a member. A member keeps their current role. Our choice: an invitation is valid while its creator may
 * still grant its role, so that a user cannot let people in after losing the right to.
 * @throws AppError `not_found` for an unknown, used or expired link; `forbidden` if it was sent to another address
 */
export async function acceptInvite({ user }: UserCaller, token: string, now = new Date()): Promise<Workspace> {
  const invite = await getOpenInviteOrThrow(token, now);
  if (invite.email !== user.email) {
    throw new AppError("forbidden", "This invitation is for another email address. Sign in with that account.");
  }
  const { workspaceId } = invite;
  const workspace = await getWorkspaceDocOrThrow(workspaceId);
  const role = await inTransaction(async (session) => {
    const { deletedCount } = await collections.invites().deleteOne({ _id: invite._id, workspaceId }, { session });
    if (deletedCount === 0 || !(await isBacked(invite, session))) throw linkEnded();
    return join(workspaceId, user._id, invite.role, { session, now });
  });
  return toWorkspace(workspace, role);
}

async function getOpenInviteOrThrow(token: string, now: Date): Promise<InviteDoc> {
  const invite = await collections.invites().findOne({ tokenHash: hashToken(token) });
  if (!invite || invite.expiresAt <= now || !(await isBacked(invite))) throw linkEnded();
  return invite;
}

/** Returns whether the creator of the invitation may still grant its role. */
async function isBacked({ workspaceId, invitedBy, role }: InviteDoc, session?: ClientSession): Promise<boolean> {
  const held = await findRole(workspaceId, invitedBy, session);
  return held !== null && mayGive(held, role);
}

type InviteFacts = Omit<InviteDoc, "_id" | "workspaceId" | "email">;

/** Stores the only open invitation of an address; only owners may replace an owner's. @throws AppError `forbidden` */
async function putInvite({ workspaceId, role }: Caller, email: string, facts: InviteFacts): Promise<InviteDoc> {
  const replaceable = { $or: [{ role: { $in: givableBy(role) } }, { expiresAt: { $lte: facts.createdAt } }] };
  const write = () =>
    collections
      .invites()
      .findOneAndUpdate(
        { workspaceId, email, ...replaceable },
        { $set: facts },
        { upsert: true, returnDocument: "after" },
      );
  // Two concurrent invitations of one address: the second finds the first's on its retry.
  const invite = await write().catch(onDuplicate(write)).catch(onDuplicate(refuseOwners));
  if (!invite) throw new Error("The store returned no document.");
  return invite;
}

/**
 * Returns an error handler that replaces the result of a write if the address has an invitation that the filter
 * excludes.
 */
function onDuplicate<T>(then: () => T): (error: unknown) => T {
  return (error) => {
    if (isDuplicateKey(error)) return then();
    throw error;
  };
}

function refuseOwners(): never {
  throw ownersAlone();
}

function ownersAlone(): AppError {
  return new AppError("forbidden", "Only owners can change an owner invitation.");
}

function givableBy(held: Role): Role[] {
  return ROLES.filter((role) => mayGive(held, role));
}

function linkEnded(): AppError {
  return new AppError("not_found", "This invitation has expired or was already used. Ask for a new one.");
}
