/** As large as a file of an app may be (docs/develop/api.md, Apps). */
export const FILE_BYTES_MAX = 25 * 1024 * 1024;
