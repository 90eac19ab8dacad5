import "server-only";
import { createHash } from "node:crypto";
import { ObjectId } from "mongodb";
import { formatCountOf } from "@/lib/base/values/amounts";
import { filesIn, readBlob as readGitBlob } from "@/lib/features/repository/service";
import { isDuplicateKey } from "@/lib/platform/db/duplicate-key";
import { AppError } from "@/lib/platform/http/errors";
import { isServed, kindOf } from "../build/kind";
import { collections } from "../collections";
import type { BuildProblem } from "../frame/messages";
import { BUILD_BYTES_MAX, BUILD_FILES_MAX } from "../limits";
import type { AppDoc } from "../model";
import { THUMBNAILS } from "../thumbnail";
import { contentsOf } from "../work";
import { type Blob, explainFullDisk, storeBlob } from "./blobs";
import { findBuilder } from "./builder";
import type { BuildDoc, BuiltFileDoc } from "./model";

const MIB = 1024 * 1024;
/** Increment when static files are served differently. */
const STATIC_VERSION = "static 1";
const ENTRY = "index.html";
/** Served by the platform, so no file may have this path. */
const DATA_FOLDER = "__data/";
/** Documents per insert. */
const WRITE_BATCH = 1_000;

/** Build error caused by the app's files. */
export class BuildFailed extends AppError {
  /** @param output last lines of the build's log */
  constructor(
    message: string,
    readonly problems: BuildProblem[] = [],
    output: string[] = [],
  ) {
    super("build_failed", message, { details: { problems, output } });
  }
}

type Request = {
  app: AppDoc;
  repositoryId: ObjectId;
  /** Tree of the app's folder; null if it has no file. */
  tree: string | null;
  onLog: (line: string) => void;
  signal: AbortSignal;
};

/**
 * Builds a state of an app's folder, or returns the existing build of the same files.
 * @throws AppError build_failed (a `BuildFailed` with the problems), sandbox_unavailable, storage_full
 */
export async function buildOf(request: Request): Promise<BuildDoc> {
  const { app, repositoryId, tree, onLog } = request;
  const { _id: appId, workspaceId } = app;
  const sources = await filesIn(repositoryId, tree);
  const kind = kindOf(sources.keys());
  const builder = kind === "built" ? await findBuilder() : null;
  const key = createHash("sha256")
    .update([builder?.version ?? STATIC_VERSION, tree ?? ""].join("\n"))
    .digest("hex");
  const known = await collections.appBuilds().findOne({ workspaceId, appId, key });
  if (known) {
    onLog("No changes. Reusing the previous build.");
    return known;
  }
  const _id = new ObjectId();
  const files: BuiltFileDoc[] = [];
  const add = (path: string, blob: Blob) =>
    files.push({ _id: new ObjectId(), workspaceId, appId, buildId: _id, path, ...blob });
  const served = [...sources].filter(([path]) => isServed(path) && !path.startsWith(DATA_FOLDER) && !isHidden(path));
  if (builder) {
    const given = await contentsOf(repositoryId, sources);
    const { signal } = request;
    const result = await builder.build({ workspaceId, appId, files: given, onLog, signal });
    if (!result.ok) throw new BuildFailed("The build failed. See the build log.", result.problems);
    refuseTooMuch(
      result.files.size,
      Array.from(result.files.values(), (content) => content.length),
    );
    for (const [path, content] of result.files) add(path, await storeBlob(app, content));
    // The app does not load its thumbnail, so builders do not include it.
    for (const name of THUMBNAILS) {
      const content = result.files.has(name) ? undefined : given.get(name);
      if (content) add(name, await storeBlob(app, content));
    }
  } else {
    refuseTooMuch(served.length, []);
    for (const [path, oid] of served) add(path, await storeBlob(app, await readGitBlob(repositoryId, oid)));
    refuseTooMuch(
      files.length,
      files.map(({ bytes }) => bytes),
    );
    onLog(`${formatCountOf(files.length, "file")}, served without a build.`);
  }
  if (!files.some(({ path }) => path === ENTRY)) {
    throw new BuildFailed(`“${ENTRY}” is missing. Add it, commit and publish again.`);
  }
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
  const build: BuildDoc = { _id, workspaceId, appId, key, files: files.length, bytes, createdAt: new Date() };
  for (let at = 0; at < files.length; at += WRITE_BATCH) {
    await collections
      .appBuiltFiles()
      .insertMany(files.slice(at, at + WRITE_BATCH))
      .catch((error: unknown) => Promise.reject(explainFullDisk(error)));
  }
  try {
    // Inserted last, so that an existing build is complete.
    await collections.appBuilds().insertOne(build);
    return build;
  } catch (error) {
    if (!isDuplicateKey(error)) throw error;
    const winner = await collections.appBuilds().findOne({ workspaceId, appId, key });
    if (!winner) throw error;
    await collections.appBuiltFiles().deleteMany({ workspaceId, buildId: _id });
    return winner;
  }
}

/** Returns the thumbnail of a build, the first by name if there are several. */
export async function thumbnailIn({
  _id: buildId,
  workspaceId,
}: Pick<BuildDoc, "_id" | "workspaceId">): Promise<string | null> {
  const found = await collections
    .appBuiltFiles()
    .find({ workspaceId, buildId, path: { $in: [...THUMBNAILS] } }, { projection: { path: 1 } })
    .toArray();
  return found.map(({ path }) => path).sort()[0] ?? null;
}

/** Returns whether a path has a segment that starts with a dot: such files are for tools and may hold secrets. */
function isHidden(path: string): boolean {
  return path.split("/").some((name) => name.startsWith("."));
}

function refuseTooMuch(count: number, sizes: readonly number[]): void {
  if (count > BUILD_FILES_MAX) {
    throw new BuildFailed(`Published apps are limited to ${BUILD_FILES_MAX} files. This one has ${count}.`);
  }
  const bytes = sizes.reduce((sum, size) => sum + size, 0);
  if (bytes > BUILD_BYTES_MAX) {
    throw new BuildFailed(`The app exceeds ${BUILD_BYTES_MAX / MIB} MiB. Reduce its files.`);
  }
}
