import type { Binary, ObjectId } from "mongodb";

/**
 * A stretch of a repository's main branch as a pack has it, ready to be sent: what the commits after `from` up to `seq`
 * brought. The stretches of a repository follow each other without a gap, and never change: main never goes back.
 * A cache; the objects alone can make it anew.
 */
export type GitStretchDoc = {
  _id: ObjectId;
  workspaceId: ObjectId;
  /** From 0. */
  n: number;
  /** Numbers of landed commits: the last one before the stretch, and its own last. */
  from: number;
  seq: number;
  /** The commit with the number `seq`, which has been main's head. */
  tip: string;
  /** Objects that the body holds. */
  objects: number;
  /** Bytes of the body: entries of a pack, without its head and checksum. */
  bytes: number;
};

/** Bytes of a stretch, in order. `ids`: of all its objects, sorted; `loose`: of those that the body leaves out. */
export type GitStretchPartDoc = {
  _id: ObjectId;
  workspaceId: ObjectId;
  stretchId: ObjectId;
  kind: "body" | "ids" | "loose";
  n: number;
  data: Binary;
};
