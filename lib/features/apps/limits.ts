/** Per workspace. The feed stays fast up to this number. */
export const APPS_MAX = 10_000;
/** Per app; the limit of its build output is the same. */
export const APP_FILES_MAX = 5_000;
/** Total size per app; larger data belongs in a database. */
export const APP_BYTES_MAX = 200 * 1024 * 1024;
/** Files that a user has changed in one app and not committed: their list is one document. */
export const DRAFT_FILES_MAX = 1_000;
/** Their total size: a commit holds them in memory, as a push of the same size does. */
export const DRAFT_BYTES_MAX = 64 * 1024 * 1024;
/** Maximum size in a JSON body; larger files are sent as bytes. */
export const JSON_FILE_BYTES_MAX = 1024 * 1024;
export const TITLE_CHARS_MAX = 200;
export const DESCRIPTION_CHARS_MAX = 2_000;
export const SLUG_CHARS_MAX = 60;
/**
 * Deployments that an app can be rolled back to, about a daily publish for seven weeks. The oldest are deleted with the
 * files that only they use.
 */
export const DEPLOYMENTS_MAX = 50;
/** Limits of a build's output. */
export const BUILD_FILES_MAX = 5_000;
export const BUILD_BYTES_MAX = 200 * 1024 * 1024;
