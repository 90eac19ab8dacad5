/*
 * The library searches for the end of a text beyond its message, and for ever when there is none. So messages that
 * contain text are parsed here first (PostgreSQL's documentation, "Message Formats").
 */

const CODE_AND_LENGTH_BYTES = 5;
/** Bytes of a column's table, number, type, size, modifier and format, after its name. */
const COLUMN_BYTES = 18;
const SASL = 10;

const SHAPES: Readonly<Record<string, (body: Body) => void>> = {
  A: (body) => {
    body.skip(4);
    body.text();
    body.text();
  },
  C: (body) => body.text(),
  E: (body) => body.fields(),
  N: (body) => body.fields(),
  R: (body) => {
    if (body.int32() === SASL) while (body.text() > 0);
  },
  S: (body) => {
    body.text();
    body.text();
  },
  T: (body) => {
    for (let left = body.int16(); left > 0; left -= 1) {
      body.text();
      body.skip(COLUMN_BYTES);
    }
  },
};

const CHECKED: ReadonlySet<number> = new Set(Object.keys(SHAPES).map((code) => code.charCodeAt(0)));

/** Returns whether messages of this code are checked. @param code the first byte of a message */
export function isChecked(code: number | undefined): boolean {
  return code !== undefined && CHECKED.has(code);
}

/** Checks a message. @throws Error when a text or a number is missing */
export function checkMessage(message: Buffer): void {
  SHAPES[message.toString("latin1", 0, 1)]?.(new Body(message));
}

class Body {
  readonly #bytes: Buffer;
  #at = CODE_AND_LENGTH_BYTES;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  skip(count: number): void {
    this.#at += count;
    if (this.#at > this.#bytes.length) throw new Error("Truncated message.");
  }

  int16(): number {
    this.skip(2);
    return this.#bytes.readUInt16BE(this.#at - 2);
  }

  int32(): number {
    this.skip(4);
    return this.#bytes.readInt32BE(this.#at - 4);
  }

  /** Reads a text. @returns its bytes */
  text(): number {
    const from = this.#at;
    const end = this.#bytes.indexOf(0, from);
    if (end < 0) throw new Error("Unterminated string in message.");
    this.#at = end + 1;
    return end - from;
  }

  /** Reads fields, each a code and a text, up to a code of 0. */
  fields(): void {
    for (;;) {
      this.skip(1);
      if (this.#bytes[this.#at - 1] === 0) return;
      this.text();
    }
  }
}
