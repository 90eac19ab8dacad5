import type { Execution, PartlyWritten, RowConflicts } from "@/lib/features/query/schema";
import type { ApiError } from "@/lib/platform/browser/request";
import type { Conflict } from "./row-edits";

/** Status from which a proxy, not the query, may be the reason. */
const SERVER_ERROR = 500;

/** The end of a submission that failed. Indexes are those of the changes that are left after the written ones. */
export type FailedSubmission = {
  /** Number of changes that were written, the first ones. */
  written: number;
  /** Index of the refused change; -1 for none. */
  change: number;
  /** Present values of the changes that did not match their rows; null for another reason. */
  conflicts: { change: number; current: Conflict }[] | null;
  message: string;
};

type Details = PartlyWritten & Partial<RowConflicts> & { change?: number; hint?: string };

/** Returns the end that an error names; null if only the query history knows it. */
export function toFailedSubmission(error: ApiError): FailedSubmission | null {
  const { written = 0, isUnknown = false, change, conflicts, hint } = (error.details ?? {}) as Details;
  const isAnswer = written > 0 || isUnknown || (error.status !== 0 && error.status < SERVER_ERROR);
  if (!isAnswer) return null;
  return {
    written,
    change: change === undefined ? toChange(error) : change - written,
    conflicts:
      error.code === "conflict" && conflicts
        ? conflicts.map(({ change: at, current }) => ({ change: at - written, current: current as Conflict }))
        : null,
    message: hint === undefined ? error.message : `${error.message} ${hint}`,
  };
}

/**
 * Returns the end of a submission without a response, from its entry in the query history; "success" if all changes
 * were written, null if it has not ended.
 */
export function toRecordedEnd({ status, affectedRows, error }: Execution): FailedSubmission | "success" | null {
  if (status === "queued" || status === "running") return null;
  if (status === "success") return "success";
  return { written: affectedRows ?? 0, change: -1, conflicts: null, message: error ?? "The query failed." };
}

/** Returns the index of the change that an error of the input names; -1 for none. */
export function toChange({ problems }: ApiError): number {
  return Number(/^changes\.(\d+)/.exec(problems[0]?.path ?? "")?.[1] ?? -1);
}
