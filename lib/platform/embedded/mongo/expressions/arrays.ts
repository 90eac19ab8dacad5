import { areEqual } from "../bson/compare.ts";
import { toWholeNumber, typeName, type Value } from "../bson/values.ts";
import { StoreError, typeMismatch } from "../errors.ts";
import { spend } from "../scheduling/effort.ts";
import { type Argument, checkNames, fixed, requireDoc, variadic } from "./arguments.ts";
import { checkVariableName } from "./logic.ts";
import { bind, type Operator } from "./scope.ts";
import { isNullish, isTrueInAggregation } from "./truth.ts";

/** Returns the name of the element's variable, which must be a constant. */
function elementName(operator: string, value: Value | undefined): string {
  if (value === undefined) return "this";
  if (typeof value !== "string") throw typeMismatch(`${operator}'s 'as' must be a string`);
  return checkVariableName(value);
}

/** Creates an operator that evaluates an expression for each element of a list. */
function perElement(
  bodyName: "in" | "cond",
  codes: { input: number; body: number; list: number },
  collect: (items: readonly Value[], evaluate: (item: Value) => Argument) => Value[],
): Operator {
  return (argument, compile, name) => {
    const doc = requireDoc(name, argument);
    checkNames(name, doc, ["input", "as", bodyName]);
    const body = doc.get(bodyName);
    const from = doc.get("input");
    if (from === undefined) throw new StoreError(codes.input, `Missing 'input' parameter to ${name}`);
    if (body === undefined) throw new StoreError(codes.body, `Missing '${bodyName}' parameter to ${name}`);
    const as = elementName(name, doc.get("as"));
    const input = compile(from);
    const evaluate = compile(body, [as]);
    return (env) => {
      const value = input(env);
      if (isNullish(value)) return null;
      if (!Array.isArray(value))
        throw new StoreError(codes.list, `input to ${name} must be an array not ${typeName(value)}`);
      return collect(value, (item) => {
        spend(1);
        return evaluate({ ...env, scope: bind(env.scope, as, item) });
      });
    };
  };
}

const map = perElement("in", { input: 16880, body: 16882, list: 16883 }, (items, evaluate) =>
  items.map((item) => evaluate(item) ?? null),
);

const filter = perElement("cond", { input: 28648, body: 28650, list: 28651 }, (items, evaluate) =>
  items.filter((item) => isTrueInAggregation(evaluate(item))),
);

const slice = fixed(2, (value, count) => {
  if (isNullish(value) || isNullish(count)) return null;
  if (!Array.isArray(value))
    throw new StoreError(28724, `$slice's argument must be an array, but is ${typeName(value)}`);
  const n = toWholeNumber(count);
  if (n === undefined)
    throw new StoreError(
      28725,
      `Second argument to $slice must be a numeric value, but is of type: ${typeName(count)}`,
    );
  return n >= 0 ? value.slice(0, n) : value.slice(n);
});

export const arrayOperators: [string, Operator][] = [
  ["$map", map],
  ["$filter", filter],
  ["$slice", slice],
  [
    "$size",
    fixed(1, (value) => {
      if (!Array.isArray(value))
        throw new StoreError(17124, `The argument to $size must be an array, but was of type: ${typeName(value)}`);
      return value.length;
    }),
  ],
  [
    "$in",
    fixed(2, (value, list) => {
      if (!Array.isArray(list))
        throw new StoreError(40081, `$in requires an array as a second argument, found: ${typeName(list)}`);
      return value !== undefined && list.some((item) => areEqual(item, value));
    }),
  ],
  [
    "$concatArrays",
    variadic((values) => {
      const joined: Value[] = [];
      for (const value of values) {
        if (isNullish(value)) return null;
        if (!Array.isArray(value))
          throw new StoreError(28664, `$concatArrays only supports arrays, not ${typeName(value)}`);
        for (const item of value) joined.push(item);
      }
      return joined;
    }),
  ],
];
