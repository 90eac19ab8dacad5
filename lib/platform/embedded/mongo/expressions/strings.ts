import { compareStrings } from "../bson/compare.ts";
import {
  BSONRegExp,
  BSONSymbol,
  Code,
  Decimal128,
  type Doc,
  docOf,
  isNumber,
  Timestamp,
  toDouble,
  toWholeNumber,
  typeName,
  type Value,
} from "../bson/values.ts";
import { StoreError } from "../errors.ts";
import { compileRegex, type Regex, type RegexMatch } from "../query/regex.ts";
import { spendText } from "../scheduling/effort.ts";
import { type Argument, fixed, named, ranged, variadic } from "./arguments.ts";
import type { Env, Evaluator, Operator } from "./scope.ts";
import { isNullish } from "./truth.ts";

/** Converts a value to text as the string operators do: null is empty, numbers and dates are formatted. */
function coerced(value: Argument, name: string): string {
  if (typeof value === "string") return value;
  if (isNullish(value)) return "";
  if (value instanceof Date) return value.toISOString();
  if (isNumber(value))
    return value instanceof Decimal128
      ? value.toString()
      : typeof value === "bigint"
        ? value.toString()
        : String(toDouble(value));
  if (value instanceof BSONSymbol) return value.value;
  if (value instanceof Code) return value.code;
  if (value instanceof Timestamp) return value.toString();
  throw new StoreError(16007, `can't convert from BSON type ${typeName(value)} to String in ${name}`);
}

function text(name: string, value: Argument, code: number, what = "argument"): string {
  if (typeof value !== "string")
    throw new StoreError(code, `${name} requires that its ${what} be a string, found: ${typeName(value)}`);
  return value;
}

/** Lower-cases ASCII only, as MongoDB does. */
function lower(value: string): string {
  return value.replaceAll(/[A-Z]/g, (char) => char.toLowerCase());
}

function upper(value: string): string {
  return value.replaceAll(/[a-z]/g, (char) => char.toUpperCase());
}

/** MongoDB's limit of text that an expression builds (64 MB). */
const MAX_TEXT_LENGTH = 64 * 1024 * 1024;

const concat = variadic((values) => {
  let joined = "";
  for (const value of values) {
    if (isNullish(value)) return null;
    if (typeof value !== "string") throw new StoreError(16702, `$concat only supports strings, not ${typeName(value)}`);
    joined += value;
  }
  if (joined.length > MAX_TEXT_LENGTH)
    throw new StoreError(13548, `$concat would make a text of more than ${MAX_TEXT_LENGTH} characters.`);
  return joined;
});

function substrBytes(value: Argument, start: Argument, length: Argument): Value {
  const bytes = Buffer.from(coerced(value, "$substrBytes"), "utf8");
  if (!isNumber(start))
    throw new StoreError(
      16034,
      `$substrBytes: starting index must be a numeric type (is BSON type ${typeName(start)})`,
    );
  if (!isNumber(length))
    throw new StoreError(16035, `$substrBytes: length must be a numeric type (is BSON type ${typeName(length)})`);
  const from = Math.trunc(toDouble(start));
  if (from < 0) throw new StoreError(50752, `$substrBytes: starting index must be non-negative (got: ${from})`);
  const count = Math.trunc(toDouble(length));
  const isInside = (at: number) => at < bytes.length && ((bytes[at] as number) & 0xc0) === 0x80;
  if (isInside(from))
    throw new StoreError(28656, "$substrBytes: Invalid range, starting index is a UTF-8 continuation byte.");
  const to = count < 0 ? bytes.length : Math.min(bytes.length, from + count);
  if (isInside(to))
    throw new StoreError(28657, "$substrBytes: Invalid range, ending index is in the middle of a UTF-8 character.");
  return bytes.toString("utf8", from, Math.max(from, to));
}

function substrCP(value: Argument, start: Argument, length: Argument): Value {
  const points = [...coerced(value, "$substrCP")];
  const from = toWholeNumber(start);
  const count = toWholeNumber(length);
  if (!isNumber(start) || from === undefined)
    throw new StoreError(34450, `$substrCP: starting index must be a numeric type (is BSON type ${typeName(start)})`);
  if (!isNumber(length) || count === undefined)
    throw new StoreError(34452, `$substrCP: length must be a numeric type (is BSON type ${typeName(length)})`);
  if (from < 0) throw new StoreError(34455, "$substrCP: the starting index must be nonnegative integer.");
  if (count < 0) throw new StoreError(34454, "$substrCP: length must be a nonnegative integer.");
  return points.slice(from, from + count).join("");
}

function indexOf(name: "$indexOfBytes" | "$indexOfCP"): Operator {
  const units = (value: string): Value[] | Buffer =>
    name === "$indexOfBytes" ? Buffer.from(value, "utf8") : [...value];
  return ranged(2, 4, ([value, wanted, from, to]) => {
    if (isNullish(value)) return null;
    const haystack = units(text(name, value, 40091, "first argument"));
    const needle = units(text(name, wanted, 40092, "second argument"));
    const start = from === undefined ? 0 : toWholeNumber(from);
    const end = to === undefined ? haystack.length : toWholeNumber(to);
    if (start === undefined || end === undefined)
      throw new StoreError(40096, `${name} requires an integral starting and ending index`);
    if (start < 0 || end < 0) throw new StoreError(40097, `${name} requires a nonnegative starting and ending index`);
    const last = Math.min(end, haystack.length) - needle.length;
    for (let i = start; i <= last; i++) {
      let n = 0;
      while (n < needle.length && haystack[i + n] === needle[n]) n++;
      if (n === needle.length) return i;
    }
    return -1;
  });
}

const WHITESPACE = "\0\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a";

function trim(name: "$trim" | "$ltrim" | "$rtrim"): [string, Operator] {
  return [
    name,
    (argument, compile) => {
      const { input, chars } = named(name, argument, compile, ["input"], ["chars"]);
      return (env) => {
        const value = input(env);
        if (isNullish(value)) return null;
        const points = [...text(name, value, 50699, "input")];
        let cut: ReadonlySet<string> = new Set(WHITESPACE);
        if (chars !== undefined) {
          const given = chars(env);
          if (isNullish(given)) return null;
          cut = new Set(text(name, given, 50700, "chars"));
        }
        let from = 0;
        let to = points.length;
        if (name !== "$rtrim") while (from < to && cut.has(points[from] as string)) from++;
        if (name !== "$ltrim") while (to > from && cut.has(points[to - 1] as string)) to--;
        return points.slice(from, to).join("");
      };
    },
  ];
}

function replace(name: "$replaceOne" | "$replaceAll"): [string, Operator] {
  return [
    name,
    (argument, compile) => {
      const parts = named(name, argument, compile, ["input", "find", "replacement"], []);
      return (env) => {
        const [input, find, replacement] = [parts.input(env), parts.find(env), parts.replacement(env)];
        const values = [input, find, replacement];
        values.forEach((value, i) => {
          if (!isNullish(value)) text(name, value, 51746 - i, ["input", "find", "replacement"][i]);
        });
        if (typeof input !== "string" || typeof find !== "string" || typeof replacement !== "string") return null;
        return name === "$replaceOne"
          ? input.replace(find, () => replacement)
          : input.replaceAll(find, () => replacement);
      };
    },
  ];
}

type RegexArguments = { input: Evaluator; regex: Evaluator; options?: Evaluator };

function regexOperator(
  name: string,
  apply: (regex: Regex, input: string) => Value,
  ofNull: () => Value,
): [string, Operator] {
  return [
    name,
    (argument, compile) => {
      const parts: RegexArguments = named(name, argument, compile, ["input", "regex"], ["options"]);
      return (env) => {
        const input = parts.input(env);
        const regex = regexOf(name, parts, env);
        if (isNullish(input) || regex === undefined) return ofNull();
        return apply(regex, text(name, input, 51104, "input"));
      };
    },
  ];
}

function regexOf(name: string, parts: RegexArguments, env: Env): Regex | undefined {
  const pattern = parts.regex(env);
  const options = parts.options?.(env);
  if (isNullish(pattern)) return undefined;
  if (!isNullish(options) && typeof options !== "string")
    throw new StoreError(51106, `${name} needs 'options' to be of type string`);
  if (pattern instanceof BSONRegExp) {
    if (pattern.options !== "" && !isNullish(options))
      throw new StoreError(51107, `${name}: found regex option(s) specified in both 'regex' and 'option' fields`);
    return compileRegex(isNullish(options) ? pattern : new BSONRegExp(pattern.pattern, options));
  }
  if (typeof pattern !== "string") throw new StoreError(51105, `${name} needs 'regex' to be of type string or regex`);
  const flags = isNullish(options) ? "" : options;
  const unknown = [...flags].find((flag) => !"imsxu".includes(flag));
  if (unknown !== undefined) throw new StoreError(51108, `invalid flag in regex options: ${unknown}`);
  return compileRegex(new BSONRegExp(pattern, flags));
}

function describeMatch(input: string, { text, index, captures }: RegexMatch): Doc {
  return docOf({ match: text, idx: codePoints(input, 0, index), captures });
}

/** Positions are counted from the previous match, so that many matches need one pass over the text. */
function describeMatches(input: string, matches: readonly RegexMatch[]): Doc[] {
  let idx = 0;
  let at = 0;
  return matches.map(({ text, index, captures }) => {
    idx += codePoints(input, at, index);
    at = index;
    return docOf({ match: text, idx, captures });
  });
}

function codePoints(text: string, from: number, to: number): number {
  spendText(to - from);
  let count = 0;
  for (let i = from; i < to; i += (text.codePointAt(i) as number) > 0xffff ? 2 : 1) count++;
  return count;
}

export const stringOperators: [string, Operator][] = [
  ["$concat", concat],
  ["$toLower", fixed(1, (value) => lower(coerced(value, "$toLower")))],
  ["$toUpper", fixed(1, (value) => upper(coerced(value, "$toUpper")))],
  ["$substr", fixed(3, substrBytes)],
  ["$substrBytes", fixed(3, substrBytes)],
  ["$substrCP", fixed(3, substrCP)],
  ["$strLenBytes", fixed(1, (value) => Buffer.byteLength(text("$strLenBytes", value, 34473), "utf8"))],
  ["$strLenCP", fixed(1, (value) => [...text("$strLenCP", value, 34471)].length)],
  [
    "$strcasecmp",
    fixed(2, (a, b) => Math.sign(compareStrings(upper(coerced(a, "$strcasecmp")), upper(coerced(b, "$strcasecmp"))))),
  ],
  [
    "$split",
    fixed(2, (value, by) => {
      if (isNullish(value) || isNullish(by)) return null;
      const separator = text("$split", by, 40086, "second argument");
      if (separator === "") throw new StoreError(40087, "$split requires a non-empty separator");
      return text("$split", value, 40085, "first argument").split(separator);
    }),
  ],
  ["$indexOfBytes", indexOf("$indexOfBytes")],
  ["$indexOfCP", indexOf("$indexOfCP")],
  trim("$trim"),
  trim("$ltrim"),
  trim("$rtrim"),
  replace("$replaceOne"),
  replace("$replaceAll"),
  regexOperator(
    "$regexMatch",
    (regex, input) => regex.test(input),
    () => false,
  ),
  regexOperator(
    "$regexFind",
    (regex, input) => {
      const match = regex.first(input);
      return match === undefined ? null : describeMatch(input, match);
    },
    () => null,
  ),
  regexOperator(
    "$regexFindAll",
    (regex, input) => describeMatches(input, regex.all(input)),
    () => [],
  ),
];
