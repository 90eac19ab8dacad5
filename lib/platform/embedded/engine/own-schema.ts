/**
 * Schema of the records that the server keeps in a file. No list of tables shows it, no statement can name it, and no
 * view or macro can read its rows.
 */
export const OWN_SCHEMA = "__millrace";
