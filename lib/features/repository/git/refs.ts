import "server-only";
import type { ObjectId } from "mongodb";
import { ownBranch, REVIEW_FOLDER } from "@/lib/features/repository/service";
import {
  type Ancestry,
  ancestryOf,
  findHead,
  findPositions,
  listHeadsIn,
  MAIN_BRANCH,
  toRef,
} from "@/lib/features/repository/wire";

/** The user of the workspace's repository: an API key acts as its creator. */
export type GitReader = { workspaceId: ObjectId; userId: ObjectId };
export type VisibleRef = { ref: string; oid: string };

export const MAIN_REF = toRef(MAIN_BRANCH);

/** Returns the branches that a key can read: main, its creator's and all reviews. Other users' drafts are private. */
export async function visibleRefs({ workspaceId, userId }: GitReader): Promise<VisibleRef[]> {
  const refs: VisibleRef[] = [];
  for (const branch of [MAIN_BRANCH, ownBranch(userId)]) {
    const oid = await findHead(workspaceId, branch);
    if (oid !== null) refs.push({ ref: toRef(branch), oid });
  }
  for (const { name, oid } of await listHeadsIn(workspaceId, REVIEW_FOLDER)) refs.push({ ref: toRef(name), oid });
  return refs.sort((a, b) => (a.ref < b.ref ? -1 : 1));
}

/** The commits that the visible branches reach, without a walk through those that have landed. */
export class Reach {
  private constructor(
    private readonly repositoryId: ObjectId,
    /** Position of the last landed commit that is reachable; 0 without one. */
    readonly landed: number,
    private readonly sides: readonly Ancestry["side"][],
  ) {}

  static async of(repositoryId: ObjectId, heads: readonly string[]): Promise<Reach> {
    const all = await Promise.all(heads.map((head) => ancestryOf(repositoryId, head)));
    const seq = Math.max(0, ...all.map(({ tip }) => tip?.seq ?? 0));
    return new Reach(
      repositoryId,
      seq,
      all.map(({ side }) => side),
    );
  }

  /** Returns those of the commits that are reachable. */
  async among(oids: readonly string[]): Promise<Set<string>> {
    const positions = await findPositions(this.repositoryId, [...oids]);
    return new Set(
      oids.filter(
        (oid) => (positions.get(oid)?.seq ?? Infinity) <= this.landed || this.sides.some((side) => side.has(oid)),
      ),
    );
  }
}
