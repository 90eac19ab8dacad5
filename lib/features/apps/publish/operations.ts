import "server-only";
import { setTimeout as sleep } from "node:timers/promises";
import { ObjectId } from "mongodb";
import { accessOf } from "@/lib/features/folders/model";
import type { Person } from "@/lib/platform/access/caller";
import { isDuplicateKey } from "@/lib/platform/db/duplicate-key";
import { inTransaction } from "@/lib/platform/db/transaction";
import { publish } from "@/lib/platform/events/publish";
import { AppError } from "@/lib/platform/http/errors";
import { log } from "@/lib/platform/log";
import { collections } from "../collections";
import type { AppDoc } from "../model";
import { BuildFailed } from "./builds";
import { dropDeployments } from "./drop";
import type { Failure, OperationDoc } from "./model";
import { STEP_NAMES, type StepName } from "./schema";

/** Three heartbeats may be lost before another server considers an operation dead. */
const LEASE_MS = 30_000;
const BEAT_MS = 10_000;
/** The previous operation has a build of at most two minutes, and data to prepare. */
const TURN_WAIT_MS = 5 * 60_000;
const TURN_POLL_MS = 200;
/** Maximum number of stored log lines of a build; the last ones say why it failed. */
const LOG_LINES_MAX = 500;
const LOG_LINE_CHARS_MAX = 1_000;
const LOG_FLUSH_MS = 300;
/** Events are limited to 16 KiB. */
const EVENT_LINES_MAX = 12;
const SWEPT_AT_ONCE = 50;

const DIED = "The server stopped during the publish. The previous version is still live. Publish again.";

/** Interface between an operation and its work. */
export type Hold = {
  id: ObjectId;
  signal: AbortSignal;
  say: (line: string) => void;
  /** Ends the previous step and starts this one. */
  begin: (step: StepName) => Promise<void>;
};
export type Outcome = { sha: string; deploymentId: ObjectId; thumbnail: string | null; note: string | null };
export type Ended = { operationId: ObjectId; sha: string; publishedAt: Date; note: string | null };

/**
 * Queues a change of the served version and runs it when it is first in line: one at a time per app.
 * @returns its id at once, and `ended`, which settles with the result or the error of the work
 */
export async function startOperation(
  app: AppDoc,
  { user, kind }: { user: Person; kind: OperationDoc["kind"] },
  work: (hold: Hold) => Promise<Outcome>,
): Promise<{ operationId: ObjectId; ended: Promise<Ended> }> {
  const { workspaceId, _id: appId } = app;
  const doc: OperationDoc = {
    _id: new ObjectId(),
    workspaceId,
    appId,
    kind,
    by: { id: user._id, name: user.name },
    state: "queued",
    steps: STEP_NAMES.filter((name) => kind === "publish" || name !== "build").map((name) => ({
      ...{ name, state: "waiting" as const },
      ...{ startedAt: null, endedAt: null },
    })),
    log: [],
    problems: [],
    until: new Date(Date.now() + LEASE_MS),
    sha: null,
    publishedAt: null,
    failure: null,
    note: null,
    createdAt: new Date(),
    endedAt: null,
  };
  await collections.appOperations().insertOne(doc);
  // From here on by the database's clock.
  await keepAlive({ _id: doc._id, workspaceId });
  tell(app, doc);
  const ended = runOperation(app, doc, work);
  // The caller may no longer be waiting for the result.
  ended.catch(() => {});
  return { operationId: doc._id, ended };
}

async function runOperation(app: AppDoc, doc: OperationDoc, work: (hold: Hold) => Promise<Outcome>): Promise<Ended> {
  const place = { _id: doc._id, workspaceId: doc.workspaceId };
  const gone = new AbortController();
  const beat = setInterval(() => {
    void keepAlive(place).then(
      (isOurs) => isOurs || gone.abort(new AppError("unavailable", DIED)),
      (err: unknown) => log.warn({ err }, "an operation of an app could not say that it is alive"),
    );
  }, BEAT_MS).unref();
  const lines = new LogLines(app, place);
  try {
    await takeTurn(place, doc.appId, gone.signal);
    tell(app, { ...doc, state: "running" });
    const outcome = await work({
      id: doc._id,
      signal: gone.signal,
      say: (line) => lines.add(line),
      begin: (step) => beginStep(app, place, step),
    });
    await lines.flush();
    return await finish(app, place, outcome);
  } catch (thrown) {
    await lines.flush().catch(() => {});
    const error = thrown instanceof BuildFailed ? new BuildFailed(thrown.message, thrown.problems, lines.kept) : thrown;
    await fail(app, place, error).catch((err: unknown) => log.warn({ err }, "the end of an operation was not noted"));
    await dropIfGone(doc);
    throw error;
  } finally {
    clearInterval(beat);
    lines.stop();
  }
}

type Place = { _id: ObjectId; workspaceId: ObjectId };
const OPEN = { state: { $in: ["queued", "running"] as OperationDoc["state"][] } };
const ALIVE_UNTIL = { $add: ["$$NOW", LEASE_MS] };

async function keepAlive(place: Place): Promise<boolean> {
  const { matchedCount } = await collections
    .appOperations()
    .updateOne({ ...place, ...OPEN }, [{ $set: { until: ALIVE_UNTIL } }]);
  return matchedCount === 1;
}

/** Decided by the unique index on `runsFor`. */
async function takeTurn(place: Place, appId: ObjectId, signal: AbortSignal): Promise<void> {
  const patience = AbortSignal.any([signal, AbortSignal.timeout(TURN_WAIT_MS)]);
  for (;;) {
    try {
      const { matchedCount } = await collections
        .appOperations()
        .updateOne({ ...place, state: "queued" }, [{ $set: { state: "running", runsFor: appId, until: ALIVE_UNTIL } }]);
      if (matchedCount === 0) throw new AppError("unavailable", DIED);
      return;
    } catch (error) {
      if (!isDuplicateKey(error)) throw error;
    }
    await endLapsed({ workspaceId: place.workspaceId, runsFor: appId });
    try {
      await sleep(TURN_POLL_MS, undefined, { signal: patience });
    } catch {
      throw new AppError("already_running", "Another publish is taking long. Try again later.");
    }
  }
}

async function beginStep(app: AppDoc, place: Place, name: StepName): Promise<void> {
  const now = new Date();
  const doc = await change(place, (steps) =>
    steps.map((step) => {
      if (step.name === name) return { ...step, state: "running", startedAt: now };
      return step.state === "running" ? { ...step, state: "done", endedAt: now } : step;
    }),
  );
  // Another server considered it dead: continuing would overwrite a newer operation.
  if (!doc) throw new AppError("unavailable", DIED);
  tell(app, doc);
}

/** Updates the pointer and the operation in one transaction: neither exists without the other. */
async function finish(app: AppDoc, place: Place, { sha, deploymentId, thumbnail, note }: Outcome): Promise<Ended> {
  const { _id: appId, workspaceId } = app;
  const publishedAt = new Date();
  const doc = await inTransaction(async (session) => {
    const before = await collections.appOperations().findOne({ ...place, state: "running" }, { session });
    if (!before) throw new AppError("unavailable", DIED);
    const steps = before.steps.map((step) => ({
      ...step,
      state: "done" as const,
      endedAt: step.endedAt ?? publishedAt,
    }));
    const end = { state: "done" as const, steps, sha, publishedAt, note, endedAt: publishedAt };
    const { matchedCount } = await collections
      .appOperations()
      .updateOne({ ...place, state: "running" }, { $set: end, $unset: { runsFor: "" } }, { session });
    if (matchedCount === 0) throw new AppError("unavailable", DIED);
    const moved = await collections
      .apps()
      .updateOne(
        { _id: appId, workspaceId, space: app.space },
        { $set: { publishedSha: sha, publishedAt, deploymentId, thumbnail, updatedAt: publishedAt } },
        { session },
      );
    if (moved.matchedCount === 0) {
      throw new AppError("conflict", "The app was moved or deleted. Reload the page.");
    }
    return { ...before, ...end };
  });
  tell(app, doc);
  return { operationId: place._id, sha, publishedAt, note };
}

async function fail(app: AppDoc, place: Place, error: unknown): Promise<void> {
  const failure = toFailure(error);
  if (failure.code === "internal") log.error({ err: error }, "an operation of an app failed");
  const now = new Date();
  const doc = await change(
    place,
    (steps) => steps.map((step) => (step.state === "running" ? { ...step, state: "failed", endedAt: now } : step)),
    { state: "failed", failure, endedAt: now, ...(error instanceof BuildFailed && { problems: error.problems }) },
  );
  if (doc) tell(app, doc);
}

/** Changes an open operation; returns null if it has ended. */
async function change(
  place: Place,
  toSteps: (steps: OperationDoc["steps"]) => OperationDoc["steps"],
  more: Partial<OperationDoc> = {},
): Promise<OperationDoc | null> {
  const before = await collections.appOperations().findOne({ ...place, ...OPEN });
  if (!before) return null;
  const isOver = more.state !== undefined;
  return collections
    .appOperations()
    .findOneAndUpdate(
      { ...place, ...OPEN },
      { $set: { ...more, steps: toSteps(before.steps) }, ...(isOver && { $unset: { runsFor: "" } }) },
      { returnDocument: "after" },
    );
}

/** Returns the failure as reported to the caller and stored for others. */
function toFailure(error: unknown): Failure {
  if (!(error instanceof AppError)) return { code: "internal", message: "Internal error. Publish again." };
  return { code: error.kind, message: error.message, ...(error.details && { details: error.details }) };
}

/** Ends operations of servers that died. Their changes are not served, and the next operation can start. */
export async function sweepAppOperations(): Promise<void> {
  await endLapsed(OPEN);
}

async function endLapsed(which: Record<string, unknown>): Promise<void> {
  const lapsed = await collections
    .appOperations()
    .find({ ...which, ...OPEN, $expr: { $lt: ["$until", "$$NOW"] } })
    .limit(SWEPT_AT_ONCE)
    .toArray();
  for (const { _id, workspaceId, appId } of lapsed) {
    const endedAt = new Date();
    const doc = await collections.appOperations().findOneAndUpdate(
      { _id, workspaceId, ...OPEN, $expr: { $lt: ["$until", "$$NOW"] } },
      {
        $set: { state: "failed", failure: { code: "unavailable", message: DIED }, endedAt },
        $unset: { runsFor: "" },
      },
      { returnDocument: "after" },
    );
    const app = doc && (await collections.apps().findOne({ _id: appId, workspaceId }));
    if (app) tell(app, doc);
    else if (doc) await dropIfGone(doc);
  }
}

/** Deletes what was written for an app during its deletion, and would otherwise stay forever. */
async function dropIfGone({ appId, workspaceId }: OperationDoc): Promise<void> {
  const isThere = (await collections.apps().countDocuments({ _id: appId, workspaceId }, { limit: 1 })) > 0;
  if (!isThere) await dropDeployments({ _id: appId, workspaceId });
}

/** Publishes the state of an operation and new lines of its build's log to the users who may see the app. */
function tell(
  app: AppDoc,
  { _id, workspaceId, appId, kind, state, steps, sha, failure }: OperationDoc,
  said?: string[],
): void {
  publish({
    workspaceId,
    kind: "app",
    resourceType: "app_operation",
    resourceId: _id,
    ...(accessOf(app.space) === "private" && { onlyFor: app.ownerId }),
    data: {
      appId: appId.toHexString(),
      kind,
      state,
      step: steps.findLast((step) => step.state !== "waiting")?.name ?? null,
      sha,
      ...(failure && { error: failure.message }),
      ...(said && { log: said }),
    },
  });
}

/** Batches log lines: one write per line would slow the build down. */
class LogLines {
  #waiting: string[] = [];
  kept: string[] = [];
  #timer: NodeJS.Timeout | null = null;
  #writing: Promise<void> = Promise.resolve();

  constructor(
    private readonly app: AppDoc,
    private readonly place: Place,
  ) {}

  add(line: string): void {
    this.#waiting.push(line.slice(0, LOG_LINE_CHARS_MAX).toWellFormed().replaceAll("\0", ""));
    if (this.#waiting.length > LOG_LINES_MAX) this.#waiting.splice(0, this.#waiting.length - LOG_LINES_MAX);
    this.#timer ??= setTimeout(() => {
      void this.flush().catch((err: unknown) => log.warn({ err }, "what a build says could not be kept"));
    }, LOG_FLUSH_MS).unref();
  }

  flush(): Promise<void> {
    this.stop();
    const said = this.#waiting.splice(0);
    if (said.length > 0) this.#writing = this.#writing.catch(() => {}).then(() => this.#write(said));
    return this.#writing;
  }

  stop(): void {
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
  }

  async #write(said: string[]): Promise<void> {
    this.kept = [...this.kept, ...said].slice(-LOG_LINES_MAX);
    const doc = await collections
      .appOperations()
      .findOneAndUpdate(this.place, { $set: { log: this.kept } }, { returnDocument: "after" });
    for (let at = 0; doc && at < said.length; at += EVENT_LINES_MAX) {
      tell(this.app, doc, said.slice(at, at + EVENT_LINES_MAX));
    }
  }
}
