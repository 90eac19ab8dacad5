import { compareMaybe } from "../bson/compare.ts";
import { isDoc, type Value } from "../bson/values.ts";
import { failedToParse, StoreError } from "../errors.ts";
import { argumentList, fixed } from "./arguments.ts";
import type { Evaluator, Operator } from "./scope.ts";
import { isNullish, isTrueInAggregation } from "./truth.ts";

function comparison(name: string, holds: (order: number) => boolean): [string, Operator] {
  return [name, fixed(2, (a, b) => holds(compareMaybe(a, b)))];
}

const condition: Operator = (argument, compile) => {
  let parts: [Value | undefined, Value | undefined, Value | undefined];
  if (isDoc(argument)) {
    for (const name of argument.keys()) {
      if (!["if", "then", "else"].includes(name))
        throw new StoreError(17083, `Unrecognized parameter to $cond: ${name}`);
    }
    parts = [argument.get("if"), argument.get("then"), argument.get("else")];
    if (parts[0] === undefined) throw new StoreError(17080, "Missing 'if' parameter to $cond");
    if (parts[1] === undefined) throw new StoreError(17081, "Missing 'then' parameter to $cond");
    if (parts[2] === undefined) throw new StoreError(17082, "Missing 'else' parameter to $cond");
  } else {
    const list = argumentList(argument);
    if (list.length !== 3)
      throw new StoreError(16020, `Expression $cond takes exactly 3 arguments. ${list.length} were passed in.`);
    parts = [list[0], list[1], list[2]];
  }
  const [test, yes, no] = parts.map((part) => compile(part as Value)) as [Evaluator, Evaluator, Evaluator];
  return (env) => (isTrueInAggregation(test(env)) ? yes(env) : no(env));
};

const ifNull: Operator = (argument, compile) => {
  const list = argumentList(argument);
  if (list.length < 2) throw new StoreError(1257300, `$ifNull needs at least two arguments, had: ${list.length}`);
  const evaluators = list.map((item) => compile(item));
  return (env) => {
    let value: Value | undefined;
    for (const evaluate of evaluators) {
      value = evaluate(env);
      if (!isNullish(value)) return value;
    }
    return value;
  };
};

/** @throws StoreError FailedToParse unless the name starts with a lower-case letter, as MongoDB requires for users */
export function checkVariableName(name: string): string {
  if (!/^[a-z\u0080-\uffff][\w\u0080-\uffff]*$/.test(name)) {
    throw failedToParse(`'${name}' starts with an invalid character for a user variable name`);
  }
  return name;
}

export const logicOperators: [string, Operator][] = [
  [
    "$and",
    (argument, compile) => {
      const tests = argumentList(argument).map((item) => compile(item));
      return (env) => tests.every((test) => isTrueInAggregation(test(env)));
    },
  ],
  [
    "$or",
    (argument, compile) => {
      const tests = argumentList(argument).map((item) => compile(item));
      return (env) => tests.some((test) => isTrueInAggregation(test(env)));
    },
  ],
  ["$not", fixed(1, (value) => !isTrueInAggregation(value))],
  comparison("$eq", (order) => order === 0),
  comparison("$ne", (order) => order !== 0),
  comparison("$gt", (order) => order > 0),
  comparison("$gte", (order) => order >= 0),
  comparison("$lt", (order) => order < 0),
  comparison("$lte", (order) => order <= 0),
  ["$cond", condition],
  ["$ifNull", ifNull],
  ["$literal", (argument) => () => argument],
];
