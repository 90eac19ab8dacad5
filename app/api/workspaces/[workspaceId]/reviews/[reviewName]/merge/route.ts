import { route } from "@/lib/features/accounts/route";
import { reviewPath } from "@/lib/features/reviews/path";
import { MERGE_FAILURES } from "@/lib/features/reviews/reference";
import { mergedReviewSchema, mergeReviewBody } from "@/lib/features/reviews/schema";
import { mergeReview } from "@/lib/features/reviews/service";
import { admin } from "@/lib/platform/access/rules";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  POST: route({
    summary: "Merge a review",
    description:
      "Merges the branch into main, like a push, and updates consoles, dashboards and apps. Returns 409 with the paths in `details` if main changed the same lines. Merging again changes nothing.",
    tag: "Reviews",
    access: admin,
    params: reviewPath,
    body: mergeReviewBody,
    response: mergedReviewSchema,
    failures: MERGE_FAILURES,
    message: "Review merged",
    handle: ({ caller, params, body }) => mergeReview(caller, params.reviewName, body.sha),
  }),
});
