/** One push (T90). */
export const MAX_PACK_BYTES = 64 * 1024 * 1024;
/** Maximum unpacked size of the objects of one push, in bytes, checked before they are unpacked (T90). */
export const MAX_UNPACKED_BYTES = 500 * 1024 * 1024;
export const MAX_PACK_OBJECTS = 200_000;
/** Maximum length of a delta chain, as in git's own packs. */
export const MAX_DELTA_DEPTH = 50;
/** Maximum number of files that differ between the pushed state and its base. */
export const MAX_PUSH_FILES = 50_000;
/**
 * Maximum number of files that the commits of one push change, counted in each commit: the history index has an entry
 * for each, and a small pack could name the same two large folders in 100,000 commits.
 */
export const MAX_PUSH_CHANGES = 500_000;
/**
 * Maximum number of folder entries that are compared to count these changes. Trees of MAX_UNPACKED_BYTES have fewer, so
 * that only commits that repeat them exceed it.
 */
export const MAX_PUSH_COMPARED = 40_000_000;
/** Maximum number of folders above a file: paths have at most 1,000 bytes. */
export const MAX_DEPTH = 500;
/** Maximum number of parents of a commit. People's merges have two; Linux once had one with 66. */
export const MAX_PARENTS = 100;
/** No user's commit message is larger. */
export const MAX_COMMIT_OBJECT_BYTES = 1024 * 1024;
