import { compareValues } from "../bson/compare.ts";
import { add, multiply, type Numeric, subtract } from "../bson/numbers.ts";
import { isDoc, isNumber, toDouble, typeName, type Value } from "../bson/values.ts";
import { badValue, StoreError, typeMismatch } from "../errors.ts";
import { type Argument, fixed, variadic } from "./arguments.ts";
import type { Operator } from "./scope.ts";
import { isNullish } from "./truth.ts";

function addAll(values: Argument[]): Value {
  let total: Numeric = 0;
  let date: number | undefined;
  for (const value of values) {
    if (isNullish(value)) return null;
    if (value instanceof Date) {
      if (date !== undefined) throw badValue("only one date allowed in an $add expression");
      date = value.getTime();
    } else if (isNumber(value)) total = add(total, value);
    else throw typeMismatch(`$add only supports numeric or date types, not ${typeName(value)}`);
  }
  if (date === undefined) return total;
  return makeDate(date + Math.round(toDouble(total)));
}

export function makeDate(ms: number): Date {
  const date = new Date(ms);
  if (Number.isNaN(date.getTime())) throw new StoreError("Overflow", "date overflow");
  return date;
}

function subtractTwo(a: Argument, b: Argument): Value {
  if (isNullish(a) || isNullish(b)) return null;
  if (a instanceof Date) {
    if (b instanceof Date) return BigInt(a.getTime() - b.getTime());
    if (isNumber(b)) return makeDate(a.getTime() - Math.round(toDouble(b)));
  } else if (isNumber(a) && isNumber(b)) return subtract(a, b);
  throw typeMismatch(`can't $subtract ${typeName(b)} from ${typeName(a)}`);
}

function multiplyAll(values: Argument[]): Value {
  let product: Numeric = 1;
  for (const value of values) {
    if (isNullish(value)) return null;
    if (!isNumber(value)) throw typeMismatch(`$multiply only supports numeric types, not ${typeName(value)}`);
    product = multiply(product, value);
  }
  return product;
}

/** Creates `$max` or `$min` of its arguments, or of the items of its only argument if that is an array. */
function extreme(direction: 1 | -1): Operator {
  return variadic((values) => {
    const only = values[0];
    let chosen: Value | undefined;
    for (const value of values.length === 1 && Array.isArray(only) ? only : values) {
      if (isNullish(value)) continue;
      if (chosen === undefined || compareValues(value, chosen) * direction > 0) chosen = value;
    }
    return chosen ?? null;
  });
}

const rand: Operator = (argument) => {
  const isEmpty = (isDoc(argument) && argument.size === 0) || (Array.isArray(argument) && argument.length === 0);
  if (!isEmpty) throw badValue("$rand does not currently accept arguments");
  return () => Math.random();
};

export const arithmeticOperators: [string, Operator][] = [
  ["$add", variadic(addAll)],
  ["$subtract", fixed(2, subtractTwo)],
  ["$multiply", variadic(multiplyAll)],
  ["$max", extreme(1)],
  ["$min", extreme(-1)],
  ["$rand", rand],
];
