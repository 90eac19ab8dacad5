import { member } from "@/lib/access/rules";
import { route } from "@/lib/api/route";
import { readOverview } from "@/lib/apps/feed/overview";
import { overviewSchema } from "@/lib/apps/feed/schema";
import { pathIds } from "@/lib/http/ids";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  GET: route({
    summary: "How many apps there are of each part of the feed, and what you work on",
    tag: "Apps",
    access: member,
    params: pathIds("workspaceId"),
    response: overviewSchema,
    handle: ({ caller }) => readOverview(caller),
  }),
});
