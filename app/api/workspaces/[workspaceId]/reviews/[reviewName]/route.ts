import { route } from "@/lib/features/accounts/route";
import { reviewPath } from "@/lib/features/reviews/path";
import { DELETE_FAILURES } from "@/lib/features/reviews/reference";
import { reviewDetailSchema } from "@/lib/features/reviews/schema";
import { deleteReview, getReview } from "@/lib/features/reviews/service";
import { member } from "@/lib/platform/access/rules";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  GET: route({
    summary: "Get a review",
    description: "Returns the changes since the last commit in common with main, and the conflicts with main.",
    tag: "Reviews",
    access: member,
    params: reviewPath,
    response: reviewDetailSchema,
    failures: ["not_found"],
    handle: ({ caller, params }) => getReview(caller, params.reviewName),
  }),
  DELETE: route({
    summary: "Delete a review",
    description: "Deletes the branch. Requires an admin or its creator.",
    tag: "Reviews",
    access: member,
    params: reviewPath,
    failures: DELETE_FAILURES,
    message: "Review deleted",
    handle: ({ caller, params }) => deleteReview(caller, params.reviewName),
  }),
});
