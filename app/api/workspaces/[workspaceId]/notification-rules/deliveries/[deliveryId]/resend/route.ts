import { route } from "@/lib/features/accounts/route";
import { resendDelivery } from "@/lib/features/notifications/deliveries";
import { deliverySchema } from "@/lib/features/notifications/schema";
import { admin, orAnyKey } from "@/lib/platform/access/rules";
import { pathIds } from "@/lib/platform/http/ids";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  POST: route({
    summary: "Send a failed delivery again",
    description:
      "The same record and the same webhook-id, with up to six more attempts. 409 for one that has not failed, and when its rule was deleted, disabled or given another channel.",
    tag: "Notifications",
    access: orAnyKey(admin),
    params: pathIds("workspaceId", "deliveryId"),
    response: deliverySchema,
    status: 202,
    failures: ["not_found", "conflict"],
    message: "Delivery queued",
    handle: ({ params, caller }) => resendDelivery(caller, params.deliveryId),
  }),
});
