import { endOfString, parseJsonWithTexts } from "./exact-json.ts";
import { rememberKeys } from "./wide-keys.ts";

/** Maximum number of characters that are parsed at once: a few milliseconds for any content. */
const SLICE_CHARS = 128 * 1024;
/** Maximum depth of large values; values below are parsed at once. */
const DEPTH_MAX = 64;

/** Parses a part of a text that is a JSON value. @throws SyntaxError */
export type ParseJson = (text: string) => unknown;

/**
 * Parses JSON in slices, as `parse` does at once.
 * @param rest called between slices
 * @throws SyntaxError for text that is not JSON
 */
export async function parseLargeJson(
  text: string,
  rest: () => Promise<void>,
  parse: ParseJson = parseJsonWithTexts,
): Promise<unknown> {
  const reader = new Reader(text, rest, parse);
  const value = await reader.value(0);
  reader.end();
  return value;
}

class Reader {
  readonly #text: string;
  readonly #rest: () => Promise<void>;
  readonly #parse: ParseJson;
  #at = 0;

  constructor(text: string, rest: () => Promise<void>, parse: ParseJson) {
    this.#text = text;
    this.#rest = rest;
    this.#parse = parse;
  }

  async value(depth: number): Promise<unknown> {
    this.#at = this.#skipBlanks(this.#at);
    await this.#rest();
    const isLarge = this.#endOfValue(this.#at, SLICE_CHARS) === null && depth < DEPTH_MAX;
    if (isLarge && this.#text[this.#at] === "[") return this.#list(depth);
    if (isLarge && this.#text[this.#at] === "{") return this.#object(depth);
    const end = this.#endOfValue(this.#at, Number.POSITIVE_INFINITY) ?? this.#text.length;
    const value = this.#parse(this.#text.slice(this.#at, end));
    this.#at = end;
    return value;
  }

  end(): void {
    if (this.#skipBlanks(this.#at) !== this.#text.length) throw unexpected();
  }

  async #list(depth: number): Promise<unknown[]> {
    const items: unknown[] = [];
    await this.#members("]", {
      endOf: (at, chars) => this.#endOfValue(at, chars),
      takeSlice: (slice) => {
        for (const item of this.#parse(`[${slice}]`) as unknown[]) items.push(item);
      },
      takeLarge: async () => {
        items.push(await this.value(depth + 1));
      },
    });
    return items;
  }

  async #object(depth: number): Promise<Record<string, unknown>> {
    const object: Record<string, unknown> = {};
    const keys: string[] = [];
    const set = (key: string, value: unknown) => {
      if (!Object.hasOwn(object, key)) keys.push(key);
      // A plain assignment to __proto__ would not create a property.
      if (key !== "__proto__") object[key] = value;
      else Object.defineProperty(object, key, { value, configurable: true, enumerable: true, writable: true });
    };
    await this.#members("}", {
      endOf: (at, chars) => {
        const value = this.#valueOfMember(at);
        return value - at > chars ? null : this.#endOfValue(value, chars - (value - at));
      },
      takeSlice: (slice) => {
        for (const [key, value] of Object.entries(this.#parse(`{${slice}}`) as object)) set(key, value);
      },
      takeLarge: async () => {
        const key = JSON.parse(this.#text.slice(this.#at, this.#endOfText(this.#at))) as string;
        this.#at = this.#valueOfMember(this.#at);
        set(key, await this.value(depth + 1));
      },
    });
    rememberKeys(object, keys);
    return object;
  }

  /** Reads the items of a list or object: small ones together, a large one in separate slices. */
  async #members(
    close: string,
    {
      endOf,
      takeSlice,
      takeLarge,
    }: {
      endOf: (at: number, chars: number) => number | null;
      takeSlice: (slice: string) => void;
      takeLarge: () => Promise<void>;
    },
  ): Promise<void> {
    this.#at = this.#skipBlanks(this.#at + 1);
    if (this.#text[this.#at] === close) {
      this.#at += 1;
      return;
    }
    for (;;) {
      const from = this.#at;
      let end = endOf(from, SLICE_CHARS);
      if (end === null) await takeLarge();
      else {
        for (;;) {
          const comma = this.#skipBlanks(end);
          if (this.#text[comma] !== ",") break;
          const next = this.#skipBlanks(comma + 1);
          const nextEnd: number | null = next - from > SLICE_CHARS ? null : endOf(next, SLICE_CHARS - (next - from));
          if (nextEnd === null) break;
          end = nextEnd;
        }
        takeSlice(this.#text.slice(from, end));
        this.#at = end;
        await this.#rest();
      }
      this.#at = this.#skipBlanks(this.#at);
      const char = this.#text[this.#at];
      this.#at += 1;
      if (char === close) return;
      if (char !== ",") throw unexpected();
      this.#at = this.#skipBlanks(this.#at);
    }
  }

  #skipBlanks(at: number): number {
    let end = at;
    while (isBlank(this.#text.charCodeAt(end))) end += 1;
    return end;
  }

  /** Returns the start of a member's value, after its name and colon. */
  #valueOfMember(at: number): number {
    if (this.#text[at] !== '"') throw unexpected();
    const colon = this.#skipBlanks(this.#endOfText(at));
    if (this.#text[colon] !== ":") throw unexpected();
    return this.#skipBlanks(colon + 1);
  }

  /** Returns the end of a value with at most that many characters, else null. */
  #endOfValue(at: number, charsMax: number): number | null {
    const first = this.#text[at];
    if (first === undefined || ",]}:".includes(first)) throw unexpected();
    const limit = at + charsMax;
    let depth = 0;
    let end = at;
    while (end < this.#text.length) {
      if (end > limit) return null;
      const code = this.#text.charCodeAt(end);
      if (code === QUOTE) {
        end = this.#endOfText(end);
        if (depth === 0) break;
        continue;
      }
      if (code === OPEN_LIST || code === OPEN_OBJECT) depth += 1;
      else if (code === CLOSE_LIST || code === CLOSE_OBJECT) {
        if (depth === 0) break;
        depth -= 1;
        if (depth === 0) {
          end += 1;
          break;
        }
      } else if (depth === 0 && (code === COMMA || isBlank(code))) break;
      end += 1;
    }
    return end > limit ? null : end;
  }

  /** Returns the offset after the closing quote. */
  #endOfText(start: number): number {
    const end = endOfString(this.#text, start);
    if (end === null) throw unexpected();
    return end;
  }
}

const [QUOTE, COMMA] = [0x22, 0x2c];
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];

function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;
}

function unexpected(): SyntaxError {
  return new SyntaxError("The text is not JSON.");
}
