import { SAVE_FAILURES } from "@/lib/features/folders/reference";
import type { ErrorKind } from "@/lib/platform/http/errors";

/** Error kinds of merging a review, which writes files like a save. */
export const MERGE_FAILURES = [...SAVE_FAILURES, "unavailable"] as const satisfies ErrorKind[];
export const DELETE_FAILURES = ["not_found", "conflict"] as const satisfies ErrorKind[];

export const COMPARE_REFUSALS = {
  path: "Not a console or a dashboard, or a console without a connection",
  publish: "A review that follows no pull request",
  variables: "A variable of the query without a value",
};
