import { route } from "@/lib/features/accounts/route";
import { followRoleChange } from "@/lib/features/instance/role-change";
import { removeMember, updateMemberRole } from "@/lib/features/workspaces/members";
import { updatedMemberSchema, updateMemberBody } from "@/lib/features/workspaces/schema";
import { admin, member, peopleOnly } from "@/lib/platform/access/rules";
import { pathIds } from "@/lib/platform/http/ids";

const params = pathIds("workspaceId", "userId");

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  PUT: route({
    summary: "Change a member's role",
    description: "Only owners can grant or revoke the owner role. A workspace needs at least one owner.",
    tag: "Members",
    access: peopleOnly(admin),
    params,
    body: updateMemberBody,
    response: updatedMemberSchema,
    failures: ["last_owner"],
    message: "Role changed",
    handle: ({ caller, params, body }) => updateMemberRole(caller, params.userId, body.role, followRoleChange),
  }),
  DELETE: route({
    summary: "Remove a member",
    description: "Also revokes their API keys. You can remove yourself unless you are the last owner.",
    tag: "Members",
    access: peopleOnly(member),
    params,
    failures: ["last_owner"],
    message: "Member removed",
    handle: async ({ caller, params }) => {
      await removeMember(caller, params.userId, followRoleChange);
      return null;
    },
  }),
});
