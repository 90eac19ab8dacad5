import { z } from "zod";
import { member } from "@/lib/access/rules";
import { route } from "@/lib/api/route";
import { pathIds } from "@/lib/http/ids";
import { asArray } from "@/lib/http/paging";
import { listDeliveries } from "@/lib/notifications/deliveries";
import { deliverySchema, resourceQuery } from "@/lib/notifications/schema";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  GET: route({
    summary: "Deliveries of a console or flow",
    description: "Of the last 30 days, the newest first.",
    tag: "Notifications",
    access: member,
    params: pathIds("workspaceId"),
    query: resourceQuery,
    response: z.array(deliverySchema),
    failures: ["not_found"],
    handle: async ({ query, caller, headers }) => asArray(headers, await listDeliveries(caller, query, query)),
  }),
});
