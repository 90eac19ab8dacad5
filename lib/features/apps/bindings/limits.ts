/** The same limit as for the datasets of a dashboard. */
export const BINDINGS_MAX = 20;
/** A longer statement is a program. All texts of an app are stored in one document. */
export const BINDING_BYTES_MAX = 128 * 1024;
/** Limit of the front matter: a description, and values for placeholders. */
export const FRONT_MATTER_BYTES_MAX = 16 * 1024;
/** Length of a table name in most databases. */
export const BINDING_NAME_CHARS_MAX = 63;
export const BINDING_PARAMS_MAX = 100;
