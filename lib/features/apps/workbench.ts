import "server-only";
import { Binary, ObjectId } from "mongodb";
import { untilWon } from "@/lib/features/repository/service";
import { toBuffer } from "@/lib/platform/db/bytes";
import { isDuplicateKey } from "@/lib/platform/db/duplicate-key";
import { collections } from "./collections";
import type { AppDoc, Draft, WorkbenchDoc } from "./model";

/** Documents are limited to 16 MiB. */
const PART_BYTES = 8 * 1024 * 1024;
/** Drafts read per query. */
const READ_BATCH = 500;
/** Age after which parts without a draft are from a crash; newer ones may belong to a running write. */
const LEFT_BEHIND_MS = 60 * 60 * 1000;

type Whose = { app: Pick<AppDoc, "_id" | "workspaceId">; userId: ObjectId };

/** Returns a user's drafts of an app; an empty workbench if there is none. */
export async function findWorkbench({ app, userId }: Whose): Promise<WorkbenchDoc> {
  const { workspaceId, _id: appId } = app;
  const found = await collections.appWorkbenches().findOne({ workspaceId, appId, userId });
  return found ?? { _id: new ObjectId(), workspaceId, appId, userId, version: 0, drafts: [], updatedAt: new Date() };
}

/**
 * Changes a user's drafts. `decide` gets the current ones and is called again when another write came first, so that no
 * concurrent change is lost and each limit is enforced.
 * @param decide returns the new list, or null for no change
 */
export async function changeDrafts(
  whose: Whose,
  decide: (drafts: readonly Draft[], bench: WorkbenchDoc) => Promise<Draft[] | null>,
): Promise<Draft[]> {
  return untilWon(async () => {
    const bench = await findWorkbench(whose);
    const drafts = await decide(bench.drafts, bench);
    if (!drafts) return bench.drafts;
    const { _id, workspaceId, version } = bench;
    const next = { drafts, version: version + 1, updatedAt: new Date() };
    if (version === 0) {
      try {
        await collections.appWorkbenches().insertOne({ ...bench, ...next });
      } catch (error) {
        if (isDuplicateKey(error)) return null;
        throw error;
      }
    } else {
      const { matchedCount } = await collections
        .appWorkbenches()
        .updateOne({ _id, workspaceId, version }, { $set: next });
      if (matchedCount === 0) return null;
    }
    await forgetContents(
      workspaceId,
      contentIds(bench.drafts).filter((id) => !named(drafts, id)),
    );
    return drafts;
  });
}

/** Stores a draft's content before any draft refers to it. */
export async function storeContent(bench: WorkbenchDoc, contentId: ObjectId, content: Buffer): Promise<void> {
  const { workspaceId, _id: workbenchId } = bench;
  const createdAt = new Date();
  for (let n = 0; n === 0 || n * PART_BYTES < content.length; n++) {
    const data = new Binary(content.subarray(n * PART_BYTES, (n + 1) * PART_BYTES));
    await collections
      .appDraftParts()
      .insertOne({ _id: new ObjectId(), workspaceId, workbenchId, contentId, n, data, createdAt });
  }
}

/** Returns the content of a draft; null if it has been replaced since. */
export async function readContent(workspaceId: ObjectId, draft: Draft & { kind: "put" }): Promise<Buffer | null> {
  const parts = await collections
    .appDraftParts()
    .find({ workspaceId, contentId: draft.contentId })
    .sort({ n: 1 })
    .toArray();
  const content = Buffer.concat(parts.map(({ data }) => toBuffer(data)));
  return content.length === draft.bytes ? content : null;
}

/** Returns the contents of many drafts by path, without those that have been replaced since. */
export async function readContents(workspaceId: ObjectId, drafts: readonly Draft[]): Promise<Map<string, Buffer>> {
  const put = drafts.filter((draft) => draft.kind === "put");
  const contents = new Map<string, Buffer>();
  for (let at = 0; at < put.length; at += READ_BATCH) {
    const batch = put.slice(at, at + READ_BATCH);
    const parts = new Map<string, Buffer[]>();
    const found = collections
      .appDraftParts()
      .find({ workspaceId, contentId: { $in: batch.map(({ contentId }) => contentId) } });
    for await (const { contentId, n, data } of found) {
      const id = contentId.toHexString();
      const own = parts.get(id) ?? [];
      own[n] = toBuffer(data);
      parts.set(id, own);
    }
    for (const { path, contentId, bytes } of batch) {
      const content = Buffer.concat((parts.get(contentId.toHexString()) ?? []).filter(Boolean));
      if (content.length === bytes) contents.set(path, content);
    }
  }
  return contents;
}

export async function forgetContents(workspaceId: ObjectId, ids: readonly ObjectId[]): Promise<void> {
  if (ids.length > 0) await collections.appDraftParts().deleteMany({ workspaceId, contentId: { $in: [...ids] } });
}

/** Deletes contents left by writes that crashed. */
export async function forgetLeftBehind({ _id, workspaceId, drafts }: WorkbenchDoc, now = new Date()): Promise<void> {
  await collections.appDraftParts().deleteMany({
    workspaceId,
    workbenchId: _id,
    contentId: { $nin: contentIds(drafts) },
    createdAt: { $lt: new Date(now.getTime() - LEFT_BEHIND_MS) },
  });
}

/** Deletes all users' drafts of an app. */
export async function dropWorkbenches({ workspaceId, _id: appId }: Pick<AppDoc, "_id" | "workspaceId">): Promise<void> {
  const benches = await collections
    .appWorkbenches()
    .find({ workspaceId, appId }, { projection: { _id: 1 } })
    .toArray();
  await collections.appDraftParts().deleteMany({ workspaceId, workbenchId: { $in: benches.map(({ _id }) => _id) } });
  await collections.appWorkbenches().deleteMany({ workspaceId, appId });
}

function contentIds(drafts: readonly Draft[]): ObjectId[] {
  return drafts.flatMap((draft) => (draft.kind === "put" ? [draft.contentId] : []));
}

function named(drafts: readonly Draft[], id: ObjectId): boolean {
  return drafts.some((draft) => draft.kind === "put" && draft.contentId.equals(id));
}
