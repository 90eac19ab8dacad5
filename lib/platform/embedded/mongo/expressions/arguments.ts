import { type Doc, isDoc, type Value } from "../bson/values.ts";
import { failedToParse, StoreError } from "../errors.ts";
import { spend, spendText } from "../scheduling/effort.ts";
import type { Operator } from "./scope.ts";

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

/** Creates an operator with one or two arguments. */
export function fixed(count: 1 | 2, apply: (...values: Argument[]) => Argument): Operator {
  return (argument, compile, name) => {
    const list = argumentList(argument);
    if (list.length !== count) {
      throw new StoreError(
        16020,
        `Expression ${name} takes exactly ${count} arguments. ${list.length} were passed in.`,
      );
    }
    const [first, second] = list.map((item) => compile(item));
    if (second === undefined) return (env) => apply(counted(first?.(env)));
    return (env) => apply(counted(first?.(env)), counted(second(env)));
  };
}

/** Creates an operator with any number of arguments. */
export function variadic(apply: (values: Argument[]) => Argument): Operator {
  return (argument, compile) => {
    const evaluators = argumentList(argument).map((item) => compile(item));
    return (env) => apply(evaluators.map((evaluate) => counted(evaluate(env))));
  };
}

export function requireDoc(operator: string, argument: Value): Doc {
  if (!isDoc(argument)) throw failedToParse(`${operator} only supports an object as its argument`);
  return argument;
}

export function checkNames(operator: string, doc: Doc, allowed: readonly string[]): void {
  for (const name of doc.keys()) {
    if (!allowed.includes(name)) throw failedToParse(`Unrecognized argument to ${operator}: ${name}`);
  }
}
