import { closeSync, fstatSync, openSync, readFileSync, readSync } from "node:fs";
import { pipeline } from "node:stream/promises";
import { createInflateRaw } from "node:zlib";
import type { DuckDBConnection } from "@duckdb/node-api";
import { streamXlsxRows } from "hucre/xlsx";
import { ofFile, type RawColumn } from "./analyse.ts";
import { detectHeader } from "./detect.ts";
import {
  RECORD_BYTES_MAX,
  SHEETS_MAX,
  XLSX_BYTES_MAX,
  XLSX_HELD_BYTES_MAX,
  XLSX_PARTS_MAX,
  XLSX_UNPACKED_BYTES_MAX,
} from "./limits.ts";
import { type AskedSettings, type Problem, SOURCE_FILE } from "./messages.ts";
import { Unreadable } from "./scan.ts";
import { nameColumns, stageRows, tooWide } from "./stage-text.ts";

/** Rows from which header and width are detected. */
const HEAD_ROWS = 100;
const NOT_XLSX = "The file is not a valid XLSX workbook. Save it again, or export it as CSV.";

export type StagedSheet = {
  sheet: string;
  sheets: string[];
  header: boolean;
  columns: RawColumn[];
  problems: Problem[];
};

/** Reads a sheet of a workbook into the tables `rows` and `rejects`. @throws Unreadable */
export async function stageXlsx(
  connection: DuckDBConnection,
  asked: AskedSettings,
  progress: (rows: number) => void,
): Promise<StagedSheet> {
  const parts = await checkParts();
  const bytes = readFileSync(SOURCE_FILE);
  const sheets = sheetNames(parts.workbook);
  if (sheets.length > SHEETS_MAX) {
    throw new Unreadable(`The workbook has more than ${SHEETS_MAX.toLocaleString("en")} sheets. Split it.`);
  }
  const sheet = asked.sheet ?? sheets[0];
  if (sheet === undefined || !sheets.includes(sheet)) {
    throw new Unreadable(
      sheets.length === 0 ? NOT_XLSX : `Sheet ${sheet} not found. Choose ${sheets.slice(0, 5).join(", ")}.`,
    );
  }
  const read = (maxRows?: number) => rowsOf(bytes, sheets.indexOf(sheet), maxRows);
  const head: string[][] = [];
  for await (const { fields } of read(HEAD_ROWS)) head.push(fields.map((field) => field ?? ""));
  let width = 0;
  for await (const { fields } of read()) width = Math.max(width, fields.length);
  if (width === 0) throw new Unreadable(`Sheet ${sheet} is empty. Choose another sheet.`);
  const refusal = tooWide(width);
  if (refusal !== null) throw new Unreadable(refusal);
  const header = asked.header ?? detectHeader(head.map((row) => [...row, ...Array(width - row.length).fill("")]));
  const named = nameColumns(header ? (head[0] ?? []) : [], width);
  let count = 0;
  let errors = 0;
  await stageRows(connection, width, async (put) => {
    let isFirst = true;
    for await (const { line, fields, errorCells } of read()) {
      errors += errorCells;
      if (isFirst && header) {
        isFirst = false;
        continue;
      }
      isFirst = false;
      const bytesOfRow = fields.reduce((sum, field) => sum + (field?.length ?? 0), 0);
      if (bytesOfRow > RECORD_BYTES_MAX) throw new Unreadable(`Row ${line} is longer than 2 MiB. Shorten its texts.`);
      put(line, [...fields, ...Array(width - fields.length).fill(null)]);
      count += 1;
      if (count % 10_000 === 0) progress(count);
    }
  });
  const problems = [...named.problems];
  if (errors > 0)
    problems.push({ ...ofFile("warning", "Cells with an error, such as #N/A, read as NULL"), rows: errors });
  return { sheet, sheets, header, columns: named.columns, problems };
}

type SheetRow = { line: number; fields: (string | null)[]; errorCells: number };

async function* rowsOf(bytes: Buffer, sheet: number, maxRows?: number): AsyncGenerator<SheetRow> {
  try {
    for await (const { index, values } of streamXlsxRows(bytes, { sheet, ...(maxRows !== undefined && { maxRows }) })) {
      let errorCells = 0;
      const fields = values.map((value): string | null => {
        if (value === null || value === undefined || value === "") return null;
        if (value instanceof Date) return dateText(value);
        const text = String(value);
        if (!ERRORS.has(text)) return text;
        errorCells += 1;
        return null;
      });
      while (fields.length > 0 && fields.at(-1) === null) fields.pop();
      if (fields.length > 0) yield { line: index + 1, fields, errorCells };
    }
  } catch (error) {
    if (error instanceof Unreadable) throw error;
    throw new Unreadable(NOT_XLSX, { cause: error });
  }
}

const ERRORS = new Set(["#N/A", "#VALUE!", "#REF!", "#DIV/0!", "#NUM!", "#NAME?", "#NULL!"]);

/** Returns a date without a time if it is midnight: sheets store both in one number. */
function dateText(value: Date): string {
  if (Number.isNaN(value.getTime())) return "";
  const text = value.toISOString();
  return text.endsWith("T00:00:00.000Z") ? text.slice(0, 10) : text.slice(0, 19).replace("T", " ");
}

/** Names of a workbook's sheets, in order. */
function sheetNames(workbook: string): string[] {
  return [...workbook.matchAll(/<(?:\w+:)?sheet\s[^>]*?name="([^"]*)"/g)].map(([, name]) =>
    (name ?? "")
      .replaceAll("&lt;", "<")
      .replaceAll("&gt;", ">")
      .replaceAll("&quot;", '"')
      .replaceAll("&apos;", "'")
      .replaceAll("&amp;", "&"),
  );
}

/**
 * Decompresses each part once and counts its bytes: the sizes that a workbook states may be wrong. A part that is read
 * as a whole has a smaller limit.
 * @returns the list of sheets
 */
async function checkParts(): Promise<{ workbook: string }> {
  const file = openSync(SOURCE_FILE, "r");
  try {
    const { size } = fstatSync(file);
    if (size > XLSX_BYTES_MAX) {
      throw new Unreadable(`XLSX files are limited to ${XLSX_BYTES_MAX / 1024 / 1024} MiB. Export the sheet as CSV.`);
    }
    let total = 0;
    let held = 0;
    let workbook = "";
    for (const { name, offset, packed, method } of partsOf(file, size)) {
      const isHeld = !/^xl\/worksheets\/[^/]+\.xml$/.test(name);
      const isWorkbook = name === "xl/workbook.xml";
      const pieces: Buffer[] = [];
      await unpack(file, { offset, packed, method }, (piece) => {
        total += piece.length;
        if (isHeld) held += piece.length;
        if (total > XLSX_UNPACKED_BYTES_MAX || held > XLSX_HELD_BYTES_MAX) throw tooLarge();
        if (isWorkbook) pieces.push(piece);
      });
      if (isWorkbook) workbook = Buffer.concat(pieces).toString("utf8");
    }
    return { workbook };
  } finally {
    closeSync(file);
  }
}

function tooLarge(): Unreadable {
  return new Unreadable("The workbook is too large once decompressed. Export the sheet as CSV.");
}

type Part = { name: string; offset: number; packed: number; method: number };

const END_SIGNATURE = 0x06054b50;
const PART_SIGNATURE = 0x02014b50;
const END_BYTES = 22;
const PART_BYTES = 46;
const LOCAL_BYTES = 30;
const COMMENT_BYTES_MAX = 65_535;
const STORED = 0;
const DEFLATED = 8;

/** Reads the directory at the end of a ZIP file. */
function partsOf(file: number, size: number): Part[] {
  const tail = readAt(
    file,
    Math.max(0, size - END_BYTES - COMMENT_BYTES_MAX),
    Math.min(size, END_BYTES + COMMENT_BYTES_MAX),
  );
  let end = tail.length - END_BYTES;
  while (end >= 0 && tail.readUInt32LE(end) !== END_SIGNATURE) end -= 1;
  if (end < 0) throw new Unreadable(NOT_XLSX);
  const count = tail.readUInt16LE(end + 10);
  const bytes = tail.readUInt32LE(end + 12);
  const start = tail.readUInt32LE(end + 16);
  if (count > XLSX_PARTS_MAX) throw tooLarge();
  if (start + bytes > size) throw new Unreadable(NOT_XLSX);
  const directory = readAt(file, start, bytes);
  const parts: Part[] = [];
  for (let at = 0; parts.length < count; ) {
    if (at + PART_BYTES > directory.length || directory.readUInt32LE(at) !== PART_SIGNATURE)
      throw new Unreadable(NOT_XLSX);
    const method = directory.readUInt16LE(at + 10);
    const packed = directory.readUInt32LE(at + 20);
    const nameBytes = directory.readUInt16LE(at + 28);
    const more = directory.readUInt16LE(at + 30) + directory.readUInt16LE(at + 32);
    const local = directory.readUInt32LE(at + 42);
    const name = directory.toString("utf8", at + PART_BYTES, at + PART_BYTES + nameBytes);
    if (local + LOCAL_BYTES > size) throw new Unreadable(NOT_XLSX);
    const header = readAt(file, local, LOCAL_BYTES);
    const offset = local + LOCAL_BYTES + header.readUInt16LE(26) + header.readUInt16LE(28);
    if (offset + packed > size || (method !== STORED && method !== DEFLATED)) throw new Unreadable(NOT_XLSX);
    parts.push({ name, offset, packed, method });
    at += PART_BYTES + nameBytes + more;
  }
  return parts;
}

function readAt(file: number, position: number, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  return bytes.subarray(0, readSync(file, bytes, 0, length, position));
}

const PIECE_BYTES = 256 * 1024;

/** Decompresses a part piece by piece. */
async function unpack(
  file: number,
  { offset, packed, method }: Omit<Part, "name">,
  take: (piece: Buffer) => void,
): Promise<void> {
  const pieces = function* () {
    for (let at = 0; at < packed; at += PIECE_BYTES)
      yield readAt(file, offset + at, Math.min(PIECE_BYTES, packed - at));
  };
  if (method === STORED) {
    for (const piece of pieces()) take(piece);
    return;
  }
  try {
    await pipeline(pieces, createInflateRaw(), async (unpacked: AsyncIterable<Buffer>) => {
      for await (const piece of unpacked) take(piece);
    });
  } catch (error) {
    if (error instanceof Unreadable) throw error;
    throw new Unreadable(NOT_XLSX, { cause: error });
  }
}
