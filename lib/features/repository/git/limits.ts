/** One push (T90). */
export const MAX_PACK_BYTES = 64 * 1024 * 1024;
/** Maximum unpacked size of the objects of one push, in bytes, checked before they are unpacked (T90). */
export const MAX_UNPACKED_BYTES = 500 * 1024 * 1024;
export const MAX_PACK_OBJECTS = 200_000;
/** Maximum length of a delta chain, as in git's own packs. */
export const MAX_DELTA_DEPTH = 50;
/** Maximum number of files that differ between the pushed state and its base. */
export const MAX_PUSH_FILES = 50_000;
/** No user's commit message is larger. */
export const MAX_COMMIT_OBJECT_BYTES = 1024 * 1024;
