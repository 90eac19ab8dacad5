import "server-only";
import { setTimeout as sleep } from "node:timers/promises";
import { type Document, type Filter, ObjectId } from "mongodb";
import { accessOf } from "@/lib/features/folders/model";
import type { Person } from "@/lib/platform/access/caller";
import { isDuplicateKey } from "@/lib/platform/db/duplicate-key";
import { inTransaction } from "@/lib/platform/db/transaction";
import { publish } from "@/lib/platform/events/publish";
import { AppError } from "@/lib/platform/http/errors";
import { toAppError } from "@/lib/platform/http/to-app-error";
import { log } from "@/lib/platform/log";
import { DurableWork, NOTHING_DUE } from "@/lib/platform/work/durable-work";
import type { Claim } from "@/lib/platform/work/heartbeat";
import { makeSettlingDue } from "../bindings/published";
import { collections } from "../collections";
import type { AppDoc } from "../model";
import { BuildFailed } from "./builds";
import { dropDeployments } from "./drop";
import type { Failure, OperationDoc } from "./model";
import { STEP_NAMES, type StepName } from "./schema";

/** The previous operation has a build of at most two minutes, and data to prepare. */
const TURN_WAIT_MS = 5 * 60_000;
const TURN_POLL_MS = 200;
/** Maximum number of stored log lines of a build; the last ones say why it failed. */
const LOG_LINES_MAX = 500;
const LOG_LINE_CHARS_MAX = 1_000;
const LOG_FLUSH_MS = 300;
/** Events are limited to 16 KiB. */
const EVENT_LINES_MAX = 12;

const DIED = "The server stopped during the publish. The previous version is still live. Publish again.";

const OPEN: OperationDoc["state"][] = ["queued", "running"];
const operations = new DurableWork(collections.appOperations);

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
  const given: OperationDoc = {
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
    sha: null,
    publishedAt: null,
    failure: null,
    note: null,
    createdAt: new Date(),
    endedAt: null,
  };
  const { doc, claim } = await operations.insertClaimed(given);
  publishOperationEvent(app, doc);
  const ended = runOperation(app, doc, claim, work);
  // The caller may no longer be waiting for the result.
  ended.catch(() => {});
  return { operationId: doc._id, ended };
}

async function runOperation(
  app: AppDoc,
  doc: OperationDoc,
  claim: Claim,
  work: (hold: Hold) => Promise<Outcome>,
): Promise<Ended> {
  const gone = new AbortController();
  claim.signal.addEventListener("abort", () => gone.abort(new AppError("unavailable", DIED)));
  const lines = new LogLines(app, claim);
  try {
    await takeTurn(claim, doc.appId, gone.signal);
    publishOperationEvent(app, { ...doc, state: "running" });
    const outcome = await work({
      id: doc._id,
      signal: gone.signal,
      say: (line) => lines.add(line),
      begin: (step) => beginStep(app, claim, step),
    });
    await lines.flush();
    return await finish(app, claim, outcome);
  } catch (thrown) {
    await lines.flush().catch(() => {});
    const error = thrown instanceof BuildFailed ? new BuildFailed(thrown.message, thrown.problems, lines.kept) : thrown;
    await fail(app, claim, error).catch((err: unknown) => log.warn({ err }, "failed to store the end of a publish"));
    await dropIfGone(doc);
    throw error;
  } finally {
    claim.drop();
    lines.stop();
  }
}

/** Decided by the unique index on `runsFor`. */
async function takeTurn(claim: Claim, appId: ObjectId, signal: AbortSignal): Promise<void> {
  const patience = AbortSignal.any([signal, AbortSignal.timeout(TURN_WAIT_MS)]);
  for (;;) {
    try {
      if (!(await operations.update(claim, [{ $set: { state: "running", runsFor: appId } }]))) throw died();
      return;
    } catch (error) {
      if (!isDuplicateKey(error)) throw error;
    }
    await endDead({ workspaceId: claim.key.workspaceId, runsFor: appId });
    try {
      await sleep(TURN_POLL_MS, undefined, { signal: patience });
    } catch {
      throw new AppError("already_running", "Another publish is taking long. Try again later.");
    }
  }
}

async function beginStep(app: AppDoc, claim: Claim, name: StepName): Promise<void> {
  const isNamed = { $eq: ["$$this.name", name] };
  const begun = { $mergeObjects: ["$$this", { state: "running", startedAt: "$$NOW" }] };
  const ended = { $mergeObjects: ["$$this", { state: "done", endedAt: "$$NOW" }] };
  const doc = await operations.update(claim, [
    mapSteps({ $cond: [isNamed, begun, { $cond: [IS_RUNNING, ended, "$$this"] }] }),
  ]);
  // Another server considered it dead: continuing would overwrite a newer operation.
  if (!doc) throw died();
  publishOperationEvent(app, doc);
}

const IS_RUNNING = { $eq: ["$$this.state", "running"] };

/** Returns the stage that changes each step, in one update with the check of the claim. */
function mapSteps(change: Document): Document {
  return { $set: { steps: { $map: { input: "$steps", in: change } } } };
}

function died(): AppError {
  return new AppError("unavailable", DIED);
}

/** Updates the pointer and the operation in one transaction: neither exists without the other. */
async function finish(app: AppDoc, claim: Claim, { sha, deploymentId, thumbnail, note }: Outcome): Promise<Ended> {
  const { _id: appId, workspaceId } = app;
  const publishedAt = new Date();
  const done = { $mergeObjects: ["$$this", { state: "done", endedAt: { $ifNull: ["$$this.endedAt", publishedAt] } }] };
  const end = { state: "done" as const, sha, publishedAt, note: { $literal: note }, endedAt: publishedAt };
  const doc = await inTransaction(async (session) => {
    const ended = await collections
      .appOperations()
      .findOneAndUpdate({ ...claim.held, state: "running" }, [mapSteps(done), { $set: end }, ...OVER], {
        session,
        returnDocument: "after",
      });
    if (!ended) throw died();
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
    await makeSettlingDue(app, sha, session);
    return ended;
  });
  publishOperationEvent(app, doc);
  return { operationId: doc._id, sha, publishedAt, note };
}

/** Stages that end an operation, so that the app's next one may run. */
const OVER = [NOTHING_DUE, { $unset: "runsFor" }];

async function fail(app: AppDoc, claim: Claim, error: unknown): Promise<void> {
  const failure = toFailure(error);
  if (failure.code === "internal") log.error({ err: error }, "a publish or rollback failed");
  const end = { failure, ...(error instanceof BuildFailed && { problems: error.problems }) };
  const doc = await operations.finish(claim, failStages(end), { state: { $in: OPEN } });
  if (doc) publishOperationEvent(app, doc);
}

function failStages(end: Pick<OperationDoc, "failure"> & Partial<OperationDoc>): Document[] {
  const failed = { $mergeObjects: ["$$this", { state: "failed", endedAt: "$$NOW" }] };
  const literals = Object.fromEntries(Object.entries(end).map(([name, value]) => [name, { $literal: value }]));
  return [
    mapSteps({ $cond: [IS_RUNNING, failed, "$$this"] }),
    { $set: { state: "failed", endedAt: "$$NOW", ...literals } },
    ...OVER,
  ];
}

/** Returns the failure as reported to the caller and stored for others. */
function toFailure(thrown: unknown): Failure {
  const { kind, message, details } = toAppError(thrown);
  if (kind === "internal") return { code: kind, message: "Internal error. Publish again." };
  return { code: kind, message, ...(details && { details }) };
}

/** Ends operations of servers that died. Their changes are not served, and the next operation can start. */
export async function sweepAppOperations(): Promise<void> {
  await operations.sweep(async (docs) => {
    for (const { _id, workspaceId } of docs) await endDead({ _id, workspaceId });
  });
}

async function endDead(which: Filter<OperationDoc>): Promise<void> {
  const doc = await collections
    .appOperations()
    .findOneAndUpdate(
      { ...which, state: { $in: OPEN }, ...DurableWork.FREE },
      failStages({ failure: { code: "unavailable", message: DIED } }),
      { returnDocument: "after" },
    );
  const app = doc && (await collections.apps().findOne({ _id: doc.appId, workspaceId: doc.workspaceId }));
  if (app) publishOperationEvent(app, doc);
  else if (doc) await dropIfGone(doc);
}

/** Deletes what was written for an app during its deletion, and would otherwise stay forever. */
async function dropIfGone({ appId, workspaceId }: OperationDoc): Promise<void> {
  const isThere = (await collections.apps().countDocuments({ _id: appId, workspaceId }, { limit: 1 })) > 0;
  if (!isThere) await dropDeployments({ _id: appId, workspaceId });
}

/** Publishes the state of an operation and new lines of its build's log to the users who may see the app. */
function publishOperationEvent(
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
    private readonly claim: Claim,
  ) {}

  add(line: string): void {
    this.#waiting.push(line.slice(0, LOG_LINE_CHARS_MAX).toWellFormed().replaceAll("\0", ""));
    if (this.#waiting.length > LOG_LINES_MAX) this.#waiting.splice(0, this.#waiting.length - LOG_LINES_MAX);
    this.#timer ??= setTimeout(() => {
      void this.flush().catch((err: unknown) => log.warn({ err }, "failed to store build output"));
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
      .findOneAndUpdate(this.claim.key, { $set: { log: this.kept } }, { returnDocument: "after" });
    for (let at = 0; doc && at < said.length; at += EVENT_LINES_MAX) {
      publishOperationEvent(this.app, doc, said.slice(at, at + EVENT_LINES_MAX));
    }
  }
}
