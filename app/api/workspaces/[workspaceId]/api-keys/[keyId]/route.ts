import { z } from "zod";
import { deleteApiKey } from "@/lib/api-keys/service";
import { admin, peopleOnly } from "@/lib/auth/access";
import { objectId } from "@/lib/http/ids";
import { route } from "@/lib/http/route";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  DELETE: route({
    summary: "Revoke an API key",
    description: "It is refused from the next request on.",
    tag: "API keys",
    access: peopleOnly(admin),
    params: z.object({ workspaceId: objectId, keyId: objectId }),
    message: "API key revoked",
    handle: async ({ params }) => {
      await deleteApiKey(params.workspaceId, params.keyId);
      return null;
    },
  }),
});
