import "server-only";
import type { ObjectId } from "mongodb";
import { createElement } from "react";
import { InviteMail } from "@/emails/invite";
import type { Role } from "@/lib/access/roles";
import { hashToken, newToken } from "@/lib/auth/tokens";
import { inTransaction } from "@/lib/db/transaction";
import { env } from "@/lib/env";
import { AppError } from "@/lib/http/errors";
import { type Page, type PageRequest, readCursor, toPage, withExtra } from "@/lib/http/paging";
import { sendMail } from "@/lib/mail/service";
import type { UserDoc } from "@/lib/users/model";
import { findUser, findUserByEmail } from "@/lib/users/service";
import { findRole, join } from "@/lib/workspaces/memberships";
import { toWorkspace } from "@/lib/workspaces/model";
import type { Workspace } from "@/lib/workspaces/schema";
import { getWorkspaceDocOrThrow } from "@/lib/workspaces/service";
import { collections } from "./collections";
import { type InviteDoc, toInvite } from "./model";
import type { CreatedInvite, CreateInviteBody, Invitation, Invite } from "./schema";

/** docs/api.md, Workspaces. */
const INVITE_DAYS = 7;
const DAY_MS = 24 * 60 * 60 * 1000;

/**
 * Invites an address and mails the link. A second invitation of one address replaces the first, whose link ends.
 * @throws AppError `forbidden` when somebody but an owner invites an owner, `conflict` for who is a member already
 */
export async function createInvite(
  workspaceId: ObjectId,
  inviter: { user: UserDoc; role: Role },
  body: CreateInviteBody,
  now = new Date(),
): Promise<CreatedInvite> {
  if (body.role === "owner" && inviter.role !== "owner") {
    throw new AppError("forbidden", "Only an owner can invite an owner.");
  }
  const workspace = await getWorkspaceDocOrThrow(workspaceId);
  const known = await findUserByEmail(body.email);
  if (known && (await findRole(workspaceId, known._id)) !== null) {
    throw new AppError("conflict", "This person is a member of the workspace already.");
  }

  const token = newToken();
  const facts = {
    role: body.role,
    invitedBy: inviter.user._id,
    tokenHash: hashToken(token),
    createdAt: now,
    expiresAt: new Date(now.getTime() + INVITE_DAYS * DAY_MS),
  };
  const invite = await collections
    .invites()
    .findOneAndUpdate({ workspaceId, email: body.email }, { $set: facts }, { upsert: true, returnDocument: "after" });
  if (!invite) throw new Error("An upsert answered no document.");

  const link = `${env().publicUrl}/invites/${token}`;
  const content = createElement(InviteMail, {
    workspaceName: workspace.name,
    inviterName: inviter.user.name,
    role: body.role === "member" ? "a member" : `an ${body.role}`,
    href: link,
    days: INVITE_DAYS,
  });
  const subject = `${inviter.user.name} invites you to ${workspace.name}`;
  const mail = await sendMail(workspaceId, { to: [body.email], subject, content }, now);
  return { ...toInvite(invite), link, mail };
}

/** The workspace's invitations that can still be accepted, the newest first. */
export async function listInvites(workspaceId: ObjectId, page: PageRequest, now = new Date()): Promise<Page<Invite>> {
  const after = readCursor(page.cursor);
  const docs = await collections
    .invites()
    .find({ workspaceId, expiresAt: { $gt: now }, ...(after && { _id: { $lt: after } }) })
    .sort({ _id: -1 })
    .limit(withExtra(page.limit))
    .toArray();
  return toPage(docs, page.limit, toInvite);
}

/** Takes an invitation back; its link ends at once. @throws AppError `not_found` */
export async function deleteInvite(workspaceId: ObjectId, inviteId: ObjectId): Promise<void> {
  const { deletedCount } = await collections.invites().deleteOne({ _id: inviteId, workspaceId });
  if (deletedCount === 0) throw new AppError("not_found", "There is no such invitation in this workspace.");
}

/** What the link leads to. @throws AppError `not_found` for an unknown, used or ended link */
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
 * Makes the user a member. Who is one already keeps the role they have.
 * @throws AppError `not_found` for an unknown, used or ended link; `forbidden` when it was sent to another address
 */
export async function acceptInvite(token: string, user: UserDoc, now = new Date()): Promise<Workspace> {
  const invite = await getOpenInviteOrThrow(token, now);
  if (invite.email !== user.email) {
    throw new AppError("forbidden", "This invitation is for another address. Sign in with the account it was sent to.");
  }
  const { workspaceId } = invite;
  const workspace = await getWorkspaceDocOrThrow(workspaceId);
  const role = await inTransaction(async (session) => {
    const { deletedCount } = await collections.invites().deleteOne({ _id: invite._id, workspaceId }, { session });
    if (deletedCount === 0) throw linkEnded();
    return join(workspaceId, user._id, invite.role, { session, now });
  });
  return toWorkspace(workspace, role);
}

async function getOpenInviteOrThrow(token: string, now: Date): Promise<InviteDoc> {
  const invite = await collections.invites().findOne({ tokenHash: hashToken(token) });
  if (!invite || invite.expiresAt <= now) throw linkEnded();
  return invite;
}

function linkEnded(): AppError {
  return new AppError("not_found", "This invitation has ended or was used. Ask for a new one.");
}
