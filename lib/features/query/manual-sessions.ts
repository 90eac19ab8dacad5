import "server-only";
import { randomUUID } from "node:crypto";
import { networkInterfaces } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { ObjectId } from "mongodb";
import { transactionStepOf } from "@/lib/base/sql/statement-kind";
import { holdRight } from "@/lib/features/accounts/held-rights";
import type {
  ManualSession,
  QueryableSource,
  QueryOptions,
  ResultStream,
  Statement,
} from "@/lib/features/connections/data-source";
import { driverOf } from "@/lib/features/connections/drivers/registry";
import { type ConnectionDoc, mayOnlyRead } from "@/lib/features/connections/model";
import { type DataSourceLease, leaseDataSource } from "@/lib/features/connections/pool";
import { findUnchanged, noSuchConnection, opensSameSource } from "@/lib/features/connections/service";
import { type Caller, isReadOnly } from "@/lib/platform/access/caller";
import type { HeldRight } from "@/lib/platform/access/held-right";
import { member } from "@/lib/platform/access/rules";
import { isDuplicateKey } from "@/lib/platform/db/duplicate-key";
import { env } from "@/lib/platform/env";
import { AppError, invalidInput } from "@/lib/platform/http/errors";
import { processRequired } from "@/lib/platform/http/require-process";
import { log } from "@/lib/platform/log";
import { isLoopback, isWildcard, toUrl } from "@/lib/platform/net/exposure";
import { raceAbort } from "@/lib/platform/process/race-abort";
import { serverMember } from "@/lib/platform/process/server-context";
import { afterRequests } from "@/lib/platform/process/shutdown";
import { collections } from "./collections";
import { CONNECTION_SESSIONS_MAX, PERSON_SESSIONS_MAX, SESSION_IDLE_MS, TRANSACTION_IDLE_MS } from "./limits";
import type { ManualSessionDoc } from "./model";
import type { OpenSessionAnswer, OpenSessionBody, Session } from "./schema";

/** Interval at which a server checks its sessions, in ms: their limits, connections and requests to close. */
const LOOK_EVERY_MS = 500;
/** Interval of heartbeats, in ms. */
const SEEN_EVERY_MS = 2000;
/** Age of a heartbeat after which its server counts as dead, in ms. */
const DEAD_AFTER_MS = 15_000;
/** Maximum wait for another server to close a session, in ms. */
const CLOSE_TIMEOUT_MS = 5000;
const CLOSE_POLL_MS = 100;
/** Attempts to find a free place while others take them. */
const CLAIM_TRIES = PERSON_SESSIONS_MAX + CONNECTION_SESSIONS_MAX;

const ENDED = "The session has ended, and its open transaction was rolled back. Open a new session.";
const IS_BUSY = "A statement is running in this session. Wait for its end, or cancel it.";

export type ManualSessions = {
  serverId: string;
  held: Map<string, HeldTransaction>;
  timer: NodeJS.Timeout | null;
  isLooking: boolean;
  seenAt: number;
  isAtShutdown: boolean;
};

/** Options of a statement in a session, with what its work may tell the query that it is part of. */
export type TurnOptions = QueryOptions & {
  /** Replaces the text in the query history. */
  describe(queryText: string): void;
};

/** A statement's use of a session. */
export type SessionTurn = {
  query(statement: Statement, options: TurnOptions): Promise<ResultStream>;
  /** Aborts when the session is closed, with the reason. */
  closed: AbortSignal;
  release(): void;
};

/** A session that this server holds. */
export class HeldTransaction {
  readonly doc: ManualSessionDoc;
  readonly connection: ConnectionDoc;
  readonly readOnly: boolean;
  readonly #session: ManualSession;
  readonly #lease: DataSourceLease;
  readonly #closed = new AbortController();
  #isBusy = false;
  /** Whether a statement has run that may have changed the session's settings or its temporary tables. */
  #hasRun = false;
  #right: HeldRight | null = null;
  /** Resolves when the state after the last statement is known and stored. */
  #settled: Promise<void> = Promise.resolve();

  constructor(
    doc: ManualSessionDoc,
    connection: ConnectionDoc,
    { session, lease, readOnly }: { session: ManualSession; lease: DataSourceLease; readOnly: boolean },
  ) {
    this.doc = doc;
    this.connection = connection;
    this.readOnly = readOnly;
    this.#session = session;
    this.#lease = lease;
  }

  get isBusy(): boolean {
    return this.#isBusy;
  }

  get isAlive(): boolean {
    return this.#session.isAlive;
  }

  /** Closes the session when its opener loses the right to it (`holdRight`). */
  watch(right: HeldRight): void {
    this.#right = right;
    right.signal.addEventListener("abort", () => void this.close(right.signal.reason), { once: true });
  }

  /**
   * Takes the session for one statement. A statement that has answered but not ended is awaited.
   * @throws AppError `conflict` while another statement runs; `not_found` when the session has ended
   */
  async take(query: string): Promise<SessionTurn> {
    if (this.#isBusy) throw new AppError("conflict", IS_BUSY);
    this.#isBusy = true;
    await this.#settled;
    if (this.#closed.signal.aborted || !this.isAlive) {
      this.#isBusy = false;
      await this.close();
      throw sessionEnded();
    }
    const startedAt = new Date();
    let isHeld = true;
    return {
      query: (statement, options) => this.#session.query(statement, { ...options, readOnly: this.readOnly }),
      closed: this.#closed.signal,
      release: () => {
        if (!isHeld) return;
        isHeld = false;
        this.#isBusy = false;
        this.#settled = this.#settle(query, startedAt);
      },
    };
  }

  /**
   * Runs work beside the session's statements, which count without it. The next statement waits for its end.
   * @param work takes a query for statements that only read (`ManualSession.query`); null in a session in which nothing
   *   has run: any other session of the connection then sees the same
   * @returns null while a statement runs, when the session has ended, and in a transaction that has failed, or in which
   *   nothing has run: the query would choose its snapshot
   */
  async inspect<T>(work: (query: QueryableSource["query"] | null) => Promise<T>): Promise<T | null> {
    if (this.#isBusy) return null;
    const previous = this.#settled;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#settled = promise;
    try {
      await previous;
      if (this.#closed.signal.aborted || !this.isAlive) return null;
      const session = this.#session;
      if (!this.#hasRun) {
        resolve();
        return await work(null);
      }
      if (session.state === "failed" || (session.state === "in_transaction" && this.doc.statements === 0)) return null;
      return await work((statement, options) => session.query(statement, { ...options, readOnly: true }));
    } finally {
      void this.#session.settled().then(resolve);
    }
  }

  /** Waits for the state after the last statement, unless one is running. */
  async whenSettled(): Promise<void> {
    if (!this.#isBusy) await this.#settled;
  }

  /** Rolls back and closes. The running statement fails with the reason. Never rejects. */
  async close(reason: unknown = new AppError("conflict", ENDED)): Promise<void> {
    if (this.#closed.signal.aborted) return;
    this.#closed.abort(reason);
    shared().held.delete(this.doc._id.toHexString());
    this.#right?.release();
    await this.#session.close();
    this.#lease.release();
    const { _id, workspaceId } = this.doc;
    await collections
      .manualSessions()
      .deleteOne({ _id, workspaceId })
      .catch((error: unknown) => log.warn({ err: error }, "failed to delete a closed session"));
  }

  async #settle(query: string, startedAt: Date): Promise<void> {
    await this.#session.settled();
    if (!this.isAlive) return this.close();
    const { doc } = this;
    const { state } = this.#session;
    const wasOpen = doc.state !== "idle";
    const isOpen = state !== "idle";
    const { dialect } = driverOf(this.connection.type);
    const isCounted = dialect === undefined || transactionStepOf(query, dialect) === null;
    const isSame = wasOpen === isOpen;
    this.#hasRun ||= isCounted;
    const now = new Date();
    const change = {
      state,
      since: isSame ? doc.since : isOpen ? startedAt : now,
      statements: (isSame ? doc.statements : 0) + (isCounted && (isSame || isOpen) ? 1 : 0),
      expiresAt: new Date(now.getTime() + (isOpen ? TRANSACTION_IDLE_MS : SESSION_IDLE_MS)),
    };
    Object.assign(doc, change);
    const { _id, workspaceId } = doc;
    await collections
      .manualSessions()
      .updateOne({ _id, workspaceId }, { $set: change })
      .catch((error: unknown) => log.warn({ err: error }, "failed to store the state of a session"));
  }
}

/**
 * Opens a session for manual transactions on this server.
 * @param connection null if the workspace has none of this id
 * @throws AppError `unsupported`; `not_found`; `conflict` at a limit; `invalid_request` for an isolation level that the
 *   database does not have; errors of opening the connection
 */
export async function openSession(
  caller: Caller,
  connection: ConnectionDoc | null,
  { isolation = null }: { isolation?: OpenSessionBody["isolation"] | null },
  signal: AbortSignal,
): Promise<OpenSessionAnswer> {
  if (!connection) throw noSuchConnection();
  const { isolationLevels, label } = driverOf(connection.type);
  if (!isolationLevels) throw new AppError("unsupported", `${label} does not support manual transactions.`);
  if (env().isVercel) throw new AppError("unsupported", processRequired("Manual transactions"));
  if (isolation !== null && !isolationLevels.includes(isolation)) {
    throw invalidInput("isolation", `${label} supports ${isolationLevels.join(", ")}.`);
  }
  const doc = await claim(caller, connection, isolation);
  const lease = leaseDataSource(connection);
  const readOnly = mayOnlyRead(connection) || isReadOnly(caller);
  try {
    const source = await raceAbort(lease.source, signal);
    if (!source.openSession) throw new AppError("unsupported", "This connection does not support manual transactions.");
    const session = await source.openSession({ isolation, readOnly, signal });
    const held = new HeldTransaction(doc, connection, { session, lease, readOnly });
    shared().held.set(doc._id.toHexString(), held);
    const { user, via, workspaceId, role } = caller;
    held.watch(holdRight({ user, via, membership: { workspaceId, role } }, member, workspaceId));
    watchSessions();
  } catch (error) {
    lease.release();
    await collections.manualSessions().deleteOne({ _id: doc._id, workspaceId: doc.workspaceId });
    throw error;
  }
  return { sessionId: doc._id.toHexString(), expiresAt: doc.expiresAt.toISOString() };
}

/** Returns the caller's sessions on a connection, oldest first. @throws AppError `not_found` for no connection */
export async function listSessions(caller: Caller, connection: ConnectionDoc | null): Promise<Session[]> {
  if (!connection) throw noSuchConnection();
  const { held } = shared();
  await Promise.all([...held.values()].filter((each) => isOf(each.doc, caller)).map((each) => each.whenSettled()));
  const docs = await collections
    .manualSessions()
    .find({ ...ownOf(caller), connectionId: connection._id, seenAt: { $gt: deadline() } })
    .sort({ _id: 1 })
    .toArray();
  return docs.flatMap((doc) => {
    const here = held.get(doc._id.toHexString());
    // One that this server has just closed may still be stored.
    return doc.serverId === shared().serverId ? (here ? [toSession(here.doc)] : []) : [toSession(doc)];
  });
}

/**
 * Rolls back and closes a session of the caller, whichever server holds it.
 * @throws AppError `not_found` for an id that is unknown, has ended or is another person's
 */
export async function closeSession(caller: Caller, sessionId: ObjectId): Promise<void> {
  const here = shared().held.get(sessionId.toHexString());
  if (here && isOf(here.doc, caller)) return here.close();
  const filter = { _id: sessionId, ...ownOf(caller) };
  const { matchedCount } = await collections
    .manualSessions()
    .updateOne({ ...filter, seenAt: { $gt: deadline() } }, { $set: { isClosing: true } });
  if (matchedCount === 0) throw sessionEnded();
  const until = performance.now() + CLOSE_TIMEOUT_MS;
  while (performance.now() < until) {
    if (!(await collections.manualSessions().findOne(filter, { projection: { _id: 1 } }))) return;
    await sleep(CLOSE_POLL_MS);
  }
}

/**
 * Finds the session for a statement.
 * @returns the session if this server holds it; otherwise the URL of the server that does
 * @throws AppError `not_found` for an id that is unknown, has ended, is another person's or another connection's;
 *   `forbidden` for a read-only key in a session that may write
 */
export async function findSession(
  caller: Caller,
  connection: ConnectionDoc,
  sessionId: ObjectId,
): Promise<{ held: HeldTransaction } | { serverUrl: string }> {
  const connectionId = connection._id;
  const held = shared().held.get(sessionId.toHexString());
  if (held && isOf(held.doc, caller) && held.doc.connectionId.equals(connectionId)) {
    if (!opensSameSource(connection, held.connection)) {
      await held.close();
      throw sessionEnded();
    }
    if (isReadOnly(caller) && !held.readOnly) {
      throw new AppError(
        "forbidden",
        "This API key is read-only, and the session may write. Use a key with full access.",
      );
    }
    return { held };
  }
  const doc = await collections
    .manualSessions()
    .findOne({ _id: sessionId, connectionId, ...ownOf(caller), seenAt: { $gt: deadline() } });
  if (!doc || doc.serverId === shared().serverId) throw sessionEnded();
  return { serverUrl: doc.serverUrl };
}

export function sessionEnded(): AppError {
  return new AppError("not_found", `Session not found. ${ENDED}`);
}

/** Takes a place of the person and one of the connection. @throws AppError `conflict` when all are taken */
async function claim(
  { user, workspaceId }: Caller,
  { _id: connectionId }: ConnectionDoc,
  isolation: ManualSessionDoc["isolation"],
): Promise<ManualSessionDoc> {
  const { serverId } = shared();
  await collections.manualSessions().deleteMany({ seenAt: { $lte: deadline() } });
  for (let tries = 0; tries < CLAIM_TRIES; tries += 1) {
    const taken = new Set<string>();
    for (const each of await collections
      .manualSessions()
      .find({ $or: [{ userId: user._id }, { connectionId }] }, { projection: { personSlot: 1, connectionSlot: 1 } })
      .toArray()) {
      taken.add(each.personSlot).add(each.connectionSlot);
    }
    const personSlot = freeSlot(`person:${user._id.toHexString()}`, PERSON_SESSIONS_MAX, taken);
    const connectionSlot = freeSlot(`connection:${connectionId.toHexString()}`, CONNECTION_SESSIONS_MAX, taken);
    if (personSlot === null) {
      throw new AppError("conflict", `Limit of ${PERSON_SESSIONS_MAX} sessions reached. Close some first.`);
    }
    if (connectionSlot === null) {
      const message = `Limit of ${CONNECTION_SESSIONS_MAX} sessions of this connection reached. Try again later.`;
      throw new AppError("conflict", message);
    }
    const now = new Date();
    const doc: ManualSessionDoc = {
      ...{ _id: new ObjectId(), workspaceId, connectionId, userId: user._id, personSlot, connectionSlot, isolation },
      ...{ serverId, serverUrl: ownUrl(), state: "idle", since: now, statements: 0, seenAt: now },
      expiresAt: new Date(now.getTime() + SESSION_IDLE_MS),
    };
    try {
      await collections.manualSessions().insertOne({ ...doc });
      return doc;
    } catch (error) {
      // Another request took the place.
      if (!isDuplicateKey(error)) throw error;
    }
  }
  throw new AppError("conflict", "Too many sessions are being opened. Try again.");
}

function freeSlot(owner: string, count: number, taken: ReadonlySet<string>): string | null {
  const slots = Array.from({ length: count }, (_, index) => `${owner}:${index}`);
  return slots.find((slot) => !taken.has(slot)) ?? null;
}

/** Returns the filter of a person's sessions in the workspace. */
function ownOf({ workspaceId, user }: Caller): { workspaceId: ObjectId; userId: ObjectId } {
  return { workspaceId, userId: user._id };
}

function isOf({ workspaceId, userId }: ManualSessionDoc, caller: Caller): boolean {
  return workspaceId.equals(caller.workspaceId) && userId.equals(caller.user._id);
}

function toSession({ _id, state, since, statements, isolation, expiresAt }: ManualSessionDoc): Session {
  return {
    sessionId: _id.toHexString(),
    ...{ state, since: since.toISOString(), statements, isolation, expiresAt: expiresAt.toISOString() },
  };
}

function deadline(now = Date.now()): Date {
  return new Date(now - DEAD_AFTER_MS);
}

/** Returns the URL at which the other servers of the store reach this one. */
function ownUrl(): string {
  const { HOST, PORT } = env();
  if (HOST !== undefined && (isLoopback(HOST) || !isWildcard(HOST))) return toUrl(HOST, PORT);
  const addresses = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
  const outside = addresses.find(({ internal, family }) => !internal && family === "IPv4");
  return toUrl(outside?.address ?? "127.0.0.1", PORT);
}

function watchSessions(): void {
  const state = shared();
  if (!state.isAtShutdown) {
    state.isAtShutdown = true;
    afterRequests(async () => {
      await Promise.all([...shared().held.values()].map((each) => each.close()));
    });
  }
  state.timer ??= setInterval(() => void look(state), LOOK_EVERY_MS).unref();
}

/** Checks the sessions of this server. Tests pass the time. */
export async function look(state = shared(), now = new Date()): Promise<void> {
  if (state.held.size === 0 && state.timer) {
    clearInterval(state.timer);
    state.timer = null;
  }
  if (state.isLooking || state.held.size === 0) return;
  state.isLooking = true;
  try {
    const over = [...state.held.values()].filter(
      ({ doc, isBusy, isAlive }) => !isBusy && (!isAlive || doc.expiresAt <= now),
    );
    await Promise.all(over.map((each) => each.close()));
    await closeLost(state);
  } catch (error) {
    // While the store is unreachable, sessions stay; the next check asks again.
    log.debug({ err: error }, "failed to check sessions");
  } finally {
    state.isLooking = false;
  }
}

/** Closes sessions of deleted workspaces and changed connections, and those that another server was asked to close. */
async function closeLost(state: ManualSessions): Promise<void> {
  const { serverId } = state;
  const all = [...state.held.values()];
  const [stored, unchanged] = await Promise.all([
    collections
      .manualSessions()
      .find({ serverId, isClosing: { $ne: true } }, { projection: { _id: 1 } })
      .toArray(),
    findUnchanged(all.map(({ connection }) => connection)),
  ]);
  const kept = new Set(stored.map(({ _id }) => _id.toHexString()));
  const lost = all.filter(
    ({ doc, connection }) => !kept.has(doc._id.toHexString()) || !unchanged.has(connection._id.toHexString()),
  );
  await Promise.all(lost.map((each) => each.close()));
  if (performance.now() - state.seenAt < SEEN_EVERY_MS) return;
  state.seenAt = performance.now();
  await collections.manualSessions().updateMany({ serverId }, { $set: { seenAt: new Date() } });
}

const shared = serverMember(
  "manualSessions",
  () => ({
    serverId: randomUUID(),
    held: new Map(),
    timer: null,
    isLooking: false,
    seenAt: 0,
    isAtShutdown: false,
  }),
  {
    phase: "clients",
    close: async ({ held, timer }) => {
      clearInterval(timer ?? undefined);
      await Promise.all([...held.values()].map((each) => each.close()));
    },
  },
);
