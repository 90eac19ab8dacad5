/** Maximum size of a file of an app (docs/develop/api.md, Apps). */
export const FILE_BYTES_MAX = 25 * 1024 * 1024;
