import "server-only";
import type { ObjectId } from "mongodb";
import {
  type CommitNode,
  contentOf,
  deflated,
  type GitObjectDoc,
  ownMemory,
  streamObjects,
} from "@/lib/features/repository/wire";
import { yieldToEventLoop } from "@/lib/platform/process/yield-to-event-loop";
import { commonEnds, middleDelta } from "./delta";

/** A folder in a pack: as stored, or as a delta against an earlier one of the pack. */
export type PlannedTree = { oid: string; delta: { base: number; size: number; stream: Buffer } | null };

/** The content of a pack. It is known before the first byte, since the header holds the number of objects. */
export type PackPlan = { commits: string[]; blobs: string[]; trees: PlannedTree[] };

export type PlanOptions = {
  /** Returns the tree of a commit that the reader has; null for one that it lacks. */
  ownedTree: (commit: string) => string | null;
  /** Whether the reader gets an object and everything below it anyway: a pack must not contain it twice. */
  has?: (oid: string) => boolean;
  useDeltas: boolean;
  signal: AbortSignal;
};

/** Maximum length of a delta chain, as in git's own packs: a reader resolves all of it for one object. */
const CHAIN_MAX = 50;
/** Number of commits whose folders are loaded together. */
const BATCH = 64;
/** Maximum size of folders kept unpacked for comparison with the next version. */
const KEPT_BYTES = 48 * 1024 * 1024;
/** Maximum size of the deltas kept until they are sent; further folders are sent as stored. */
const DELTA_BYTES = 48 * 1024 * 1024;
/** Memory of a delta beside its bytes. */
const DELTA_OVERHEAD_BYTES = 256;
/** Maximum work between two yields to the event loop, in ms (F15). */
const SLICE_MS = 10;
const OID_BYTES = 20;

/** The last compared version of a folder. `place` is its position in the pack; null if only the reader has it. */
type Folder = { oid: string; content: Buffer; starts: number[]; place: number | null; chain: number };
type Visit = { path: string; oid: string; before: string | null };

/**
 * Plans all objects that some commits have and their reader lacks. Commits come parents first, so that a folder's
 * versions follow each other with few differences.
 */
export async function planPack(
  repositoryId: ObjectId,
  commits: readonly CommitNode[],
  options: PlanOptions,
): Promise<PackPlan> {
  const walk = new FolderWalk(repositoryId, options);
  for (let at = 0; at < commits.length; at += BATCH) {
    let visits: Visit[] = [];
    for (const { tree, parents } of commits.slice(at, at + BATCH)) {
      const before = parents[0] === undefined ? null : options.ownedTree(parents[0]);
      visits.push({ path: "", oid: tree, before });
    }
    while (visits.length > 0) visits = await walk.visit(visits);
  }
  return { commits: commits.map(({ oid }) => oid), blobs: walk.blobs, trees: walk.trees };
}

class FolderWalk {
  readonly blobs: string[] = [];
  readonly trees: PlannedTree[] = [];
  private readonly seen = new Set<string>();
  /** The latest version of each folder by its path, the most recently used last. */
  private readonly latest = new Map<string, Folder>();
  private keptBytes = 0;
  private deltaBytes = 0;
  private sliceEnds = 0;

  constructor(
    private readonly repositoryId: ObjectId,
    private readonly options: PlanOptions,
  ) {}

  /** Visits folders of one depth. @returns their new subfolders */
  async visit(visits: readonly Visit[]): Promise<Visit[]> {
    const fresh = visits.filter(({ oid }) => !this.isKnown(oid));
    const wanted = new Set(fresh.map(({ oid }) => oid));
    for (const { path, before } of fresh) if (before !== null && !this.latest.has(path)) wanted.add(before);
    const docs = new Map<string, GitObjectDoc>();
    for await (const doc of streamObjects(this.repositoryId, [...wanted])) docs.set(doc.oid, doc);
    const inside: Visit[] = [];
    for (const { path, oid, before } of fresh) {
      if (this.seen.has(oid)) continue;
      this.options.signal.throwIfAborted();
      await this.breathe();
      this.seen.add(oid);
      const base = this.latest.get(path) ?? (await this.known(docs, before));
      const content = ownMemory(await contentOf(requireDoc(docs, oid)));
      const { starts, added, replaced } = compare(base, content);
      for (const entry of added) {
        if (entry.mode === "160000" || this.isKnown(entry.oid)) continue;
        if (entry.mode === "40000") {
          const child = path === "" ? entry.name : `${path}/${entry.name}`;
          inside.push({ path: child, oid: entry.oid, before: replaced.get(entry.name) ?? null });
        } else {
          this.seen.add(entry.oid);
          this.blobs.push(entry.oid);
        }
      }
      const delta = await this.deltaOf(base, content);
      const chain = delta && base ? base.chain + 1 : 0;
      this.trees.push({ oid, delta });
      this.keep(path, { oid, content, starts, place: this.trees.length - 1, chain });
    }
    return inside;
  }

  private isKnown(oid: string): boolean {
    return this.seen.has(oid) || (this.options.has?.(oid) ?? false);
  }

  private async known(docs: Map<string, GitObjectDoc>, before: string | null): Promise<Folder | null> {
    const doc = before === null ? undefined : docs.get(before);
    if (!doc) return null;
    const content = ownMemory(await contentOf(doc));
    return { oid: doc.oid, content, starts: compare(null, content).starts, place: null, chain: 0 };
  }

  private async deltaOf(base: Folder | null, content: Buffer): Promise<PlannedTree["delta"]> {
    if (!this.options.useDeltas || !base || base.place === null || base.chain >= CHAIN_MAX) return null;
    const delta = middleDelta(base.content, content);
    if (delta.length * 2 > content.length || this.deltaBytes + delta.length > DELTA_BYTES) return null;
    const stream = await deflated(delta);
    this.deltaBytes += stream.length + DELTA_OVERHEAD_BYTES;
    return { base: base.place, size: delta.length, stream };
  }

  private keep(path: string, folder: Folder): void {
    const old = this.latest.get(path);
    this.keptBytes += folder.content.length - (old?.content.length ?? 0);
    this.latest.delete(path);
    this.latest.set(path, folder);
    for (const [oldest, { content }] of this.latest) {
      if (this.keptBytes <= KEPT_BYTES || oldest === path) return;
      this.latest.delete(oldest);
      this.keptBytes -= content.length;
    }
  }

  private async breathe(): Promise<void> {
    if (performance.now() < this.sliceEnds) return;
    await yieldToEventLoop();
    this.sliceEnds = performance.now() + SLICE_MS;
  }
}

type Entry = { mode: string; name: string; oid: string };

/**
 * Compares a folder's content with its base. It skips the start and the end that both share.
 * @returns the offsets of its entries, the new or changed entries, and the base's objects under the changed names
 */
function compare(
  base: Folder | null,
  content: Buffer,
): { starts: number[]; added: Entry[]; replaced: Map<string, string> } {
  const added: Entry[] = [];
  const replaced = new Map<string, string>();
  if (!base) {
    const starts: number[] = [];
    for (let at = 0; at < content.length; ) {
      starts.push(at);
      at = readEntry(content, at, added);
    }
    return { starts, added, replaced };
  }
  const { start, end } = commonEnds(base.content, content);
  const shift = content.length - base.content.length;
  // The last entry that starts in the common start may end after it; the first that starts in the common end is
  // complete.
  const first = Math.max(0, firstFrom(base.starts, start + 1) - 1);
  const from = base.starts[first] ?? 0;
  let last = firstFrom(base.starts, base.content.length - end);
  const starts = base.starts.slice(0, first);
  let at = Math.min(from, content.length);
  // From the first entry that starts in the common end, the entries of both have the same offsets.
  while (at < content.length) {
    while (last < base.starts.length && (base.starts[last] ?? 0) + shift < at) last++;
    if (last < base.starts.length && (base.starts[last] ?? 0) + shift === at) break;
    starts.push(at);
    at = readEntry(content, at, added);
  }
  for (let index = last; index < base.starts.length; index++) starts.push((base.starts[index] ?? 0) + shift);
  const gone: Entry[] = [];
  for (let index = first; index < last; index++) readEntry(base.content, base.starts[index] ?? 0, gone);
  for (const { mode, name, oid } of gone) if (mode === "40000") replaced.set(name, oid);
  // An added entry may share its start with the next one, which was then read again too.
  const same = new Set(gone.map(({ mode, name, oid }) => `${mode} ${name}\0${oid}`));
  return { starts, added: added.filter(({ mode, name, oid }) => !same.has(`${mode} ${name}\0${oid}`)), replaced };
}

/** @returns the offset of the next entry */
function readEntry(content: Buffer, at: number, into: Entry[]): number {
  const space = content.indexOf(0x20, at);
  const end = content.indexOf(0, space);
  const next = end + 1 + OID_BYTES;
  if (space < 0 || end < 0 || next > content.length) throw new Error("A tree object is truncated.");
  into.push({
    mode: content.toString("latin1", at, space),
    name: content.toString("utf8", space + 1, end),
    oid: content.toString("hex", end + 1, next),
  });
  return next;
}

/** Returns the first index whose value is at least `value`. */
function firstFrom(sorted: readonly number[], value: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] ?? 0) < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

function requireDoc(docs: Map<string, GitObjectDoc>, oid: string): GitObjectDoc {
  const doc = docs.get(oid);
  if (!doc) throw new Error(`The tree ${oid} is missing.`);
  return doc;
}
