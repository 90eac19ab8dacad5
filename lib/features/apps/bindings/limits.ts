/** As many as a dashboard has datasets. */
export const BINDINGS_MAX = 20;
/** A statement longer than this is a program; all of an app's texts are one document of the store. */
export const BINDING_BYTES_MAX = 128 * 1024;
/** Of the lines before the statement: some words, and values for its placeholders. */
export const FRONT_MATTER_BYTES_MAX = 16 * 1024;
/** As long as a table's name in most databases. */
export const BINDING_NAME_CHARS_MAX = 63;
export const BINDING_PARAMS_MAX = 100;
