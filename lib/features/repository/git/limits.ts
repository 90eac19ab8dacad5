/** One push (T90). */
export const MAX_PACK_BYTES = 64 * 1024 * 1024;
/** What the objects of one push may unpack to, counted before they are unpacked (T90). */
export const MAX_UNPACKED_BYTES = 500 * 1024 * 1024;
export const MAX_PACK_OBJECTS = 200_000;
/** Deltas on top of one object, as git's own packs keep to. */
export const MAX_DELTA_DEPTH = 50;
/** Files in which the pushed state differs from the one it is compared with. */
export const MAX_PUSH_FILES = 50_000;
/** A commit of more is no message of a person. */
export const MAX_COMMIT_OBJECT_BYTES = 1024 * 1024;
