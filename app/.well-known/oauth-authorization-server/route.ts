import { describeServer } from "@/lib/features/accounts/connected-apps/authorization-server";
import { route } from "@/lib/features/accounts/route";
import { open } from "@/lib/platform/access/rules";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  GET: route({
    summary: "Metadata of the authorization server",
    description: "Returns the endpoints and abilities of the authorization server (RFC 8414).",
    tag: "OAuth",
    access: open,
    worksWithoutStore: true,
    handle: describeServer,
  }),
});
