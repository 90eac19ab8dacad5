import "server-only";
import { Binary, ObjectId } from "mongodb";
import { toBuffer } from "@/lib/platform/db/bytes";
import { indexesOfDuplicates } from "@/lib/platform/db/duplicate-key";
import { isFullDisk } from "@/lib/platform/db/full-disk";
import { AppError } from "@/lib/platform/http/errors";
import { collections } from "./collections";
import {
  type Commit,
  EMPTY_TREE,
  type GitObject,
  makeTree,
  parseCommit,
  parseTree,
  type TreeEntry,
} from "./git-objects";
import type { GitObjectDoc, ObjectType } from "./model";
import { ObjectCache } from "./object-cache";
import { deflated, inflated } from "./zlib";

/** Half the maximum size of a document, so that two parts never share a message. */
const CHUNK_BYTES = 8 * 1024 * 1024;
/** Size of the cache of parsed commits and trees. Thousands of both, and small compared with a server's memory. */
const CACHE_BYTES = 48 * 1024 * 1024;
/** Ratio of the memory of parsed entries to their bytes. */
const PARSED_FACTOR = 4;
/** Number of objects in one look-up: their ids stay far below the size of a command. */
const READ_BATCH = 1_000;
/** Number of documents in one insert. */
const WRITE_BATCH = 1_000;

type Parsed = { tree: readonly TreeEntry[] } | { commit: Commit };
const parsed = new ObjectCache<Parsed>(CACHE_BYTES);

/** Stores objects. Existing ones are not changed. Safe to repeat. */
export async function writeObjects(repositoryId: ObjectId, objects: readonly GitObject[]): Promise<void> {
  let docs: GitObjectDoc[] = [];
  let bytes = 0;
  for (const object of objects) {
    const stream = await deflated(object.content);
    docs.push(await toDoc(repositoryId, { ...object, size: object.content.length }, stream));
    bytes += stream.length;
    if (docs.length >= WRITE_BATCH || bytes >= CHUNK_BYTES) {
      await insertNew(docs);
      docs = [];
      bytes = 0;
    }
  }
  await insertNew(docs);
  // The next commit is based on these trees.
  for (const object of objects) keepParsed(repositoryId, object);
}

/** Stores packed objects. Existing ones are not changed. Safe to repeat. */
export async function writePacked(
  repositoryId: ObjectId,
  objects: AsyncIterable<{ oid: string; type: ObjectType; size: number; stream: Buffer }>,
): Promise<void> {
  let docs: GitObjectDoc[] = [];
  let bytes = 0;
  for await (const { stream, ...object } of objects) {
    docs.push(await toDoc(repositoryId, object, stream));
    bytes += stream.length;
    if (docs.length < WRITE_BATCH && bytes < CHUNK_BYTES) continue;
    await insertNew(docs);
    docs = [];
    bytes = 0;
  }
  await insertNew(docs);
}

/** Returns the types of those objects that the repository has. */
export function typesOf(repositoryId: ObjectId, oids: readonly string[]): Promise<Map<string, ObjectType>> {
  return factsOf(repositoryId, oids, "type");
}

/** Returns the content sizes of some objects, in bytes. */
export function sizesOf(repositoryId: ObjectId, oids: readonly string[]): Promise<Map<string, number>> {
  return factsOf(repositoryId, oids, "size");
}

async function factsOf<K extends "type" | "size">(workspaceId: ObjectId, oids: readonly string[], name: K) {
  const facts = new Map<string, GitObjectDoc[K]>();
  for (let at = 0; at < oids.length; at += READ_BATCH) {
    const found = collections
      .gitObjects()
      .find({ workspaceId, oid: { $in: oids.slice(at, at + READ_BATCH) } })
      .project<Pick<GitObjectDoc, "oid" | K>>({ _id: 0, oid: 1, [name]: 1 });
    for await (const each of found) facts.set(each.oid, each[name]);
  }
  return facts;
}

/** Returns the content of an object of any type; null if the repository does not have it. */
export async function findObject(repositoryId: ObjectId, oid: string): Promise<GitObject | null> {
  if (oid === EMPTY_TREE) return makeTree([]);
  const doc = await collections.gitObjects().findOne({ workspaceId: repositoryId, oid });
  return doc && { oid, type: doc.type, content: await inflated(await packedStream(doc), doc.size) };
}

/** Returns the parsed entries of a tree; the empty tree exists without being stored. */
export async function readTree(repositoryId: ObjectId, oid: string): Promise<readonly TreeEntry[]> {
  if (oid === EMPTY_TREE) return [];
  const found = await readParsed(repositoryId, oid);
  if (!found || !("tree" in found)) throw new Error(`The tree ${oid} is missing.`);
  return found.tree;
}

/** Returns a commit; null for an unknown id or an object of another type. */
export async function findCommit(repositoryId: ObjectId, oid: string): Promise<Commit | null> {
  const found = await readParsed(repositoryId, oid);
  return found && "commit" in found ? found.commit : null;
}

/** Returns a commit that another object or a branch references, so that its absence is an error. */
export async function readCommitObject(repositoryId: ObjectId, oid: string): Promise<Commit> {
  const commit = await findCommit(repositoryId, oid);
  if (!commit) throw new Error(`The commit ${oid} is missing.`);
  return commit;
}

/** Returns the content of a blob that a tree references. */
export async function readBlob(repositoryId: ObjectId, oid: string): Promise<Buffer> {
  const object = await findObject(repositoryId, oid);
  if (object?.type !== "blob") throw new Error(`The blob ${oid} is missing.`);
  return object.content;
}

/**
 * Yields contents of blobs that trees reference, each with its id and each once, in no order. One by one, a thousand
 * files would be a thousand look-ups.
 */
export async function* readBlobs(repositoryId: ObjectId, oids: Iterable<string>): AsyncGenerator<[string, Buffer]> {
  const missing = new Set(oids);
  for await (const doc of streamObjects(repositoryId, [...missing])) {
    if (doc.type !== "blob") continue;
    missing.delete(doc.oid);
    yield [doc.oid, await contentOf(doc)];
  }
  for (const oid of missing) throw new Error(`The blob ${oid} is missing.`);
}

/** Returns an object's complete zlib stream as stored. */
export async function packedStream(doc: GitObjectDoc): Promise<Buffer> {
  if (doc.data) return toBuffer(doc.data);
  const { workspaceId, oid } = doc;
  const parts = await collections.gitChunks().find({ workspaceId, oid }).sort({ n: 1 }).toArray();
  if (parts.length < doc.chunks) throw new Error(`Part of the object ${oid} is missing.`);
  return Buffer.concat(parts.slice(0, doc.chunks).map(({ data }) => toBuffer(data)));
}

/**
 * Yields documents of many objects, in no order, with one batch in memory. The empty tree exists without being stored,
 * as in git: clients may push a commit of it without the tree.
 */
export async function* streamObjects(repositoryId: ObjectId, oids: readonly string[]): AsyncGenerator<GitObjectDoc> {
  const stored = oids.filter((oid) => oid !== EMPTY_TREE);
  for (let at = 0; at < stored.length; at += READ_BATCH) {
    const batch = stored.slice(at, at + READ_BATCH);
    yield* collections.gitObjects().find({ workspaceId: repositoryId, oid: { $in: batch } });
  }
  if (stored.length < oids.length) yield emptyTree(repositoryId);
}

async function emptyTree(repositoryId: ObjectId): Promise<GitObjectDoc> {
  const { content, ...object } = makeTree([]);
  return toDoc(repositoryId, { ...object, size: content.length }, await deflated(content));
}

export async function contentOf(doc: GitObjectDoc): Promise<Buffer> {
  return inflated(await packedStream(doc), doc.size);
}

async function readParsed(repositoryId: ObjectId, oid: string): Promise<Parsed | null> {
  const known = parsed.get(cacheKey(repositoryId, oid));
  if (known) return known;
  const object = await findObject(repositoryId, oid);
  return object && keepParsed(repositoryId, object);
}

function keepParsed(repositoryId: ObjectId, object: GitObject): Parsed | null {
  const value = parse(object);
  if (value) parsed.set(cacheKey(repositoryId, object.oid), value, object.content.length * PARSED_FACTOR);
  return value;
}

function cacheKey(repositoryId: ObjectId, oid: string): string {
  return `${repositoryId.toHexString()}/${oid}`;
}

function parse({ type, content }: GitObject): Parsed | null {
  if (type === "tree") return { tree: parseTree(content) };
  if (type === "commit") return { commit: parseCommit(content) };
  return null;
}

async function toDoc(
  repositoryId: ObjectId,
  { oid, type, size }: { oid: string; type: ObjectType; size: number },
  stream: Buffer,
): Promise<GitObjectDoc> {
  const common = { _id: new ObjectId(), workspaceId: repositoryId, oid, type, size };
  if (stream.length <= CHUNK_BYTES) return { ...common, data: new Binary(stream), chunks: 0 };
  const chunks = Math.ceil(stream.length / CHUNK_BYTES);
  // The parts come first: an object's document means that all of them are stored.
  for (let n = 0; n < chunks; n++) {
    const data = new Binary(stream.subarray(n * CHUNK_BYTES, (n + 1) * CHUNK_BYTES));
    await collections
      .gitChunks()
      .insertMany([{ _id: new ObjectId(), workspaceId: repositoryId, oid, n, data }], { ordered: false })
      .catch(ignoreDuplicates)
      .catch(explainFullDisk);
  }
  return { ...common, data: null, chunks };
}

async function insertNew(docs: GitObjectDoc[]): Promise<void> {
  if (docs.length === 0) return;
  await collections.gitObjects().insertMany(docs, { ordered: false }).catch(ignoreDuplicates).catch(explainFullDisk);
}

/**
 * Ignores duplicate keys: an existing object is identical, since its name is its content's hash. Rethrows any other
 * error.
 */
export function ignoreDuplicates(error: unknown): void {
  if (indexesOfDuplicates(error) === null) throw error;
}

function explainFullDisk(error: unknown): never {
  if (isFullDisk(error)) {
    throw new AppError("storage_full", "The store is full. Free some space and save again.", { cause: error });
  }
  throw error;
}
