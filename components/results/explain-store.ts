import type { PlanForm } from "@/lib/base/explain/plan";
import { api, type ExecuteAnswer } from "@/lib/features/query/browser/api";
import { type ExecuteTarget, toExecuteRequest } from "@/lib/features/query/browser/execute";
import { newId } from "@/lib/platform/browser/new-id";
import { ApiError } from "@/lib/platform/browser/request";

/** What is asked: the words before the statement, and with `measured` those that carry it out. */
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

/** The engine's own explanation of a plan is short; a result of this many lines is none. */
const LINES_MAX = 10_000;

/** Plans by console: asked for at the race strip, shown in the place of the result until they are closed. */
class ExplainStore {
  #plans = new Map<string, Plan>();
  #aborts = new Map<string, AbortController>();
  #listeners = new Set<() => void>();

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  read(key: string): Plan | null {
    return this.#plans.get(key) ?? null;
  }

  /** @param isMeasured carries the statement out, if it does nothing but read: the server decides */
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
        message: error instanceof ApiError ? error.message : "The plan could not be read. Ask for it again.",
      }),
    );
    if (!abort.signal.aborted) this.#show(key, { ...plan, outcome });
  }

  /** Gives the place back to the result; what is still asked for is given up. */
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
    for (const listener of this.#listeners) listener();
  }
}

export const explainStore = new ExplainStore();
