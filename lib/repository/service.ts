import "server-only";

/** Git repositories, each under an id: what other domains call. */
export { aheadBehind, type Branch, createBranch, deleteBranch, findBranch, listBranches } from "./branches";
export { type CommitChange, changeOf, type FileDiff } from "./change-of";
export { type Change, type CommitInput, type Committed, commitChanges } from "./commit-changes";
export { deleteRepository } from "./delete-repository";
export { exportBare } from "./export-bare";
export {
  badHistoryCursor,
  type FileHistoryItem,
  type FileName,
  folderHistory,
  type HistoryItem,
  historyOf,
  requireHistoryCursor,
} from "./history";
export { type MergeInput, type MergeResult, mergeBranches } from "./merge-branches";
export type { ConflictSide, MergeConflict } from "./merge-trees";
export type { FileStatus } from "./model";
export type { Author } from "./new-commit";
export { collisionKey, parseBranch, parseFolder, parsePath } from "./paths";
export {
  type At,
  type CommitInfo,
  type FileContent,
  listTree,
  readCommit,
  readFile,
  resolveSha,
  type TreeItem,
} from "./read";
export { rebuildIndex } from "./trunk-index";
