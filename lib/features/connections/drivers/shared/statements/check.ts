import "server-only";
import { AppError } from "@/lib/platform/http/errors";
import { LimitedThreads, type ThreadLimits, ThreadsBusy } from "@/lib/platform/process/limited-threads";
import { serverMember } from "@/lib/platform/process/server-context";
import { ThreadEnded } from "@/lib/platform/process/thread-pool";
import { type CheckAnswer, type CheckName, type CheckRequest, type Checks, runCheck } from "./checks";

/** Maximum characters of text that is checked synchronously: each check takes a few milliseconds for any content. */
export const SHORT_CHARS_MAX = 16 * 1024;
/** Maximum characters of a statement, the size of a request body. */
export const STATEMENT_CHARS_MAX = 1024 * 1024;
/** Limits of a check, which takes up to 0.6 s for a mebibyte, and ten times as long on a busy machine. */
const LIMITS: ThreadLimits = {
  count: 1,
  timeoutMs: 10_000,
  queueMax: 500,
  // More than the concurrent queries of a workspace (`WORKSPACE_QUERIES_MAX`).
  tenantQueueMax: 50,
  heapMib: 512,
  stackMib: 16,
};
const RETRY_AFTER_SECONDS = 5;

const threads = serverMember("statementThreads", () => new LimitedThreads("statements", LIMITS));

/**
 * Checks a statement's text: in a thread if it is long, with limits of time and memory.
 * @param tenant the statement's workspace: workspaces share threads fairly
 * @throws AppError errors of the check; `query_failed` for a text that is too long or breaks the check; `unavailable`
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
  let answer: CheckAnswer;
  try {
    answer = await threads().run({ name, ...request } as CheckRequest, tenant);
  } catch (error) {
    if (error instanceof ThreadEnded) throw tooComplex();
    if (!(error instanceof ThreadsBusy)) throw error;
    throw new AppError("unavailable", "Too many long statements are being checked. Try again in a moment.", {
      retryAfterSeconds: RETRY_AFTER_SECONDS,
    });
  }
  if (answer.status === "failed") throw new AppError(answer.kind, answer.message, { details: answer.details });
  return answer.answer;
}

function tooComplex(): AppError {
  return new AppError("query_failed", "The statement is too long or too deeply nested. Simplify it.");
}
