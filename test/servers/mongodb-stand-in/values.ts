import { isZero, refuseDecimals } from "../../../lib/platform/embedded/mongo/bson/numbers.ts";
import {
  BSONRegExp,
  type Doc,
  double,
  isDoc,
  isNumber,
  toDouble,
  typeName,
  type Value,
} from "../../../lib/platform/embedded/mongo/bson/values.ts";
import { badValue, StoreError, typeMismatch } from "../../../lib/platform/embedded/mongo/errors.ts";
import {
  type Argument,
  fixed,
  requireDoc,
  variadic,
} from "../../../lib/platform/embedded/mongo/expressions/arguments.ts";
import { checkVariableName } from "../../../lib/platform/embedded/mongo/expressions/logic.ts";
import {
  bind,
  type Env,
  type Evaluator,
  type Operator,
} from "../../../lib/platform/embedded/mongo/expressions/scope.ts";
import { isNullish } from "../../../lib/platform/embedded/mongo/expressions/truth.ts";
import { compileRegex, type Regex } from "../../../lib/platform/embedded/mongo/query/regex.ts";
import { named } from "./named-arguments.ts";

const letIn: Operator = (argument, compile, name) => {
  const doc = requireDoc(name, argument);
  for (const key of doc.keys()) {
    if (key !== "vars" && key !== "in") throw new StoreError(16875, `Unrecognized parameter to $let: ${key}`);
  }
  const vars = doc.get("vars");
  const body = doc.get("in");
  if (!isDoc(vars)) throw new StoreError(16876, "Missing 'vars' parameter to $let");
  if (body === undefined) throw new StoreError(16877, "Missing 'in' parameter to $let");
  const bound = [...vars].map(([key, value]): [string, Evaluator] => [checkVariableName(key), compile(value)]);
  const evaluate = compile(body, [...vars.keys()]);
  return (env) => {
    let { scope } = env;
    for (const [key, value] of bound) scope = bind(scope, key, value(env));
    return evaluate({ ...env, scope });
  };
};

function divideTwo(a: Argument, b: Argument): Value {
  if (isNullish(a) || isNullish(b)) return null;
  if (!isNumber(a) || !isNumber(b)) {
    throw typeMismatch(`$divide only supports numeric types, not ${typeName(a)} and ${typeName(b)}`);
  }
  refuseDecimals(a, b);
  if (isZero(b)) throw badValue("can't $divide by zero");
  return double(toDouble(a) / toDouble(b));
}

function floor(value: Argument): Value {
  if (isNullish(value)) return null;
  if (!isNumber(value)) throw typeMismatch(`$floor only supports numeric types, not ${typeName(value)}`);
  return double(Math.floor(toDouble(value)));
}

function objectToArray(value: Argument): Value {
  if (isNullish(value)) return null;
  if (!isDoc(value)) throw new StoreError(40390, `$objectToArray requires a document input, found: ${typeName(value)}`);
  return [...value].map(
    ([k, v]): Doc =>
      new Map<string, Value>([
        ["k", k],
        ["v", v],
      ]),
  );
}

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

const getField: Operator = (argument, compile, name) => {
  const doc = requireDoc(name, argument);
  const [field, from] = [doc.get("field"), doc.get("input")];
  if (field === undefined || from === undefined)
    throw new StoreError(3041702, `${name} requires 'field' and 'input' to be specified`);
  const [fieldName, input] = [compile(field), compile(from)];
  return (env) => {
    const [key, value] = [fieldName(env), input(env)];
    if (typeof key !== "string") throw new StoreError(3041704, `${name} requires 'field' to evaluate to type String`);
    return isDoc(value) ? value.get(key) : undefined;
  };
};

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

export const valueOperators: [string, Operator][] = [
  ["$let", letIn],
  ["$divide", fixed(2, divideTwo)],
  ["$floor", fixed(1, floor)],
  ["$objectToArray", fixed(1, objectToArray)],
  ["$concat", variadic(concat)],
  ["$getField", getField],
  ["$regexMatch", regexMatch],
];
