import "server-only";
import type { ObjectId } from "mongodb";
import { collections } from "./collections";
import { parseCommit } from "./git-objects";
import { contentOf, streamObjects } from "./object-store";
import { findPositions, type Position } from "./positions";

/** A commit for a walk of the graph. `seq` is its position on main, null before it has landed. */
export type CommitNode = {
  oid: string;
  parents: readonly string[];
  tree: string;
  /** The committer's date, in seconds since 1970. */
  seconds: number;
  seq: number | null;
  /** Whether it has been main's head, so that it reaches all that landed before it. */
  isTip: boolean;
};

/** Number of commits read together with a requested one: those that landed just before it, which a walk visits next. */
const AHEAD = 500;

/**
 * The commits of a repository for one walk: each is read once, together with those that landed before it, so that ten
 * thousand need a few dozen look-ups.
 */
export class CommitGraph {
  private readonly nodes = new Map<string, CommitNode>();

  constructor(readonly repositoryId: ObjectId) {}

  /** Returns a commit; null if the repository does not have it. */
  async find(oid: string): Promise<CommitNode | null> {
    const known = this.nodes.get(oid);
    if (known) return known;
    const positions = await findPositions(this.repositoryId, [oid]);
    const seq = positions.get(oid)?.seq ?? 0;
    if (seq > 1) {
      const landed = collections
        .gitCommits()
        .find({ workspaceId: this.repositoryId, seq: { $lt: seq, $gte: seq - AHEAD } })
        .project<Position>({ _id: 0, oid: 1, seq: 1, isTip: 1 });
      for await (const each of landed) if (!this.nodes.has(each.oid)) positions.set(each.oid, each);
    }
    for await (const doc of streamObjects(this.repositoryId, [...new Set([oid, ...positions.keys()])])) {
      if (doc.type !== "commit") continue;
      const { parents, tree, committer } = parseCommit(await contentOf(doc));
      const { seq: place = null, isTip = false } = positions.get(doc.oid) ?? {};
      this.nodes.set(doc.oid, { oid: doc.oid, parents, tree, seconds: committer.seconds, seq: place, isTip });
    }
    return this.peek(oid);
  }

  /** Returns a commit if it has been read; null otherwise. */
  peek(oid: string): CommitNode | null {
    return this.nodes.get(oid) ?? null;
  }

  /** Returns a commit that another one or a branch references, so that its absence is an error. */
  async get(oid: string): Promise<CommitNode> {
    const node = await this.find(oid);
    if (!node) throw new Error(`The commit ${oid} is missing.`);
    return node;
  }

  /**
   * Returns all commits reachable from `starts`, each after its parents.
   * @param isStop leaves out such a commit, and the commits that only it leads to
   * @param parentsOf the parents that a walk follows; default: all
   */
  async walk(
    starts: Iterable<string>,
    isStop: (node: CommitNode) => boolean,
    parentsOf: (node: CommitNode) => readonly string[] = ({ parents }) => parents,
  ): Promise<Map<string, CommitNode>> {
    const found = new Map<string, CommitNode>();
    const seen = new Set<string>();
    const stack: { oid: string; done: CommitNode | null }[] = [...starts].map((oid) => ({ oid, done: null })).reverse();
    for (let item = stack.pop(); item; item = stack.pop()) {
      if (item.done) {
        found.set(item.oid, item.done);
        continue;
      }
      if (seen.has(item.oid)) continue;
      seen.add(item.oid);
      const node = await this.get(item.oid);
      if (isStop(node)) continue;
      // Resumed once its parents are done.
      stack.push({ oid: item.oid, done: node });
      for (const parent of parentsOf(node).toReversed()) if (!seen.has(parent)) stack.push({ oid: parent, done: null });
    }
    return found;
  }
}
