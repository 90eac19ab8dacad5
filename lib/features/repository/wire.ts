import "server-only";

/** Objects and branches in git's own form: what the git protocol needs beyond the service. */
export { type Ancestry, ancestryOf } from "./ancestry";
export { indexQuietly } from "./commit-changes";
export { CommitGraph, type CommitNode } from "./commit-graph";
export {
  type Commit,
  EMPTY_TREE,
  type FileMode,
  type GitObject,
  makeCommit,
  makeObject,
  makeTree,
  parseCommit,
  parseTree,
  type TreeEntry,
} from "./git-objects";
export { MAX_FILE_BYTES } from "./limits";
export { indexUpTo } from "./main-index";
export type { GitObjectDoc, ObjectType } from "./model";
export {
  contentOf,
  findCommit,
  findObject,
  packedStream,
  sizesOf,
  streamObjects,
  typesOf,
  writePacked,
} from "./object-store";
export { entryHead, packHead } from "./pack";
export { findPositions, findTip, type Position } from "./positions";
export { findBranchHead, findHead, listHeadsIn, MAIN_BRANCH, moveHead, removeHead, toRef } from "./refs";
export { diffTrees } from "./tree-diff";
export { findEntry } from "./tree-edit";
export { chunkOf, deflated, ownMemory } from "./zlib";
