import "server-only";

/** Git repositories by id: the API for other domains. */
export { findReturned } from "./added-versions";
export { countBetween, findMergeBase } from "./ancestry";
export {
  createBranch,
  createReview,
  findBranch,
  isReviewBranch,
  ownBranch,
  REVIEWS_MAX,
} from "./branches";
export { type ChangedBlobs, type CommitChange, changeOf, diffFile } from "./change-of";
export { changedFiles, filesBetween } from "./changed-files";
export { type Change, type CommitInput, commitChanges, indexQuietly, prepareCommit } from "./commit-changes";
export { changesBetween } from "./commit-diff";
export { deleteRepository } from "./delete-repository";
export { exportBare } from "./export-bare";
export {
  compareFolder,
  type FolderOnBranch,
  folderOnBranch,
  toChanges,
} from "./folder-branch";
export { blobId } from "./git-objects";
export {
  badHistoryCursor,
  folderHistory,
  historyOf,
  requireHistoryCursor,
} from "./history";
export { filesIn, folderIn, landFolder, mergeFolder } from "./land-folder";
export { countLinesOf } from "./line-counts";
export { onCommit } from "./main-index";
export { findConflicts, mergeBranches, mergeCommits } from "./merge-branches";
export type { MergeConflict } from "./merge-trees";
export type { Main, PullRequestRef } from "./model";
export { readBlob, readBlobs, sizesOf } from "./object-store";
export {
  ATTRIBUTES_FILE,
  collisionKey,
  parseAddedPath,
  parsePath,
  toPortableName,
} from "./paths";
export { isReachable } from "./reachable";
export {
  commitInfoOf,
  listTree,
  readFile,
  resolveSha,
} from "./read";
export {
  closeChange,
  findBranchHead,
  findHead,
  findOpenChanges,
  type Head,
  listHeadsIn,
  MAIN_BRANCH,
  moveHead,
  openChange,
  REVIEW_FOLDER,
  readMain,
  removeHead,
} from "./refs";
export { filesReturnedBy } from "./returned-files";
export { untilWon } from "./until-won";
