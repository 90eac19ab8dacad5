import "server-only";
import { promisify } from "node:util";
import { deflate, deflateSync } from "node:zlib";
import type { ObjectId } from "mongodb";
import {
  type CommitNode,
  contentOf,
  EMPTY_TREE,
  type GitObjectDoc,
  streamObjects,
} from "@/lib/features/repository/wire";
import { ownTurn } from "@/lib/platform/process/own-turn";
import { commonEnds, middleDelta } from "./delta";

/** A folder in a pack: as it is stored, or as what differs from one that stands before it there. */
export type PlannedTree = { oid: string; delta: { base: number; size: number; stream: Buffer } | null };

/** What a pack will hold. Known before its first byte, which says how many objects there are. */
export type PackPlan = { commits: string[]; blobs: string[]; trees: PlannedTree[] };

export type PlanOptions = {
  /** The tree of a commit that the reader has; null for one that it lacks. */
  ownedTree: (commit: string) => string | null;
  /** An object that the reader gets with all below it anyway; a second time it must not be in a pack. */
  has?: (oid: string) => boolean;
  useDeltas: boolean;
  signal: AbortSignal;
};

/** What git's own packs keep to: a reader has to go through so many deltas for one object. */
const CHAIN_MAX = 50;
/** Commits whose folders are looked up together. */
const BATCH = 64;
/** Folders kept unpacked, to compare the next version with. */
const KEPT_BYTES = 48 * 1024 * 1024;
/** Deltas kept until they are sent; what comes beyond is sent as it is stored. */
const DELTA_BYTES = 48 * 1024 * 1024;
/** Work between two turns of the event loop (F15). */
const SLICE_MS = 10;
const LARGE_BYTES = 64 * 1024;
const OID_BYTES = 20;

const deflateAside = promisify(deflate);

/** A version of a folder that was compared last. `place` is where the pack has it; null when only the reader has it. */
type Folder = { oid: string; content: Buffer; starts: number[]; place: number | null; chain: number };
type Visit = { path: string; oid: string; before: string | null };

/**
 * All that some commits have and their reader lacks. Commits come each after its parents, so that a folder's versions
 * follow each other and little differs between two.
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
  private readonly seen = new Set<string>([EMPTY_TREE]);
  /** The latest version of each folder by its path, the one used last at the end. */
  private readonly latest = new Map<string, Folder>();
  private keptBytes = 0;
  private deltaBytes = 0;
  private sliceEnds = 0;

  constructor(
    private readonly repositoryId: ObjectId,
    private readonly options: PlanOptions,
  ) {}

  /** Takes up folders of one depth. @returns those in them that are new */
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
      const content = await contentOf(requireDoc(docs, oid));
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
    const content = await contentOf(doc);
    return { oid: doc.oid, content, starts: compare(null, content).starts, place: null, chain: 0 };
  }

  private async deltaOf(base: Folder | null, content: Buffer): Promise<PlannedTree["delta"]> {
    if (!this.options.useDeltas || !base || base.place === null || base.chain >= CHAIN_MAX) return null;
    const delta = middleDelta(base.content, content);
    if (delta.length * 2 > content.length || this.deltaBytes + delta.length > DELTA_BYTES) return null;
    const stream = delta.length > LARGE_BYTES ? await deflateAside(delta) : deflateSync(delta);
    this.deltaBytes += stream.length;
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
    await ownTurn();
    this.sliceEnds = performance.now() + SLICE_MS;
  }
}

type Entry = { mode: string; name: string; oid: string };

/**
 * What a folder's content has that its base lacks. Beginning and end that both share are not read again.
 * @returns where its entries start, those that are new or other, and what stood in the base under the names that changed
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
  // The last entry that begins in the common beginning may end beyond it; the first that begins in the end is whole.
  const first = Math.max(0, firstFrom(base.starts, start + 1) - 1);
  const from = base.starts[first] ?? 0;
  let last = firstFrom(base.starts, base.content.length - end);
  const starts = base.starts.slice(0, first);
  let at = Math.min(from, content.length);
  // Entries of both begin at the same places again once one does so in the common end.
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
  // An addition may share its beginning with the entry behind it, which then was read again too.
  const same = new Set(gone.map(({ mode, name, oid }) => `${mode} ${name}\0${oid}`));
  return { starts, added: added.filter(({ mode, name, oid }) => !same.has(`${mode} ${name}\0${oid}`)), replaced };
}

/** @returns where the next entry begins */
function readEntry(content: Buffer, at: number, into: Entry[]): number {
  const space = content.indexOf(0x20, at);
  const end = content.indexOf(0, space);
  const next = end + 1 + OID_BYTES;
  if (space < 0 || end < 0 || next > content.length) throw new Error("A tree object is cut short.");
  into.push({
    mode: content.toString("latin1", at, space),
    name: content.toString("utf8", space + 1, end),
    oid: content.toString("hex", end + 1, next),
  });
  return next;
}

/** The first index whose value is at least so much. */
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
