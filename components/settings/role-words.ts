import type { Role } from "@/lib/client/workspaces";

export const ROLE_NAMES: Record<Role, string> = { owner: "Owner", admin: "Admin", member: "Member" };
export const ROLE_MEANINGS: { role: Role; text: string }[] = [
  { role: "owner", text: "Everything, and may delete the workspace." },
  { role: "admin", text: "People, API keys, and every connection." },
  { role: "member", text: "Own work, shared work, and new connections." },
];

/** The roles that somebody may give: only an owner makes an owner. */
export function toGivableRoles(own: Role): Role[] {
  return own === "owner" ? ["member", "admin", "owner"] : ["member", "admin"];
}
