import type { Role } from "@/lib/platform/access/roles";
import { mayGive, ROLES } from "@/lib/platform/access/roles";

export const ROLE_NAMES: Record<Role, string> = { owner: "Owner", admin: "Admin", member: "Member" };
export const ROLE_MEANINGS: { role: Role; text: string }[] = [
  { role: "owner", text: "Full access, including deleting the workspace." },
  { role: "admin", text: "Manages members, API keys and all connections." },
  { role: "member", text: "Creates and runs everything, and edits shared work." },
];

/** Returns the roles that a user may grant, the least first. */
export function toGivableRoles(own: Role): Role[] {
  return ROLES.filter((role) => mayGive(own, role)).reverse();
}
