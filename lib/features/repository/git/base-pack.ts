import "server-only";
import { Binary, ObjectId } from "mongodb";
import {
  CommitGraph,
  findHead,
  findTip,
  indexUpTo,
  MAIN_BRANCH,
  type Position,
  sizesOf,
} from "@/lib/features/repository/wire";
import { findWorkspaceSlug } from "@/lib/features/workspaces/service";
import { toBuffer } from "@/lib/platform/db/bytes";
import { isDuplicateKey } from "@/lib/platform/db/duplicate-key";
import { log } from "@/lib/platform/log";
import { sendJobEvents } from "@/lib/platform/process/job-events";
import { collections } from "./collections";
import type { GitStretchDoc, GitStretchPartDoc } from "./model";
import { PackBody } from "./pack-body";
import { type PackPlan, planPack } from "./pack-plan";

/** Event for the job runner: a repository has grown by a stretch. */
export const BASE_PACK_EVENT = "git/base-pack.due";
export type BasePackDue = { workspaceId: string };

/** Commits that land before the next stretch is built. A clone plans at most about this many itself. */
export const STRETCH_COMMITS_MIN = 256;
/** Maximum number of commits of one stretch: limits the memory needed to build it. */
const STRETCH_COMMITS_MAX = 2_000;
/** Maximum size of a file that is copied into a stretch. Larger files are sent as stored, which costs nothing. */
const COPIED_BYTES_MAX = 16 * 1024;
/** Maximum size of the copies of one repository. Each clone plans the later commits itself. */
const BASE_BYTES_MAX = 1024 * 1024 * 1024;
const PART_BYTES = 4 * 1024 * 1024;
const OID_BYTES = 20;
/** Age at which parts without a stretch count as left by a server that died, in ms. */
const LEFT_BEHIND_MS = 60 * 60 * 1000;

/** Notifies the job runner of the next stretch. If it takes no events, clones plan more themselves. */
export async function wakeBasePack(repositoryId: ObjectId, seq: number): Promise<void> {
  const workspaceId = repositoryId.toHexString();
  try {
    const id = `${BASE_PACK_EVENT}:${workspaceId}:${Math.floor(seq / STRETCH_COMMITS_MIN)}`;
    await sendJobEvents([{ name: BASE_PACK_EVENT, id, data: { workspaceId } satisfies BasePackDue }]);
  } catch (err) {
    log.warn({ err, workspaceId }, "a base pack is delayed: the job runner is not accepting events");
  }
}

/** Notifies the job runner of new commits, once for each stretch that they fill. */
export async function wakeForCommits(repositoryId: ObjectId, before: number, after: number): Promise<void> {
  const filled = (seq: number) => Math.floor(seq / STRETCH_COMMITS_MIN);
  if (filled(after) > filled(before)) await wakeBasePack(repositoryId, after);
}

/**
 * Builds the stretches that a workspace's repository lacks, up to its head. Safe to repeat, and on two servers at once:
 * if both build the same one, the slower deletes its own and continues from the other's.
 */
export async function writeBasePack(due: BasePackDue, signal = new AbortController().signal): Promise<void> {
  const workspaceId = new ObjectId(due.workspaceId);
  // Private repositories are not served.
  if ((await findWorkspaceSlug(workspaceId)) === null) return;
  await removeLeftBehind(workspaceId);
  const head = await findHead(workspaceId, MAIN_BRANCH);
  if (head === null) return;
  const { seq } = await indexUpTo(workspaceId, head);
  for (;;) {
    signal.throwIfAborted();
    const known = await stretchesOf(workspaceId);
    const last = known.at(-1) ?? null;
    const from = last?.seq ?? 0;
    if (seq - from < STRETCH_COMMITS_MIN) return;
    if (known.reduce((sum, { bytes }) => sum + bytes, 0) >= BASE_BYTES_MAX) return;
    const tip = await findTip(workspaceId, from, from + STRETCH_COMMITS_MAX);
    if (!tip) return;
    await makeStretch(workspaceId, known, last, tip, signal);
  }
}

async function makeStretch(
  workspaceId: ObjectId,
  known: readonly GitStretchDoc[],
  last: GitStretchDoc | null,
  tip: Position,
  signal: AbortSignal,
): Promise<void> {
  const from = last?.seq ?? 0;
  const graph = new CommitGraph(workspaceId);
  const isOwned = (seq: number | null) => seq !== null && seq <= from;
  const commits = await graph.walk([tip.oid], (node) => isOwned(node.seq));
  const before = await KnownObjects.of(workspaceId, known);
  const plan = await planPack(workspaceId, [...commits.values()], {
    ownedTree: (oid) => {
      const node = graph.peek(oid);
      return node && isOwned(node.seq) ? node.tree : null;
    },
    has: (oid) => before.has(oid),
    useDeltas: true,
    signal,
  });
  const sizes = await sizesOf(workspaceId, plan.blobs);
  const isCopied = (oid: string) => (sizes.get(oid) ?? 0) <= COPIED_BYTES_MAX;
  const copied: PackPlan = { ...plan, blobs: plan.blobs.filter(isCopied) };
  const loose = plan.blobs.filter((oid) => !isCopied(oid));
  const stretchId = new ObjectId();
  const ids = [...plan.commits, ...plan.blobs, ...plan.trees.map(({ oid }) => oid)].sort();
  try {
    const bytes = await writeParts(workspaceId, stretchId, "body", new PackBody(workspaceId, copied).pieces(signal));
    await writeParts(workspaceId, stretchId, "ids", [Buffer.from(ids.join(""), "hex")]);
    await writeParts(workspaceId, stretchId, "loose", [Buffer.from(loose.join(""), "hex")]);
    await collections.gitStretches().insertOne({
      _id: stretchId,
      workspaceId,
      n: known.length,
      from,
      seq: tip.seq,
      tip: tip.oid,
      objects: ids.length - loose.length,
      bytes,
    });
  } catch (error) {
    await collections.gitStretchParts().deleteMany({ workspaceId, stretchId });
    if (!isDuplicateKey(error)) throw error;
  }
  // A concurrent deletion of the workspace may have run before these were written.
  if ((await findWorkspaceSlug(workspaceId)) === null) {
    await collections.gitStretches().deleteMany({ workspaceId });
    await collections.gitStretchParts().deleteMany({ workspaceId });
  }
}

/** The part of a clone that is sent before the objects that the clone plans itself. */
export class BasePack {
  private constructor(
    private readonly workspaceId: ObjectId,
    private readonly stretches: readonly GitStretchDoc[],
    /** The last commit of the pack, and its position. */
    readonly tip: string,
    readonly seq: number,
    /** Objects of the stretches that are sent as stored. */
    readonly loose: readonly string[],
  ) {}

  /**
   * Returns the stretches up to the last reachable one, or null.
   * @param isReached whether the reader gets a commit that has been main's head, by its id and position
   */
  static async of(workspaceId: ObjectId, isReached: (tip: string) => Promise<boolean>): Promise<BasePack | null> {
    const all = await stretchesOf(workspaceId);
    // A commit that reaches a head of main reaches all earlier heads.
    let count = all.length;
    while (count > 0 && !(await isReached(all[count - 1]?.tip ?? ""))) count--;
    const stretches = all.slice(0, count);
    const last = stretches.at(-1);
    if (!last) return null;
    const loose: string[] = [];
    for (const { _id } of stretches) loose.push(...toIds(await partsOf(workspaceId, _id, "loose")));
    return new BasePack(workspaceId, stretches, last.tip, last.seq, loose);
  }

  get objects(): number {
    return this.stretches.reduce((sum, { objects }) => sum + objects, 0);
  }

  known(): Promise<KnownObjects> {
    return KnownObjects.of(this.workspaceId, this.stretches);
  }

  async *pieces(signal: AbortSignal): AsyncGenerator<Buffer, void> {
    for (const { _id: stretchId, bytes } of this.stretches) {
      let sent = 0;
      for await (const piece of readParts(this.workspaceId, stretchId, "body")) {
        signal.throwIfAborted();
        sent += piece.length;
        yield piece;
      }
      if (sent !== bytes) throw new Error("Part of the base pack is missing.");
    }
  }
}

/** The ids of the objects in some stretches: about twenty bytes each. */
export class KnownObjects {
  private constructor(private readonly sorted: readonly Buffer[]) {}

  static async of(workspaceId: ObjectId, stretches: readonly GitStretchDoc[]): Promise<KnownObjects> {
    const sorted: Buffer[] = [];
    for (const { _id } of stretches) sorted.push(await partsOf(workspaceId, _id, "ids"));
    return new KnownObjects(sorted);
  }

  has(oid: string): boolean {
    if (this.sorted.length === 0) return false;
    const wanted = Buffer.from(oid, "hex");
    return this.sorted.some((ids) => isAmong(ids, wanted));
  }
}

function isAmong(ids: Buffer, wanted: Buffer): boolean {
  let low = 0;
  let high = ids.length / OID_BYTES;
  while (low < high) {
    const middle = (low + high) >> 1;
    const order = ids.compare(wanted, 0, OID_BYTES, middle * OID_BYTES, (middle + 1) * OID_BYTES);
    if (order === 0) return true;
    if (order < 0) low = middle + 1;
    else high = middle;
  }
  return false;
}

function stretchesOf(workspaceId: ObjectId): Promise<GitStretchDoc[]> {
  return collections.gitStretches().find({ workspaceId }).sort({ n: 1 }).toArray();
}

async function writeParts(
  workspaceId: ObjectId,
  stretchId: ObjectId,
  kind: GitStretchPartDoc["kind"],
  pieces: AsyncIterable<Buffer> | Iterable<Buffer>,
): Promise<number> {
  let waiting: Buffer[] = [];
  let waitingBytes = 0;
  let total = 0;
  let n = 0;
  const flush = async () => {
    const whole = Buffer.concat(waiting, waitingBytes);
    waiting = [];
    waitingBytes = 0;
    for (let at = 0; at < whole.length; at += PART_BYTES) {
      const data = new Binary(whole.subarray(at, at + PART_BYTES));
      await collections
        .gitStretchParts()
        .insertOne({ _id: new ObjectId(), workspaceId, stretchId, kind, n: n++, data });
    }
  };
  for await (const piece of pieces) {
    waiting.push(piece);
    waitingBytes += piece.length;
    total += piece.length;
    if (waitingBytes >= PART_BYTES) await flush();
  }
  await flush();
  return total;
}

async function* readParts(
  workspaceId: ObjectId,
  stretchId: ObjectId,
  kind: GitStretchPartDoc["kind"],
): AsyncGenerator<Buffer, void> {
  // A batch of one: memory should hold only one part.
  const parts = collections.gitStretchParts().find({ workspaceId, stretchId, kind }).sort({ n: 1 }).batchSize(1);
  for await (const { data } of parts) yield toBuffer(data);
}

async function partsOf(workspaceId: ObjectId, stretchId: ObjectId, kind: "ids" | "loose"): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of readParts(workspaceId, stretchId, kind)) parts.push(part);
  return Buffer.concat(parts);
}

function toIds(bytes: Buffer): string[] {
  const ids: string[] = [];
  for (let at = 0; at < bytes.length; at += OID_BYTES) ids.push(bytes.toString("hex", at, at + OID_BYTES));
  return ids;
}

async function removeLeftBehind(workspaceId: ObjectId, now = Date.now()): Promise<void> {
  const known = (await stretchesOf(workspaceId)).map(({ _id }) => _id);
  const before = ObjectId.createFromTime(Math.floor((now - LEFT_BEHIND_MS) / 1000));
  await collections.gitStretchParts().deleteMany({ workspaceId, stretchId: { $nin: known }, _id: { $lt: before } });
}
