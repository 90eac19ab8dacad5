/** Maximum size of one file (T90): larger data belongs in a database or in an app's own storage. */
export const MAX_FILE_BYTES = 25 * 1024 * 1024;
/** Maximum size of all content in one commit (T90). */
export const MAX_COMMIT_BYTES = 500 * 1024 * 1024;
/** Maximum number of files that one commit may touch (T90). */
export const MAX_COMMIT_FILES = 50_000;
/** Far above any message that a user writes; keeps a commit's header cheap to read. */
export const MAX_MESSAGE_BYTES = 64 * 1024;
/** Above this total size, two texts are shown without a patch: comparing them would block the event loop (F15). */
export const MAX_PATCH_BYTES = 4 * 1024 * 1024;
