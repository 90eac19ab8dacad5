import { member } from "@/lib/access/rules";
import { route } from "@/lib/api/route";
import { pathIds } from "@/lib/http/ids";
import { getDelivery } from "@/lib/notifications/deliveries";
import { deliveryDetailsSchema } from "@/lib/notifications/schema";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  GET: route({
    summary: "Get a delivery",
    description:
      "With each attempt: when, the answer's status, how long it took, and the beginning of what was answered.",
    tag: "Notifications",
    access: member,
    params: pathIds("workspaceId", "deliveryId"),
    response: deliveryDetailsSchema,
    failures: ["not_found"],
    handle: ({ params, caller }) => getDelivery(caller, params.deliveryId),
  }),
});
