import { closeSync, openSync, readSync, rmSync, writeSync } from "node:fs";
import { TextDecoder } from "node:util";
import type { DuckDBConnection } from "@duckdb/node-api";
import { ofFile, type RawColumn } from "./analyse.ts";
import { columnRef, quoteText } from "./column-sql.ts";
import { detectDialect, detectEncoding } from "./detect.ts";
import {
  COLUMNS_MAX,
  READ_BYTES,
  RECORD_BYTES_MAX,
  REJECTED_MAX,
  SAMPLE_BYTES,
  WIDE_COLUMNS,
  WIDE_MEMORY_LIMIT,
} from "./limits.ts";
import { type AskedSettings, type Encoding, type Problem, SOURCE_FILE } from "./messages.ts";
import { RecordScanner, type ScanFacts, type ScanOptions, type ScanSink, SEPARATOR, Unreadable } from "./scan.ts";

const RECORDS_FILE = "records.csv";
const REJECTS_FILE = "rejects.csv";
/** Lines that are shown unparsed. */
const RAW_LINES = 50;
const RAW_LINE_CHARS = 500;
const NAME_CHARS_MAX = 200;

export type StagedText = {
  settings: { delimiter: string; quote: string; encoding: Encoding; header: boolean; skip: number };
  columns: RawColumn[];
  raw: string[];
  problems: Problem[];
};

type Progress = (bytes: number, rows: number) => void;

/** Reads a delimited text into the tables `rows` and `rejects`. @throws Unreadable */
export async function stageDelimited(
  connection: DuckDBConnection,
  asked: AskedSettings,
  { recordBytesMax = RECORD_BYTES_MAX, progress }: { recordBytesMax?: number; progress: Progress },
): Promise<StagedText> {
  const head = readHead();
  if (head.length === 0) throw new Unreadable("The file is empty. Choose another file.");
  let encoding = asked.encoding ?? detectEncoding(head).encoding;
  const read = () => readDelimited(encoding, asked, recordBytesMax, progress);
  let found = read();
  const { notUtf8, hasMultibyte } = found.facts;
  // The first bytes were ASCII, so they did not show the encoding.
  if (asked.encoding === undefined && notUtf8 > 0 && !hasMultibyte) {
    encoding = "windows-1252";
    found = read();
  }
  const { facts, dialect, header, raw } = found;
  if (found.names.length === 0 && facts.records === 0)
    throw new Unreadable("The file has no rows. Choose another file.");
  const { columns, problems } = nameColumns(found.names, found.width);
  await loadRecords(connection, dialect.delimiter, found.width, recordBytesMax);
  return {
    settings: { ...dialect, encoding, header },
    columns,
    raw,
    problems: [...problems, ...warningsOf(facts, dialect.skip)],
  };
}

type Found = {
  facts: ScanFacts;
  dialect: { delimiter: string; quote: string; skip: number };
  header: boolean;
  names: string[];
  width: number;
  raw: string[];
};

/** Writes the records and rejects of the file in the form that DuckDB reads. */
function readDelimited(encoding: Encoding, asked: AskedSettings, recordBytesMax: number, progress: Progress): Found {
  const head = decodedHead(encoding);
  const { header, ...dialect } = detectDialect(head, asked);
  let names: string[] = [];
  let width = 0;
  const files = openOutputs();
  const scanner = new RecordScanner(
    {
      ...dialect,
      width: 0,
      recordBytesMax,
      validates: encoding === "utf-8",
      refuseWidth: tooWide,
    },
    {
      ...files.sink,
      first: (fields) => {
        width = fields.length;
        if (header) names = fields;
        return !header;
      },
    },
  );
  try {
    pushAll(scanner, encoding, progress);
  } finally {
    files.close();
  }
  const raw = head
    .toString("utf8")
    .split(/\r\n|\n|\r/, RAW_LINES)
    .map((line) => line.slice(0, RAW_LINE_CHARS));
  return { facts: scanner.facts, dialect, header, names, width, raw };
}

/** Reads the lines of an NDJSON file into the tables `lines` (line, text) and `rejects`. @throws Unreadable */
export async function stageLines(
  connection: DuckDBConnection,
  encoding: Encoding,
  recordBytesMax: number,
  progress: Progress,
): Promise<ScanFacts> {
  const files = openOutputs();
  const scanner = new RecordScanner(
    {
      delimiter: "",
      quote: "",
      skip: 0,
      width: 1,
      recordBytesMax,
      validates: encoding === "utf-8",
      refuseWidth: () => null,
    },
    { ...files.sink, first: () => true },
  );
  try {
    pushAll(scanner, encoding, progress);
  } finally {
    files.close();
  }
  await loadRecords(connection, "", 1, recordBytesMax);
  return scanner.facts;
}

/** Feeds rows of texts, whose fields are already known, into the tables `rows` and `rejects`. */
export async function stageRows(
  connection: DuckDBConnection,
  width: number,
  write: (put: (line: number, fields: readonly (string | null)[]) => void, reject: ScanSink["reject"]) => Promise<void>,
  recordBytesMax = RECORD_BYTES_MAX,
): Promise<void> {
  const files = openOutputs();
  let pending: string[] = [];
  let chars = 0;
  const flush = () => {
    files.sink.rows(Buffer.from(pending.join("")));
    pending = [];
    chars = 0;
  };
  try {
    await write((line, fields) => {
      const cells = fields.map((field) => (field === null ? "" : `"${field.replaceAll('"', '""')}"`));
      const text = `${line},${cells.join(",")}\n`;
      pending.push(text);
      chars += text.length;
      if (chars > READ_BYTES / 4) flush();
    }, files.sink.reject);
    flush();
  } finally {
    files.close();
  }
  await loadRecords(connection, ",", width, recordBytesMax);
}

/** @returns the reason to refuse a number of columns; null for none */
export function tooWide(width: number): string | null {
  const [count, max] = [width, COLUMNS_MAX].map((each) => each.toLocaleString("en"));
  return width > COLUMNS_MAX ? `The file has ${count} columns. A table can have at most ${max}. Split the file.` : null;
}

/** Names the columns of a header: none twice, none empty. */
export function nameColumns(names: readonly string[], width: number): { columns: RawColumn[]; problems: Problem[] } {
  const taken = new Set<string>();
  const empty: number[] = [];
  const twice: string[] = [];
  const columns = Array.from({ length: width }, (_, index): RawColumn => {
    const given = (names[index] ?? "")
      .replace(/\p{Cc}/gu, " ")
      .trim()
      .slice(0, NAME_CHARS_MAX);
    if (given === "" && names.length > 0) empty.push(index + 1);
    const base = given === "" ? `column_${index + 1}` : given;
    let name = base;
    // DuckDB compares names without case.
    for (let number = 2; taken.has(name.toLowerCase()); number += 1) name = `${base}_${number}`;
    if (name !== base) twice.push(base);
    taken.add(name.toLowerCase());
    return { index, name, declared: null };
  });
  const problems: Problem[] = [];
  const list = (all: readonly (string | number)[]) => `${all.slice(0, 5).join(", ")}${all.length > 5 ? ", …" : ""}`;
  if (empty.length > 0) problems.push(ofFile("warning", `Columns without a name: ${list(empty)}`));
  if (twice.length > 0) problems.push(ofFile("warning", `Column names that occur twice: ${list(twice)}`));
  return { columns, problems };
}

function warningsOf(facts: ScanFacts, skip: number): Problem[] {
  const { lf, crlf, cr, blankLines, notUtf8, hasMultibyte } = facts;
  const problems: Problem[] = [];
  const say = (message: string, more: Partial<Problem> = {}) =>
    problems.push({ ...ofFile("warning", message), ...more });
  const ends = [`${crlf.toLocaleString("en")} CRLF`, `${lf.toLocaleString("en")} LF`, `${cr.toLocaleString("en")} CR`];
  const kinds = [crlf, lf, cr].flatMap((count, index) => (count > 0 ? [ends[index]] : []));
  if (kinds.length > 1) say(`Mixed line ends: ${kinds.join(", ")}`);
  if (blankLines > 0) say("Blank lines, skipped", { rows: blankLines });
  if (skip > 0) say("Lines before the header, skipped", { rows: skip, line: 1, lastLine: skip });
  if (notUtf8 > 0 && hasMultibyte) {
    say("Mixed encodings: UTF-8 and another one", {
      rows: notUtf8,
      line: facts.firstNotUtf8,
      correction: { kind: "encoding", value: "windows-1252" },
    });
  }
  return problems;
}

function openOutputs(): { sink: Pick<ScanSink, "rows" | "reject">; close: () => void } {
  const records = openSync(RECORDS_FILE, "w");
  const rejects = openSync(REJECTS_FILE, "w");
  let rejected = 0;
  return {
    sink: {
      rows: (bytes) => writeAll(records, bytes),
      reject: (line, problem, text) => {
        rejected += 1;
        if (rejected > REJECTED_MAX) {
          throw new Unreadable(
            `More than ${REJECTED_MAX.toLocaleString("en")} lines don't fit. Change delimiter, quote or encoding.`,
          );
        }
        writeAll(rejects, Buffer.from(`${line},"${problem}","${text.replaceAll('"', '""')}"\n`));
      },
    },
    close: () => {
      closeSync(records);
      closeSync(rejects);
    },
  };
}

function writeAll(file: number, bytes: Uint8Array): void {
  for (let from = 0; from < bytes.length; ) from += writeSync(file, bytes, from);
}

async function loadRecords(
  connection: DuckDBConnection,
  delimiter: string,
  width: number,
  recordBytesMax: number,
): Promise<void> {
  const columns = Array.from({ length: width }, (_, index) => `${quoteText(columnRef(index))}: 'VARCHAR'`);
  const form = `quote = '"', escape = '"', header = false, auto_detect = false, nullstr = '', allow_quoted_nulls = false,
    new_line = '\\n', max_line_size = ${2 * recordBytesMax + 1024}, buffer_size = ${BUFFER_BYTES(recordBytesMax)}`;
  await connection.run("drop table if exists rows; drop table if exists rejects;");
  // Each column has its own buffers.
  if (width > WIDE_COLUMNS) await connection.run(`set memory_limit = '${WIDE_MEMORY_LIMIT}'; set threads = 1`);
  await connection.run(
    `create table rows as select * from read_csv(${quoteText(RECORDS_FILE)}, delim = ${quoteText(delimiter || SEPARATOR)}, ${form},
     columns = {'line': 'BIGINT'${columns.map((column) => `, ${column}`).join("")}})`,
  );
  await connection.run(
    `create table rejects as select * from read_csv(${quoteText(REJECTS_FILE)}, delim = ',', ${form},
     columns = {'line': 'BIGINT', 'problem': 'VARCHAR', 'text': 'VARCHAR'})`,
  );
  rmSync(RECORDS_FILE);
  rmSync(REJECTS_FILE);
}

/** Returns the size of DuckDB's read buffers. Quoting a record again doubles its quotes. */
const BUFFER_BYTES = (recordBytesMax: number) => Math.max(8 * 1024 * 1024, 4 * recordBytesMax);

function readHead(): Buffer {
  const file = openSync(SOURCE_FILE, "r");
  try {
    const head = Buffer.alloc(SAMPLE_BYTES);
    return head.subarray(0, readSync(file, head, 0, SAMPLE_BYTES, 0));
  } finally {
    closeSync(file);
  }
}

export { readHead };

/** Returns the start of the text in UTF-8, up to the end of a line if the file is longer. */
function decodedHead(encoding: Encoding): Buffer {
  const head = readHead();
  const { bomBytes } = detectEncoding(head);
  const bytes = head.subarray(bomBytes);
  const text = encoding === "utf-8" ? bytes : Buffer.from(new TextDecoder(encoding).decode(bytes));
  const cut = head.length < SAMPLE_BYTES ? -1 : Math.max(text.lastIndexOf(10), text.lastIndexOf(13));
  return cut < 0 ? text : text.subarray(0, cut + 1);
}

/** Reads the file in UTF-8, without its byte order mark. */
function pushAll(scanner: RecordScanner, encoding: Encoding, progress: Progress): void {
  const file = openSync(SOURCE_FILE, "r");
  const decoder = encoding === "utf-8" ? null : new TextDecoder(encoding);
  const buffer = Buffer.allocUnsafe(READ_BYTES);
  let position = 0;
  try {
    for (;;) {
      const count = readSync(file, buffer, 0, READ_BYTES, position);
      if (count === 0) break;
      const from = position === 0 ? detectEncoding(buffer.subarray(0, Math.min(count, 4))).bomBytes : 0;
      const piece = buffer.subarray(from, count);
      scanner.push(decoder ? Buffer.from(decoder.decode(piece, { stream: true })) : piece);
      position += count;
      progress(position, scanner.facts.records);
    }
    if (decoder) scanner.push(Buffer.from(decoder.decode()));
    scanner.end();
  } finally {
    closeSync(file);
  }
}

export type { ScanOptions };
