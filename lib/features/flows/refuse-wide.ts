import { namesLimitProblem } from "@/lib/base/values/column-limits";
import { AppError } from "@/lib/platform/http/errors";

/**
 * Rejects a source with more columns than a result may have.
 * @throws AppError `query_failed`
 */
export function refuseWide(fields: readonly { name: string }[]): void {
  const problem = namesLimitProblem(fields);
  if (problem !== null) throw new AppError("query_failed", problem);
}
