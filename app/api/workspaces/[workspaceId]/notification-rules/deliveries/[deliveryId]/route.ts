import { route } from "@/lib/features/accounts/route";
import { getDelivery } from "@/lib/features/notifications/deliveries";
import { deliveryDetailsSchema } from "@/lib/features/notifications/schema";
import { member } from "@/lib/platform/access/rules";
import { pathIds } from "@/lib/platform/http/ids";

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
