import { route } from "@/lib/features/accounts/route";
import { reviewSchema } from "@/lib/features/reviews/schema";
import { listReviews } from "@/lib/features/reviews/service";
import { member } from "@/lib/platform/access/rules";
import { pathIds } from "@/lib/platform/http/ids";
import { opaqueListQuery, pageOf } from "@/lib/platform/http/schema";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  GET: route({
    summary: "List reviews",
    description: "Returns the branches review/{name} of the workspace's repository, by name.",
    tag: "Reviews",
    access: member,
    params: pathIds("workspaceId"),
    query: opaqueListQuery,
    refuses: { cursor: "An invalid cursor" },
    response: pageOf(reviewSchema),
    handle: ({ caller, query }) => listReviews(caller, query),
  }),
});
