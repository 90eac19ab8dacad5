import { type Doc, isDoc, type Value } from "../bson/values.ts";
import { StoreError } from "../errors.ts";
import { spend, spendText } from "../scheduling/effort.ts";
import type { Compile, Evaluator, Operator } from "./scope.ts";

export type Argument = Value | undefined;

/** Returns the arguments of an operator: an array's items, or the single value. */
export function argumentList(argument: Value): Value[] {
  return Array.isArray(argument) ? argument : [argument];
}

/** Counts the work on an argument, because most operators read each of its elements or characters. */
function counted(value: Argument): Argument {
  if (typeof value === "string") spendText(value.length);
  else if (Array.isArray(value)) spend(value.length);
  return value;
}

/** Creates an operator with a fixed number of arguments. */
export function fixed(count: number, apply: (...values: Argument[]) => Argument): Operator {
  return (argument, compile, name) => {
    const list = argumentList(argument);
    if (list.length !== count) {
      throw new StoreError(
        16020,
        `Expression ${name} takes exactly ${count} arguments. ${list.length} were passed in.`,
      );
    }
    const [first, second, third] = list.map((item) => compile(item));
    if (count === 1 && first !== undefined) return (env) => apply(counted(first(env)));
    if (count === 2 && first !== undefined && second !== undefined)
      return (env) => apply(counted(first(env)), counted(second(env)));
    return (env) => apply(counted(first?.(env)), counted(second?.(env)), counted(third?.(env)));
  };
}

/** Creates an operator with any number of arguments. */
export function variadic(apply: (values: Argument[]) => Argument): Operator {
  return (argument, compile) => {
    const evaluators = argumentList(argument).map((item) => compile(item));
    return (env) => apply(evaluators.map((evaluate) => counted(evaluate(env))));
  };
}

export type NamedEvaluators<Required extends string, Optional extends string> = { [K in Required]: Evaluator } & {
  [K in Optional]?: Evaluator;
};

/** Compiles the named arguments of an operator, such as `{input, find, replacement}`. */
export function named<Required extends string, Optional extends string>(
  operator: string,
  argument: Value,
  compile: Compile,
  required: readonly Required[],
  optional: readonly Optional[],
): NamedEvaluators<Required, Optional> {
  const doc = requireDoc(operator, argument);
  checkNames(operator, doc, [...required, ...optional]);
  const result: Partial<Record<Required | Optional, Evaluator>> = {};
  for (const name of required) {
    if (!doc.has(name)) throw new StoreError("FailedToParse", `Missing '${name}' parameter to ${operator}`);
  }
  for (const name of [...required, ...optional]) {
    const value = doc.get(name);
    if (value !== undefined) result[name] = compile(value);
  }
  return result as NamedEvaluators<Required, Optional>;
}

export function requireDoc(operator: string, argument: Value): Doc {
  if (!isDoc(argument)) throw new StoreError("FailedToParse", `${operator} only supports an object as its argument`);
  return argument;
}

export function checkNames(operator: string, doc: Doc, allowed: readonly string[]): void {
  for (const name of doc.keys()) {
    if (!allowed.includes(name)) throw new StoreError("FailedToParse", `Unrecognized argument to ${operator}: ${name}`);
  }
}
