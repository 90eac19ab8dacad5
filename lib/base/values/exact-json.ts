/*
 * Parses JSON without rounding. `JSON.parse` rounds numbers that a double cannot hold; here such a number stays text.
 */

/** Pattern of numbers that a double may not hold: 16 digits, or an exponent of three. All others are exact. */
const LONG_NUMBER = /[\d.]{16}|\d[eE][+-]?\d{3}/;

const INT64_CHARS_MAX = 20;

/**
 * A JSON number that a double cannot hold. It is not a `number`, so code that expects one rejects it instead of
 * rounding.
 */
export class ExactNumber {
  /** The original text: `12345678901234567890.5`, `1e400`. */
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

  /** Returns the digits without quotes; text in browsers that cannot write such a number. */
  toJSON(): unknown {
    const { rawJSON } = JSON as unknown as { rawJSON?: (text: string) => unknown };
    return rawJSON ? rawJSON(this.text) : this.text;
  }

  toString(): string {
    return this.text;
  }
}

/** Returns whether a text may contain such a number; false for nearly all, which then need no slower parsing. */
export function mayRound(text: string): boolean {
  return LONG_NUMBER.test(text);
}

/**
 * Pattern of the start of a string, or of a number that a double may not hold. The bound of the last alternative keeps
 * a run of dots linear; a longer mantissa matches the alternative before it.
 */
const STRING_OR_LONG = /"|-?\d[\d.]{15,}(?:[eE][+-]?\d+)?|-?\d[\d.]{0,15}[eE][+-]?\d{3,}/g;

/**
 * Parses JSON; numbers that a double cannot hold become text. Equivalent to `parseExactJson` with that text, without
 * visiting each value: a reviver takes six seconds for 15 MB of numbers.
 * @param toText decides about each number of 16 digits or an exponent of three
 * @throws SyntaxError for text that is not JSON
 */
export function parseJsonWithTexts(text: string, toText: ToText = roundedText): unknown {
  return JSON.parse(mayRound(text) ? quoteLongNumbers(text, toText) : text);
}

/** Prefix of the texts that represent numbers while a document is parsed. Random, so that no source can write one. */
const MARK = `${globalThis.crypto.getRandomValues(new Uint32Array(4)).join("-")}:`;
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/**
 * Parses JSON; a number that a double cannot hold is replaced by the result of `keep` for its text. A reviver would
 * take half a second for 10 MB; this takes a fifth of it, and as long as `JSON.parse` if no number has 16 digits or an
 * exponent of three.
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

/** Replaces the marks without recursion, for any depth of nesting. */
function replaceMarks(root: object, marks: number, keep: (source: string) => unknown): void {
  let left = marks;
  const waiting: Record<string, unknown>[] = [root as Record<string, unknown>];
  for (let holder = waiting.pop(); holder && left > 0; holder = waiting.pop()) {
    for (const key of Object.keys(holder)) {
      const value = holder[key];
      if (typeof value === "object" && value !== null) waiting.push(value as Record<string, unknown>);
      if (typeof value !== "string" || !value.startsWith(MARK)) continue;
      // The parser has made every key an own property, even __proto__, so an assignment calls no setter.
      holder[key] = keep(value.slice(MARK.length));
      left -= 1;
    }
  }
}

/** Returns the text that replaces a long number, null to leave it a number. */
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
      STRING_OR_LONG.lastIndex = endOfString(text, found.index) ?? text.length;
      continue;
    }
    // An invalid number is left for the parser to reject.
    const value = Number(source);
    AS_KEY.lastIndex = found.index + source.length;
    const written = Number.isNaN(value) || AS_KEY.test(text) ? null : toText(source, value);
    if (written === null) continue;
    quoted += `${text.slice(from, found.index)}"${written}"`;
    from = found.index + source.length;
  }
  return quoted + text.slice(from);
}

/** A bare number cannot be a property's name. In quotes it would be one. */
const AS_KEY = /\s*:/y;

/** Returns the offset after the closing quote; null if there is none. */
export function endOfString(text: string, start: number): number | null {
  for (let end = text.indexOf('"', start + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let backslashes = 0;
    while (text.charCodeAt(end - 1 - backslashes) === BACKSLASH) backslashes += 1;
    if (backslashes % 2 === 0) return end + 1;
  }
  return null;
}

const BACKSLASH = 0x5c;

function toExactNumber(source: string): ExactNumber {
  return new ExactNumber(source);
}

/** Returns whether a number's text differs in value from its double. */
export function isRounded(source: string, value: number): boolean {
  const written = String(value);
  if (written === source) return Number.isInteger(value) && !Number.isSafeInteger(value);
  if (!Number.isFinite(value)) return true;
  // An integer above 53 bits may be equal by chance; it is text in every answer, so that its type is consistent.
  if (/^-?\d+$/.test(source)) return !Number.isSafeInteger(value);
  const [exact, kept] = [toDigits(source), toDigits(written)];
  return exact.digits !== kept.digits || exact.exponent !== kept.exponent;
}

/** Splits a number into its significant digits and an exponent of ten; 0 has no digits. */
function toDigits(text: string): { digits: string; exponent: number } {
  const [mantissa = "", power = "0"] = text.toLowerCase().split("e");
  const sign = mantissa.startsWith("-") ? "-" : "";
  const [whole = "", fraction = ""] = mantissa.replace(/^[+-]/, "").split(".");
  const all = (whole + fraction).replace(/^0+/, "");
  const digits = all.replace(/0+$/, "");
  if (digits === "") return { digits: "", exponent: 0 };
  return { digits: sign + digits, exponent: Number(power) - fraction.length + (all.length - digits.length) };
}
