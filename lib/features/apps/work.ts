import "server-only";
import type { ObjectId } from "mongodb";
import {
  createBranch,
  type FolderOnBranch,
  findBranch,
  folderOnBranch,
  listTree,
  mergeBranches,
  ownBranch,
  readBlobs,
} from "@/lib/features/repository/service";
import type { Caller } from "@/lib/platform/access/caller";
import { AppError } from "@/lib/platform/http/errors";
import { collections } from "./collections";
import { type AppDoc, folderOf } from "./model";
import { repositoryOf } from "./repositories";

/** Maximum number of paths in a message. */
const PATHS_TOLD = 50;

/** A user's view of an app: its folder on their branch or, while the branch has no changes to it, on main. */
export type Work = {
  repositoryId: ObjectId;
  branch: string;
  folder: string;
  state: FolderOnBranch;
};

export async function workOn(app: AppDoc, userId: ObjectId): Promise<Work> {
  const repositoryId = await repositoryOf(app.workspaceId, app.space);
  const [branch, folder] = [ownBranch(userId), folderOf(app)];
  return { repositoryId, branch, folder, state: await folderOnBranch(repositoryId, branch, folder) };
}

/** Returns the committed files of an app: git object ids by path in the app. */
export async function committedFiles({ repositoryId, folder, state }: Work): Promise<Map<string, string>> {
  if (state.headSha === null) return new Map();
  try {
    const items = await listTree({ repositoryId, sha: state.headSha, path: folder, recursive: true });
    const files = items.filter(({ kind }) => kind === "file");
    return new Map(files.map(({ path, oid }) => [path.slice(folder.length + 1), oid]));
  } catch (error) {
    // An app whose files are all deleted has no folder: git stores no empty ones.
    if (error instanceof AppError && error.kind === "not_found") return new Map();
    throw error;
  }
}

/** Returns the contents of files by path. @param files paths with git object ids */
export async function contentsOf(
  repositoryId: ObjectId,
  files: Iterable<readonly [path: string, oid: string]>,
): Promise<Map<string, Buffer>> {
  const all = [...files];
  const contents = new Map<string, Buffer>();
  for await (const [oid, content] of readBlobs(repositoryId, new Set(all.map(([, oid]) => oid)))) {
    contents.set(oid, content);
  }
  return new Map(all.map(([path, oid]) => [path, contents.get(oid) as Buffer]));
}

/**
 * Makes sure that the user's branch has the current folder, so that a commit there builds on what they see. Merges main
 * if the branch has only an older state of the folder.
 * @throws AppError conflict when other changes on the branch conflict with main
 */
export async function takeUp(caller: Caller, app: AppDoc): Promise<Work> {
  const work = await workOn(app, caller.user._id);
  const { repositoryId, branch, state } = work;
  if (state.isInBranch) return work;
  if (state.branchHead === null) {
    await createBranch({ repositoryId, name: branch }).catch(async (error: unknown) => {
      // Another request of this user created it.
      if ((await findBranch(repositoryId, branch)) === null) throw error;
    });
  } else {
    await mergeMain(caller, app, work);
  }
  return workOn(app, caller.user._id);
}

async function mergeMain(
  { user }: Caller,
  { workspaceId, space }: AppDoc,
  { repositoryId, branch }: Work,
): Promise<void> {
  const merge = { repositoryId, from: "main", into: branch, author: { name: user.name, email: user.email } };
  const first = await mergeBranches(merge);
  if (first.merged) return;
  const paths = first.conflicts.map(({ path }) => path);
  const slugs = [...new Set(paths.map(slugIn))];
  const docs = await collections
    .apps()
    .find({ workspaceId, space, slug: { $in: slugs } }, { projection: { slug: 1 } })
    .toArray();
  const live = new Set(docs.map(({ slug }) => slug));
  const [unsettled, ...more] = paths.filter((path) => slugIn(path) === "" || live.has(slugIn(path)));
  if (unsettled === undefined) {
    // Changes to apps deleted since are kept in the branch's commits; no one can publish them.
    const second = await mergeBranches({
      ...merge,
      resolutions: Object.fromEntries(paths.map((path) => [path, null])),
    });
    if (second.merged) return;
  }
  throw new AppError(
    "conflict",
    `Your branch and main conflict in “${unsettled ?? paths[0]}”. Publish or merge that first.`,
    {
      details: {
        paths: unsettled === undefined ? paths.slice(0, PATHS_TOLD) : [unsettled, ...more].slice(0, PATHS_TOLD),
      },
    },
  );
}

/** Returns the slug of the app that a repository path belongs to; empty outside apps. */
function slugIn(path: string): string {
  const [root, slug = ""] = path.split("/");
  return root === "apps" ? slug : "";
}
