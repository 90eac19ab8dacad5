/** Limits of reading an uploaded file. They apply to one child process, and thus to one file. */

const MIB = 1024 * 1024;

/** Maximum columns of a table: wider results cannot be shown (`RESULT_COLUMNS_MAX`). */
export const COLUMNS_MAX = 5000;
/** Maximum bytes of a record. A longer one is not a row, but a file with another delimiter or a missing quote. */
export const RECORD_BYTES_MAX = 2 * MIB;
/** Maximum quotes that are never closed. Each one reads up to RECORD_BYTES_MAX again. */
export const OPEN_QUOTES_MAX = 100;
/** Maximum rejected rows. With more, the settings are wrong and the list helps no one. */
export const REJECTED_MAX = 1_000_000;
/** Maximum characters of a rejected row's text. */
export const REJECTED_CHARS_MAX = 500;
/** Bytes at the start of a file from which its dialect is detected. */
export const SAMPLE_BYTES = 256 * 1024;
/** Rows from which candidates for the types are chosen; they are then checked on all rows. */
export const SAMPLE_ROWS = 20_000;
/** Rows of a preview. */
export const PREVIEW_ROWS = 100;
/** Maximum cells of a preview: wide files have fewer rows in it. */
export const PREVIEW_CELLS_MAX = 20_000;
/** Maximum characters of a cell in a preview. */
export const PREVIEW_CELL_CHARS_MAX = 1000;
/** Maximum characters of all cells of a preview; the browser shows some thousand of them at once. */
export const PREVIEW_CHARS_MAX = MIB;
/** Maximum bytes of a message to the server, which parses it in its own thread. */
export const MESSAGE_BYTES_MAX = 4 * MIB;
/** Maximum sheets of a workbook: a person chooses one of them. */
export const SHEETS_MAX = 1000;
/** Maximum problems of a preview; each has its number of rows. */
export const PROBLEMS_MAX = 500;
/** Share of values that may not fit a type: they are rejected. With more, the column is text. */
export const MISFITS_SHARE_MAX = 0.01;
/** Bytes that are read at once. */
export const READ_BYTES = 4 * MIB;
/** Maximum size of an XLSX file, which is read in memory. */
export const XLSX_BYTES_MAX = 100 * MIB;
/** Maximum size of an XLSX file's parts once decompressed: a million rows of 30 columns have 1 GiB. */
export const XLSX_UNPACKED_BYTES_MAX = 2048 * MIB;
/** Maximum size of an XLSX file's shared texts, styles and lists, which are held in memory. */
export const XLSX_HELD_BYTES_MAX = 200 * MIB;
/** Maximum parts of an XLSX file; a workbook has some dozens. */
export const XLSX_PARTS_MAX = 10_000;
/** Maximum size of an object in a JSON or NDJSON file. */
export const JSON_OBJECT_BYTES_MAX = 8 * MIB;
/** Memory of DuckDB, beside some 100 MB of the process. */
export const IMPORT_MEMORY_LIMIT = "256MB";
/** Columns above which DuckDB needs WIDE_MEMORY_LIMIT: its buffers of a column have some hundred kilobytes. */
export const WIDE_COLUMNS = 500;
export const WIDE_MEMORY_LIMIT = "1GB";
/**
 * Maximum bytes of each file that the reader writes: the records, the staged rows, and temporary files. Compressed
 * formats repeat a text with a few bytes; a plain file of 1 GiB needs less, unless its lines have a character or two.
 */
export const STAGED_BYTES_MAX = 4096 * MIB;
/** DuckDB's threads, as in a file's engine. */
export const IMPORT_THREADS = 2;
/** Interval of progress messages, in ms. */
export const PROGRESS_MS = 250;
