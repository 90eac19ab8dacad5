import { isUtf8 } from "node:buffer";
import { RECORD_BYTES_MAX } from "./limits.ts";
import type { Encoding, FileFormat } from "./messages.ts";
import { type Dialect, RecordScanner } from "./scan.ts";

const BOMS: readonly { bytes: readonly number[]; encoding: Encoding }[] = [
  { bytes: [0xef, 0xbb, 0xbf], encoding: "utf-8" },
  { bytes: [0xff, 0xfe], encoding: "utf-16le" },
  { bytes: [0xfe, 0xff], encoding: "utf-16be" },
];
/** Share of one byte of each pair that is zero in a UTF-16 text of mostly Latin letters. */
const UTF16_ZEROS_MIN = 0.3;
/** By how seldom they occur in the values of a file. */
const DELIMITERS = ["\t", ";", "|", ","];
const ENDINGS: Readonly<Record<string, FileFormat>> = {
  csv: "csv",
  txt: "csv",
  tsv: "csv",
  tab: "csv",
  xlsx: "xlsx",
  xlsm: "xlsx",
  json: "json",
  ndjson: "ndjson",
  jsonl: "ndjson",
  parquet: "parquet",
  arrow: "arrow",
  feather: "arrow",
  ipc: "arrow",
  arrows: "arrow",
};
/** Numbers, dates and times: a first line that has one is no header. */
const LOOKS_LIKE_VALUE = /^[+-]?[\d.,]*\d%?$|^\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}([ T].*)?$|^\d{1,2}:\d{2}|^(true|false)$/i;

/** Detects the format from the first bytes, then from the name's ending. */
export function detectFormat(head: Buffer, name: string): FileFormat {
  const starts = (text: string) => head.toString("latin1", 0, text.length) === text;
  if (starts("PAR1")) return "parquet";
  if (starts("ARROW1") || head.readUInt32LE?.call(padded(head), 0) === 0xffffffff) return "arrow";
  if (starts("PK\x03\x04")) return "xlsx";
  const ending = ENDINGS[name.slice(name.lastIndexOf(".") + 1).toLowerCase()];
  const first = head
    .toString("utf8")
    .replace(/^\uFEFF/, "")
    .trimStart();
  if (ending === "json" && first.startsWith("{") && isJsonLine(first)) return "ndjson";
  if (ending === "json" || ending === "ndjson") return first.startsWith("[") ? "json" : ending;
  if (ending === undefined && first.startsWith("{") && isJsonLine(first)) return "ndjson";
  // A binary format by its name alone is none.
  return "csv";
}

function padded(head: Buffer): Buffer {
  return head.length >= 4 ? head : Buffer.concat([head, Buffer.alloc(4)]);
}

function isJsonLine(text: string): boolean {
  const line = text.slice(0, text.indexOf("\n") < 0 ? text.length : text.indexOf("\n"));
  try {
    return typeof JSON.parse(line) === "object" && text.includes("\n");
  } catch {
    return false;
  }
}

/** Detects the encoding from the first bytes; UTF-8 if nothing speaks against it. */
export function detectEncoding(head: Buffer): { encoding: Encoding; bomBytes: number } {
  const bom = BOMS.find(({ bytes }) => bytes.every((byte, index) => head[index] === byte));
  if (bom) return { encoding: bom.encoding, bomBytes: bom.bytes.length };
  const pairs = Math.floor(head.length / 2);
  let even = 0;
  let odd = 0;
  for (let index = 0; index < pairs * 2; index += 2) {
    if (head[index] === 0) even += 1;
    if (head[index + 1] === 0) odd += 1;
  }
  if (pairs > 0 && odd / pairs > UTF16_ZEROS_MIN && even < odd / 10) return { encoding: "utf-16le", bomBytes: 0 };
  if (pairs > 0 && even / pairs > UTF16_ZEROS_MIN && odd < even / 10) return { encoding: "utf-16be", bomBytes: 0 };
  const cut = head.lastIndexOf(10);
  const whole = cut < 0 ? head : head.subarray(0, cut + 1);
  return { encoding: isUtf8(whole) || hasMultibyteLine(whole) ? "utf-8" : "windows-1252", bomBytes: 0 };
}

/** Returns whether a line that is not ASCII is UTF-8: a text of another encoding has none. */
function hasMultibyteLine(bytes: Buffer): boolean {
  for (let from = 0; from < bytes.length; ) {
    const next = bytes.indexOf(10, from);
    const line = bytes.subarray(from, next < 0 ? bytes.length : next);
    if (line.some((byte) => byte > 127) && isUtf8(line)) return true;
    if (next < 0) return false;
    from = next + 1;
  }
  return false;
}

export type Detected = Dialect & { skip: number; header: boolean };

/** Detects delimiter, quote, skipped lines and header from the start of a text in UTF-8. */
export function detectDialect(head: Buffer, asked: Partial<Detected>): Detected {
  const quotes = asked.quote === undefined ? ['"', "'"] : [asked.quote];
  const delimiters = asked.delimiter === undefined ? DELIMITERS : [asked.delimiter];
  let best = { score: -1, delimiter: ",", quote: asked.quote ?? '"', records: [] as string[][], width: 1 };
  for (const quote of quotes) {
    // Apostrophes are common in texts, so they are quotes only where fields start with them.
    if (asked.quote === undefined && quote === "'" && !hasApostropheField(head.toString())) continue;
    for (const delimiter of delimiters) {
      const { records, rejected } = recordsOf(head, { delimiter, quote });
      const { width, count } = usualWidth(records);
      const share = count / Math.max(1, records.length + rejected);
      // Many fields in the same number are no accident; of decimal commas, a line has only a few.
      const score = share * Math.log2(width + 1) * (quote === "'" && head.includes('"') ? 0.5 : 1);
      if (score > best.score) best = { score, delimiter, quote, records, width };
    }
  }
  const first = best.records.findIndex(({ length }) => length === best.width);
  const skip = asked.skip ?? Math.max(0, first);
  const rows = best.records.slice(skip).filter(({ length }) => length === best.width);
  return {
    delimiter: best.delimiter,
    quote: best.quote,
    skip,
    header: asked.header ?? detectHeader(rows),
  };
}

/** Returns whether a line has a field between apostrophes. */
function hasApostropheField(text: string): boolean {
  return text.split("\n").some((line) => {
    const open = line.search(/(?:^|[\t;|,])'/);
    return open >= 0 && /^[\t;|,]?'.*'(?:[\t;|,\r]|$)/s.test(line.slice(open));
  });
}

/** Returns whether the first record has names: texts, none of which occurs again below. */
export function detectHeader(records: readonly (readonly string[])[]): boolean {
  const [first, ...rest] = records;
  if (!first) return false;
  const names = first.map((name) => name.trim());
  if (names.some((name) => LOOKS_LIKE_VALUE.test(name)) || names.every((name) => name === "")) return false;
  if (rest.length === 0) return true;
  const repeats = names.filter((name, index) => name !== "" && rest.some((row) => row[index]?.trim() === name)).length;
  const hasTyped = names.some((_, index) => {
    const values = rest.map((row) => row[index]?.trim() ?? "").filter((value) => value !== "");
    return values.length > 0 && values.every((value) => LOOKS_LIKE_VALUE.test(value));
  });
  return hasTyped ? true : repeats === 0;
}

function recordsOf(head: Buffer, dialect: Dialect): { records: string[][]; rejected: number } {
  let rejected = 0;
  const rows: Buffer[] = [];
  let first: string[] = [];
  const scanner = new RecordScanner(
    {
      ...dialect,
      skip: 0,
      width: ANY_WIDTH,
      recordBytesMax: RECORD_BYTES_MAX,
      validates: false,
      refuseWidth: () => null,
    },
    {
      first: (fields) => {
        first = fields;
        return false;
      },
      rows: (bytes) => rows.push(Buffer.from(bytes)),
      reject: () => {
        rejected += 1;
      },
    },
  );
  try {
    scanner.push(head);
    scanner.end();
  } catch {
    return { records: [], rejected: 1 };
  }
  const text = Buffer.concat(rows).toString("utf8");
  return { records: [first, ...splitCanonical(text, dialect.delimiter)], rejected };
}

/** Splits the scanner's output into fields without the line's number. */
function splitCanonical(text: string, delimiter: string): string[][] {
  const records: string[][] = [];
  let fields: string[] = [];
  let position = 0;
  while (position < text.length) {
    let value = "";
    if (text[position] === '"') {
      const parts: string[] = [];
      position += 1;
      for (;;) {
        const close = text.indexOf('"', position);
        if (close < 0) return records;
        parts.push(text.slice(position, close));
        position = close + 1;
        if (text[position] !== '"') break;
        parts.push('"');
        position += 1;
      }
      value = parts.join("");
    } else {
      let end = position;
      while (end < text.length && text[end] !== delimiter && text[end] !== "\n") end += 1;
      value = text.slice(position, end);
      position = end;
    }
    fields.push(value);
    if (text[position] === delimiter) {
      position += 1;
      if (text[position] === "\n" || position === text.length) fields.push("");
    }
    if (text[position] === "\n" || position >= text.length) {
      records.push(fields.slice(1));
      fields = [];
      position += 1;
    }
  }
  return records;
}

/** Takes records of all widths. */
const ANY_WIDTH = -1;

/** Returns the most frequent number of fields, the wider one of two. */
function usualWidth(records: readonly string[][]): { width: number; count: number } {
  const counts = new Map<number, number>();
  for (const { length } of records) counts.set(length, (counts.get(length) ?? 0) + 1);
  let best = { width: 1, count: 0 };
  for (const [width, count] of counts) {
    if (count > best.count || (count === best.count && width > best.width)) best = { width, count };
  }
  return best;
}
