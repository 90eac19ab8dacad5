import { createStore } from "zustand/vanilla";
import type { QueryErrorDetails } from "@/lib/base/sql/query-error";
import type { SqlStatement } from "@/lib/base/sql/statements";
import type { ConfirmWrites } from "@/lib/features/connections/schema";
import { api, type ExecuteAnswer } from "@/lib/features/query/browser/api";
import { type Bound, toExecuteRequest } from "@/lib/features/query/browser/execute";
import type { ConfirmationDetails } from "@/lib/features/query/schema";
import { newId } from "@/lib/platform/browser/new-id";
import { ApiError } from "@/lib/platform/browser/request";

/** Row limits of a run: the first, then those of "Load more" (docs/develop/api.md, Queries). */
export const ROW_LIMITS = [1000, 10_000, 50_000] as const;

export type RunFailure = { code: string; message: string; details: QueryErrorDetails };
export type StatementOutcome =
  | { status: "waiting" }
  | { status: "running" }
  | { status: "done"; answer: ExecuteAnswer; wallMs: number }
  | { status: "failed"; failure: RunFailure; wallMs: number }
  | { status: "cancelled"; wallMs: number };
export type StatementRun = { statement: SqlStatement; executionId: string; outcome: StatementOutcome };
/** One run of a console: one statement, or several in sequence. Times are epoch milliseconds. */
export type ConsoleRun = {
  id: string;
  connectionId: string;
  /** Saved console that was run, if it is one, and the values of its variables. */
  bound: Bound | null;
  /** Text of the console at the start of the run; the statements' positions refer to it. */
  content: string;
  limit: number;
  /** Writes to ask about, beyond the setting of the connection. Default: the risky ones. */
  confirmWrites?: ConfirmWrites | undefined;
  statements: StatementRun[];
  status: "running" | "success" | "failure" | "cancelled";
  startedAt: number;
  endedAt: number | null;
  isCancelling: boolean;
  /** User who ran it, if it was not run in this page but read from the server. */
  keptOf: { userId: string; isByItself: boolean } | null;
};
/** A result that stays beside those of later runs until it is unpinned. */
export type PinnedResult = { run: ConsoleRun; executionId: string };
export type ConsoleRuns = {
  latest: ConsoleRun | null;
  lastGood: ConsoleRun | null;
  /** Newer run of someone else, while the user's own rows are shown. */
  newer: ConsoleRun | null;
  /** Oldest first. */
  pinned: PinnedResult[];
};
/** Storage of runs over a reload (`RunMemory`). */
type RunMemoryLike = {
  take: () => [consoleId: string, runs: ConsoleRuns][];
  keep: (byConsole: ReadonlyMap<string, ConsoleRuns>) => void;
};
/** Manual transactions of consoles (`TransactionStore`). */
type Transactions = {
  isManual: (consoleId: string, connectionId: string) => boolean;
  enter: (consoleId: string, text: string) => Promise<string>;
  refresh: (consoleId: string) => Promise<void>;
  move: (from: string, to: string) => void;
};
export type RunRequest = {
  connectionId: string;
  bound?: Bound | null;
  content: string;
  statements: SqlStatement[];
  limit: number;
  confirmWrites?: ConfirmWrites;
};
/** A write that waits for the user's confirmation. `answer` may be called more than once; the first call counts. */
export type WriteQuestion = {
  connectionId: string;
  statement: string;
  details: ConfirmationDetails;
  /** Whether it can be rolled back. */
  isManual: boolean;
  answer: (isConfirmed: boolean) => void;
};

/** Maximum number of pinned results per console. */
const PINNED_MAX = 5;
const NONE: ConsoleRuns = { latest: null, lastGood: null, newer: null, pinned: [] };

/** Runs queries of a workspace's consoles. It outlives a console's view: a run continues while another tab is open. */
export class RunStore {
  #byConsole = new Map<string, ConsoleRuns>();
  #aborts = new Map<string, AbortController>();
  /** New ids of consoles that were saved for the first time, by their old ids. */
  #movedTo = new Map<string, string>();
  /** Executions of this page, and those taken in from the server: their events are ignored. */
  #known = new Set<string>();
  readonly #changes = createStore(() => 0);
  /** Oldest first. */
  readonly questions = createStore<readonly WriteQuestion[]>(() => []);

  constructor(
    private readonly workspaceId: string,
    private readonly onEnd: (consoleId: string, run: ConsoleRun) => void,
    private readonly memory: RunMemoryLike | null = null,
    private readonly transactions: Transactions | null = null,
  ) {}

  /** Shows the results from before a reload. @returns a function that stops keeping those of this page */
  wake(): () => void {
    for (const [consoleId, runs] of this.memory?.take() ?? []) {
      if (this.#byConsole.has(consoleId)) continue;
      this.#byConsole.set(consoleId, runs);
      for (const { executionId } of runs.latest?.statements ?? []) this.#known.add(executionId);
    }
    this.#notify();
    const keep = () => this.memory?.keep(this.#byConsole);
    addEventListener("pagehide", keep);
    return () => removeEventListener("pagehide", keep);
  }

  read = (consoleId: string): ConsoleRuns => this.#byConsole.get(this.#now(consoleId)) ?? NONE;

  /** Returns the number of consoles with a running query. */
  countRunning = (): number =>
    [...this.#byConsole.values()].filter(({ latest }) => latest?.status === "running").length;

  readonly subscribe = this.#changes.subscribe;

  /** Starts a run. A console has one run at a time: during a run, this does nothing. */
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
      confirmWrites: request.confirmWrites,
      statements: request.statements.map((statement) => ({
        statement,
        executionId: newId(),
        outcome: { status: "waiting" },
      })),
      status: "running",
      startedAt: Date.now(),
      endedAt: null,
      isCancelling: false,
      keptOf: null,
    });
    for (let i = 0; i < request.statements.length; i++) {
      const status = await this.#runStatement(consoleId, i, abort.signal);
      if (status !== "done") return this.#end(consoleId, status === "failed" ? "failure" : "cancelled");
    }
    this.#end(consoleId, "success");
  }

  /**
   * Cancels the run of a console. The server is asked first, so that the database stops too. If it no longer knows the
   * run, the request is aborted here.
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

  /** Moves the runs of a console that was saved for the first time to its new id, in its results' source too. */
  move(from: string, to: string): void {
    this.transactions?.move(from, to);
    const runs = this.#byConsole.get(from);
    const abort = this.#aborts.get(from);
    if (!runs) return;
    const saved = (run: ConsoleRun | null) =>
      run && { ...run, bound: { consoleId: to, variables: run.bound?.variables ?? {} } };
    this.#byConsole.delete(from);
    this.#byConsole.set(to, { ...runs, latest: saved(runs.latest), lastGood: saved(runs.lastGood), newer: null });
    this.#aborts.delete(from);
    if (abort) this.#aborts.set(to, abort);
    this.#movedTo.set(from, to);
    this.#notify();
  }

  isKnown = (executionId: string): boolean => this.#known.has(executionId);

  /**
   * Takes in the saved result of a console. It is shown if nothing was run in this page; otherwise the user's own rows
   * stay, and the newer ones are offered.
   */
  adopt(consoleId: string, kept: ConsoleRun): void {
    const [executionId] = kept.statements.map((each) => each.executionId);
    if (executionId === undefined || this.#known.has(executionId)) return;
    const runs = this.read(consoleId);
    const { latest } = runs;
    if (latest !== null && latest.startedAt > kept.startedAt) return;
    this.#known.add(executionId);
    const isOwn = latest !== null && latest.keptOf === null;
    const next = isOwn ? { ...runs, newer: kept } : { ...runs, latest: kept, lastGood: kept, newer: null };
    this.#byConsole.set(this.#now(consoleId), next);
    this.#notify();
  }

  /** Shows the newer run of someone else. */
  showNewer(consoleId: string): void {
    const runs = this.read(consoleId);
    const { newer, latest } = runs;
    if (newer === null || latest?.status === "running") return;
    this.#byConsole.set(this.#now(consoleId), { ...runs, latest: newer, lastGood: newer, newer: null });
    this.#notify();
  }

  /** Pins or unpins a result. Above the limit the oldest one is unpinned, since each may take many megabytes. */
  setPinned(consoleId: string, executionId: string, isPinned: boolean): void {
    const runs = this.read(consoleId);
    const others = runs.pinned.filter((each) => each.executionId !== executionId);
    const run = [runs.latest, runs.lastGood].find((each) =>
      each?.statements.some((statement) => statement.executionId === executionId),
    );
    const pinned = isPinned && run ? [...others, { run, executionId }].slice(-PINNED_MAX) : others;
    this.#byConsole.set(this.#now(consoleId), { ...runs, pinned });
    this.#notify();
  }

  #now(consoleId: string): string {
    return this.#movedTo.get(consoleId) ?? consoleId;
  }

  async #runStatement(consoleId: string, index: number, signal: AbortSignal): Promise<StatementOutcome["status"]> {
    const run = this.read(consoleId).latest;
    const statement = run?.statements[index];
    if (!run || !statement || run.isCancelling) return "cancelled";
    this.#known.add(statement.executionId);
    this.#settle(consoleId, index, { status: "running" });
    const began = performance.now();
    const outcome = await this.#execute(consoleId, run, statement, signal).then(
      (answer): StatementOutcome => ({ status: "done", answer, wallMs: performance.now() - began }),
      (error: unknown): StatementOutcome => toOutcome(error, performance.now() - began),
    );
    this.#settle(consoleId, index, outcome);
    return outcome.status;
  }

  #execute(consoleId: string, run: ConsoleRun, statement: StatementRun, signal: AbortSignal): Promise<ExecuteAnswer> {
    const { transactions } = this;
    const isManual = transactions?.isManual(this.#now(consoleId), run.connectionId) === true;
    return isManual
      ? this.#executeManually(transactions, consoleId, run, statement, signal)
      : this.#send(run, statement, undefined, signal);
  }

  async #executeManually(
    transactions: Transactions,
    consoleId: string,
    run: ConsoleRun,
    statement: StatementRun,
    signal: AbortSignal,
  ): Promise<ExecuteAnswer> {
    const sessionId = await transactions.enter(this.#now(consoleId), statement.statement.text);
    try {
      return await this.#send(run, statement, sessionId, signal);
    } finally {
      await transactions.refresh(this.#now(consoleId));
    }
  }

  #send(
    run: ConsoleRun,
    { statement, executionId }: StatementRun,
    sessionId: string | undefined,
    signal: AbortSignal,
  ): Promise<ExecuteAnswer> {
    const target = { ...run, workspaceId: this.workspaceId };
    const { limit, confirmWrites = "risky" } = run;
    const execute = (options: { confirm?: true }) =>
      api.execute(
        toExecuteRequest(target, statement.text, { executionId, sessionId, limit, confirmWrites, ...options }),
        signal,
      );
    return execute({}).catch(async (error: unknown) => {
      const details = error instanceof ApiError && error.code === "confirmation_required" ? error.details : undefined;
      if (details === undefined) throw error;
      const question = { connectionId: run.connectionId, statement: statement.text, isManual: sessionId !== undefined };
      const isConfirmed = await this.ask({ ...question, details: details as ConfirmationDetails }, signal);
      if (!isConfirmed) throw new DOMException("The write was not confirmed.", "AbortError");
      return execute({ confirm: true });
    });
  }

  /** Asks the user to confirm a write, and waits for the answer; a cancelled run is a no. */
  ask(question: Omit<WriteQuestion, "answer">, signal?: AbortSignal): Promise<boolean> {
    return new Promise((resolve) => {
      const asked: WriteQuestion = {
        ...question,
        answer: (isConfirmed) => {
          this.questions.setState((all) => all.filter((each) => each !== asked), true);
          resolve(isConfirmed);
        },
      };
      signal?.addEventListener("abort", () => asked.answer(false), { once: true });
      this.questions.setState((all) => [...all, asked], true);
    });
  }

  #settle(consoleId: string, index: number, outcome: StatementOutcome): void {
    const run = this.read(consoleId).latest;
    if (!run) return;
    const statements = run.statements.map((each, i) => (i === index ? { ...each, outcome } : each));
    this.#update(consoleId, { ...run, statements });
  }

  #end(consoleId: string, status: ConsoleRun["status"]): void {
    this.#aborts.delete(this.#now(consoleId));
    const runs = this.read(consoleId);
    const { latest, lastGood, newer } = runs;
    if (!latest) return;
    const ended: ConsoleRun = { ...latest, status, endedAt: Date.now(), isCancelling: false };
    const isGood = status === "success";
    const next = { ...runs, latest: ended, lastGood: isGood ? ended : lastGood, newer: isGood ? null : newer };
    this.#byConsole.set(this.#now(consoleId), next);
    this.#notify();
    this.onEnd(this.#now(consoleId), ended);
  }

  #update(consoleId: string, run: ConsoleRun): void {
    this.#byConsole.set(this.#now(consoleId), { ...this.read(consoleId), latest: run });
    this.#notify();
  }

  #notify(): void {
    this.#changes.setState((count) => count + 1);
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
    failure: { code: "internal", message: "Couldn't read the response. Run the query again.", details: {} },
    wallMs,
  };
}

function toDetails(details: unknown): QueryErrorDetails {
  if (typeof details !== "object" || details === null || Array.isArray(details)) return {};
  const { position, line, column, suggestions } = details as Record<string, unknown>;
  return {
    ...(typeof position === "number" ? { position } : {}),
    ...(typeof line === "number" ? { line } : {}),
    ...(typeof column === "number" ? { column } : {}),
    ...(Array.isArray(suggestions) ? { suggestions } : {}),
  };
}
