import "server-only";
import { AsyncLocalStorage } from "node:async_hooks";
import { serverMember } from "@/lib/platform/process/server-context";

/** Facts about the work that log lines belong to. */
export type LogContext = {
  requestId: string;
  /** Time by `performance.now()`; lines include the milliseconds since then as `durationMs`. */
  startedAt: number;
  /** Id of the user, also for the creator of an API key. */
  user?: string;
  /** Id of the workspace. */
  workspace?: string;
};

const storage = serverMember("logContext", () => new AsyncLocalStorage<LogContext>());

/** Runs work whose log lines carry the facts, and those added during it. */
export function withLogContext<T>(context: LogContext, work: () => T): T {
  return storage().run(context, work);
}

/** Adds facts to all later lines of the current work; outside of it, does nothing. */
export function addLogContext(facts: Pick<LogContext, "user" | "workspace">): void {
  const context = storage().getStore();
  if (context) Object.assign(context, facts);
}

/** Returns the fields of a log line; none outside of `withLogContext`. */
export function logFields(): Record<string, unknown> {
  const context = storage().getStore();
  if (!context) return {};
  const { startedAt, ...facts } = context;
  return { ...facts, durationMs: Math.round(performance.now() - startedAt) };
}
