import { deleteInvite } from "@/lib/features/accounts/invites/service";
import { route } from "@/lib/features/accounts/route";
import { admin, peopleOnly } from "@/lib/platform/access/rules";
import { pathIds } from "@/lib/platform/http/ids";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  DELETE: route({
    summary: "Take an invitation back",
    description: "Its link ends at once. Only an owner takes back what invites an owner.",
    tag: "Members",
    access: peopleOnly(admin),
    params: pathIds("workspaceId", "inviteId"),
    message: "Invitation taken back",
    handle: async ({ caller, params }) => {
      await deleteInvite(caller, params.inviteId);
      return null;
    },
  }),
});
