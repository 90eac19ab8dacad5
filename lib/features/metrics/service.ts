import "server-only";
import { ObjectId } from "mongodb";
import { findConnectionsNamed } from "@/lib/features/connections/by-name";
import { changeItems } from "@/lib/features/folders/change-items";
import { contentAt } from "@/lib/features/folders/history";
import { WORKSPACE_SPACE } from "@/lib/features/folders/model";
import { freePlace, noSuch, stale } from "@/lib/features/folders/placement";
import { findUserNames } from "@/lib/features/users/service";
import type { Caller } from "@/lib/platform/access/caller";
import { findPage } from "@/lib/platform/db/find-page";
import type { Page, PageRequest } from "@/lib/platform/http/paging";
import { collections } from "./collections";
import { fieldsOfMetricFile, requireValid } from "./content";
import { ENDING, METRICS } from "./item-kind";
import type { MetricDoc } from "./model";
import type { MetricItem, MetricSummary, PutMetricBody } from "./schema";

/** Lists the metric files of the workspace, oldest first, without their texts. */
export async function listMetrics(caller: Caller, page: PageRequest): Promise<Page<MetricSummary>> {
  const { workspaceId } = caller;
  const filter = { workspaceId, space: WORKSPACE_SPACE };
  const order = { order: "oldest", projection: { content: 0 } } as const;
  const found = await findPage(collections.metrics(), filter, page, order, (doc) => doc);
  return { ...found, items: await toSummaries(caller, found.items) };
}

/** @throws AppError not_found */
export async function getMetric(caller: Caller, name: string): Promise<MetricItem> {
  return toItem(caller, await getMetricDocOrThrow(caller, name));
}

/** Returns the stored file. @throws AppError not_found, the same for another workspace's */
export async function getMetricDocOrThrow(caller: Caller, name: string): Promise<MetricDoc> {
  const doc = await findMetricDoc(caller, name);
  if (!doc) throw noSuch(METRICS);
  return doc;
}

/** Returns the ID of a file; null if it does not exist. */
export async function findMetricId(caller: Caller, name: string): Promise<string | null> {
  return (await findMetricDoc(caller, name))?._id.toHexString() ?? null;
}

/** Returns the files that define a metric of this name; of this file only, if `file` names one. */
export function findDefinitions({ workspaceId }: Caller, metric: string, file?: string): Promise<MetricDoc[]> {
  const filter = { workspaceId, space: WORKSPACE_SPACE, metrics: metric };
  return collections
    .metrics()
    .find({ ...filter, ...(file !== undefined && { path: file }) })
    .toArray();
}

/** Checks a save without saving. @throws AppError as `putMetric`, except for the case of names */
export async function checkMetric(caller: Caller, name: string, body: PutMetricBody): Promise<void> {
  await requireValid(caller, body.content);
  await findCurrent(caller, name, body.version);
}

/** Returns the file to replace; null for a new one. @throws AppError `not_found`, `conflict` for another version */
async function findCurrent(caller: Caller, name: string, version: number): Promise<MetricDoc | null> {
  const doc = await findMetricDoc(caller, name);
  if (!doc && version > 0) throw noSuch(METRICS);
  if (doc && doc.version !== version) throw stale(METRICS, await toItem(caller, doc));
  return doc;
}

/**
 * Saves a metric file as one commit, and creates it if it does not exist.
 * @throws AppError invalid_request with the problems of the text; conflict with details {current} for a stale version,
 * and for a name that differs by case alone; not_found for a version of a file that does not exist
 */
export async function putMetric(caller: Caller, name: string, body: PutMetricBody): Promise<MetricItem> {
  const { workspaceId, user } = caller;
  await requireValid(caller, body.content);
  const saved = await changeItems(caller, METRICS, async (changes) => {
    const before = await findCurrent(caller, name, body.version);
    const fields = { content: body.content, ...fieldsOfMetricFile(body.content), updatedAt: changes.now };
    changes.message = body.message ?? `${before ? "Save" : "Create"} ${name}`;
    if (before) {
      const after = { ...before, ...fields, version: before.version + 1 };
      changes.update(before, after);
      return after;
    }
    const place = await freePlace(
      METRICS,
      { workspaceId, space: WORKSPACE_SPACE, folder: null, name, ending: ENDING },
      null,
    );
    const doc: MetricDoc = {
      ...{ _id: new ObjectId(), workspaceId, space: WORKSPACE_SPACE, ownerId: user._id, folderId: null },
      ...place,
      ...fields,
      ...{ version: 1, seq: 0, createdAt: changes.now },
    };
    await changes.insert(doc);
    return doc;
  });
  return toItem(caller, saved);
}

/**
 * Restores the text of a metric file after a commit, as a new commit.
 * @throws AppError as `contentAt`; invalid_request with the problems of a text that is no longer valid
 */
export async function restoreMetric(caller: Caller, name: string, sha: string): Promise<MetricItem> {
  const { _id } = await getMetricDocOrThrow(caller, name);
  const { content, label } = await contentAt(caller, METRICS, _id, sha);
  const { version } = await getMetricDocOrThrow(caller, name);
  return putMetric(caller, name, { content, version, message: `Restore ${name} to ${label}` });
}

/** Deletes a metric file as one commit. @throws AppError not_found */
export function deleteMetric(caller: Caller, name: string): Promise<void> {
  return changeItems(caller, METRICS, async (changes) => {
    const doc = await getMetricDocOrThrow(caller, name);
    changes.message = `Delete ${name}`;
    changes.discard(doc);
  });
}

function findMetricDoc({ workspaceId }: Caller, name: string): Promise<MetricDoc | null> {
  return collections
    .metrics()
    .findOne({ workspaceId, space: WORKSPACE_SPACE, file: `${METRICS.root}/${name}${ENDING}` });
}

async function toItem(caller: Caller, doc: MetricDoc): Promise<MetricItem> {
  const [summary] = await toSummaries(caller, [doc]);
  if (!summary) throw noSuch(METRICS);
  return { ...summary, content: doc.content };
}

async function toSummaries(
  { workspaceId }: Caller,
  docs: readonly Omit<MetricDoc, "content">[],
): Promise<MetricSummary[]> {
  const labels = [...new Set(docs.flatMap(({ connections }) => connections))];
  const [users, known] = await Promise.all([
    findUserNames(docs.map(({ ownerId }) => ownerId)),
    Promise.all(labels.map((label) => findConnectionsNamed(workspaceId, label))),
  ]);
  const names = new Map(users.map(({ _id, name }) => [_id.toHexString(), name]));
  const gone = new Set(labels.filter((_, index) => known[index]?.length === 0));
  return docs.map((doc) => {
    const owner = doc.ownerId.toHexString();
    const missing = doc.connections.find((label) => gone.has(label));
    return {
      id: doc._id.toHexString(),
      name: doc.path,
      title: doc.title,
      description: doc.description,
      metrics: doc.metrics,
      datasets: doc.datasets,
      dimensions: doc.dimensions,
      owner: { id: owner, name: names.get(owner) ?? "" },
      usedBy: [],
      version: doc.version,
      error: doc.error ?? (missing === undefined ? null : `Connection “${missing}” not found. Rename it in the file.`),
      createdAt: doc.createdAt.toISOString(),
      updatedAt: doc.updatedAt.toISOString(),
    };
  });
}
