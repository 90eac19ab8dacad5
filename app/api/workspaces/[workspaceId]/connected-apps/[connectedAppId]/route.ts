import { revokeConnectedApp } from "@/lib/features/accounts/connected-apps/service";
import { route } from "@/lib/features/accounts/route";
import { member, peopleOnly } from "@/lib/platform/access/rules";
import { pathIds } from "@/lib/platform/http/ids";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  DELETE: route({
    summary: "Revoke a connected app",
    description: "Ends its access with the next request. Admins revoke everyone's, members their own.",
    tag: "OAuth",
    access: peopleOnly(member),
    params: pathIds("workspaceId", "connectedAppId"),
    message: "Connected app revoked",
    handle: async ({ caller, params }) => {
      await revokeConnectedApp(caller, params.connectedAppId);
      return null;
    },
  }),
});
