/** Maximum count of a folder's items: each count reads that many index entries. */
export const FOLDER_COUNT_MAX = 100;
