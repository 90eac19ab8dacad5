import { ApiError, api, type ExecuteAnswer } from "@/lib/client/api";
import { type Bound, toExecuteRequest } from "@/lib/client/execute";
import type { QueryErrorDetails } from "@/lib/sql/query-error";
import type { SqlStatement } from "@/lib/sql/statements";
import { newId } from "@/lib/ui/new-id";

/** How many rows a run asks for at first, and how far "Load more" goes (docs/api.md, Queries). */
export const ROW_LIMITS = [1000, 10_000, 50_000] as const;

export type RunFailure = { code: string; message: string; details: QueryErrorDetails };
export type StatementOutcome =
  | { status: "waiting" }
  | { status: "running" }
  | { status: "done"; answer: ExecuteAnswer; wallMs: number }
  | { status: "failed"; failure: RunFailure; wallMs: number }
  | { status: "cancelled"; wallMs: number };
export type StatementRun = { statement: SqlStatement; executionId: string; outcome: StatementOutcome };
/** One press of Run: one statement, or several one after the other. Times are epoch milliseconds. */
export type ConsoleRun = {
  id: string;
  connectionId: string;
  /** The saved console that was run, and the values for its variables; null for one that was not saved yet. */
  bound: Bound | null;
  /** The whole text of the console at that moment; statements point into it. */
  content: string;
  limit: number;
  statements: StatementRun[];
  status: "running" | "success" | "failure" | "cancelled";
  startedAt: number;
  endedAt: number | null;
  isCancelling: boolean;
};
export type ConsoleRuns = { latest: ConsoleRun | null; lastGood: ConsoleRun | null };
export type RunRequest = {
  connectionId: string;
  bound?: Bound | null;
  content: string;
  statements: SqlStatement[];
  limit: number;
};

const NONE: ConsoleRuns = { latest: null, lastGood: null };

/** Runs queries of a workspace's consoles. It outlives the view of a console: a run goes on while another tab is open. */
export class RunStore {
  #byConsole = new Map<string, ConsoleRuns>();
  #aborts = new Map<string, AbortController>();
  /** Ids of consoles that were saved for the first time, and the ids that they have since. */
  #movedTo = new Map<string, string>();
  #listeners = new Set<() => void>();

  constructor(
    private readonly workspaceId: string,
    private readonly onEnd: (consoleId: string, run: ConsoleRun) => void,
  ) {}

  read = (consoleId: string): ConsoleRuns => this.#byConsole.get(this.#now(consoleId)) ?? NONE;

  /** How many consoles have something in motion. */
  countRunning = (): number =>
    [...this.#byConsole.values()].filter(({ latest }) => latest?.status === "running").length;

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Starts a run; a console runs one at a time, so a press during a run does nothing. */
  async start(consoleId: string, request: RunRequest): Promise<void> {
    if (request.statements.length === 0 || this.read(consoleId).latest?.status === "running") return;
    const abort = new AbortController();
    this.#aborts.set(consoleId, abort);
    this.#update(consoleId, {
      id: newId(),
      connectionId: request.connectionId,
      bound: request.bound ?? null,
      content: request.content,
      limit: request.limit,
      statements: request.statements.map((statement) => ({
        statement,
        executionId: newId(),
        outcome: { status: "waiting" },
      })),
      status: "running",
      startedAt: Date.now(),
      endedAt: null,
      isCancelling: false,
    });
    for (let i = 0; i < request.statements.length; i++) {
      const status = await this.#runStatement(consoleId, i, abort.signal);
      if (status !== "done") return this.#end(consoleId, status === "failed" ? "failure" : "cancelled");
    }
    this.#end(consoleId, "success");
  }

  /**
   * Cancels what runs in a console. The server is asked first, so that the database stops too; when it knows nothing of
   * the run any more, the request is given up here.
   */
  async cancel(consoleId: string): Promise<void> {
    const run = this.read(consoleId).latest;
    if (run?.status !== "running" || run.isCancelling) return;
    this.#update(consoleId, { ...run, isCancelling: true });
    const current = run.statements.find(({ outcome }) => outcome.status === "running");
    try {
      if (current) await api.cancelExecution(this.workspaceId, current.executionId);
    } catch {
      this.#aborts.get(this.#now(consoleId))?.abort();
    }
  }

  /** A console is saved for the first time and goes on under its new id; what its results are read by again too. */
  move(from: string, to: string): void {
    const runs = this.#byConsole.get(from);
    const abort = this.#aborts.get(from);
    if (!runs) return;
    const saved = (run: ConsoleRun | null) => run && { ...run, bound: run.bound ?? { consoleId: to, variables: {} } };
    this.#byConsole.delete(from);
    this.#byConsole.set(to, { latest: saved(runs.latest), lastGood: saved(runs.lastGood) });
    this.#aborts.delete(from);
    if (abort) this.#aborts.set(to, abort);
    this.#movedTo.set(from, to);
    this.#notify();
  }

  #now(consoleId: string): string {
    return this.#movedTo.get(consoleId) ?? consoleId;
  }

  async #runStatement(consoleId: string, index: number, signal: AbortSignal): Promise<StatementOutcome["status"]> {
    const run = this.read(consoleId).latest;
    const statement = run?.statements[index];
    if (!run || !statement || run.isCancelling) return "cancelled";
    this.#settle(consoleId, index, { status: "running" });
    const began = performance.now();
    const outcome = await this.#execute(run, statement, signal).then(
      (answer): StatementOutcome => ({ status: "done", answer, wallMs: performance.now() - began }),
      (error: unknown): StatementOutcome => toOutcome(error, performance.now() - began),
    );
    this.#settle(consoleId, index, outcome);
    return outcome.status;
  }

  #execute(run: ConsoleRun, { statement, executionId }: StatementRun, signal: AbortSignal): Promise<ExecuteAnswer> {
    const target = { ...run, workspaceId: this.workspaceId };
    return api.execute(toExecuteRequest(target, statement.text, { executionId, limit: run.limit }), signal);
  }

  #settle(consoleId: string, index: number, outcome: StatementOutcome): void {
    const run = this.read(consoleId).latest;
    if (!run) return;
    const statements = run.statements.map((each, i) => (i === index ? { ...each, outcome } : each));
    this.#update(consoleId, { ...run, statements });
  }

  #end(consoleId: string, status: ConsoleRun["status"]): void {
    this.#aborts.delete(this.#now(consoleId));
    const { latest, lastGood } = this.read(consoleId);
    if (!latest) return;
    const ended: ConsoleRun = { ...latest, status, endedAt: Date.now(), isCancelling: false };
    this.#byConsole.set(this.#now(consoleId), { latest: ended, lastGood: status === "success" ? ended : lastGood });
    this.#notify();
    this.onEnd(this.#now(consoleId), ended);
  }

  #update(consoleId: string, run: ConsoleRun): void {
    this.#byConsole.set(this.#now(consoleId), { ...this.read(consoleId), latest: run });
    this.#notify();
  }

  #notify(): void {
    for (const listener of this.#listeners) listener();
  }
}

function toOutcome(error: unknown, wallMs: number): StatementOutcome {
  if (error instanceof ApiError) {
    if (error.code === "cancelled") return { status: "cancelled", wallMs };
    return {
      status: "failed",
      failure: { code: error.code, message: error.message, details: toDetails(error.details) },
      wallMs,
    };
  }
  if (error instanceof DOMException && error.name === "AbortError") return { status: "cancelled", wallMs };
  return {
    status: "failed",
    failure: { code: "internal", message: "The answer could not be read. Run it again.", details: {} },
    wallMs,
  };
}

function toDetails(details: unknown): QueryErrorDetails {
  if (typeof details !== "object" || details === null || Array.isArray(details)) return {};
  const { position, line, column, candidates } = details as Record<string, unknown>;
  return {
    ...(typeof position === "number" ? { position } : {}),
    ...(typeof line === "number" ? { line } : {}),
    ...(typeof column === "number" ? { column } : {}),
    ...(Array.isArray(candidates) ? { candidates: candidates.filter((each) => typeof each === "string") } : {}),
  };
}
