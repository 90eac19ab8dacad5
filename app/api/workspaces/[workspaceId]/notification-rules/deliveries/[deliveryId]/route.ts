import { route } from "@/lib/features/accounts/route";
import { getDelivery } from "@/lib/features/notifications/deliveries";
import { deliveryDetailsSchema } from "@/lib/features/notifications/schema";
import { member } from "@/lib/platform/access/rules";
import { pathIds } from "@/lib/platform/http/ids";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  GET: route({
    summary: "Get a delivery",
    description: "Returns each attempt with its time, status, duration and the start of the response.",
    tag: "Notifications",
    access: member,
    params: pathIds("workspaceId", "deliveryId"),
    response: deliveryDetailsSchema,
    failures: ["not_found"],
    handle: ({ params, caller }) => getDelivery(caller, params.deliveryId),
  }),
});
