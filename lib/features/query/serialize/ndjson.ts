import type { ByteColumn, Field } from "@/lib/base/values/fields";
import type { TextFormat } from "./byte-stream";
import {
  type CellWriter,
  type CellWriters,
  copyJson,
  copyPlain,
  copyTimestamp,
  ESCAPED_BYTES_MAX,
  isPlainDate,
  isPlainFloat,
  type RowWriters,
  writeBoolean,
  writersOf,
} from "./cell-bytes";
import { cellText, jsonRowWriter } from "./row-text";

/** One plain JSON object in each line, with a newline after each, including the last. */
export function ndjson(fields: readonly Field[]): TextFormat {
  const writer = jsonRowWriter(fields);
  return {
    head: "",
    row: (batch, row) => `${writer.row(batch, row)}\n`,
    *pieces(batch, row) {
      yield* writer.pieces(batch, row);
      yield "\n";
    },
    rawRows: (columns) => jsonRows(fields, columns),
  };
}

const [QUOTE, BACKSLASH, SPACE] = [0x22, 0x5c, 0x20];
/** Digits of an integer that a double holds in any case. */
const SAFE_CHARS = 15;

/** Returns the writers of rows as bytes, with the same text as `row`. */
function jsonRows(fields: readonly Field[], columns: readonly ByteColumn[]): RowWriters {
  return {
    cells: writersOf(columns, WRITERS, (out, value) => out.text(cellText(value))),
    null: "null",
    before: fields.map(({ name }, index) => `${index === 0 ? "{" : ","}${JSON.stringify(name)}:`),
    after: "}\n",
  };
}

const WRITERS: CellWriters = {
  integer: () => copyPlain,
  int64: (byValue) => (out, bytes, from, end) => {
    if (end - from <= SAFE_CHARS) out.copy(bytes, from, end);
    else byValue(out, bytes, from, end);
  },
  float: (byValue) => (out, bytes, from, end) => {
    if (isPlainFloat(bytes, from, end)) out.copy(bytes, from, end);
    else byValue(out, bytes, from, end);
  },
  boolean: () => writeBoolean,
  plain: () => (out, bytes, from, end) => {
    quote(out);
    out.copy(bytes, from, end);
    quote(out);
  },
  text: () => escapeText,
  date: (byValue) => (out, bytes, from, end) => {
    if (!isPlainDate(bytes, from, end)) {
      byValue(out, bytes, from, end);
      return;
    }
    quote(out);
    out.copy(bytes, from, end);
    quote(out);
  },
  timestamp: (byValue) => (out, bytes, from, end) => {
    const start = out.at;
    quote(out);
    if (copyTimestamp(out, bytes, from, end)) {
      quote(out);
      return;
    }
    out.at = start;
    byValue(out, bytes, from, end);
  },
  json: (byValue) => (out, bytes, from, end) => {
    if (copyJson(out, bytes, from, end, false) === null) byValue(out, bytes, from, end);
  },
};

function quote(out: Parameters<CellWriter>[0]): void {
  out.reserve(1);
  out.bytes[out.at++] = QUOTE;
}

const escapeText: CellWriter = (out, source, from, end) => {
  out.reserve((end - from) * ESCAPED_BYTES_MAX + 2);
  const { bytes } = out;
  let { at } = out;
  bytes[at++] = QUOTE;
  for (let index = from; index < end; index += 1) {
    const char = source[index] as number;
    if (char >= SPACE && char !== QUOTE && char !== BACKSLASH) bytes[at++] = char;
    else at += bytes.write(ESCAPES[char] ?? "", at, "latin1");
  }
  bytes[at++] = QUOTE;
  out.at = at;
};

/** The escapes of JSON.stringify, by code. */
const ESCAPES: readonly string[] = Array.from({ length: BACKSLASH + 1 }, (_, code) =>
  JSON.stringify(String.fromCharCode(code)).slice(1, -1),
);
