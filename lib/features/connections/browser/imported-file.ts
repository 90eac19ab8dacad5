/** The file that holds a workspace's imported tables. Without other imports: the browser needs it on every page. */
export const FILES_FILE = "Files.duckdb";
