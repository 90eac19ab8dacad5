import { route } from "@/lib/features/accounts/route";
import { listWorkspaceDeliveries } from "@/lib/features/notifications/deliveries";
import { deliveriesQuery, deliverySchema } from "@/lib/features/notifications/schema";
import { member } from "@/lib/platform/access/rules";
import { pathIds } from "@/lib/platform/http/ids";
import { pageOf } from "@/lib/platform/http/schema";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  GET: route({
    summary: "List deliveries",
    description:
      "Returns visible deliveries of the last 30 days, newest first. A page can have fewer items than limit even if more follow.",
    tag: "Notifications",
    access: member,
    params: pathIds("workspaceId"),
    query: deliveriesQuery,
    response: pageOf(deliverySchema),
    handle: ({ query, caller }) => listWorkspaceDeliveries(caller, query),
  }),
});
