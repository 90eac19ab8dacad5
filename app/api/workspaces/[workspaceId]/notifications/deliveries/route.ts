import { route } from "@/lib/features/accounts/route";
import { listWorkspaceDeliveries } from "@/lib/features/notifications/deliveries";
import { deliveriesQuery, deliverySchema } from "@/lib/features/notifications/schema";
import { member } from "@/lib/platform/access/rules";
import { pathIds } from "@/lib/platform/http/ids";
import { pageOf } from "@/lib/platform/http/schema";

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
