import { route } from "@/lib/features/accounts/route";
import { readFeed } from "@/lib/features/apps/feed/feed";
import { feedQuery, feedSchema } from "@/lib/features/apps/feed/schema";
import { member } from "@/lib/platform/access/rules";
import { pathIds } from "@/lib/platform/http/ids";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  GET: route({
    summary: "List apps in your feed",
    description:
      "Returns the popular and fresh shelves with the first page. Each app appears once. The order is fixed for 24 hours; newer apps appear only on a new first page. Returns 410 for an expired cursor: reload the feed.",
    tag: "Apps",
    access: member,
    params: pathIds("workspaceId"),
    query: feedQuery,
    response: feedSchema,
    failures: ["gone"],
    refuses: { cursor: "A cursor of another feed" },
    handle: ({ caller, query }) => readFeed(caller, query),
  }),
});
