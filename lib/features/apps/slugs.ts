import "server-only";
import { randomBytes } from "node:crypto";
import { ObjectId } from "mongodb";
import type { Space } from "@/lib/features/folders/model";
import { listTree, toPortableName } from "@/lib/features/repository/service";
import { isDuplicateKey } from "@/lib/platform/db/duplicate-key";
import { collections } from "./collections";
import { SLUG_CHARS_MAX } from "./limits";
import { repositoryOf } from "./repositories";

/** Leaves room for "-20" or the random suffix. */
const STEM_CHARS_MAX = SLUG_CHARS_MAX - 10;
/** More apps of one title get a random suffix. */
const NUMBERED_MAX = 20;
/** Names that other routes use in place of an app's id. */
const RESERVED = /^(?:templates|feed|link|repohost-sync-url|[0-9a-f]{24})$/;

/** Returns the start of a slug: the title in lower-case letters, digits and dashes. */
export function stemOf(title: string): string {
  const plain = title
    .normalize("NFKD")
    .toLowerCase()
    .replace(/\p{M}/gu, "")
    .replace(/[^a-z0-9]+/g, "-")
    .slice(0, STEM_CHARS_MAX)
    .replace(/^-+|-+$/g, "");
  if (plain === "") return "app";
  // A folder of this name must be possible on Windows too.
  return plain.length < 3 || RESERVED.test(plain) || toPortableName(plain) !== plain ? `app-${plain}` : plain;
}

/** Reserves the first free slug for a title: one that no app of the space has had, and no folder on main has. */
export async function claimSlug(workspaceId: ObjectId, space: Space, title: string): Promise<string> {
  const folders = await listTree({ repositoryId: await repositoryOf(workspaceId, space), recursive: false });
  const hasApps = folders.some(({ path, kind }) => path === "apps" && kind === "folder");
  const standing = hasApps
    ? await listTree({ repositoryId: await repositoryOf(workspaceId, space), path: "apps" })
    : [];
  const taken = new Set(standing.map(({ name }) => name.toLowerCase()));
  const stem = stemOf(title);
  for (let n = 1; ; n++) {
    const slug = n === 1 ? stem : `${stem}-${n <= NUMBERED_MAX ? n : randomBytes(4).toString("hex")}`;
    if (taken.has(slug)) continue;
    try {
      await collections.appSlugs().insertOne({ _id: new ObjectId(), workspaceId, space, slug });
      return slug;
    } catch (error) {
      if (!isDuplicateKey(error)) throw error;
    }
  }
}
