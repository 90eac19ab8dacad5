import { z } from "zod";
import { route } from "@/lib/features/accounts/route";
import { listDeliveries } from "@/lib/features/notifications/deliveries";
import { deliverySchema, resourceQuery } from "@/lib/features/notifications/schema";
import { member } from "@/lib/platform/access/rules";
import { pathIds } from "@/lib/platform/http/ids";
import { asArray } from "@/lib/platform/http/paging";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  GET: route({
    summary: "List deliveries of a console or flow",
    description: "Returns deliveries of the last 30 days, newest first.",
    tag: "Notifications",
    access: member,
    params: pathIds("workspaceId"),
    query: resourceQuery,
    response: z.array(deliverySchema),
    failures: ["not_found"],
    handle: async ({ query, caller, headers }) => asArray(headers, await listDeliveries(caller, query, query)),
  }),
});
