import { admin, peopleOnly } from "@/lib/access/rules";
import { route } from "@/lib/api/route";
import { pathIds } from "@/lib/http/ids";
import { deleteInvite } from "@/lib/invites/service";

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
