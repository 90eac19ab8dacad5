import "server-only";
import { ObjectId } from "mongodb";
import { WORKSPACE_SPACE } from "@/lib/features/folders/model";
import { listTree } from "@/lib/features/repository/service";
import { isDuplicateKey } from "@/lib/platform/db/duplicate-key";
import { collections } from "./collections";
import { publishAppEvent } from "./events";
import { APPS_MAX, SLUG_CHARS_MAX } from "./limits";
import type { AppDoc } from "./model";

const SLUG = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;

/**
 * Creates apps for folders on main that have none, as after linking a repository. They are shared, and owned by the
 * user who linked it. A slug that another app had before is not reused. Safe to repeat.
 */
export async function adoptApps(workspaceId: ObjectId, ownerId: ObjectId): Promise<void> {
  const top = await listTree({ repositoryId: workspaceId });
  if (!top.some(({ path, kind }) => path === "apps" && kind === "folder")) return;
  const folders = await listTree({ repositoryId: workspaceId, path: "apps" });
  const slugs = folders.flatMap(({ kind, name }) => (kind === "folder" ? [name] : []));
  const taken = new Set<string>(
    await collections.appSlugs().distinct("slug", { workspaceId, space: WORKSPACE_SPACE, slug: { $in: slugs } }),
  );
  let count = await collections.apps().countDocuments({ workspaceId });
  for (const slug of slugs) {
    if (taken.has(slug) || !SLUG.test(slug) || slug.length < 3 || slug.length > SLUG_CHARS_MAX) continue;
    if (count >= APPS_MAX) return;
    const now = new Date();
    const doc: AppDoc = {
      _id: new ObjectId(),
      workspaceId,
      space: WORKSPACE_SPACE,
      slug,
      title: titleOf(slug),
      description: "",
      ownerId,
      publishedSha: null,
      publishedAt: null,
      createdAt: now,
      updatedAt: now,
    };
    try {
      await collections.apps().insertOne(doc);
      await collections.appSlugs().insertOne({ _id: new ObjectId(), workspaceId, space: WORKSPACE_SPACE, slug });
    } catch (error) {
      // Another server is adopting the same folder.
      if (isDuplicateKey(error)) continue;
      throw error;
    }
    count++;
    publishAppEvent(doc);
  }
}

function titleOf(slug: string): string {
  const words = slug.replaceAll("-", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}
