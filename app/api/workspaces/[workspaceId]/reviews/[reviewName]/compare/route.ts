import { route } from "@/lib/features/accounts/route";
import { EXECUTE_FAILURES } from "@/lib/features/query/reference";
import { compareReview } from "@/lib/features/reviews/compare";
import { reviewPath } from "@/lib/features/reviews/path";
import { COMPARE_REFUSALS } from "@/lib/features/reviews/reference";
import { compareBody, comparisonSchema } from "@/lib/features/reviews/schema";
import { member } from "@/lib/platform/access/rules";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  POST: route({
    summary: "Compare the results of a review",
    description:
      "Runs both versions of a changed console or dashboard, one after the other, read-only and with your permissions. Returns the rows added, removed and changed. Disconnecting cancels the queries.",
    tag: "Reviews",
    access: member,
    isRead: true,
    params: reviewPath,
    body: compareBody,
    keepsDigits: true,
    response: comparisonSchema,
    failures: EXECUTE_FAILURES,
    refuses: COMPARE_REFUSALS,
    handle: ({ caller, params, body, signal }) => compareReview(caller, params.reviewName, body, signal),
  }),
});
