import { route } from "@/lib/features/accounts/route";
import { listArrivals } from "@/lib/features/flows/arrivals";
import { arrivalSchema, arrivalsQuery } from "@/lib/features/flows/schema";
import { member } from "@/lib/platform/access/rules";
import { pathIds } from "@/lib/platform/http/ids";
import { pageOf } from "@/lib/platform/http/schema";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  GET: route({
    summary: "The events that came to a webhook flow",
    description:
      "The newest first: what was taken within seven days, and the last 200 that were not. How they are counted stands in the stats.",
    tag: "Flows",
    access: member,
    params: pathIds("workspaceId", "flowId"),
    query: arrivalsQuery,
    response: pageOf(arrivalSchema),
    refuses: { flowId: "A flow of another type" },
    handle: ({ caller, params, query }) => listArrivals(caller, params.flowId, query),
  }),
});
