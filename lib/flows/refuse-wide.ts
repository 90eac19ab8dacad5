import { AppError } from "@/lib/http/errors";
import { namesLimitProblem } from "@/lib/tabular/column-limits";

/**
 * Rejects a source with more columns than a result may have.
 * @throws AppError `query_failed`
 */
export function refuseWide(fields: readonly { name: string }[]): void {
  const problem = namesLimitProblem(fields);
  if (problem !== null) throw new AppError("query_failed", problem);
}
