import { badValue, StoreError } from "./errors.ts";
import type { BSONRegExp } from "./values.ts";

const known = new Map<string, RegExp>();
const MAX_KNOWN = 500;
/** PCRE2's limit in MongoDB 7.0. */
const MAX_PATTERN_LENGTH = 32_764;

/**
 * A JavaScript expression for a PCRE pattern with MongoDB's options i, m, s, x and u.
 * @throws StoreError Location51091 for what JavaScript cannot express, 51108 for an unknown option
 */
export function compileRegex(regex: BSONRegExp): RegExp {
  const id = `${regex.options}/${regex.pattern}`;
  let compiled = known.get(id);
  if (compiled === undefined) {
    compiled = compile(regex.pattern, regex.options);
    if (known.size >= MAX_KNOWN) known.clear();
    known.set(id, compiled);
  }
  return compiled;
}

function compile(pattern: string, options: string): RegExp {
  if (pattern.includes("\0")) throw badValue("Regular expression cannot contain an embedded null byte");
  if (pattern.length > MAX_PATTERN_LENGTH) {
    throw new StoreError(51091, "Regular expression is invalid: pattern is too long");
  }
  let flags = "";
  let isExtended = false;
  for (const option of options) {
    if (option === "x") isExtended = true;
    else if (option === "i" || option === "m" || option === "s") flags += flags.includes(option) ? "" : option;
    else if (option !== "u") throw new StoreError(51108, `invalid flag in regex options: ${option}`);
  }
  let source = pattern;
  const leading = /^\(\?([imsx]+)\)/.exec(source);
  if (leading !== null) {
    source = source.slice(leading[0].length);
    for (const option of leading[1] ?? "") {
      if (option === "x") isExtended = true;
      else if (!flags.includes(option)) flags += option;
    }
  }
  if (isExtended) source = withoutLayout(source);
  source = source
    .replaceAll(/\(\?P</g, "(?<")
    .replaceAll("\\A", "^")
    .replaceAll(/\\[zZ]/g, "$");
  try {
    return new RegExp(source, `${flags}u`);
  } catch {
    // Without the u flag JavaScript takes escapes that PCRE takes too, as \- or \_.
    try {
      return new RegExp(source, flags);
    } catch (cause) {
      throw new StoreError(51091, `Regular expression is invalid: ${(cause as Error).message}`, { cause });
    }
  }
}

/** Takes white space and comments out of an expression of the option x. */
function withoutLayout(source: string): string {
  let out = "";
  let isInClass = false;
  for (let i = 0; i < source.length; i++) {
    const char = source[i] as string;
    if (char === "\\") {
      out += char + (source[i + 1] ?? "");
      i++;
    } else if (isInClass) {
      out += char;
      if (char === "]") isInClass = false;
    } else if (char === "[") {
      out += char;
      isInClass = true;
    } else if (char === "#") {
      while (i < source.length && source[i] !== "\n") i++;
    } else if (!/\s/.test(char)) out += char;
  }
  return out;
}

/**
 * The literal text that every match begins with: of /^abc.*x/ "abc"; undefined when there is none.
 * Only what is certain counts: an expression with options or alternatives has none.
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
  // A quantifier makes the character before it optional or repeated.
  if (after === "*" || after === "?" || after === "{") prefix = [...prefix].slice(0, -1).join("");
  return prefix === "" ? undefined : prefix;
}
