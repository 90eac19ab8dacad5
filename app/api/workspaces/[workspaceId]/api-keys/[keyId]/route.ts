import { deleteApiKey } from "@/lib/features/accounts/api-key-service";
import { route } from "@/lib/features/accounts/route";
import { admin, peopleOnly } from "@/lib/platform/access/rules";
import { pathIds } from "@/lib/platform/http/ids";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  DELETE: route({
    summary: "Revoke an API key",
    description: "Takes effect on the next request.",
    tag: "API keys",
    access: peopleOnly(admin),
    params: pathIds("workspaceId", "keyId"),
    message: "API key revoked",
    handle: async ({ caller, params }) => {
      await deleteApiKey(caller, params.keyId);
      return null;
    },
  }),
});
