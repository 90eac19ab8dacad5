import { createStore } from "zustand/vanilla";
import type { PlanForm } from "@/lib/base/explain/plan";
import { api, type ExecuteAnswer } from "@/lib/features/query/browser/api";
import { type ExecuteTarget, toExecuteRequest } from "@/lib/features/query/browser/execute";
import { newId } from "@/lib/platform/browser/new-id";
import { ApiError } from "@/lib/platform/browser/request";

/** Request for a plan: `words` go before or after the statement; those in `measured` also execute it. */
export type ExplainRequest = {
  target: ExecuteTarget;
  form: PlanForm;
  words: { plan: string; measured: string | null; areBehind: boolean };
  statement: string;
};

/** The plan of one statement. Times are epoch milliseconds. */
export type Plan = ExplainRequest & {
  isMeasured: boolean;
  startedAt: number;
  outcome:
    | { status: "running" }
    | { status: "done"; answer: Pick<ExecuteAnswer, "fields" | "rows">; durationMs: number; endedAt: number }
    | { status: "failed"; code: string; message: string };
};

/** Maximum number of lines of a plan: an engine's plan is short, so a longer result is not one. */
const LINES_MAX = 10_000;

/** Plans by console: requested beside Run, and shown instead of the result until closed. */
class ExplainStore {
  #plans = new Map<string, Plan>();
  #aborts = new Map<string, AbortController>();
  readonly #changes = createStore(() => 0);

  readonly subscribe = this.#changes.subscribe;

  read(key: string): Plan | null {
    return this.#plans.get(key) ?? null;
  }

  /** @param isMeasured executes the statement if it only reads: the server decides */
  async start(key: string, request: ExplainRequest, isMeasured = false): Promise<void> {
    this.close(key);
    const abort = new AbortController();
    this.#aborts.set(key, abort);
    const { target, words, statement } = request;
    const plan: Plan = { ...request, isMeasured, startedAt: Date.now(), outcome: { status: "running" } };
    this.#show(key, plan);
    const options = {
      executionId: newId(),
      limit: LINES_MAX,
      keep: false,
      ...(isMeasured && { readOnly: true }),
    } as const;
    const asked = (isMeasured && words.measured) || words.plan;
    const text = words.areBehind ? `${statement}${asked}` : `${asked} ${statement}`;
    const outcome = await api.execute(toExecuteRequest(target, text, options), abort.signal).then(
      ({ fields, rows, durationMs }): Plan["outcome"] => ({
        status: "done",
        answer: { fields, rows },
        durationMs,
        endedAt: Date.now(),
      }),
      (error: unknown): Plan["outcome"] => ({
        status: "failed",
        code: error instanceof ApiError ? error.code : "unknown",
        message: error instanceof ApiError ? error.message : "Couldn't load the plan. Try again.",
      }),
    );
    if (!abort.signal.aborted) this.#show(key, { ...plan, outcome });
  }

  /** Shows the result again; cancels a pending request. */
  close(key: string): void {
    this.#aborts.get(key)?.abort();
    this.#aborts.delete(key);
    if (this.#plans.delete(key)) this.#notify();
  }

  #show(key: string, plan: Plan): void {
    this.#plans.set(key, plan);
    this.#notify();
  }

  #notify(): void {
    this.#changes.setState((count) => count + 1);
  }
}

export const explainStore = new ExplainStore();
