export const ROLES = ["owner", "admin", "member"] as const;
export type Role = (typeof ROLES)[number];

/** Whether `held` includes what `needed` may do. */
export function isAtLeast(held: Role, needed: Role): boolean {
  return ROLES.indexOf(held) <= ROLES.indexOf(needed);
}

/** Whether somebody of this role may give a role: admins do, but only an owner makes an owner (docs/api.md, Workspaces). */
export function mayGive(held: Role, given: Role): boolean {
  return isAtLeast(held, "admin") && isAtLeast(held, given);
}
