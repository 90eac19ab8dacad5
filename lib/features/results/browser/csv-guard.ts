const QUOTE = 0x22;
const COMMA = 0x2c;
const CR = 0x0d;
const LF = 0x0a;
const APOSTROPHE = 0x27;
/** Characters that make spreadsheets treat a cell as a formula: = + - @, and a tab or a line end before one (T60). */
const TRIGGERS = new Set([0x3d, 0x2b, 0x2d, 0x40, 0x09, CR]);

/**
 * Reads CSV bytes from the server and counts the records. With guarding on, it prefixes text cells that a spreadsheet
 * would treat as a formula with an apostrophe; numbers stay unchanged. Works across chunks with any boundaries, and
 * never holds more than one.
 */
export class CsvReader {
  /** Number of complete records, including the header. */
  records = 0;
  #isQuoted = false;
  /** The last byte closed a quote, unless the next one is a quote too. */
  #isMaybeClosed = false;
  #isFieldStart = true;
  #column = 0;

  /**
   * @param isText whether the column at an index contains text; the header is text in every column
   * @param isGuarding whether cells are changed at all
   */
  constructor(
    private readonly isText: (column: number) => boolean,
    private readonly isGuarding: boolean,
  ) {}

  /** @returns the same bytes when nothing had to change */
  read(bytes: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
    const marks: number[] = [];
    for (let i = 0; i < bytes.length; i += 1) {
      const byte = bytes[i] ?? 0;
      if (this.#isQuoted) {
        if (this.#isMaybeClosed) {
          this.#isMaybeClosed = false;
          if (byte === QUOTE) continue;
          this.#isQuoted = false;
        } else {
          if (byte === QUOTE) this.#isMaybeClosed = true;
          else if (this.#isFieldStart) this.#judge(byte, i, marks);
          this.#isFieldStart = false;
          continue;
        }
      }
      if (byte === COMMA) {
        this.#column += 1;
        this.#isFieldStart = true;
      } else if (byte === LF) {
        this.records += 1;
        this.#column = 0;
        this.#isFieldStart = true;
      } else if (byte === QUOTE && this.#isFieldStart) this.#isQuoted = true;
      else if (this.#isFieldStart && byte !== CR) {
        this.#judge(byte, i, marks);
        this.#isFieldStart = false;
      }
    }
    return marks.length === 0 ? bytes : withApostrophes(bytes, marks);
  }

  #judge(byte: number, at: number, marks: number[]): void {
    if (!this.isGuarding || !TRIGGERS.has(byte)) return;
    if (this.records === 0 || this.isText(this.#column)) marks.push(at);
  }
}

function withApostrophes(bytes: Uint8Array<ArrayBuffer>, marks: number[]): Uint8Array<ArrayBuffer> {
  const guarded = new Uint8Array(bytes.length + marks.length);
  let from = 0;
  let to = 0;
  for (const mark of marks) {
    guarded.set(bytes.subarray(from, mark), to);
    to += mark - from;
    guarded[to] = APOSTROPHE;
    to += 1;
    from = mark;
  }
  guarded.set(bytes.subarray(from), to);
  return guarded;
}
