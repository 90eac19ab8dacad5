import { BSONRegExp, typeName } from "../bson/values.ts";
import { StoreError } from "../errors.ts";
import { compileRegex, type Regex } from "../query/regex.ts";
import { type Argument, named, variadic } from "./arguments.ts";
import type { Env, Evaluator, Operator } from "./scope.ts";
import { isNullish } from "./truth.ts";

/** MongoDB's limit of text that an expression builds (64 MB). */
const MAX_TEXT_LENGTH = 64 * 1024 * 1024;

function concat(values: Argument[]): string | null {
  let joined = "";
  for (const value of values) {
    if (isNullish(value)) return null;
    if (typeof value !== "string") throw new StoreError(16702, `$concat only supports strings, not ${typeName(value)}`);
    joined += value;
  }
  if (joined.length > MAX_TEXT_LENGTH)
    throw new StoreError(13548, `$concat would make a text of more than ${MAX_TEXT_LENGTH} characters.`);
  return joined;
}

const regexMatch: Operator = (argument, compile, name) => {
  const parts: RegexArguments = named(name, argument, compile, ["input", "regex"], ["options"]);
  return (env) => {
    const input = parts.input(env);
    const regex = regexOf(name, parts, env);
    if (isNullish(input) || regex === undefined) return false;
    if (typeof input !== "string")
      throw new StoreError(51104, `${name} needs 'input' to be of type string, found: ${typeName(input)}`);
    return regex.test(input);
  };
};

type RegexArguments = { input: Evaluator; regex: Evaluator; options?: Evaluator };

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

export const stringOperators: [string, Operator][] = [
  ["$concat", variadic(concat)],
  ["$regexMatch", regexMatch],
];
