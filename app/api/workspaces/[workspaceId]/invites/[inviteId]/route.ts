import { deleteInvite } from "@/lib/features/accounts/invites/service";
import { route } from "@/lib/features/accounts/route";
import { admin, peopleOnly } from "@/lib/platform/access/rules";
import { pathIds } from "@/lib/platform/http/ids";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  DELETE: route({
    summary: "Revoke an invitation",
    description: "The link stops working immediately. Only owners can revoke an owner invitation.",
    tag: "Members",
    access: peopleOnly(admin),
    params: pathIds("workspaceId", "inviteId"),
    message: "Invitation revoked",
    handle: async ({ caller, params }) => {
      await deleteInvite(caller, params.inviteId);
      return null;
    },
  }),
});
