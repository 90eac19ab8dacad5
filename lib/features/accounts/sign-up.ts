import "server-only";
import type { ObjectId } from "mongodb";
import { findFirstUser, findUser, hasAccounts } from "@/lib/features/users/service";
import { isDuplicateKey } from "@/lib/platform/db/duplicate-key";
import { env } from "@/lib/platform/env";
import { AppError } from "@/lib/platform/http/errors";
import { serverMember } from "@/lib/platform/process/server-context";
import { collections } from "./collections";
import type { InstanceDoc } from "./model";

/**
 * Time after which a claim without an account is void, in ms. Hashing a password and creating a workspace takes a
 * second or two.
 */
const CLAIM_MS = 60_000;

/** A person who requests an account. */
export type Applicant = {
  email: string;
  /** The token of the invitation's link; null without one. */
  inviteToken: string | null;
  /** Whether a provider has verified the address, so that an invitation to it needs no token. */
  isVerified: boolean;
};

/** Returns whether an open invitation admits this applicant. */
export type FindsInvitation = (applicant: Applicant) => Promise<boolean>;

/** Registers how invitations are found: they belong to a feature above accounts. */
export function checkInvitationsBy(find: FindsInvitation): void {
  invitations().find = find;
}

/**
 * Rejects applicants that SIGN_UP does not admit. The first account of an installation is always allowed.
 * @param userId id of the new account; it becomes the instance's admin if it is the first
 * @throws AppError `forbidden`
 */
export async function requireSignUp(applicant: Applicant, userId: ObjectId, now = new Date()): Promise<void> {
  if (!(await hasAccounts()) && (await claimInstance(userId, now))) return;
  if (!(await isAdmitted(applicant))) throw new AppError("forbidden", refusal());
}

/** Returns whether the policy admits this applicant, apart from the rule for the first account. */
export async function isAdmitted(applicant: Applicant): Promise<boolean> {
  const { mode, domains } = env().SIGN_UP;
  if (mode === "open") return true;
  if (mode === "off") return false;
  const domain = applicant.email.slice(applicant.email.lastIndexOf("@") + 1).toLowerCase();
  if (mode === "domain" && domains.includes(domain)) return true;
  return (await invitations().find?.(applicant)) ?? false;
}

/** Returns whether a page should offer registration to a visitor without an invitation. */
export async function offersSignUp(): Promise<boolean> {
  const { mode } = env().SIGN_UP;
  return mode === "open" || mode === "domain" || !(await hasAccounts());
}

/**
 * Returns whether this account administers the instance. The oldest account replaces an invalid claim, and a missing
 * one on an installation from before claims were recorded.
 */
export async function isInstanceAdmin(userId: ObjectId, now = new Date()): Promise<boolean> {
  const claim = await findClaim();
  if (claim && !(await isVoid(claim, now))) return claim.adminId.equals(userId);
  const first = await findFirstUser();
  if (!first) return false;
  await claimInstance(first._id, now);
  return (await findClaim())?.adminId.equals(userId) ?? false;
}

function findClaim(): Promise<InstanceDoc | null> {
  return collections.instance().findOne({ _id: "instance" });
}

/** Accounts are never deleted, so an old claim without an account never had one. */
async function isVoid({ adminId, claimedAt }: InstanceDoc, now: Date): Promise<boolean> {
  return now.getTime() - claimedAt.getTime() >= CLAIM_MS && !(await findUser(adminId));
}

/**
 * Records the instance's admin. Of several concurrent applicants one succeeds; a claim whose account was never created
 * expires.
 */
async function claimInstance(userId: ObjectId, now: Date): Promise<boolean> {
  const claim = { adminId: userId, claimedAt: now };
  try {
    await collections.instance().insertOne({ _id: "instance", ...claim });
    return true;
  } catch (error) {
    if (!isDuplicateKey(error)) throw error;
  }
  const earlier = await findClaim();
  if (!earlier || !(await isVoid(earlier, now))) return false;
  const taken = await collections
    .instance()
    .updateOne({ _id: "instance", claimedAt: earlier.claimedAt, adminId: earlier.adminId }, { $set: claim });
  return taken.modifiedCount === 1;
}

function refusal(): string {
  const { mode, domains } = env().SIGN_UP;
  if (mode === "domain") {
    const list = domains.map((domain) => `@${domain}`).join(" or ");
    return `Use an address that ends with ${list}, or ask a workspace admin to invite you.`;
  }
  if (mode === "invite") return "This server admits invited people only. Ask a workspace admin to invite you.";
  return "Registration is closed on this server. Ask its administrator for access.";
}

const invitations = serverMember("invitationLookUp", () => ({ find: null }));
