import type { ByteColumn, Field, WireValue } from "@/lib/base/values/fields";
import { isSmallJson, jsonSlices } from "@/lib/base/values/json-slices";
import { isLarge, slicesOf } from "@/lib/base/values/slices";
import { numberText, textOf } from "@/lib/base/values/text-of";
import type { TextFormat } from "./byte-stream";
import { type CellWriter, type CellWriters, copyJson, type RowWriters, TEXT_WRITERS, writersOf } from "./cell-bytes";

const NEEDS_QUOTES = /[",\r\n]/;
const [QUOTE, COMMA, RETURN, NEWLINE] = [0x22, 0x2c, 0x0d, 0x0a];

/**
 * RFC 4180: a header, CRLF after every record, quotes where needed. Exact: values are unchanged. Null is an empty field
 * and an empty text is a quoted one, so the two differ; lists and objects are JSON.
 */
export function csv(fields: readonly Field[]): TextFormat {
  const names = fields.map((field) => field.name);
  return {
    head: `${names.map(fieldText).join(",")}\r\n`,
    row: ({ columns }, row) => {
      let text = "";
      for (let index = 0; index < names.length; index += 1) {
        text += (index === 0 ? "" : ",") + fieldText(columns[index]?.[row] ?? null);
      }
      return `${text}\r\n`;
    },
    *pieces({ columns }, row) {
      for (let index = 0; index < names.length; index += 1) {
        if (index > 0) yield ",";
        yield* fieldPieces(columns[index]?.[row] ?? null);
      }
      yield "\r\n";
    },
    rawRows: csvRows,
  };
}

function* fieldPieces(value: WireValue): Generator<string, void> {
  if (typeof value === "object" && value !== null && !isSmallJson(value)) {
    yield '"';
    for (const slice of jsonSlices(value)) yield slice.replaceAll('"', '""');
    yield '"';
    return;
  }
  if (typeof value !== "string" || !isLarge(value)) {
    yield fieldText(value);
    return;
  }
  const quote = NEEDS_QUOTES.test(value) ? '"' : "";
  yield quote;
  for (const slice of slicesOf(value)) yield slice.replaceAll('"', '""');
  yield quote;
}

function fieldText(value: WireValue): string {
  if (value === null) return "";
  if (typeof value === "number") return numberText(value);
  if (value === "") return '""';
  const text = textOf(value);
  return NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Returns the writers of rows as bytes, with the same text as `row`. */
function csvRows(columns: readonly ByteColumn[]): RowWriters {
  return {
    cells: writersOf(columns, WRITERS, (out, value) => out.text(fieldText(value))),
    null: "",
    before: columns.map((_, index) => (index === 0 ? "" : ",")),
    after: "\r\n",
  };
}

const WRITERS: CellWriters = {
  ...TEXT_WRITERS,
  text: () => copyText,
  json: (byValue) => (out, bytes, from, end) => {
    out.reserve(2);
    const start = out.at;
    out.bytes[out.at++] = QUOTE;
    const needsQuotes = copyJson(out, bytes, from, end, true);
    if (needsQuotes !== null) quoteFrom(out, start, needsQuotes);
    else {
      out.at = start;
      byValue(out, bytes, from, end);
    }
  },
};

/** Copies a text behind a quote, which is removed at the end if the text needs none. */
const copyText: CellWriter = (out, source, from, end) => {
  out.reserve((end - from) * 2 + 2);
  const { bytes } = out;
  const start = out.at;
  let at = start + 1;
  let needsQuotes = end === from;
  bytes[start] = QUOTE;
  for (let index = from; index < end; index += 1) {
    const char = source[index] as number;
    bytes[at++] = char;
    if (char > COMMA) continue;
    if (char === QUOTE) {
      bytes[at++] = QUOTE;
      needsQuotes = true;
    } else if (char === COMMA || char === RETURN || char === NEWLINE) needsQuotes = true;
  }
  out.at = at;
  quoteFrom(out, start, needsQuotes);
};

/** Ends a field that began with a quote at `start`, or removes that quote. */
function quoteFrom(out: Parameters<CellWriter>[0], start: number, needsQuotes: boolean): void {
  if (needsQuotes) {
    out.reserve(1);
    out.bytes[out.at++] = QUOTE;
    return;
  }
  out.bytes.copyWithin(start, start + 1, out.at);
  out.at -= 1;
}
