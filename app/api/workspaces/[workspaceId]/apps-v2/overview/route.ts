import { route } from "@/lib/features/accounts/route";
import { readOverview } from "@/lib/features/apps/feed/overview";
import { overviewSchema } from "@/lib/features/apps/feed/schema";
import { member } from "@/lib/platform/access/rules";
import { pathIds } from "@/lib/platform/http/ids";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  GET: route({
    summary: "Get app counts and your work in progress",
    tag: "Apps",
    access: member,
    params: pathIds("workspaceId"),
    response: overviewSchema,
    handle: ({ caller }) => readOverview(caller),
  }),
});
