import "server-only";

/** Git repositories by id: the API for other domains. */
export {
  aheadBehind,
  type Branch,
  createBranch,
  deleteBranch,
  findBranch,
  listBranches,
  ownBranch,
} from "./branches";
export { type CommitChange, changeOf, type FileDiff } from "./change-of";
export { type Change, type CommitInput, type Committed, commitChanges } from "./commit-changes";
export { deleteRepository } from "./delete-repository";
export { exportBare } from "./export-bare";
export {
  compareFolder,
  type FolderComparison,
  type FolderOnBranch,
  folderOnBranch,
  toChanges,
} from "./folder-branch";
export { blobId } from "./git-objects";
export {
  badHistoryCursor,
  type FileHistoryItem,
  type FileName,
  folderHistory,
  type HistoryItem,
  historyOf,
  requireHistoryCursor,
} from "./history";
export { type FolderMerge, filesIn, folderIn, landFolder, mergeFolder } from "./land-folder";
export { countLinesOf } from "./line-counts";
export { rebuildIndex, tellLandingsTo } from "./main-index";
export { type MergeInput, type MergeResult, mergeBranches, type ResolutionsInput } from "./merge-branches";
export type { ConflictSide, MergeConflict } from "./merge-trees";
export type { FileStatus } from "./model";
export type { Author } from "./new-commit";
export { readBlob, readBlobs, sizesOf } from "./object-store";
export {
  collisionKey,
  parseAddedPath,
  parseBranch,
  parseFolder,
  parseNewPath,
  parsePath,
  toPortableName,
} from "./paths";
export { isReachable } from "./reachable";
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
export { untilWon } from "./until-won";
