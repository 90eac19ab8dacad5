export const ROLES = ["owner", "admin", "member"] as const;
export type Role = (typeof ROLES)[number];

/** Returns whether `held` includes the rights of `needed`. A role that this version does not know includes nothing. */
export function isAtLeast(held: Role, needed: Role): boolean {
  return isKnownRole(held) && ROLES.indexOf(held) <= ROLES.indexOf(needed);
}

/** Returns whether this version knows a stored role; a newer version may have more. */
export function isKnownRole(role: unknown): role is Role {
  return ROLES.includes(role as Role);
}

/**
 * Returns whether a role may grant another: admins may, but only an owner grants owner (docs/develop/api.md,
 * Workspaces).
 */
export function mayGive(held: Role, given: Role): boolean {
  return isAtLeast(held, "admin") && isAtLeast(held, given);
}
