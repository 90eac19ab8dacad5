import { createStore } from "zustand/vanilla";
import { showFailure } from "@/components/ui/toast";
import type { SqlDialect } from "@/lib/base/sql/dialects/registry";
import { transactionStepOf } from "@/lib/base/sql/statement-kind";
import type { IsolationLevel } from "@/lib/features/connections/schema";
import { api } from "@/lib/features/query/browser/api";
import { toExecuteRequest } from "@/lib/features/query/browser/execute";
import { sessionsApi } from "@/lib/features/query/browser/sessions";
import type { Session } from "@/lib/features/query/schema";
import { newId } from "@/lib/platform/browser/new-id";
import { ApiError } from "@/lib/platform/browser/request";

/** A console whose transactions a person begins and ends. */
export type ManualConsole = {
  connectionId: string;
  dialect: SqlDialect;
  isolation: IsolationLevel | null;
  /** Its session in the database; null before the first statement, and after the session has ended. */
  session: Session | null;
  /** The session ended although the person did not end it. `lost`: with an open transaction. */
  ended: "lost" | "idle" | null;
  isBusy: boolean;
};
/** A question before an open transaction is rolled back. */
type RollbackQuestion = { name: string; answer: (isConfirmed: boolean) => void };

type Kept = Pick<ManualConsole, "connectionId" | "dialect" | "isolation"> & Pick<Session, "sessionId" | "state">;

/** The session of a tab ends with it; the number is that of the stored form. */
const KEY = "millrace:sessions:1:";
/** Time after the limit of a session at which its end is read, in ms: the server closes it within half a second. */
const AFTER_LIMIT_MS = 2000;

export function isOpen(manual: ManualConsole | null): boolean {
  return manual?.session != null && manual.session.state !== "idle";
}

/** The consoles with manual transactions, and their sessions. They survive a reload of the page. */
export class TransactionStore {
  #byConsole = new Map<string, ManualConsole>();
  readonly #key: string;
  readonly #changes = createStore(() => 0);
  #timer: ReturnType<typeof setTimeout> | undefined;
  readonly questions = createStore<readonly RollbackQuestion[]>(() => []);

  constructor(
    userId: string,
    private readonly workspaceId: string,
    private readonly storage: () => Pick<Storage, "getItem" | "setItem" | "removeItem">,
  ) {
    this.#key = `${KEY}${userId}:${workspaceId}`;
  }

  readonly subscribe = this.#changes.subscribe;
  read = (consoleId: string): ManualConsole | null => this.#byConsole.get(consoleId) ?? null;

  /** Takes up the sessions from before a reload, and warns before the page is left with an open transaction. */
  wake(): () => void {
    void this.#takeUp();
    const warn = (event: BeforeUnloadEvent) => {
      if ([...this.#byConsole.values()].some(isOpen)) event.preventDefault();
    };
    addEventListener("beforeunload", warn);
    return () => {
      removeEventListener("beforeunload", warn);
      clearTimeout(this.#timer);
    };
  }

  /** Switches a console to manual transactions. A failure is shown. */
  async start(consoleId: string, facts: Pick<ManualConsole, "connectionId" | "dialect" | "isolation">): Promise<void> {
    this.#set(consoleId, { ...facts, session: null, ended: null, isBusy: true });
    try {
      await this.#open(consoleId);
      this.#patch(consoleId, { isBusy: false });
    } catch (error) {
      this.#set(consoleId, null);
      showFailure(error instanceof ApiError ? error.message : "Couldn't start a session.");
    }
  }

  /** Switches a console back, which rolls back an open transaction. Asks before that. @returns whether it did */
  async stop(consoleId: string, name: string): Promise<boolean> {
    const manual = this.read(consoleId);
    if (manual === null) return true;
    if (isOpen(manual) && !(await this.#ask(name))) return false;
    this.#set(consoleId, null);
    if (manual.session) await this.#close(manual.session.sessionId);
    return true;
  }

  /** Opens a session with another isolation level in place of an idle one. */
  async isolate(consoleId: string, isolation: IsolationLevel | null): Promise<void> {
    const manual = this.read(consoleId);
    if (manual === null || isOpen(manual)) return;
    if (manual.session) await this.#close(manual.session.sessionId);
    await this.start(consoleId, { ...manual, isolation });
  }

  isManual(consoleId: string, connectionId: string): boolean {
    return this.read(consoleId)?.connectionId === connectionId;
  }

  /**
   * Returns the session for a statement of a manual console. Starts a transaction unless one is open or the statement
   * controls it itself.
   * @throws ApiError
   */
  async enter(consoleId: string, text: string): Promise<string> {
    const manual = this.read(consoleId);
    if (manual === null) throw noSession();
    const session = manual.session ?? (await this.#open(consoleId));
    if (session.state === "idle" && transactionStepOf(text, manual.dialect) === null) {
      await this.#control(manual.connectionId, session.sessionId, "begin");
    }
    return session.sessionId;
  }

  /** Ends the transaction. A failure is shown. */
  async end(consoleId: string, how: "commit" | "rollback"): Promise<void> {
    const manual = this.read(consoleId);
    if (!manual?.session || manual.isBusy) return;
    this.#patch(consoleId, { isBusy: true });
    try {
      await this.#control(manual.connectionId, manual.session.sessionId, how);
    } catch (error) {
      showFailure(error instanceof ApiError ? error.message : `Couldn't ${how}.`);
    }
    await this.refresh(consoleId);
    this.#patch(consoleId, { isBusy: false });
  }

  /** Reads the state of a console's session. One that has ended is shown as such. */
  async refresh(consoleId: string): Promise<void> {
    const manual = this.read(consoleId);
    if (!manual?.session) return;
    const { sessionId } = manual.session;
    try {
      const sessions = await sessionsApi.list(this.workspaceId, manual.connectionId);
      const session = sessions.find((each) => each.sessionId === sessionId) ?? null;
      this.#patch(consoleId, session ? { session } : { session: null, ended: isOpen(manual) ? "lost" : "idle" });
    } catch (error) {
      if (error instanceof ApiError && error.code === "not_found")
        this.#patch(consoleId, { session: null, ended: "lost" });
    }
    this.#lookAtLimits();
  }

  /** Moves the session of a console that was saved for the first time to its new id. */
  move(from: string, to: string): void {
    const manual = this.read(from);
    if (manual === null) return;
    this.#byConsole.delete(from);
    this.#set(to, manual);
  }

  async #takeUp(): Promise<void> {
    let kept: [string, Kept][] = [];
    try {
      kept = JSON.parse(this.storage().getItem(this.#key) ?? "[]") as [string, Kept][];
    } catch {
      return;
    }
    for (const [consoleId, { sessionId, state, ...facts }] of kept) {
      const [since, expiresAt] = [new Date().toISOString(), new Date().toISOString()];
      const { isolation } = facts;
      const session = { sessionId, state, since, statements: 0, isolation, expiresAt };
      this.#set(consoleId, { ...facts, session, ended: null, isBusy: false });
      await this.refresh(consoleId);
    }
  }

  async #open(consoleId: string): Promise<Session> {
    const manual = this.read(consoleId);
    if (manual === null) throw noSession();
    const { connectionId, isolation } = manual;
    const { sessionId, expiresAt } = await sessionsApi.open(this.workspaceId, connectionId, isolation);
    const since = new Date().toISOString();
    const session: Session = { sessionId, state: "idle", since, statements: 0, isolation, expiresAt };
    this.#patch(consoleId, { session, ended: null });
    this.#lookAtLimits();
    return session;
  }

  async #close(sessionId: string): Promise<void> {
    // One that has ended already is closed.
    await sessionsApi.close(this.workspaceId, sessionId).catch(() => {});
  }

  async #control(connectionId: string, sessionId: string, text: string): Promise<void> {
    const target = { workspaceId: this.workspaceId, connectionId, bound: null };
    await api.execute(toExecuteRequest(target, text, { executionId: newId(), sessionId }));
  }

  #ask(name: string): Promise<boolean> {
    return new Promise((resolve) => {
      const question: RollbackQuestion = {
        name,
        answer: (isConfirmed) => {
          this.questions.setState((all) => all.filter((each) => each !== question), true);
          resolve(isConfirmed);
        },
      };
      this.questions.setState((all) => [...all, question], true);
    });
  }

  /** Reads the next session whose limit passes, once. */
  #lookAtLimits(): void {
    clearTimeout(this.#timer);
    const next = [...this.#byConsole]
      .flatMap(([id, { session }]) => (session ? [{ id, at: Date.parse(session.expiresAt) }] : []))
      .sort((a, b) => a.at - b.at)[0];
    if (!next) return;
    const wait = Math.max(next.at - Date.now(), 0) + AFTER_LIMIT_MS;
    this.#timer = setTimeout(() => void this.refresh(next.id), wait);
  }

  #patch(consoleId: string, news: Partial<ManualConsole>): void {
    const manual = this.read(consoleId);
    if (manual) this.#set(consoleId, { ...manual, ...news });
  }

  #set(consoleId: string, manual: ManualConsole | null): void {
    if (manual) this.#byConsole.set(consoleId, manual);
    else this.#byConsole.delete(consoleId);
    const kept = [...this.#byConsole].flatMap(
      ([id, { session, connectionId, dialect, isolation }]): [string, Kept][] =>
        session ? [[id, { connectionId, dialect, isolation, sessionId: session.sessionId, state: session.state }]] : [],
    );
    try {
      if (kept.length > 0) this.storage().setItem(this.#key, JSON.stringify(kept));
      else this.storage().removeItem(this.#key);
    } catch {
      // Without storage, a reload ends the session at its limit.
    }
    this.#changes.setState((count) => count + 1);
  }
}

/** Returns the error of a statement whose console was switched back before it ran. */
function noSession(): DOMException {
  return new DOMException("The console has no session.", "AbortError");
}
