import { ApiError, api } from "@/lib/client/api";
import { type ExecuteTarget, toExecuteRequest } from "@/lib/client/execute";
import { newId } from "@/lib/ui/new-id";
import { toPlanText } from "@/lib/ui/results/plan-text";

/** The plan of one statement. Times are epoch milliseconds. */
export type Plan = {
  statement: string;
  connectionId: string;
  startedAt: number;
  outcome:
    | { status: "running" }
    | { status: "done"; text: string; durationMs: number }
    | { status: "failed"; message: string };
};
export type ExplainRequest = { target: ExecuteTarget; prefix: string; statement: string };

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

  async start(key: string, { target, prefix, statement }: ExplainRequest): Promise<void> {
    this.close(key);
    const abort = new AbortController();
    this.#aborts.set(key, abort);
    const { connectionId } = target;
    const plan: Plan = { statement, connectionId, startedAt: Date.now(), outcome: { status: "running" } };
    this.#show(key, plan);
    const options = { executionId: newId(), limit: LINES_MAX };
    const request = toExecuteRequest(target, `${prefix} ${statement}`, options);
    const outcome = await api.execute(request, abort.signal).then(
      ({ fields, rows, durationMs }): Plan["outcome"] => ({
        status: "done",
        text: toPlanText(fields, rows),
        durationMs,
      }),
      (error: unknown): Plan["outcome"] => ({
        status: "failed",
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
