import { isAscii, isUtf8 } from "node:buffer";
import { OPEN_QUOTES_MAX, REJECTED_CHARS_MAX } from "./limits.ts";

const LF = 10;
const CR = 13;
const DOUBLE_QUOTE = 34;
/** A byte value that occurs nowhere. */
const NONE = -1;
const OUT_BYTES = 1024 * 1024;
const LINE_DIGITS_MAX = 16;

/** The form of a delimited text, each a single ASCII character; "" for no quote or delimiter. */
export type Dialect = { delimiter: string; quote: string };

/** A reader's message to a person: the file cannot be read in this form. */
export class Unreadable extends Error {}

export type ScanSink = {
  /** Takes the first record, and returns whether it is a row. */
  first(fields: string[]): boolean;
  rows(bytes: Buffer): void;
  reject(line: number, problem: string, text: string): void;
};

export type ScanFacts = {
  records: number;
  lines: number;
  blankLines: number;
  /** Number of line ends by kind. */
  lf: number;
  crlf: number;
  cr: number;
  /** Lines with bytes that are not UTF-8, and the first of them. */
  notUtf8: number;
  firstNotUtf8: number;
  /** Whether valid UTF-8 beyond ASCII occurs. */
  hasMultibyte: boolean;
};

export type ScanOptions = Dialect & {
  /** Records before the first one, which are skipped. */
  skip: number;
  /** Number of fields of a record; 0 for that of the first record, -1 for any. */
  width: number;
  recordBytesMax: number;
  /** Whether the text may have invalid UTF-8. */
  validates: boolean;
  /** Returns a problem of a width, which ends the reading. */
  refuseWidth: (width: number) => string | null;
};

/**
 * Splits a delimited text into records and writes them in one strict form for DuckDB: the number of the line, then the
 * fields with the same delimiter, quoted with double quotes. A record that is not well-formed is rejected alone.
 */
export class RecordScanner {
  readonly facts: ScanFacts = {
    records: 0,
    lines: 0,
    blankLines: 0,
    lf: 0,
    crlf: 0,
    cr: 0,
    notUtf8: 0,
    firstNotUtf8: 0,
    hasMultibyte: false,
  };
  readonly #options: ScanOptions;
  readonly #sink: ScanSink;
  readonly #delimiter: number;
  readonly #quote: number;
  readonly #out = Buffer.allocUnsafe(OUT_BYTES);
  #outLength = 0;
  #pending: Buffer = Buffer.alloc(0);
  #line = 1;
  #skipped = 0;
  #width: number;
  #hasFirst = false;
  #openQuotes = 0;
  /** Whether the rest of a line that is too long is being skipped. */
  #isSkipping = false;

  constructor(options: ScanOptions, sink: ScanSink) {
    this.#options = options;
    this.#sink = sink;
    this.#delimiter = options.delimiter === "" ? NONE : options.delimiter.charCodeAt(0);
    this.#quote = options.quote === "" ? NONE : options.quote.charCodeAt(0);
    this.#width = options.width;
  }

  /** @throws Unreadable if the text cannot be read with these options */
  push(chunk: Buffer): void {
    const data = this.#pending.length === 0 ? chunk : Buffer.concat([this.#pending, chunk]);
    this.#pending = Buffer.from(data.subarray(this.#scan(data, false)));
  }

  /** Reads the last record. @throws Unreadable */
  end(): void {
    this.#scan(this.#pending, true);
    this.#pending = Buffer.alloc(0);
    this.#flush();
    this.facts.lines = this.#line - 1;
  }

  /** @returns the offset of the first record that is not complete */
  #scan(data: Buffer, isFinal: boolean): number {
    const end = data.length;
    const { recordBytesMax, validates } = this.#options;
    // The last line may end within a character, so it is judged with the next piece.
    const judged = isFinal ? end : Math.max(data.lastIndexOf(LF), data.lastIndexOf(CR)) + 1;
    const isPlain = !validates || isUtf8(data.subarray(0, judged));
    if (validates && isPlain && !this.facts.hasMultibyte) this.facts.hasMultibyte = !isAscii(data.subarray(0, judged));
    const hasNul = data.includes(0);
    let position = 0;
    while (position < end) {
      if (this.#isSkipping) {
        const next = endOfLine(data, position);
        if (next < 0) return end;
        if (data[next] === CR && next + 1 === end && !isFinal) return next;
        this.#isSkipping = false;
        position = this.#endLine(data, next);
        continue;
      }
      const record = this.#readRecord(data, position, isFinal);
      if (record === null) {
        if (end - position <= recordBytesMax) return position;
        position = this.#rejectLong(data, position);
        continue;
      }
      position = this.#take(data, position, record, isPlain, hasNul);
    }
    return end;
  }

  /** Finds the end of a record. @returns null if it ends beyond the data */
  #readRecord(data: Buffer, start: number, isFinal: boolean): Found | null {
    const end = data.length;
    const delimiter = this.#delimiter;
    const quote = this.#quote;
    let fields = 1;
    let fieldStart = start;
    let position = start;
    let isPlain = true;
    let lineEnds = 0;
    let problem: string | null = null;
    while (position < end) {
      const byte = data[position];
      if (byte === delimiter) {
        fields += 1;
        position += 1;
        fieldStart = position;
      } else if (byte === LF || byte === CR) {
        // The pair of a line end may be split.
        if (byte === CR && position + 1 === end && !isFinal) return null;
        return { end: position, fields, isPlain, lineEnds, problem };
      } else if (byte === quote && position === fieldStart) {
        isPlain = false;
        position += 1;
        for (;;) {
          while (position < end && data[position] !== quote) {
            if (data[position] === LF) lineEnds += 1;
            position += 1;
          }
          const isBeyond = position - start > this.#options.recordBytesMax;
          if (position >= end || isBeyond) {
            if (!isFinal && !isBeyond) return null;
            return { ...this.#firstLine(data, start), problem: OPEN_QUOTE };
          }
          if (position + 1 === end && !isFinal) return null;
          position += 1;
          if (data[position] !== quote) break;
          position += 1;
        }
        const after = data[position];
        if (position < end && after !== delimiter && after !== LF && after !== CR) {
          // A quote that closes in another line most likely opens a field there.
          if (lineEnds > 0) return { ...this.#firstLine(data, start), problem: OPEN_QUOTE };
          problem = "Text after a closing quote";
          fieldStart = NONE;
        }
      } else {
        if (byte === DOUBLE_QUOTE) isPlain = false;
        position += 1;
      }
    }
    return isFinal ? { end, fields, isPlain, lineEnds, problem } : null;
  }

  #firstLine(data: Buffer, start: number): Found {
    const next = endOfLine(data, start);
    return { end: next < 0 ? data.length : next, fields: 0, isPlain: false, lineEnds: 0, problem: null };
  }

  #rejectLong(data: Buffer, start: number): number {
    const next = endOfLine(data, start);
    const limit = `${Math.round(this.#options.recordBytesMax / 1024 / 1024) || 1} MiB`;
    // A field with that many lines has a quote that was never closed.
    if (next >= 0) {
      this.#reject(data, start, next, OPEN_QUOTE);
      return this.#endLine(data, next);
    }
    this.#reject(data, start, start + REJECTED_CHARS_MAX, `Line longer than ${limit}`);
    this.#isSkipping = true;
    return data.length;
  }

  /** Writes or rejects a record. @returns the offset of the next one */
  #take(data: Buffer, start: number, record: Found, isPlain: boolean, hasNul: boolean): number {
    const { end, lineEnds } = record;
    const problem = this.#problemOf(data, start, record, isPlain, hasNul);
    if (end === start) this.facts.blankLines += 1;
    else if (problem !== null) this.#reject(data, start, end, problem);
    else this.#write(data, start, record);
    this.#line += lineEnds;
    return this.#endLine(data, end);
  }

  #problemOf(data: Buffer, start: number, record: Found, isPlain: boolean, hasNul: boolean): string | null {
    const bytes = () => data.subarray(start, record.end);
    if (record.end === start) return null;
    if (!isPlain && !isUtf8(bytes())) {
      this.facts.notUtf8 += 1;
      if (this.facts.firstNotUtf8 === 0) this.facts.firstNotUtf8 = this.#line;
      return "Not valid UTF-8";
    }
    if (!isPlain && !this.facts.hasMultibyte) this.facts.hasMultibyte = !isAscii(bytes());
    if (hasNul && bytes().includes(0)) return "NUL byte";
    if (this.#skipped < this.#options.skip) return null;
    if (record.problem !== null) return record.problem;
    if (record.end - start > this.#options.recordBytesMax) return "Line too long";
    if (this.#width <= 0 || record.fields === this.#width) return null;
    return `${fieldCount(record.fields)}, ${this.#width} expected`;
  }

  #write(data: Buffer, start: number, record: Found): void {
    if (this.#skipped < this.#options.skip) {
      this.#skipped += 1;
      return;
    }
    this.facts.records += 1;
    if (!this.#hasFirst) {
      this.#hasFirst = true;
      const refusal = this.#options.refuseWidth(record.fields);
      if (refusal !== null) throw new Unreadable(refusal);
      if (this.#width === 0) this.#width = record.fields;
      if (!this.#sink.first(this.#fieldsOf(data, start, record.end))) return;
    }
    if (!record.isPlain || this.#options.delimiter === "") {
      this.#put(Buffer.from(this.#rewritten(data, start, record.end), "latin1"));
      return;
    }
    this.#put(data.subarray(start, record.end));
  }

  /** Writes the number of the line and a record's bytes. */
  #put(bytes: Buffer): void {
    const needed = bytes.length + LINE_DIGITS_MAX + 2;
    if (this.#outLength + needed > OUT_BYTES) this.#flush();
    const head = `${this.#line}${this.#options.delimiter || SEPARATOR}`;
    if (needed > OUT_BYTES) {
      this.#sink.rows(Buffer.concat([Buffer.from(head), bytes, Buffer.from("\n")]));
      return;
    }
    this.#outLength += this.#out.write(head, this.#outLength, "latin1");
    this.#outLength += bytes.copy(this.#out, this.#outLength);
    this.#out[this.#outLength] = LF;
    this.#outLength += 1;
  }

  #flush(): void {
    if (this.#outLength === 0) return;
    this.#sink.rows(this.#out.subarray(0, this.#outLength));
    this.#outLength = 0;
  }

  /** Returns the record with double quotes, as Latin-1 text of its bytes. */
  #rewritten(data: Buffer, start: number, end: number): string {
    const { delimiter } = this.#options;
    const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`;
    return this.#parts(data.toString("latin1", start, end))
      .map(({ text, isQuoted }) => (isQuoted || delimiter === "" || text.includes('"') ? quoted(text) : text))
      .join(delimiter);
  }

  #fieldsOf(data: Buffer, start: number, end: number): string[] {
    return this.#parts(data.toString("latin1", start, end)).map(({ text }) =>
      Buffer.from(text, "latin1").toString("utf8"),
    );
  }

  #parts(record: string): { text: string; isQuoted: boolean }[] {
    const { delimiter, quote } = this.#options;
    const parts: { text: string; isQuoted: boolean }[] = [];
    let position = 0;
    for (;;) {
      const isQuoted = quote !== "" && record[position] === quote;
      let next: number;
      let text: string;
      if (isQuoted) {
        let close = position + 1;
        for (;;) {
          close = record.indexOf(quote, close);
          if (close < 0 || record[close + 1] !== quote) break;
          close += 2;
        }
        text = record.slice(position + 1, close < 0 ? record.length : close).replaceAll(quote + quote, quote);
        next = close < 0 ? record.length : close + 1;
      } else {
        const found = delimiter === "" ? -1 : record.indexOf(delimiter, position);
        next = found < 0 ? record.length : found;
        text = record.slice(position, next);
      }
      parts.push({ text, isQuoted });
      if (next >= record.length || delimiter === "") return parts;
      position = next + 1;
    }
  }

  #reject(data: Buffer, start: number, end: number, problem: string): void {
    if (problem === OPEN_QUOTE) {
      this.#openQuotes += 1;
      if (this.#openQuotes > OPEN_QUOTES_MAX) {
        throw new Unreadable(
          `Line ${this.#line.toLocaleString("en")}: quote opened and never closed, as in ${OPEN_QUOTES_MAX} lines before it. Set the quote to none.`,
        );
      }
    }
    const text = data.toString("utf8", start, Math.min(end, start + 2 * REJECTED_CHARS_MAX));
    this.#sink.reject(this.#line, problem, text.slice(0, REJECTED_CHARS_MAX).replaceAll("\0", "�"));
  }

  /** Counts a line end. @returns the offset of the next line */
  #endLine(data: Buffer, end: number): number {
    this.#line += 1;
    if (end >= data.length) return data.length;
    if (data[end] === LF) {
      this.facts.lf += 1;
      return end + 1;
    }
    if (data[end + 1] === LF) {
      this.facts.crlf += 1;
      return end + 2;
    }
    this.facts.cr += 1;
    return end + 1;
  }
}

/** Separates the line's number from a text that has no delimiter. */
export const SEPARATOR = ",";
const OPEN_QUOTE = "Quote opened and never closed";

type Found = { end: number; fields: number; isPlain: boolean; lineEnds: number; problem: string | null };

function endOfLine(data: Buffer, from: number): number {
  const lf = data.indexOf(LF, from);
  const cr = data.subarray(0, lf < 0 ? data.length : lf).indexOf(CR, from);
  return cr < 0 ? lf : cr;
}

function fieldCount(count: number): string {
  return count === 1 ? "1 field" : `${count} fields`;
}
