import { member } from "@/lib/access/rules";
import { route } from "@/lib/api/route";
import { pathIds } from "@/lib/http/ids";
import { pageOf } from "@/lib/http/schema";
import { listWorkspaceDeliveries } from "@/lib/notifications/deliveries";
import { deliveriesQuery, deliverySchema } from "@/lib/notifications/schema";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  GET: route({
    summary: "All deliveries",
    description:
      "Of what the caller may see in the workspace, of the last 30 days, the newest first. A page may have less than its limit and still go on.",
    tag: "Notifications",
    access: member,
    params: pathIds("workspaceId"),
    query: deliveriesQuery,
    response: pageOf(deliverySchema),
    handle: ({ query, caller }) => listWorkspaceDeliveries(caller, query),
  }),
});
