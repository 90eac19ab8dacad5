import type { Role } from "@/lib/platform/access/roles";

const INVITE_PATH = /^\/invites\/([^/?#]+)$/;

/** Names a role with its article: "a member", "an admin". */
export function toInvitedRole(role: Role): string {
  return role === "member" ? "a member" : `an ${role}`;
}

/**
 * Returns the token of the invitation that a user signs in or signs up for.
 * @param next the validated path to open afterwards; null if it is not an invitation
 */
export function toInviteToken(next: string | null): string | null {
  return (next && INVITE_PATH.exec(next)?.[1]) || null;
}
