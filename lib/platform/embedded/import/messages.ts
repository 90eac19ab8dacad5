/*
 * Messages of the process that reads an uploaded file. It gets one job on its standard input, and answers with lines of
 * JSON on its standard output.
 */

export const FILE_FORMATS = ["csv", "xlsx", "json", "ndjson", "parquet", "arrow"] as const;
export type FileFormat = (typeof FILE_FORMATS)[number];
export const ENCODINGS = ["utf-8", "utf-16le", "utf-16be", "windows-1252"] as const;
export type Encoding = (typeof ENCODINGS)[number];
/** `source` is a column whose type the file declares. */
export const COLUMN_TYPES = [
  "text",
  "integer",
  "decimal",
  "number",
  "boolean",
  "date",
  "timestamp",
  "timestamptz",
  "time",
  "source",
] as const;
export type ColumnType = (typeof COLUMN_TYPES)[number];
export const DATE_FORMATS = [
  "YYYY-MM-DD",
  "DD/MM/YYYY",
  "MM/DD/YYYY",
  "DD.MM.YYYY",
  "DD-MM-YYYY",
  "MM-DD-YYYY",
  "YYYY/MM/DD",
] as const;
export type DateFormat = (typeof DATE_FORMATS)[number];

/** Settings of a person; each absent one is detected. */
export type AskedSettings = {
  format?: FileFormat;
  delimiter?: string;
  quote?: string;
  encoding?: Encoding;
  header?: boolean;
  /** Records before the header, or the first row. */
  skip?: number;
  decimal?: "." | ",";
  dateFormat?: DateFormat;
  /** Texts that are read as NULL; "" is an empty field. */
  nullWords?: string[];
  sheet?: string;
  columns?: { index: number; name?: string; type?: ColumnType }[];
};

export type Settings = Required<Omit<AskedSettings, "columns" | "sheet">> & { sheet: string | null };

/** A column of the staged rows, which is `c<index>` there. */
export type StagedColumn = {
  index: number;
  name: string;
  type: ColumnType;
  /** Digits of a decimal in all, and after the point. */
  precision: number;
  scale: number;
  /** The type in the table. */
  dbType: string;
};

export type Correction =
  | { kind: "type"; column: number; type: ColumnType }
  | { kind: "dateFormat"; value: DateFormat }
  | { kind: "encoding"; value: Encoding }
  | { kind: "quote"; value: string }
  | { kind: "nullWords"; values: string[] };

/** A problem of some rows. `line` and `lastLine` are 1-based; null for the whole file. */
export type Problem = {
  severity: "rejected" | "warning";
  message: string;
  /** Index of the column; null for none. */
  column: number | null;
  line: number | null;
  lastLine: number | null;
  rows: number;
  text: string;
  correction: Correction | null;
};

export type StagedFile = {
  settings: Settings;
  sheets: string[];
  columns: StagedColumn[];
  preview: { line: number; values: (string | null)[] }[];
  /** First lines of a text file; empty for a binary format. */
  raw: string[];
  /** Rows that fit, and rows that are rejected. */
  rows: number;
  rejectedRows: number;
  problems: Problem[];
};

export type ImportJob = {
  /** Name of the file as it was uploaded. */
  name: string;
  settings: AskedSettings;
  /** Maximum bytes of each file that the reader writes. */
  stagedBytesMax: number;
  /** Lower limit for tests. */
  recordBytesMax?: number;
};

export type ImportMessage =
  | { type: "progress"; stage: "read" | "check"; bytes: number; rows: number }
  | { type: "done"; staged: StagedFile }
  | { type: "refused"; message: string };

/** Names in the folder of an upload. */
export const SOURCE_FILE = "source";
export const STAGED_FILE = "staged.duckdb";
export const REJECTED_FILE = "rejected.csv";

/** Rows of the staged file that fit, as columns of the table, and the rows that do not (line, problem, text). */
export const ACCEPTED_VIEW = "accepted";
export const REJECTED_TABLE = "rejected";
