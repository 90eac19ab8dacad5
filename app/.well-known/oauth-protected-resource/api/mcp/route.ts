import { describeResource } from "@/lib/features/accounts/connected-apps/authorization-server";
import { route } from "@/lib/features/accounts/route";
import { open } from "@/lib/platform/access/rules";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  GET: route({
    summary: "Metadata of the MCP resource",
    description: "Returns who issues tokens for `/api/mcp` (RFC 9728).",
    tag: "OAuth",
    access: open,
    worksWithoutStore: true,
    handle: describeResource,
  }),
});
