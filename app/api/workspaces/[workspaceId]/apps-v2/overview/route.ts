import { route } from "@/lib/features/accounts/route";
import { readOverview } from "@/lib/features/apps/feed/overview";
import { overviewSchema } from "@/lib/features/apps/feed/schema";
import { member } from "@/lib/platform/access/rules";
import { pathIds } from "@/lib/platform/http/ids";

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
