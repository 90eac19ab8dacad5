export const ROLES = ["owner", "admin", "member"] as const;
export type Role = (typeof ROLES)[number];

/** Returns whether `held` includes what `needed` may do. A role that this version does not know includes nothing. */
export function isAtLeast(held: Role, needed: Role): boolean {
  return isKnownRole(held) && ROLES.indexOf(held) <= ROLES.indexOf(needed);
}

/** Returns whether a stored role is one of this version; a newer version may have more. */
export function isKnownRole(role: unknown): role is Role {
  return ROLES.includes(role as Role);
}

/** Whether somebody of this role may give a role: admins do, but only an owner makes an owner (docs/develop/api.md, Workspaces). */
export function mayGive(held: Role, given: Role): boolean {
  return isAtLeast(held, "admin") && isAtLeast(held, given);
}
