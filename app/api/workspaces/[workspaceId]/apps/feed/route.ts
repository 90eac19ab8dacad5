import { route } from "@/lib/features/accounts/route";
import { readFeed } from "@/lib/features/apps/feed/feed";
import { feedQuery, feedSchema } from "@/lib/features/apps/feed/schema";
import { member } from "@/lib/platform/access/rules";
import { pathIds } from "@/lib/platform/http/ids";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  GET: route({
    summary: "The apps that you may see, in an order of your own",
    description:
      "Without a cursor the shelves (popular, fresh) and the first page; each app once across them and all pages. The order is frozen for 24 hours; apps that come later stand at the head of a new first page, never behind an open cursor. 410 when the order of a cursor has ended: reload the feed.",
    tag: "Apps",
    access: member,
    params: pathIds("workspaceId"),
    query: feedQuery,
    response: feedSchema,
    failures: ["gone"],
    refuses: { cursor: "One that is not of your feed" },
    handle: ({ caller, query }) => readFeed(caller, query),
  }),
});
