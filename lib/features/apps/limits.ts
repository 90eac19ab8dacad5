/** Of one workspace. The feed stays quick with as many. */
export const APPS_MAX = 10_000;
/** Of one app; what is built of it may have as many. */
export const APP_FILES_MAX = 5_000;
/** Of one app, in all; larger data belongs in a database. */
export const APP_BYTES_MAX = 200 * 1024 * 1024;
/** Files that somebody has changed in one app and not committed: their list is one document. */
export const DRAFT_FILES_MAX = 1_000;
/** What these take together: a commit holds them in memory, as a push of the same size does. */
export const DRAFT_BYTES_MAX = 64 * 1024 * 1024;
/** As much as a body of JSON may have; what is larger comes and goes as bytes. */
export const JSON_FILE_BYTES_MAX = 1024 * 1024;
export const TITLE_CHARS_MAX = 200;
export const DESCRIPTION_CHARS_MAX = 2_000;
export const SLUG_CHARS_MAX = 60;
/** Deployments that an app can be rolled back to; the oldest go with what only they have. A daily publish for seven weeks. */
export const DEPLOYMENTS_MAX = 50;
/** What a build may give. */
export const BUILD_FILES_MAX = 5_000;
export const BUILD_BYTES_MAX = 200 * 1024 * 1024;
