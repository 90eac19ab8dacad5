/** Schema of the records that the server keeps in a file. No list of tables shows it, and no statement can name it. */
export const OWN_SCHEMA = "__millrace";
