import { route } from "@/lib/features/accounts/route";
import { listArrivals } from "@/lib/features/flows/arrivals";
import { arrivalSchema, arrivalsQuery } from "@/lib/features/flows/schema";
import { member } from "@/lib/platform/access/rules";
import { pathIds } from "@/lib/platform/http/ids";
import { pageOf } from "@/lib/platform/http/schema";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  GET: route({
    summary: "List events of a webhook flow",
    description:
      "Returns events newest first: accepted ones of the last seven days and the last 200 rejected ones. See the stats endpoint for counts.",
    tag: "Flows",
    access: member,
    params: pathIds("workspaceId", "flowId"),
    query: arrivalsQuery,
    response: pageOf(arrivalSchema),
    refuses: { flowId: "Not a webhook flow" },
    handle: ({ caller, params, query }) => listArrivals(caller, params.flowId, query),
  }),
});
