/*
 * JSON whose numbers keep every digit. `JSON.parse` rounds what a double cannot hold; here such a number stays its text.
 */

/** A run that a double may not hold: 16 digits, or an exponent of three. Everything else is exact without a look. */
const LONG_NUMBER = /[\d.]{16}|\d[eE][+-]?\d{3}/;

const INT64_CHARS_MAX = 20;

/** A JSON number that no double holds. It is no `number`, so code that expects one refuses it instead of rounding. */
export class ExactNumber {
  /** As it was written: `12345678901234567890.5`, `1e400`. */
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  get isInteger(): boolean {
    return /^-?\d+$/.test(this.text);
  }

  get isInt64(): boolean {
    if (!this.isInteger || this.text.length > INT64_CHARS_MAX) return false;
    const value = BigInt(this.text);
    return BigInt.asIntN(64, value) === value;
  }

  /** Returns the digits without quotes; the text in browsers that cannot write such a number. */
  toJSON(): unknown {
    const { rawJSON } = JSON as unknown as { rawJSON?: (text: string) => unknown };
    return rawJSON ? rawJSON(this.text) : this.text;
  }

  toString(): string {
    return this.text;
  }
}

/** Whether a text may hold such a number; false for nearly all, which then need no slower parsing. */
export function mayRound(text: string): boolean {
  return LONG_NUMBER.test(text);
}

/**
 * The start of a string, or a number that a double may not hold. The bound of the last alternative keeps a run of dots linear;
 * a longer mantissa matches the alternative before it.
 */
const STRING_OR_LONG = /"|-?\d[\d.]{15,}(?:[eE][+-]?\d+)?|-?[\d.]{1,16}[eE][+-]?\d{3,}/g;

/**
 * Parses JSON; the numbers that a double cannot hold become their text. The same as `parseExactJson` with that text, without
 * a look at each value: a reviver takes six seconds for 15 MB of numbers.
 * @param toText decides about each number of 16 digits or an exponent of three
 * @throws SyntaxError for text that is not JSON
 */
export function parseJsonWithTexts(text: string, toText: ToText = roundedText): unknown {
  return JSON.parse(mayRound(text) ? quoteLongNumbers(text, toText) : text);
}

/** Begins the texts that stand for numbers while a document is parsed. Random, so that no source can write one. */
const MARK = `${globalThis.crypto.getRandomValues(new Uint32Array(4)).join("-")}:`;
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/**
 * Parses JSON; the numbers that a double cannot hold become what `keep` makes of their text. A reviver would take half a
 * second for 10 MB; this takes a fifth of it, and no more than `JSON.parse` without a number of 16 digits or an exponent of
 * three.
 * @throws SyntaxError for text that is not JSON
 */
export function parseExactJson(text: string, keep: (source: string) => unknown = toExactNumber): unknown {
  if (!mayRound(text)) return JSON.parse(text);
  let marks = 0;
  const marked = quoteLongNumbers(text, (source, value) => {
    if (!NUMBER.test(source) || !isRounded(source, value)) return null;
    marks += 1;
    return MARK + source;
  });
  const root = { value: JSON.parse(marked) as unknown };
  if (marks > 0) replaceMarks(root, marks, keep);
  return root.value;
}

/** Without recursion, so that no depth of nesting ends it. */
function replaceMarks(root: object, marks: number, keep: (source: string) => unknown): void {
  let left = marks;
  const waiting: Record<string, unknown>[] = [root as Record<string, unknown>];
  for (let holder = waiting.pop(); holder && left > 0; holder = waiting.pop()) {
    for (const key of Object.keys(holder)) {
      const value = holder[key];
      if (typeof value === "object" && value !== null) waiting.push(value as Record<string, unknown>);
      if (typeof value !== "string" || !value.startsWith(MARK)) continue;
      const exact = keep(value.slice(MARK.length));
      // A plain assignment to __proto__ would set no property.
      Object.defineProperty(holder, key, { value: exact, configurable: true, enumerable: true, writable: true });
      left -= 1;
    }
  }
}

/** Returns the text that takes the place of a long number, null to leave it a number. */
type ToText = (source: string, value: number) => string | null;

function roundedText(source: string, value: number): string | null {
  return isRounded(source, value) ? source : null;
}

function quoteLongNumbers(text: string, toText: ToText): string {
  let quoted = "";
  let from = 0;
  STRING_OR_LONG.lastIndex = 0;
  for (let found = STRING_OR_LONG.exec(text); found; found = STRING_OR_LONG.exec(text)) {
    const [source] = found;
    if (source === '"') {
      STRING_OR_LONG.lastIndex = endOfString(text, found.index);
      continue;
    }
    // What is no number is left for the parser to refuse.
    const value = Number(source);
    AS_KEY.lastIndex = found.index + source.length;
    const written = Number.isNaN(value) || AS_KEY.test(text) ? null : toText(source, value);
    if (written === null) continue;
    quoted += `${text.slice(from, found.index)}"${written}"`;
    from = found.index + source.length;
  }
  return quoted + text.slice(from);
}

/** A bare number is no name of a property. Quoted it would be one. */
const AS_KEY = /\s*:/y;

/** Returns the offset behind the closing quote; the end of a text without one. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let backslashes = 0;
    while (text.charCodeAt(end - 1 - backslashes) === BACKSLASH) backslashes += 1;
    if (backslashes % 2 === 0) return end + 1;
  }
  return text.length;
}

const BACKSLASH = 0x5c;

function toExactNumber(source: string): ExactNumber {
  return new ExactNumber(source);
}

/** Whether a number's text says something else than the double that was made of it. */
export function isRounded(source: string, value: number): boolean {
  const written = String(value);
  if (written === source) return Number.isInteger(value) && !Number.isSafeInteger(value);
  if (!Number.isFinite(value)) return true;
  // An integer of more than 53 bits may be equal by chance; it is text in every answer, so that its kind is one.
  if (/^-?\d+$/.test(source)) return !Number.isSafeInteger(value);
  const [exact, kept] = [toDigits(source), toDigits(written)];
  return exact.digits !== kept.digits || exact.exponent !== kept.exponent;
}

/** A number as its significant digits and the power of ten behind them; 0 has none. */
function toDigits(text: string): { digits: string; exponent: number } {
  const [mantissa = "", power = "0"] = text.toLowerCase().split("e");
  const sign = mantissa.startsWith("-") ? "-" : "";
  const [whole = "", fraction = ""] = mantissa.replace(/^[+-]/, "").split(".");
  const all = (whole + fraction).replace(/^0+/, "");
  const digits = all.replace(/0+$/, "");
  if (digits === "") return { digits: "", exponent: 0 };
  return { digits: sign + digits, exponent: Number(power) - fraction.length + (all.length - digits.length) };
}
