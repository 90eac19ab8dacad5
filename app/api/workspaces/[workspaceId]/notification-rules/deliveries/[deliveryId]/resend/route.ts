import { route } from "@/lib/features/accounts/route";
import { resendDelivery } from "@/lib/features/notifications/deliveries";
import { deliverySchema } from "@/lib/features/notifications/schema";
import { admin, orAnyKey } from "@/lib/platform/access/rules";
import { pathIds } from "@/lib/platform/http/ids";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  POST: route({
    summary: "Resend a failed delivery",
    description:
      "Retries the same delivery and webhook-id up to six times. Returns 409 if it has not failed, or if its rule was deleted, disabled or moved to another channel.",
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
