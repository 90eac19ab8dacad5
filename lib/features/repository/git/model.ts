import type { Binary, ObjectId } from "mongodb";

/**
 * A stretch of a repository's main branch, packed and ready to be sent: the objects that the commits after `from` up to
 * `seq` added. The stretches of a repository follow each other without a gap and never change, since main never moves
 * back. A cache: it can be rebuilt from the objects.
 */
export type GitStretchDoc = {
  _id: ObjectId;
  workspaceId: ObjectId;
  /** Counted from 0. */
  n: number;
  /** Positions of landed commits: the last one before the stretch, and its own last. */
  from: number;
  seq: number;
  /** The commit at `seq`, which has been main's head. */
  tip: string;
  /** Number of objects in the body. */
  objects: number;
  /** Size of the body in bytes: entries of a pack, without its header and checksum. */
  bytes: number;
};

/** A part of a stretch's bytes, in order. `ids`: of all its objects, sorted; `loose`: of those that the body omits. */
export type GitStretchPartDoc = {
  _id: ObjectId;
  workspaceId: ObjectId;
  stretchId: ObjectId;
  kind: "body" | "ids" | "loose";
  n: number;
  data: Binary;
};
