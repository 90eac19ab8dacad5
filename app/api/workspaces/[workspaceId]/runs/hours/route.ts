import { route } from "@/lib/features/accounts/route";
import { onlyVisible } from "@/lib/features/notifications/resources";
import { countRunsByHour } from "@/lib/features/runs/hours";
import { runHoursQuery, runHoursSchema } from "@/lib/features/runs/schema";
import { member } from "@/lib/platform/access/rules";
import { pathIds } from "@/lib/platform/http/ids";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  GET: route({
    summary: "Get run counts by hour",
    description: "Returns counts for visible consoles and flows over the last 24 hours.",
    tag: "Runs",
    access: member,
    params: pathIds("workspaceId"),
    query: runHoursQuery,
    response: runHoursSchema,
    handle: ({ caller, query }) => countRunsByHour(caller, query, onlyVisible),
  }),
});
