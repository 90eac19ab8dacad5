import type { Role } from "@/lib/platform/access/roles";

const INVITE_PATH = /^\/invites\/([^/?#]+)$/;

/** "a member", "an admin": as what somebody is invited. */
export function toInvitedRole(role: Role): string {
  return role === "member" ? "a member" : `an ${role}`;
}

/**
 * The token of the invitation that somebody comes from who signs in or makes an account.
 * @param next where they go afterwards, judged already; null when it is no invitation
 */
export function toInviteToken(next: string | null): string | null {
  return (next && INVITE_PATH.exec(next)?.[1]) || null;
}
