/*
 * Values of filters that are too long for an address. The address contains a reference, and this browser stores the
 * value: Back, a reload, a bookmark and another tab find it. Another browser does not.
 */

/** The browser's store, `localStorage`. */
type Store = Pick<Storage, "getItem" | "setItem" | "removeItem" | "key" | "length">;

/**
 * Maximum escaped characters of all filters and clicks in an address. It is sent up to three times, with 16 KiB for all
 * headers.
 */
export const CHOICE_CHARS_MAX = 2_000;
/** Maximum number of stored values, and of their characters. Browsers give a site about five million. */
export const KEPT_MAX = 100;
const KEPT_CHARS_MAX = 1_000_000;
/** Prefix of references; no JSON begins with it. */
const MARK = "~";
const PREFIX = "millrace:long-choice:";

/** Long values by reference, in memory and in the browser's store. */
export class LongChoices {
  /** The newest come last. A full or blocked store only affects reloads. */
  #recent = new Map<string, string>();

  /** @param open returns the store; may throw, as browsers do in frames */
  constructor(
    private readonly open: () => Store,
    private readonly now: () => number = Date.now,
  ) {}

  /** Stores a value. @returns its reference, the same for equal values */
  keep(text: string): string {
    let salt = 0;
    let reference = toReference(text, salt);
    for (let known = this.find(reference); known !== null && known !== text; known = this.find(reference)) {
      salt += 1;
      reference = toReference(text, salt);
    }
    this.#remember(reference, text);
    this.#inStore((store) => {
      this.#prune(store, text.length);
      store.setItem(PREFIX + reference, JSON.stringify({ at: this.now(), text }));
    });
    return reference;
  }

  /** Returns the value of a reference; null for one that this browser does not know. */
  find(reference: string): string | null {
    const known = this.#recent.get(reference);
    if (known !== undefined) return known;
    const stored = this.#inStore((store) => parseKept(store.getItem(PREFIX + reference)))?.text ?? null;
    if (stored !== null) this.#remember(reference, stored);
    return stored;
  }

  #remember(reference: string, text: string): void {
    this.#recent.delete(reference);
    this.#recent.set(reference, text);
    for (const oldest of this.#recent.keys()) {
      if (this.#recent.size <= KEPT_MAX) break;
      this.#recent.delete(oldest);
    }
  }

  /** Removes the oldest values until a new one fits. */
  #prune(store: Store, chars: number): void {
    const kept: { key: string; at: number; chars: number }[] = [];
    for (let i = 0; i < store.length; i += 1) {
      const key = store.key(i);
      if (!key?.startsWith(PREFIX)) continue;
      const { at, text } = parseKept(store.getItem(key)) ?? { at: 0, text: "" };
      kept.push({ key, at, chars: text.length });
    }
    kept.sort((one, other) => one.at - other.at);
    let sum = kept.reduce((total, each) => total + each.chars, chars);
    while (kept.length >= KEPT_MAX || sum > KEPT_CHARS_MAX) {
      const oldest = kept.shift();
      if (!oldest) return;
      store.removeItem(oldest.key);
      sum -= oldest.chars;
    }
  }

  #inStore<T>(work: (store: Store) => T): T | null {
    try {
      return work(this.open());
    } catch {
      return null;
    }
  }
}

/** Returns the reference in an address; null for a value in full. */
export function toReferenceOf(text: string): string | null {
  return text.startsWith(MARK) ? text.slice(MARK.length) : null;
}

/**
 * Shortens the choice of an address to `CHOICE_CHARS_MAX`, the longest values first.
 * @param keep stores a value and returns its reference
 * @returns the parameters to replace
 */
export function shortenChoice(
  params: Iterable<readonly [name: string, text: string]>,
  keep: (text: string) => string,
): Record<string, string> {
  const long = [...params].map(([name, text]) => ({ name, text, chars: escapedChars(name, text) }));
  long.sort((one, other) => other.chars - one.chars);
  let sum = long.reduce((total, { chars }) => total + chars, 0);
  const replaced: Record<string, string> = {};
  for (const { name, text, chars } of long) {
    if (sum <= CHOICE_CHARS_MAX) break;
    if (toReferenceOf(text) !== null) continue;
    const short = MARK + keep(text);
    const saved = chars - escapedChars(name, short);
    if (saved <= 0) continue;
    replaced[name] = short;
    sum -= saved;
  }
  return replaced;
}

function escapedChars(name: string, text: string): number {
  return new URLSearchParams([[name, text]]).toString().length + "&".length;
}

/** FNV-1a over UTF-16 units, twice with different seeds: 64 bits as hexadecimal digits. */
function toReference(text: string, salt: number): string {
  const hash = (seed: number) => {
    let value = seed ^ salt;
    for (let i = 0; i < text.length; i += 1) value = Math.imul(value ^ text.charCodeAt(i), 0x01000193);
    return (value >>> 0).toString(16).padStart(8, "0");
  };
  return hash(0x811c9dc5) + hash(0x5bd1e995);
}

function parseKept(json: string | null): { at: number; text: string } | null {
  if (json === null) return null;
  const value: unknown = JSON.parse(json);
  if (typeof value !== "object" || value === null) return null;
  const { at, text } = value as Record<string, unknown>;
  return typeof at === "number" && typeof text === "string" ? { at, text } : null;
}
