import type { Role } from "@/lib/features/workspaces/browser/client";
import { mayGive, ROLES } from "@/lib/platform/access/roles";

export const ROLE_NAMES: Record<Role, string> = { owner: "Owner", admin: "Admin", member: "Member" };
export const ROLE_MEANINGS: { role: Role; text: string }[] = [
  { role: "owner", text: "Everything, and may delete the workspace." },
  { role: "admin", text: "People, API keys, and every connection." },
  { role: "member", text: "Own work, shared work, and new connections." },
];

/** Returns the roles that a user may grant, the least first. */
export function toGivableRoles(own: Role): Role[] {
  return ROLES.filter((role) => mayGive(own, role)).reverse();
}
