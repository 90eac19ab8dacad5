import type { Batch } from "@/lib/base/values/fields";
import { ByteRows, type ParsedForms } from "../shared/flows/byte-cells";
import { encodedRows } from "../shared/flows/rows";
import type { TargetColumn } from "../shared/flows/table-shape";
import { toPostgresText } from "./encode";

/* COPY's text format (PostgreSQL's documentation, COPY, "File Formats"). */

/** Size at which a message is sent. */
const CHUNK_BYTES = 64 * 1024;
/** Room of a chunk, including the row with which it becomes full. */
const ROOM_BYTES = 80 * 1024;
/** Characters of a message, when rows are values. */
const CHUNK_CHARS = 64 * 1024;
/** PostgreSQL parses its own texts. Only arrays of the same type have the same elements. */
const OWN_FORMS: ParsedForms = { years: "all", interval: true, binary: true, array: true };

/** Yields a batch for COPY ... FROM STDIN, in chunks of whole rows. @throws RowRefused */
export function* copyBytes(batch: Batch, columns: readonly TargetColumn[]): Generator<Buffer> {
  const { raw, rowCount } = batch;
  if (!raw) {
    yield* copyValues(batch, columns);
    return;
  }
  const rows = new ByteRows({ raw, rowCount }, columns, { parsed: OWN_FORMS, encode: toPostgresText });
  const writer = new CopyWriter(raw.bytes);
  for (let row = 0; row < rowCount; row += 1) {
    writer.beginRow(rows.lengthOf(row), columns.length);
    rows.write(row, writer);
    writer.endRow();
    if (writer.length >= CHUNK_BYTES) yield writer.take();
  }
  if (writer.length > 0) yield writer.take();
}

function* copyValues(batch: Batch, columns: readonly TargetColumn[]): Generator<Buffer> {
  let text = "";
  for (const row of encodedRows(batch, columns, toPostgresText)) {
    text += row.map((cell) => (cell === null ? "\\N" : escaped(cell))).join("\t");
    text += "\n";
    if (text.length < CHUNK_CHARS) continue;
    yield Buffer.from(text, "utf8");
    text = "";
  }
  if (text !== "") yield Buffer.from(text, "utf8");
}

const ESCAPES: Readonly<Record<string, string>> = { "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t" };
const TO_ESCAPE = /[\\\n\r\t]/;

function escaped(text: string): string {
  return TO_ESCAPE.test(text) ? text.replace(/[\\\n\r\t]/g, (char) => ESCAPES[char] ?? char) : text;
}

const [TAB, LINE_FEED, RETURN, BACKSLASH] = [0x09, 0x0a, 0x0d, 0x5c];
/** Letters of the escaped characters: `\t`, `\n`, `\r`, `\\`. */
const LETTERS: Readonly<Record<number, number>> = { [TAB]: 0x74, [LINE_FEED]: 0x6e, [RETURN]: 0x72, [BACKSLASH]: 0x5c };
const NULL_LETTER = 0x4e;
/** Bytes of a UTF-16 unit. */
const UTF8_BYTES_MAX = 3;
/** Bytes of a cell beyond its text: its separator, and a null's letters. */
const CELL_BYTES = 3;

/** Writes cells into chunks. */
class CopyWriter {
  readonly #source: Uint8Array;
  #chunk = Buffer.allocUnsafeSlow(ROOM_BYTES);
  /** Room for the text of the current row, whose other values may be longer than their texts. */
  #rowRoom = 0;
  length = 0;

  constructor(source: Uint8Array) {
    this.#source = source;
  }

  /** @param bytes of the row's cells, each of which may be escaped */
  beginRow(bytes: number, cells: number): void {
    this.#rowRoom = 2 * bytes + CELL_BYTES * cells;
    this.#require(this.#rowRoom);
  }

  endRow(): void {
    // Replaces the last separator.
    this.#chunk[this.length - 1] = LINE_FEED;
  }

  null(): void {
    this.#chunk[this.length] = BACKSLASH;
    this.#chunk[this.length + 1] = NULL_LETTER;
    this.#chunk[this.length + 2] = TAB;
    this.length += 3;
  }

  bytes(_column: number, from: number, end: number): void {
    const source = this.#source;
    const chunk = this.#chunk;
    let to = this.length;
    for (let at = from; at < end; at += 1) {
      const byte = source[at] as number;
      if (byte === BACKSLASH || (byte <= RETURN && LETTERS[byte] !== undefined)) {
        chunk[to] = BACKSLASH;
        chunk[to + 1] = LETTERS[byte] ?? byte;
        to += 2;
      } else {
        chunk[to] = byte;
        to += 1;
      }
    }
    chunk[to] = TAB;
    this.length = to + 1;
  }

  text(_column: number, text: string): void {
    const written = escaped(text);
    this.#require(UTF8_BYTES_MAX * written.length + this.#rowRoom);
    this.length += this.#chunk.write(written, this.length, "utf8");
    this.#chunk[this.length] = TAB;
    this.length += 1;
  }

  take(): Buffer {
    const chunk = this.#chunk.subarray(0, this.length);
    this.#chunk = Buffer.allocUnsafeSlow(ROOM_BYTES);
    this.length = 0;
    return chunk;
  }

  #require(bytes: number): void {
    if (this.length + bytes <= this.#chunk.length) return;
    const grown = Buffer.allocUnsafe(this.length + bytes + CHUNK_BYTES);
    this.#chunk.copy(grown, 0, 0, this.length);
    this.#chunk = grown;
  }
}
