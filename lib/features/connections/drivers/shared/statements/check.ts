import "server-only";
import { AppError } from "@/lib/platform/http/errors";
import { LimitedThreads, ThreadEnded, type ThreadLimits, ThreadsBusy } from "@/lib/platform/process/limited-threads";
import { sharedState } from "@/lib/platform/process/shared-state";
import { type CheckAnswer, type CheckName, type CheckRequest, type Checks, runCheck } from "./checks";

/** A text up to this is read on the spot: each check takes a few milliseconds for it, whatever is in it. */
export const SHORT_CHARS_MAX = 16 * 1024;
/** As many as the body of a request has. */
export const STATEMENT_CHARS_MAX = 1024 * 1024;
/** A check takes up to 0.6 s for a mebibyte, and ten times as long on a busy machine. */
const LIMITS: ThreadLimits = {
  count: 1,
  timeoutMs: 10_000,
  queueMax: 500,
  // As many queries of a workspace wait for their turn (`WORKSPACE_QUEUE_MAX`).
  tenantQueueMax: 50,
  heapMib: 512,
  stackMib: 16,
};
const RETRY_AFTER_SECONDS = 5;

/**
 * Runs a check of a statement's text: in a thread where the text is long, with limits of time and memory.
 * @param tenant the workspace whose statement it is: workspaces take turns
 * @throws AppError what the check throws; `query_failed` for a text that is too long or breaks the check; `unavailable`
 *   when too many long ones wait
 */
export async function checkStatementText<Name extends CheckName>(
  name: Name,
  request: Checks[Name]["request"],
  tenant: string,
): Promise<Checks[Name]["answer"]> {
  const { length } = request.query;
  if (length <= SHORT_CHARS_MAX) return runCheck(name, request);
  if (length > STATEMENT_CHARS_MAX) throw tooComplex();
  const threads = sharedState(
    "statement-threads",
    () => new LimitedThreads<CheckRequest, CheckAnswer>("statements", LIMITS),
  );
  let answer: CheckAnswer;
  try {
    answer = await threads.run({ name, ...request } as CheckRequest, tenant);
  } catch (error) {
    if (error instanceof ThreadEnded) throw tooComplex();
    if (!(error instanceof ThreadsBusy)) throw error;
    throw new AppError("unavailable", "Too many long statements are being read. Try again in a moment.", {
      retryAfterSeconds: RETRY_AFTER_SECONDS,
    });
  }
  if (answer.status === "failed") throw new AppError(answer.kind, answer.message, { details: answer.details });
  return answer.answer;
}

function tooComplex(): AppError {
  return new AppError("query_failed", "The statement is too long or too deeply nested to be read. Make it simpler.");
}
