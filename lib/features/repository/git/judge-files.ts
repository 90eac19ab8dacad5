import "server-only";
import type { ObjectId } from "mongodb";
import { ATTRIBUTES_FILE, parseAddedPath, parsePath } from "@/lib/features/repository/service";
import { EMPTY_TREE, findCommit, findObject, parseTree, sizesOf } from "@/lib/features/repository/wire";
import { AppError } from "@/lib/platform/http/errors";
import type { Link } from "./fsck";
import { MAX_PUSH_FILES } from "./limits";
import { named, toPrintable } from "./printable";
import { type FileKind, fileKinds, TOP_FILES } from "./pushed-files";

/** Git itself ignores an attribute line that is longer, and reports it as an error (git's attr.h). */
const ATTRIBUTE_LINE_BYTES_MAX = 2048;

const MIB = 1024 * 1024;

/** Commits and files to validate. */
export type JudgedObjects = {
  treeOf: (commit: string) => Promise<string>;
  entries: (tree: string | null) => Promise<Link[]>;
  /** Size in bytes, if it is known before the content is read. */
  sizeOf: (oid: string) => Promise<number | undefined>;
  content: (oid: string) => Promise<Buffer | null>;
};

/**
 * Validates the changes between two states.
 * @param before a commit; null compares with an empty state
 * @param known a commit whose paths are not new either: those already on the branch
 * @throws AppError invalid_request with the error, by its path
 */
export async function judgeFiles(
  objects: JudgedObjects,
  before: string | null,
  after: string,
  known: string | null = null,
): Promise<void> {
  const kinds = new Map(fileKinds().map((kind) => [kind.root, kind]));
  const base = before === null ? EMPTY_TREE : await objects.treeOf(before);
  let count = 0;
  const queue: { path: string; before: string | null; after: string | null; known: string | null }[] = [
    {
      path: "",
      before: base,
      after: await objects.treeOf(after),
      known: known && (await objects.treeOf(known)),
    },
  ];
  for (let pair = queue.pop(); pair; pair = queue.pop()) {
    const { path } = pair;
    const old = new Map((await objects.entries(pair.before)).map((entry) => [entry.name, entry]));
    const now = new Map((await objects.entries(pair.after)).map((entry) => [entry.name, entry]));
    const held = new Map((await objects.entries(pair.known)).map((entry) => [entry.name, entry]));
    for (const name of new Set([...old.keys(), ...now.keys()])) {
      const [a, b] = [old.get(name) ?? null, now.get(name) ?? null];
      if (a?.oid === b?.oid && a?.kind === b?.kind) continue;
      const at = path === "" ? name : `${path}/${name}`;
      if (++count > MAX_PUSH_FILES) throw bad(`A push is limited to ${MAX_PUSH_FILES} files. Push in parts.`);
      const kind = requirePlace(kinds, at, path === "", (b ?? a)?.kind ?? "blob");
      // Its parent folders have been validated before.
      if (b && a === null && !held.has(name) && !TOP_FILES.has(at)) {
        named(at, () => parseAddedPath(at, (each) => each !== at));
      }
      if (b?.kind === "blob") await judgeFile(objects, kind, at, b.oid);
      const folders = [a?.kind === "tree" ? a.oid : null, b?.kind === "tree" ? b.oid : null] as const;
      const c = held.get(name);
      const heldFolder = c?.kind === "tree" ? c.oid : null;
      if (folders[0] || folders[1]) {
        queue.push({ path: at, before: folders[0], after: folders[1], known: heldFolder });
      }
    }
  }
}

/**
 * Validates the changes between two stored commits of a repository.
 * @throws AppError invalid_request as `judgeFiles`
 */
export function judgeStored(repositoryId: ObjectId, before: string | null, after: string): Promise<void> {
  const treeOf = async (oid: string) => {
    const commit = await findCommit(repositoryId, oid);
    if (!commit) throw new Error(`The commit ${oid} is missing.`);
    return commit.tree;
  };
  return judgeFiles(
    {
      treeOf,
      entries: (tree) => storedEntries(repositoryId, tree),
      sizeOf: async (oid) => (await sizesOf(repositoryId, [oid])).get(oid),
      content: async (oid) => (await findObject(repositoryId, oid))?.content ?? null,
    },
    before,
    after,
  );
}

/** Returns the entries of a stored tree. @throws AppError invalid_request if it is missing */
export async function storedEntries(repositoryId: ObjectId, tree: string | null): Promise<Link[]> {
  if (tree === null || tree === EMPTY_TREE) return [];
  const object = await findObject(repositoryId, tree);
  if (object?.type !== "tree") throw bad("A tree is missing.");
  return parseTree(object.content).map(({ mode, name, oid }) => ({
    name,
    oid,
    kind: mode === "40000" ? "tree" : "blob",
  }));
}

async function judgeFile(objects: JudgedObjects, kind: FileKind | null, path: string, oid: string): Promise<void> {
  if (path !== ATTRIBUTES_FILE) named(path, () => parsePath(path));
  else if (hasLongLine(await objects.content(oid))) {
    throw bad(`${path} has a line over ${ATTRIBUTE_LINE_BYTES_MAX} bytes.`);
  }
  if (!kind) return;
  const size = await objects.sizeOf(oid);
  if (size !== undefined && size > kind.bytesMax) {
    throw bad(`${path} is too large. Files in ${kind.root}/ are limited to ${formatSize(kind.bytesMax)}.`);
  }
  const content = await objects.content(oid);
  const fault = content ? kind.judge(path, content) : "is missing.";
  if (fault !== null) throw bad(`${path} ${fault}`);
}

function formatSize(bytes: number): string {
  return bytes < MIB ? `${bytes / 1024} KiB` : `${bytes / MIB} MiB`;
}

function hasLongLine(content: Buffer | null): boolean {
  const lines = content?.toString("latin1").split("\n") ?? [];
  return lines.some((line) => line.length >= ATTRIBUTE_LINE_BYTES_MAX);
}

/** @returns the kind of the files in a folder; null for an allowed top-level file */
function requirePlace(
  kinds: ReadonlyMap<string, FileKind>,
  path: string,
  isTop: boolean,
  kind: Link["kind"],
): FileKind | null {
  const found = kinds.get(path.split("/", 1)[0] ?? "") ?? null;
  if (isTop && kind === "blob" && TOP_FILES.has(path)) return null;
  if (found && !(isTop && kind === "blob")) return found;
  const places = [...Array.from(kinds.keys(), (root) => `${root}/`), ...TOP_FILES].join(" ");
  throw bad(`${toPrintable(path)} is not allowed. Allowed paths: ${places}`);
}

function bad(message: string): AppError {
  return new AppError("invalid_request", message);
}
