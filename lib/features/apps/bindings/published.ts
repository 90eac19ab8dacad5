import "server-only";
import { type ClientSession, ObjectId } from "mongodb";
import { formatCount, formatCountOf } from "@/lib/base/values/amounts";
import { callerOfJob } from "@/lib/features/accounts/identity";
import { dropDatasets, readDatasets, refreshDataset } from "@/lib/features/results/datasets/service";
import { putSchedule, removeSchedule, schedulesOf } from "@/lib/features/runs/schedules/service";
import type { Caller } from "@/lib/platform/access/caller";
import { isDuplicateKey } from "@/lib/platform/db/duplicate-key";
import { AppError } from "@/lib/platform/http/errors";
import { log } from "@/lib/platform/log";
import { Semaphore } from "@/lib/platform/process/semaphore";
import { DurableWork, NOTHING_DUE } from "@/lib/platform/work/durable-work";
import { LEASE_MS } from "@/lib/platform/work/limits";
import { waitingWork } from "@/lib/platform/work/model";
import { collections } from "../collections";
import type { AppDoc, BindingDoc, BindingSetDoc } from "../model";
import { type Binding, isBroken, parseBinding, readBindings } from "./front-matter";
import { BINDINGS_MAX } from "./limits";
import {
  connectionIdsOf,
  isIn,
  type OfApp,
  originOf,
  publishedOwner,
  publishedPlace,
  RESOURCE_TYPE,
  resolveBinding,
  sourceKeyOf,
} from "./places";
import { wordsOf } from "./words";

/** Sources read concurrently per app. */
const READS_AT_ONCE = 4;
/** Number of earlier commits whose rows are kept, so that a rollback finds them. */
const SETS_KEPT = 10;
const sets = new DurableWork(collections.appBindingSets);

type Prepare = {
  workspaceId: ObjectId;
  app: Pick<AppDoc, "_id" | "workspaceId" | "space">;
  /** Commit to publish. */
  sha: string;
  /** Files of the commit; only those in `bindings/` are read. */
  files: ReadonlyMap<string, Uint8Array>;
  /** User with whose rights they are read, now and at each refresh. */
  publisher: Caller;
  onLog: (line: string) => void;
  signal: AbortSignal;
};

/**
 * Makes sure that each binding of a commit has rows before the commit is served. Rows of the same query are reused, all
 * others are read now. Rows of the live version are not changed. Call `settleBindings` once the commit is served.
 * @throws AppError build_failed with the bindings that are not ready, each with its reason
 */
export async function prepareBindings({ app, sha, files, publisher, onLog, signal }: Prepare): Promise<void> {
  const { workspaceId, _id: appId } = app;
  const read = readBindings(files);
  const broken = read.filter(isBroken);
  if (broken.length > 0) throw notReady(broken.map(({ path, error }) => ({ path, message: error })));
  const bindings = read.filter((each) => !isBroken(each)) as Binding[];
  const { _id: publisherId } = publisher.user;
  const keyed = bindings.map((binding) => ({ binding, sourceKey: sourceKeyOf(publisherId, binding) }));
  const kept = await readDatasets(publishedOwner(app), new Map(keyed.map(({ sourceKey }) => [sourceKey, sourceKey])));
  const reads = new Semaphore(READS_AT_ONCE, BINDINGS_MAX);
  const failures: { path: string; message: string }[] = [];
  await Promise.all(
    keyed.map(async ({ binding, sourceKey }) => {
      const { name, path } = binding;
      const state = kept.get(sourceKey);
      const there = state?.kept;
      if (there) return onLog(`${name}: ${formatCountOf(there.rowCount, "row")}, read ${there.at.toISOString()}`);
      const leave = await reads.acquire(signal);
      try {
        onLog(`${name}: refreshing`);
        const source = await resolveBinding(publisher, binding, originOf(app));
        const dataset = await refreshDataset(
          publisher,
          publishedPlace(app, sourceKey),
          source,
          signal,
          undefined,
          state,
        );
        const cut = dataset.kept?.truncated ? ", truncated" : "";
        onLog(`${name}: ${formatCountOf(dataset.kept?.rowCount ?? 0, "row")}${cut}`);
      } catch (error) {
        signal.throwIfAborted();
        const message = wordsOf(error);
        failures.push({ path, message });
        onLog(`${name}: ${message}`);
      } finally {
        leave();
      }
    }),
  );
  if (failures.length > 0) throw notReady(failures);
  await Promise.all(keyed.map(({ binding }) => bindingDocOf(app, binding.name)));
  const set = {
    publisherId,
    connectionIds: connectionIdsOf(bindings),
    bindings: keyed.map(({ binding: { name, path }, sourceKey }) => ({
      name,
      path,
      content: Buffer.from(files.get(path) ?? []).toString("utf8"),
      sourceKey,
    })),
    at: new Date(),
  };
  // A set of this commit may be live: it is replaced atomically, and its rows exist.
  await collections
    .appBindingSets()
    .updateOne(
      { workspaceId, appId, sha },
      { $set: set, $setOnInsert: { _id: new ObjectId(), workspaceId, appId, sha } },
      { upsert: true },
    );
}

/**
 * Updates schedules to those of the published commit and deletes the rows of old commits. Call it after the app's
 * pointer has moved; safe to repeat, and to call at any other time.
 */
export async function settleBindings(app: OfApp): Promise<void> {
  const { workspaceId, _id: appId } = app;
  const set = await findLiveSet(app);
  const docs = await collections.appBindings().find({ workspaceId, appId }).toArray();
  const publisher = set && (await callerOfJob(workspaceId, set.publisherId, appId));
  const schedules = await schedulesOf(
    workspaceId,
    RESOURCE_TYPE,
    docs.map(({ _id }) => _id),
  );
  for (const doc of docs) {
    const resource = { resourceType: RESOURCE_TYPE, resourceId: doc._id };
    const wanted = (set && bindingIn(set, doc.name)?.schedule) ?? null;
    const current = schedules.get(doc._id.toHexString());
    if (!wanted && current) await removeSchedule({ workspaceId }, resource);
    const isSame = wanted && current?.cron === wanted.cron && current.timezone === wanted.timezone && current.enabled;
    const isTheirs = set && current?.ownerId.equals(set.publisherId);
    if (wanted && publisher && !(isSame && isTheirs)) {
      await putSchedule(publisher, resource, { ...wanted, enabled: true });
    }
  }
  await forgetOld(app, set);
  if (!set) return;
  await collections.appBindingSets().updateOne({ _id: set._id, workspaceId, at: set.at }, [NOTHING_DUE]);
}

/**
 * Makes the bindings of a commit due, in the transaction that moves the app's pointer to it: if this server dies before
 * `settleBindings`, another one settles them.
 */
export async function makeSettlingDue(
  { workspaceId, _id: appId }: OfApp,
  sha: string,
  session: ClientSession,
): Promise<void> {
  await collections
    .appBindingSets()
    .updateOne({ workspaceId, appId, sha }, [{ $set: { work: waitingWork(LEASE_MS) } }], { session });
}

/** Settles bindings of servers that died after they moved the pointer. */
export async function settleLeftBehind(): Promise<void> {
  await sets.sweep(async (docs) => {
    for (const { _id, workspaceId, appId, at } of docs) {
      try {
        await settleBindings({ workspaceId, _id: appId });
        // Another commit is live by now.
        await collections.appBindingSets().updateOne({ _id, workspaceId, at }, [NOTHING_DUE]);
      } catch (err) {
        log.warn({ err }, "failed to update the bindings of an app; the sweep retries it");
      }
    }
  });
}

/** Returns the live binding set of an app; null if the app is not published or its version has no set. */
export async function findLiveSet({ workspaceId, _id }: OfApp): Promise<BindingSetDoc | null> {
  const app = await collections.apps().findOne({ _id, workspaceId }, { projection: { publishedSha: 1 } });
  return app?.publishedSha ? findSet({ workspaceId, _id }, app.publishedSha) : null;
}

/** Returns the bindings of one deployment. */
export function findSet({ workspaceId, _id: appId }: OfApp, sha: string): Promise<BindingSetDoc | null> {
  return collections.appBindingSets().findOne({ workspaceId, appId, sha });
}

/** Returns the key of a binding's rows in a deployment; null if the deployment has no binding of this name. */
export async function findSourceKey(
  { workspaceId, _id: appId }: OfApp,
  sha: string,
  name: string,
): Promise<string | null> {
  // Without the texts, which are not needed to read rows.
  const projection = { "bindings.name": 1, "bindings.sourceKey": 1 };
  const set = await collections.appBindingSets().findOne({ workspaceId, appId, sha }, { projection });
  return set?.bindings.find((each) => each.name === name)?.sourceKey ?? null;
}

/** Returns one binding of a set; null if it has none of this name. */
export function bindingIn({ bindings }: BindingSetDoc, name: string): Binding | null {
  const kept = bindings.find((each) => each.name === name);
  const read = kept && parseBinding(kept.path, Buffer.from(kept.content));
  return read && !isBroken(read) ? read : null;
}

/** Returns the document of a binding name and creates it if missing. */
async function bindingDocOf({ workspaceId, _id: appId }: OfApp, name: string): Promise<BindingDoc> {
  const key = { workspaceId, appId, name };
  for (;;) {
    try {
      const doc = await collections
        .appBindings()
        .findOneAndUpdate(
          key,
          { $setOnInsert: { _id: new ObjectId(), ...key } },
          { upsert: true, returnDocument: "after" },
        );
      if (doc) return doc;
    } catch (error) {
      // Another request has just created it.
      if (!isDuplicateKey(error)) throw error;
    }
  }
}

async function forgetOld(app: OfApp, live: BindingSetDoc | null): Promise<void> {
  const { workspaceId, _id: appId } = app;
  const sets = await collections
    .appBindingSets()
    .find({ workspaceId, appId }, { projection: { sha: 1, "bindings.sourceKey": 1, "bindings.name": 1 } })
    .sort({ at: -1 })
    .toArray();
  const isKept = (set: BindingSetDoc, index: number) => index < SETS_KEPT || set.sha === live?.sha;
  const [kept, old] = [sets.filter(isKept), sets.filter((set, index) => !isKept(set, index))];
  if (old.length === 0) return;
  const still = new Set(kept.flatMap(({ bindings }) => bindings.map(({ sourceKey }) => sourceKey)));
  const gone = new Set(old.flatMap(({ bindings }) => bindings.map(({ sourceKey }) => sourceKey)));
  await collections.appBindingSets().deleteMany({ workspaceId, appId, _id: { $in: old.map(({ _id }) => _id) } });
  await dropDatasets(
    publishedOwner(app),
    [...gone].filter((sourceKey) => !still.has(sourceKey)),
  );
  const names = new Set(old.flatMap(({ bindings }) => bindings.map(({ name }) => name)));
  const unnamed = [...names].filter((name) => !kept.some((set) => isIn(set, name)));
  await collections.appBindings().deleteMany({ workspaceId, appId, name: { $in: unnamed } });
}

function notReady(details: { path: string; message: string }[]): AppError {
  const [first] = details;
  const more =
    details.length > 1
      ? ` ${formatCount(details.length - 1)} more ${details.length === 2 ? "is" : "are"} not ready.`
      : "";
  return new AppError("build_failed", `${first?.path}: ${first?.message}${more}`, { details });
}
