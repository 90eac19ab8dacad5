import type { CellValue } from "@/lib/base/values/json-rows";

/**
 * One column of a loaded result. A value of another kind is refused; the owner then moves the values to the next wider
 * kind: numbers and words into JSON text, a word list into text.
 */
export interface Column {
  readonly length: number;
  /** Approximate memory use in bytes. */
  readonly bytes: number;
  /** @returns false for a value of another kind, which is not added */
  push(value: CellValue): boolean;
  at(row: number): CellValue;
}

/** Rows per block. Blocks are added, never grown, so that no row is held twice. */
const BLOCK_ROWS = 1 << 14;
const BLOCK_BITS = 14;
const BLOCK_MASK = BLOCK_ROWS - 1;
/** With more distinct words, a word list saves nothing. */
const WORDS_MAX = 16_384;
const SEQUENCE_MIN = 64;
/** Memory overhead of a word in a list, in bytes. */
const WORD_BYTES = 48;

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Returns the initial column for its first non-null value. */
export function columnFor(value: CellValue): Column {
  if (typeof value === "number") return new NumberColumn();
  if (typeof value === "boolean") return new FlagColumn();
  return typeof value === "string" ? new WordColumn() : new JsonColumn();
}

/** Returns the same values in a wider kind of column that also accepts `next`. */
export function widen(column: Column, next: CellValue): Column {
  const wider = column instanceof WordColumn && typeof next === "string" ? new TextColumn() : new JsonColumn();
  for (let row = 0; row < column.length; row += 1) wider.push(column.at(row));
  return wider;
}

/** JSON has no NaN, so NaN represents null. */
class NumberColumn implements Column {
  length = 0;
  #blocks: Float64Array[] = [];

  get bytes(): number {
    return this.#blocks.length * BLOCK_ROWS * 8;
  }

  push(value: CellValue): boolean {
    if (value !== null && typeof value !== "number") return false;
    blockFor(this.#blocks, this.length, () => new Float64Array(BLOCK_ROWS))[this.length & BLOCK_MASK] =
      value ?? Number.NaN;
    this.length += 1;
    return true;
  }

  at(row: number): CellValue {
    const value = this.#blocks[row >> BLOCK_BITS]?.[row & BLOCK_MASK] ?? Number.NaN;
    return Number.isNaN(value) ? null : value;
  }
}

const FLAG = { no: 0, yes: 1, none: 2 } as const;

class FlagColumn implements Column {
  length = 0;
  #blocks: Uint8Array[] = [];

  get bytes(): number {
    return this.#blocks.length * BLOCK_ROWS;
  }

  push(value: CellValue): boolean {
    if (value !== null && typeof value !== "boolean") return false;
    blockFor(this.#blocks, this.length, () => new Uint8Array(BLOCK_ROWS))[this.length & BLOCK_MASK] =
      value === null ? FLAG.none : value ? FLAG.yes : FLAG.no;
    this.length += 1;
    return true;
  }

  at(row: number): CellValue {
    const flag = this.#blocks[row >> BLOCK_BITS]?.[row & BLOCK_MASK];
    return flag === undefined || flag === FLAG.none ? null : flag === FLAG.yes;
  }
}

/** Text with few distinct values: each is stored once, and a row has its number. Number 0 is null. */
export class WordColumn implements Column {
  length = 0;
  #blocks: Uint16Array[] = [];
  #words: string[] = [];
  #numbers = new Map<string, number>();
  #letters = 0;

  get bytes(): number {
    return this.#blocks.length * BLOCK_ROWS * 2 + this.#letters * 2 + this.#words.length * WORD_BYTES;
  }

  push(value: CellValue): boolean {
    if (value !== null && typeof value !== "string") return false;
    let number = value === null ? 0 : this.#numbers.get(value);
    if (number === undefined && value !== null) {
      if (this.#words.length >= WORDS_MAX) return false;
      number = this.#words.push(value);
      this.#numbers.set(value, number);
      this.#letters += value.length;
    }
    blockFor(this.#blocks, this.length, () => new Uint16Array(BLOCK_ROWS))[this.length & BLOCK_MASK] = number ?? 0;
    this.length += 1;
    return true;
  }

  at(row: number): CellValue {
    return this.#words[this.numberAt(row) - 1] ?? null;
  }

  /** Returns the number of a value in `words`, from 1; 0 for null. */
  numberAt(row: number): number {
    return this.#blocks[row >> BLOCK_BITS]?.[row & BLOCK_MASK] ?? 0;
  }

  get words(): readonly string[] {
    return this.#words;
  }
}

type TextBlock = { bytes: Uint8Array; offsets: Uint32Array; isNull: Uint8Array | null; isAscii: boolean };

/** Text as UTF-8 in blocks; the last rows wait as strings until they fill a block. */
export class TextColumn implements Column {
  length = 0;
  #blocks: TextBlock[] = [];
  #waiting: (string | null)[] = [];
  #waitingLetters = 0;
  #sealedBytes = 0;
  /** Length of the current run of consecutive reads, with the decoded text of its block. */
  #sequence = { next: -1, length: 0, block: -1, text: "" };

  get bytes(): number {
    return this.#sealedBytes + this.#waitingLetters * 2;
  }

  push(value: CellValue): boolean {
    if (value !== null && typeof value !== "string") return false;
    this.#waiting.push(value);
    this.#waitingLetters += value?.length ?? 0;
    this.length += 1;
    if (this.#waiting.length === BLOCK_ROWS) this.#seal();
    return true;
  }

  at(row: number): string | null {
    const block = this.#blocks[row >> BLOCK_BITS];
    if (block === undefined) return this.#waiting[row & BLOCK_MASK] ?? null;
    const at = row & BLOCK_MASK;
    if (block.isNull !== null && block.isNull[at] === 1) return null;
    const from = block.offsets[at] ?? 0;
    const to = block.offsets[at + 1] ?? 0;
    const sequence = this.#sequence;
    sequence.length = row === sequence.next ? sequence.length + 1 : 0;
    sequence.next = row + 1;
    // Long sequential reads decode the whole block once: a slice takes a tenth of the time of a decoding.
    if (block.isAscii && sequence.length >= SEQUENCE_MIN) {
      if (sequence.block !== row >> BLOCK_BITS) {
        sequence.block = row >> BLOCK_BITS;
        sequence.text = decoder.decode(block.bytes);
      }
      return sequence.text.slice(from, to);
    }
    return decoder.decode(block.bytes.subarray(from, to));
  }

  /**
   * Returns a test for rows whose lower-case text contains another text. Searches a whole block at once, which is ten
   * times as fast as value by value.
   * @param wanted in lower case, not empty
   */
  searchFor(wanted: string): (row: number) => boolean {
    let searched = -1;
    let hits: Uint8Array | null = null;
    return (row) => {
      const at = row >> BLOCK_BITS;
      if (at !== searched) {
        searched = at;
        const block = this.#blocks[at];
        hits = block?.isAscii ? searchBlock(block, wanted) : null;
      }
      if (hits !== null) return hits[row & BLOCK_MASK] === 1;
      return this.at(row)?.toLowerCase().includes(wanted) ?? false;
    };
  }

  #seal(): void {
    const texts = this.#waiting;
    const joined = texts.join("");
    const bytes = encoder.encode(joined);
    const isAscii = bytes.length === joined.length;
    const offsets = new Uint32Array(BLOCK_ROWS + 1);
    let isNull: Uint8Array | null = null;
    for (let i = 0; i < BLOCK_ROWS; i += 1) {
      const text = texts[i] ?? null;
      if (text === null) {
        isNull ??= new Uint8Array(BLOCK_ROWS);
        isNull[i] = 1;
      }
      const size = text === null ? 0 : isAscii ? text.length : encoder.encode(text).length;
      offsets[i + 1] = (offsets[i] ?? 0) + size;
    }
    this.#blocks.push({ bytes, offsets, isNull, isAscii });
    this.#sealedBytes += bytes.length + offsets.byteLength + (isNull?.byteLength ?? 0);
    this.#waiting = [];
    this.#waitingLetters = 0;
  }
}

/** Returns the values of an ASCII block that contain a text; one character is one byte. */
function searchBlock({ bytes, offsets }: TextBlock, wanted: string): Uint8Array {
  const hits = new Uint8Array(BLOCK_ROWS);
  const text = decoder.decode(bytes).toLowerCase();
  let row = 0;
  for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + 1)) {
    while (row < BLOCK_ROWS && (offsets[row + 1] ?? 0) <= at) row += 1;
    // A match that crosses into the next value does not count.
    if (at + wanted.length <= (offsets[row + 1] ?? 0)) hits[row] = 1;
  }
  return hits;
}

/** Any values as JSON text: lists, objects, and columns with values of several kinds. */
class JsonColumn implements Column {
  #texts = new TextColumn();

  get length(): number {
    return this.#texts.length;
  }

  get bytes(): number {
    return this.#texts.bytes;
  }

  push(value: CellValue): boolean {
    return this.#texts.push(value === null ? null : JSON.stringify(value));
  }

  at(row: number): CellValue {
    const text = this.#texts.at(row);
    return text === null ? null : JSON.parse(text);
  }
}

function blockFor<T>(blocks: T[], row: number, make: () => T): T {
  const at = row >> BLOCK_BITS;
  const block = blocks[at];
  if (block !== undefined) return block;
  const added = make();
  blocks.push(added);
  return added;
}
