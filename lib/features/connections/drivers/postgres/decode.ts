import type { WireValue } from "@/lib/base/values/fields";
import { jsonText } from "@/lib/base/values/json-text";
import { cellOf, exactNumber, floatValue, int64Value, jsonCell, parseLargeCells } from "../shared/wire-values";
import type { KnownType } from "./types";

/** Converts PostgreSQL's text of one value to a WireValue. */
export type Decode = (text: string) => WireValue;

const asText: Decode = (text) => text;

const BY_OID: Readonly<Record<number, Decode>> = {
  16: (text) => text === "t",
  17: binaryText,
  20: int64Value,
  21: Number,
  23: Number,
  26: Number,
  28: Number,
  29: Number,
  114: jsonCell,
  700: (text) => floatValue(Number(text)),
  701: (text) => floatValue(Number(text)),
  1082: dateText,
  1114: timestampText,
  1184: timestampText,
  1266: timeWithZoneText,
  3802: jsonCell,
  5069: int64Value,
};
const AS_TEXT: Readonly<Record<number, Decode>> = { 114: jsonText, 3802: jsonText };

/**
 * Returns the decoder of a type's texts. The session prints ISO dates in UTC and ISO 8601 intervals (`session.ts`).
 * @param typeOf the element types of arrays
 * @param jsonAsText JSON is not parsed (`JsonText`)
 */
export function decoderOf(oid: number, typeOf: (oid: number) => KnownType | undefined, jsonAsText = false): Decode {
  const own = (jsonAsText && AS_TEXT[oid]) || BY_OID[oid];
  if (own) return own;
  const { element, base } = typeOf(oid) ?? {};
  if (base !== undefined) return decoderOf(base, typeOf, jsonAsText);
  if (element === undefined) return asText;
  const decoder = decoderOf(element, typeOf, jsonAsText);
  const isNumber = jsonAsText && EXACT_NUMBERS.has(baseOf(element, typeOf));
  const decodeElement: Decode = isNumber ? (text) => exactNumber(decoder(text)) : decoder;
  // Boxes contain commas, so only their arrays are separated by semicolons.
  const separator = element === 603 ? ";" : ",";
  return (text) => readArray(text, separator, decodeElement);
}

/** int8, numeric and xid8, whose values are texts where no double holds them. */
const EXACT_NUMBERS: ReadonlySet<number> = new Set([20, 1700, 5069]);

function baseOf(oid: number, typeOf: (oid: number) => KnownType | undefined): number {
  const { base } = typeOf(oid) ?? {};
  return base === undefined ? oid : baseOf(base, typeOf);
}

/** Converts a date before the year 1 to ISO 8601, where 1 BC is the year 0. */
function dateText(text: string): string {
  if (text === "infinity" || text === "-infinity") return text;
  const isBc = text.endsWith(" BC");
  const plain = isBc ? text.slice(0, -3) : text;
  const dash = plain.indexOf("-");
  if (!isBc && dash === 4) return plain;
  return yearText(Number(plain.slice(0, dash)), isBc) + plain.slice(dash);
}

function timestampText(text: string): string {
  // `2026-10-31 12:34:56.5`, `...+00`, `0044-03-15 12:00:00+00 BC`.
  const space = text.indexOf(" ");
  if (space < 0) return text;
  const isBc = text.endsWith(" BC");
  const time = isBc ? text.slice(space + 1, -3) : text.slice(space + 1);
  const date = dateText(isBc ? `${text.slice(0, space)} BC` : text.slice(0, space));
  return `${date}T${time.endsWith("+00") ? `${time.slice(0, -3)}Z` : time}`;
}

function timeWithZoneText(text: string): string {
  return /[+-]\d\d$/.test(text) ? `${text}:00` : text;
}

function yearText(year: number, isBc: boolean): string {
  const iso = isBc ? 1 - year : year;
  if (iso >= 0 && iso <= 9999) return String(iso).padStart(4, "0");
  return `${iso < 0 ? "-" : "+"}${String(Math.abs(iso)).padStart(6, "0")}`;
}

function binaryText(text: string): string {
  if (text.startsWith("\\x")) return Buffer.from(text.slice(2), "hex").toString("base64");
  // bytea_output = escape, which a role may have as its default: \\ is a backslash, \ooo an octal byte.
  const bytes: number[] = [];
  for (let at = 0; at < text.length; at += 1) {
    if (text.charAt(at) !== "\\") bytes.push(text.charCodeAt(at));
    else if (text.charAt(at + 1) === "\\") {
      bytes.push(0x5c);
      at += 1;
    } else {
      bytes.push(Number.parseInt(text.slice(at + 1, at + 4), 8));
      at += 3;
    }
  }
  return Buffer.from(bytes).toString("base64");
}

/** Characters of an array that are read between two calls of `rest`: a few milliseconds. */
const ARRAY_SLICE_CHARS = 64 * 1024;

/** Parses an array at once, or in slices if it is large. */
function readArray(text: string, separator: string, decode: Decode): WireValue {
  const atOnce = () => {
    const reader = new ArrayReader(text, separator, decode);
    reader.read(Number.POSITIVE_INFINITY);
    return reader.items;
  };
  return cellOf(text, atOnce, async (_, rest) => {
    const reader = new ArrayReader(text, separator, decode);
    while (!reader.read(ARRAY_SLICE_CHARS)) await rest();
    await parseLargeCells(reader.lists, rest);
    return reader.items;
  });
}

/** Reads `{1,NULL,"a \"quoted\" one",{nested}}`, with a prefix `[0:2]=` when its bounds are not the usual ones. */
class ArrayReader {
  readonly #text: string;
  readonly #separator: string;
  readonly #decode: Decode;
  #at: number;
  /** The lists that are open, the innermost last. */
  readonly #open: WireValue[][] = [];
  /** The read part of a quoted text; null outside of one. */
  #quoted: string | null = null;
  readonly items: WireValue[] = [];
  /** All lists of the array. */
  readonly lists: WireValue[][] = [this.items];

  constructor(text: string, separator: string, decode: Decode) {
    this.#text = text;
    this.#separator = separator;
    this.#decode = decode;
    this.#at = text.startsWith("[") ? text.indexOf("=") + 1 : 0;
  }

  /** Reads about that many characters. @returns whether the array is at its end */
  read(chars: number): boolean {
    const until = this.#at + chars;
    while (this.#at < until) {
      if (this.#quoted !== null) this.#readQuoted(until);
      else if (this.#readNext()) return true;
    }
    return this.#at >= this.#text.length;
  }

  /** Reads a bracket, a separator or an item. @returns whether the outermost list is closed */
  #readNext(): boolean {
    const char = this.#text.charAt(this.#at);
    if (char === "{") {
      this.#at += 1;
      this.#openList();
    } else if (char === "}") {
      this.#at += 1;
      this.#open.pop();
      return this.#open.length === 0;
    } else if (char === '"') {
      this.#at += 1;
      this.#quoted = "";
    } else if (char === this.#separator) {
      this.#at += 1;
    } else this.#readPlain();
    return this.#at >= this.#text.length;
  }

  #openList(): void {
    const outer = this.#open.at(-1);
    if (!outer) {
      this.#open.push(this.items);
      return;
    }
    const list: WireValue[] = [];
    outer.push(list);
    this.lists.push(list);
    this.#open.push(list);
  }

  #readPlain(): void {
    let end = this.#at;
    while (end < this.#text.length) {
      const char = this.#text.charAt(end);
      if (char === this.#separator || char === "}") break;
      end += 1;
    }
    const plain = this.#text.slice(this.#at, end);
    this.#at = end;
    this.#open.at(-1)?.push(plain === "NULL" ? null : this.#decode(plain));
  }

  /** Reads a quoted text up to its end, or about as far as `until`. */
  #readQuoted(until: number): void {
    let value = this.#quoted ?? "";
    let at = this.#at;
    let from = at;
    for (; at < this.#text.length && at < until; at += 1) {
      const code = this.#text.charCodeAt(at);
      if (code === QUOTE) break;
      if (code !== BACKSLASH) continue;
      value += this.#text.slice(from, at);
      at += 1;
      from = at;
    }
    value += this.#text.slice(from, at);
    const isClosed = this.#text.charCodeAt(at) === QUOTE;
    this.#at = isClosed ? at + 1 : at;
    this.#quoted = isClosed ? null : value;
    if (isClosed) this.#open.at(-1)?.push(this.#decode(value));
  }
}

const [QUOTE, BACKSLASH] = [0x22, 0x5c];
