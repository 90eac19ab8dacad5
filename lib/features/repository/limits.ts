/** One file (T90): larger data belongs in a database or in an app's own storage. */
export const MAX_FILE_BYTES = 25 * 1024 * 1024;
/** Content of one commit, in all (T90). */
export const MAX_COMMIT_BYTES = 500 * 1024 * 1024;
/** Files that one commit may touch (T90). */
export const MAX_COMMIT_FILES = 50_000;
/** Far above any message that a person writes; keeps a commit's header cheap to read. */
export const MAX_MESSAGE_BYTES = 64 * 1024;
/** Above this the two texts together are shown without a patch: comparing them would hold the event loop (F15). */
export const MAX_PATCH_BYTES = 4 * 1024 * 1024;
