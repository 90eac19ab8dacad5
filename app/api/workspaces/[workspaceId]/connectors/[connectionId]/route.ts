import { z } from "zod";
import { member } from "@/lib/auth/access";
import { connectionSchema } from "@/lib/connections/schema";
import { getConnection } from "@/lib/connections/service";
import { objectId } from "@/lib/http/ids";
import { route } from "@/lib/http/route";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  GET: route({
    summary: "Get a connection",
    tag: "Connections",
    access: member,
    params: z.object({ workspaceId: objectId, connectionId: objectId }),
    response: connectionSchema,
    handle: ({ params }) => getConnection(params.workspaceId, params.connectionId),
  }),
});
