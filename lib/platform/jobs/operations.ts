import { durationMs } from "./duration";
import { STEPS_MAX } from "./limits";
import type { TaskDoc } from "./model";
import { type JobError, type Operation, toError } from "./step-results";

/** Operations with a step's result. */
export const RESULTS: ReadonlySet<string> = new Set(["StepRun", "Step", "StepError", "StepFailed"]);
/** Operations that make a step a separate task. */
export const TASKS: ReadonlyMap<string, TaskDoc["kind"]> = new Map([
  ["StepPlanned", "step"],
  ["Sleep", "sleep"],
]);

/** Returns why a run cannot continue with these operations; null when it can. */
export function refusalOf(operations: readonly Operation[]): JobError | null {
  if (operations.length > STEPS_MAX) {
    return { name: "InngestErrFunctionOverflowed", message: `Functions are limited to ${STEPS_MAX} steps.` };
  }
  for (const one of operations) {
    const refusal = refusalOfOne(one);
    if (refusal) return refusal;
  }
  return null;
}

/** Returns how long a step waits before it runs or ends, in ms; null for an invalid time or one over a year. */
export function waitMs({ op, name, opts }: Operation, now: number): number | null {
  if (op === "StepPlanned") return 0;
  const text = opts?.duration ?? name;
  return durationMs(typeof text === "string" ? text : undefined, now);
}

/** Returns a step's result in the protocol's form. */
export function resultOf({ op, data, error }: Operation): unknown {
  return op === "StepRun" || op === "Step" ? { data: data ?? null } : { error: toError(error, "The step failed.") };
}

export function isRace({ opts }: Operation): boolean {
  return opts?.parallelMode === "race";
}

function refusalOfOne(one: Operation): JobError | null {
  const { op } = one;
  if (op !== "RunComplete" && !RESULTS.has(op) && !TASKS.has(op)) {
    return { name: "Error", message: `unsupported op: ${op}` };
  }
  if (TASKS.has(op) && waitMs(one, Date.now()) === null) {
    return { name: "InngestErrTimeoutTooLong", message: "A step can sleep for at most a year." };
  }
  return null;
}
