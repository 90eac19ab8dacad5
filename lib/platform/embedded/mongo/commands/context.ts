import { type Doc, isDoc, toWholeNumber, type Value } from "../bson/values.ts";
import { badValue, StoreError, typeMismatch } from "../errors.ts";
import { compileExpression } from "../expressions/compile.ts";
import { checkVariableName } from "../expressions/logic.ts";
import { bind, type Scope, type Variables } from "../expressions/scope.ts";
import type { Deadline } from "../scheduling/deadline.ts";
import { Turns } from "../scheduling/flow.ts";
import type { Retry, RetryLog } from "../storage/retries.ts";
import type { Access, Store } from "../storage/store.ts";
import { type Sessions, transactionName } from "../storage/transactions.ts";
import type { Authentication, GuessLimit } from "../wire/authentication.ts";
import type { Monitor } from "../wire/monitor.ts";
import type { Credentials } from "../wire/scram.ts";
import type { Cursors } from "./cursors.ts";

/** Services that all commands share. */
export type Services = {
  store: Store;
  cursors: Cursors;
  sessions: Sessions;
  retries: RetryLog;
  monitor: Monitor;
  /** Credentials of the only user; undefined when no sign-in is required. */
  credentials: Credentials | undefined;
  guesses: GuessLimit;
  /** Address of the only member, as clients reach it: a path or host:port. */
  address: string;
  startedAt: Date;
};

/** A client as its connection describes it. */
export type Client = {
  /** Counted from 1 since the store's start. */
  readonly id: number;
  readonly isClosed: boolean;
  readonly authentication: Authentication;
};

/** Context of a running command. */
export type Context = {
  services: Services;
  command: Doc;
  name: string;
  db: string;
  /** Target of reads and writes: the store, or the command's transaction. */
  access: Access;
  isInTransaction: boolean;
  /** The session's id in hex; undefined outside sessions. */
  session: string | undefined;
  /** State of a retryable write; undefined for other commands. */
  retry: Retry | undefined;
  turns: Turns;
  deadline: Deadline;
  scope: Scope;
  connection: Client;
};

/** Maximum of `maxTimeMS` (int32). */
const MAX_TIME_MS = 2 ** 31 - 1;

/**
 * Returns the command's deadline. Its check throws StoreError MaxTimeMSExpired once the time is over or the client has
 * disconnected.
 */
export function makeDeadline(command: Doc, connection: { isClosed: boolean }): Deadline {
  const value = command.get("maxTimeMS");
  let end = Number.POSITIVE_INFINITY;
  if (value !== undefined && value !== null) {
    const ms = toWholeNumber(value);
    if (ms === undefined) throw typeMismatch("maxTimeMS must be a whole number");
    if (ms < 0 || ms > MAX_TIME_MS) throw badValue(`${ms} value for maxTimeMS is out of range [0, ${MAX_TIME_MS}]`);
    if (ms > 0) end = performance.now() + ms;
  }
  return {
    left: () => end - performance.now(),
    limit: (ms) => {
      end = Math.min(end, performance.now() + ms);
    },
    check: () => {
      if (performance.now() > end) throw new StoreError("MaxTimeMSExpired", "operation exceeded time limit");
      if (connection.isClosed) throw new StoreError("Interrupted", "The client has gone.");
    },
  };
}

/** Returns the system variables. NOW has one value for a whole command. */
export function systemScope(now: Date): Scope {
  return bind(undefined, "NOW", now);
}

/** Returns the variables of a command with its `let`. */
export function variablesOf(scope: Scope, letDoc: Value | undefined): Variables {
  if (letDoc === undefined || letDoc === null) return { scope };
  if (!isDoc(letDoc)) throw typeMismatch("BSON field 'let' is the wrong type, expected type 'object'");
  let inner = scope;
  for (const [name, expression] of letDoc) {
    checkVariableName(name);
    // An expression may use the variables before it, and no document.
    const value = compileExpression(expression, { scope: inner })({
      root: new Map(),
      scope: inner,
    });
    inner = bind(inner, name, value);
  }
  return { scope: inner };
}

export function newTurns(deadline: Deadline): Turns {
  return new Turns(deadline);
}

/** Returns the name of the transaction that a command is part of; undefined outside one. */
export function transactionOf(context: Context): string | undefined {
  if (!context.isInTransaction || context.session === undefined) return undefined;
  return transactionName(context.session, BigInt(toWholeNumber(context.command.get("txnNumber")) ?? 0));
}
