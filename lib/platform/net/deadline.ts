import "server-only";
import { noAnswerInTime } from "./failures";

/** A deadline for all parts of an exchange: the time limit or the caller's abort, whichever comes first. */
export type Deadline = {
  signal: AbortSignal;
  /** Returns the error to throw once `signal` has fired: AppError `timeout`, or the caller's reason. */
  reason: () => unknown;
};

/** @param timeoutMs from now */
export function startDeadline(timeoutMs: number, caller?: AbortSignal): Deadline {
  const timeout = AbortSignal.timeout(timeoutMs);
  const signal = caller ? AbortSignal.any([timeout, caller]) : timeout;
  return {
    signal,
    reason: () => (caller?.aborted ? caller.reason : noAnswerInTime()),
  };
}
