import { member } from "@/lib/access/rules";
import { route } from "@/lib/api/route";
import { pathIds } from "@/lib/http/ids";
import { onlyVisible } from "@/lib/notifications/resources";
import { countRunsByHour } from "@/lib/runs/hours";
import { runHoursQuery, runHoursSchema } from "@/lib/runs/schema";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  GET: route({
    summary: "Runs by the hour",
    description: "Of the consoles and flows of the workspace that the caller may see, over the last 24 hours.",
    tag: "Runs",
    access: member,
    params: pathIds("workspaceId"),
    query: runHoursQuery,
    response: runHoursSchema,
    handle: ({ caller, query }) => countRunsByHour(caller, query, onlyVisible),
  }),
});
