import type { BSONRegExp } from "../bson/values.ts";
import { badValue, StoreError } from "../errors.ts";
import { spendText } from "../scheduling/effort.ts";

/** Maximum cached expressions. */
const MAX_KNOWN = 64;
/** PCRE2's limit in MongoDB 7.0. */
const MAX_PATTERN_LENGTH = 32_764;

/** A compiled expression. */
export type Regex = { test: (text: string) => boolean };

const known = new Map<string, Regex>();

/** Matches text without operators, possibly anchored: `^abc`, `a\.b`, `abc$`. */
const LITERAL = /^(\^?)((?:[^\\^$.|?*+()[\]{}]|\\[^a-zA-Z0-9])*)(\$?)$/u;

/**
 * Compiles a regular expression of literal text, with `^` and `$` as anchors and `i` as the only option. The time of
 * such an expression cannot explode (docs/develop/decisions/store-limits.md).
 * @throws StoreError Location51091 for any other pattern, 51108 for an unknown option
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

/** Returns the text that every match begins with; null when matches can begin with other texts. */
export function prefixOf({ pattern, options }: BSONRegExp): string | null {
  const [, start = "", text = ""] = LITERAL.exec(pattern) ?? [];
  return start === "" || options !== "" ? null : unescaped(text);
}

function unescaped(literal: string): string {
  return literal.replaceAll(/\\(.)/gsu, "$1");
}

function compile(pattern: string, options: string): Regex {
  if (pattern.includes("\0")) throw badValue("Regular expression cannot contain an embedded null byte");
  if (pattern.length > MAX_PATTERN_LENGTH) throw invalid("pattern is too long");
  const unknown = [...options].find((option) => !"imsxu".includes(option));
  if (unknown !== undefined) throw new StoreError(51108, `invalid flag in regex options: ${unknown}`);
  const parts = LITERAL.exec(pattern);
  if (parts === null || (options !== "" && options !== "i"))
    throw invalid("this store matches literal text only, with ^ before it, $ after it, and the option i");
  const [, start = "", text = "", end = ""] = parts;
  const literal = unescaped(text).replaceAll(/[\\^$.|?*+()[\]{}/]/g, "\\$&");
  const native = new RegExp(start + literal + end, `${options}u`);
  return {
    test: (value) => {
      spendText(value.length);
      return native.test(value);
    },
  };
}

function invalid(why: string): StoreError {
  return new StoreError(51091, `Regular expression is invalid: ${why}`);
}
