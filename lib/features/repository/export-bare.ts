import "server-only";
import { mkdir, readdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { ObjectId } from "mongodb";
import { AppError } from "@/lib/platform/http/errors";
import { parseCommit, parseTree } from "./git-objects";
import type { GitObjectDoc } from "./model";
import { contentOf, packedStream, streamObjects } from "./object-store";
import { PackWriter, packIndex } from "./pack";
import { listHeads, MAIN_BRANCH, toRef } from "./refs";

const CONFIG = "[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = true\n";

/**
 * Writes a repository as a bare git repository: every branch and everything it reaches, in one pack.
 * @param dir created if missing; must be empty
 * @throws AppError conflict if the folder is not empty
 */
export async function exportBare(repositoryId: ObjectId, dir: string): Promise<{ branches: number; objects: number }> {
  await mkdir(dir, { recursive: true });
  if ((await readdir(dir)).length > 0) {
    throw new AppError("conflict", `The folder ${dir} is not empty. Use a new or empty folder.`);
  }
  const heads = await listHeads(repositoryId);
  const oids = await reachableObjects(
    repositoryId,
    heads.map(({ oid }) => oid),
  );
  await mkdir(join(dir, "objects", "pack"), { recursive: true });
  await mkdir(join(dir, "objects", "info"));
  await mkdir(join(dir, "refs", "heads"), { recursive: true });
  await mkdir(join(dir, "refs", "tags"));
  await writeFile(join(dir, "config"), CONFIG);
  if (oids.length > 0) await writePack(repositoryId, oids, join(dir, "objects", "pack"));
  const refs = heads
    .map(({ name, oid }) => `${oid} ${toRef(name)}\n`)
    .sort((a, b) => (a.slice(41) < b.slice(41) ? -1 : 1));
  await writeFile(join(dir, "packed-refs"), `# pack-refs with: peeled fully-peeled sorted \n${refs.join("")}`);
  // Git accepts a folder as a repository once it has a HEAD, so that is written last.
  await writeFile(join(dir, "HEAD"), `ref: ${toRef(MAIN_BRANCH)}\n`);
  return { branches: heads.length, objects: oids.length };
}

/** Returns every object that the commits reach, in the order of discovery: commits first, then trees, then files. */
async function reachableObjects(repositoryId: ObjectId, heads: string[]): Promise<string[]> {
  const seen = new Set<string>();
  const blobs = new Set<string>();
  const trees = new Set<string>();
  await spread(repositoryId, heads, seen, async (doc) => {
    const { tree, parents } = parseCommit(await contentOf(doc));
    trees.add(tree);
    return parents;
  });
  const commits = seen.size;
  await spread(repositoryId, [...trees], seen, async (doc) => {
    const entries = parseTree(await contentOf(doc));
    for (const { mode, oid } of entries) if (mode !== "40000" && mode !== "160000") blobs.add(oid);
    return entries.filter(({ mode }) => mode === "40000").map(({ oid }) => oid);
  });
  for (const oid of blobs) seen.add(oid);
  return seen.size === commits ? [] : [...seen];
}

/** Visits each object reachable from `starts` once, one frontier at a time. */
async function spread(
  repositoryId: ObjectId,
  starts: string[],
  seen: Set<string>,
  next: (doc: GitObjectDoc) => Promise<string[]>,
): Promise<void> {
  let frontier = [...new Set(starts)];
  for (const oid of frontier) seen.add(oid);
  while (frontier.length > 0) {
    const found: string[] = [];
    let count = 0;
    for await (const doc of streamObjects(repositoryId, frontier)) {
      count++;
      for (const oid of await next(doc)) {
        if (seen.has(oid)) continue;
        seen.add(oid);
        found.push(oid);
      }
    }
    if (count < frontier.length) throw new Error("The repository lacks objects of its history.");
    frontier = found;
  }
}

async function writePack(repositoryId: ObjectId, oids: string[], dir: string): Promise<void> {
  const draft = join(dir, "tmp_pack");
  const writer = await PackWriter.create(draft, oids.length);
  try {
    let count = 0;
    for await (const doc of streamObjects(repositoryId, oids)) {
      await writer.add(doc.oid, doc.type, doc.size, await packedStream(doc));
      count++;
    }
    if (count < oids.length) throw new Error("The repository lacks objects of its trees.");
  } catch (error) {
    await writer.abort();
    await rm(draft, { force: true });
    throw error;
  }
  const { checksum, entries } = await writer.finish();
  const name = join(dir, `pack-${checksum.toString("hex")}`);
  await writeFile(`${name}.idx`, packIndex(checksum, entries));
  await rename(draft, `${name}.pack`);
}
