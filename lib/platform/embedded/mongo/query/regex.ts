import { Script } from "node:vm";
import { RE2JS } from "re2js";
import type { BSONRegExp } from "../bson/values.ts";
import { badValue, StoreError } from "../errors.ts";
import { checkTime, cpuMs, spendText, timeLeft } from "../scheduling/effort.ts";
import { toRe2, withoutLayout } from "./regex-syntax.ts";

/** Maximum cached expressions; the tables of one grow to a few MB. */
const MAX_KNOWN = 64;
/** PCRE2's limit in MongoDB 7.0. */
const MAX_PATTERN_LENGTH = 32_764;
/** PCRE2's limit of nested groups. */
const MAX_NESTED_GROUPS = 250;
/**
 * Maximum length of a pattern for JavaScript's engine, which compiles it at once and fails as a whole on a huge one.
 */
const MAX_NATIVE_LENGTH = 2000;
/** Maximum length of a pattern that RE2 always compiles within a few milliseconds, in characters. */
const MAX_UNWATCHED_PATTERN = 1000;
/** Maximum product of characters and instructions for which a linear-time expression takes only a few milliseconds. */
const MAX_UNWATCHED_WORK = 250_000;
/**
 * Maximum time that one expression may take on one text, in ms of this thread's CPU time; PCRE2's match limit is about
 * as strict.
 */
const MAX_MATCH_MS = 100;

export type RegexMatch = { text: string; index: number; captures: (string | null)[] };

/** A compiled expression. None of its functions takes longer than MAX_MATCH_MS, on any text. */
export type Regex = {
  test: (text: string) => boolean;
  first: (text: string) => RegexMatch | undefined;
  all: (text: string) => RegexMatch[];
};

const known = new Map<string, Regex>();

/**
 * Compiles a PCRE pattern with MongoDB's options i, m, s, x and u. Literal text uses JavaScript's engine, which is
 * fastest. Everything else that RE2 supports uses RE2, whose time is linear in the text. Backreferences and assertions
 * use JavaScript's engine with a watchdog (docs/develop/decisions/store-limits.md).
 * @throws StoreError Location51091 for what neither supports, 51108 for an unknown option. The functions throw 51156
 *   (PCRE2's match limit in MongoDB) or MaxTimeMSExpired
 */
export function compileRegex(regex: BSONRegExp): Regex {
  const id = `${regex.options}/${regex.pattern}`;
  let compiled = known.get(id);
  if (compiled === undefined) {
    compiled = compile(regex.pattern, regex.options);
    if (known.size >= MAX_KNOWN) known.clear();
    known.set(id, compiled);
  }
  return compiled;
}

function compile(pattern: string, options: string): Regex {
  if (pattern.includes("\0")) throw badValue("Regular expression cannot contain an embedded null byte");
  if (pattern.length > MAX_PATTERN_LENGTH) {
    throw new StoreError(51091, "Regular expression is invalid: pattern is too long");
  }
  if (nestingOf(pattern) > MAX_NESTED_GROUPS) {
    throw new StoreError(51091, "Regular expression is invalid: parentheses are too deeply nested");
  }
  const flags = new Set<string>();
  for (const option of options) {
    if (!"imsxu".includes(option)) throw new StoreError(51108, `invalid flag in regex options: ${option}`);
    flags.add(option);
  }
  let source = pattern;
  const leading = /^\(\?([imsx]+)\)/.exec(source);
  if (leading !== null) {
    source = source.slice(leading[0].length);
    for (const option of leading[1] ?? "") flags.add(option);
  }
  if (flags.has("x")) source = withoutLayout(source);
  return compileLiteral(source, flags) ?? compileRe2(source, flags) ?? compileNative(source, flags);
}

/** Matches text without operators, possibly anchored: `^abc`, `a\.b`, `abc$`. */
const LITERAL = /^(\^?)((?:[^\\^$.|?*+()[\]{}]|\\[^a-zA-Z0-9])+)(\$?)$/u;

function compileLiteral(source: string, flags: ReadonlySet<string>): Regex | undefined {
  const parts = LITERAL.exec(source);
  if (parts === null || flags.has("m")) return undefined;
  const [, start = "", text = "", end = ""] = parts;
  const literal = text.replaceAll(/\\(.)/gsu, "$1").replaceAll(/[\\^$.|?*+()[\]{}/]/g, "\\$&");
  return ofNative(new RegExp(start + literal + end, flags.has("i") ? "iu" : "u"), (text, run) => {
    spendText(text.length);
    return run();
  });
}

const RE2_FLAGS = new Map([
  ["i", RE2JS.CASE_INSENSITIVE],
  ["m", RE2JS.MULTILINE],
  ["s", RE2JS.DOTALL],
]);

function compileRe2(source: string, flags: ReadonlySet<string>): Regex | undefined {
  const translated = toRe2(source);
  if (translated === undefined) return undefined;
  let bits = 0;
  for (const flag of flags) bits |= RE2_FLAGS.get(flag) ?? 0;
  // Compiling a pattern with many classes may itself take long.
  const compileNow = (): RE2JS => RE2JS.compile(translated, bits);
  const build = (): RE2JS => (translated.length <= MAX_UNWATCHED_PATTERN ? compileNow() : watched(compileNow));
  let engine: RE2JS | undefined;
  try {
    engine = build();
  } catch (error) {
    if (error instanceof StoreError) throw error;
    return undefined;
  }
  const size = engine.programSize();
  const within = <T>(text: string, run: (engine: RE2JS) => T): T => {
    spendText(text.length);
    engine ??= build();
    const whole = engine;
    if (text.length * size <= MAX_UNWATCHED_WORK) return run(whole);
    try {
      return watched(() => run(whole));
    } catch (error) {
      // The engine was stopped while it built its tables, so it is discarded.
      engine = undefined;
      throw error;
    }
  };
  return {
    test: (text) => within(text, (whole) => whole.test(text)),
    first: (text) => within(text, (whole) => toMatch(whole.exec(text))),
    all: (text) => within(text, (whole) => toMatches(text, whole.matchAll(text))),
  };
}

/** Returns an upper bound of the groups' nesting: a parenthesis inside a class counts too. */
function nestingOf(pattern: string): number {
  let depth = 0;
  let deepest = 0;
  for (let i = 0; i < pattern.length; i++) {
    const char = pattern[i];
    if (char === "\\") i++;
    else if (char === "(") deepest = Math.max(deepest, ++depth);
    else if (char === ")" && depth > 0) depth--;
  }
  return deepest;
}

function compileNative(source: string, flags: ReadonlySet<string>): Regex {
  if (source.length > MAX_NATIVE_LENGTH) {
    throw new StoreError(
      51091,
      `Regular expression is invalid: with assertions, backreferences or counts above 1000 it may have ${MAX_NATIVE_LENGTH} characters`,
    );
  }
  const letters = ["i", "m", "s"].filter((flag) => flags.has(flag)).join("");
  const translated = source
    .replaceAll(/\(\?P</g, "(?<")
    .replaceAll("\\A", "^")
    .replaceAll(/\\[zZ]/g, "$");
  return ofNative(newRegExp(translated, letters), (_text, run) => watched(run));
}

function newRegExp(source: string, flags: string): RegExp {
  try {
    return new RegExp(source, `${flags}u`);
  } catch {
    // Without the u flag, JavaScript accepts escapes that PCRE accepts too, such as \- or \_.
    try {
      return new RegExp(source, flags);
    } catch (cause) {
      throw new StoreError(51091, `Regular expression is invalid: ${(cause as Error).message}`, { cause });
    }
  }
}

type Watch = <T>(text: string, run: () => T) => T;

function ofNative(compiled: RegExp, within: Watch): Regex {
  const global = new RegExp(compiled, `${compiled.flags}g`);
  return {
    test: (text) => within(text, () => compiled.test(text)),
    first: (text) => within(text, () => toMatch(compiled.exec(text))),
    all: (text) => within(text, () => toMatches(text, text.matchAll(global))),
  };
}

/** A match as both engines describe it. */
type Described = ArrayLike<string | undefined> & { index?: number };

function toMatch(found: Described | null): RegexMatch | undefined {
  if (found === null) return undefined;
  const [text = "", ...captures] = Array.from(found, (group) => group ?? null);
  return { text: text ?? "", index: found.index ?? 0, captures };
}

function toMatches(text: string, found: Iterable<Described>): RegexMatch[] {
  const matches: RegexMatch[] = [];
  for (const each of found) {
    const match = toMatch(each);
    if (match !== undefined) matches.push(match);
    // Each search may read all the remaining text.
    spendText(text.length - (match?.index ?? 0));
  }
  return matches;
}

/** Property of the global object that passes the work to the watched script, which has no other input. */
const RUN = Symbol.for("millrace.store.regex");
const runner = new Script('globalThis[Symbol.for("millrace.store.regex")]()', { filename: "regex" });

/**
 * Runs a search that V8 stops when it takes too long. A timer could not, because the search blocks the event loop.
 * @throws StoreError 51156 after MAX_MATCH_MS of this thread's CPU time, MaxTimeMSExpired when the command's time is
 *   over
 */
function watched<T>(run: () => T): T {
  const cpuFrom = cpuMs();
  for (;;) {
    checkTime();
    Object.defineProperty(globalThis, RUN, { value: run, configurable: true });
    try {
      return runner.runInThisContext({ timeout: Math.max(1, Math.ceil(Math.min(MAX_MATCH_MS, timeLeft()))) }) as T;
    } catch (error) {
      if (error instanceof RangeError) throw tooMuch(error);
      if ((error as NodeJS.ErrnoException).code !== "ERR_SCRIPT_EXECUTION_TIMEOUT") throw error;
      checkTime();
      // On a busy machine, the timeout may pass before the search got the CPU time: then it runs again.
      if (cpuMs() - cpuFrom >= MAX_MATCH_MS / 2) throw tooMuch(error);
    } finally {
      Reflect.deleteProperty(globalThis, RUN);
    }
  }
}

function tooMuch(cause: unknown): StoreError {
  return new StoreError(
    51156,
    `Error occurred while executing the regular expression: it takes more than ${MAX_MATCH_MS} ms for one text. Anchor it, or leave out nested repetitions, assertions and backreferences.`,
    { cause },
  );
}

/**
 * Returns the literal text that every match starts with, such as "abc" for /^abc.*x/; undefined when there is none.
 * Only certain text counts: an expression with options or alternatives has none.
 */
export function literalPrefix(regex: BSONRegExp): string | undefined {
  if (regex.options !== "" || !regex.pattern.startsWith("^") || regex.pattern.includes("|")) return undefined;
  let prefix = "";
  let i = 1;
  for (; i < regex.pattern.length; i++) {
    const char = regex.pattern[i] as string;
    if (char === "\\") {
      const next = regex.pattern[i + 1];
      if (next === undefined || /[a-zA-Z0-9]/.test(next)) break;
      prefix += next;
      i++;
    } else if (".^$[](){}*+?".includes(char)) break;
    else prefix += char;
  }
  const after = regex.pattern[i];
  // A quantifier makes the preceding character optional or repeated.
  if (after === "*" || after === "?" || after === "{") prefix = [...prefix].slice(0, -1).join("");
  return prefix === "" ? undefined : prefix;
}
