import { compareValues } from "../bson/compare.ts";
import { divideDecimals } from "../bson/decimal.ts";
import { add, isDouble, type Numeric, toDecimal } from "../bson/numbers.ts";
import { Decimal128, double, isNumber, toDouble, type Value } from "../bson/values.ts";
import { argumentList } from "./arguments.ts";
import type { Operator } from "./scope.ts";
import { isNullish } from "./truth.ts";

/** Sums numbers and ignores other values. Doubles are added with compensation, so that the order hardly matters. */
export class Sum {
  private whole: Numeric = 0;
  private real = 0;
  private lost = 0;
  private hasDouble = false;
  private decimal: Decimal128 | undefined;

  add(value: Value | undefined): void {
    if (!isNumber(value)) return;
    if (value instanceof Decimal128) {
      this.decimal = this.decimal === undefined ? value : (add(this.decimal, value) as Decimal128);
    } else if (isDouble(value)) {
      this.hasDouble = true;
      const n = toDouble(value);
      const sum = this.real + n;
      this.lost += Math.abs(this.real) >= Math.abs(n) ? this.real - sum + n : n - sum + this.real;
      this.real = sum;
    } else this.whole = add(this.whole, value);
  }

  value(): Numeric {
    const lost = Number.isNaN(this.lost) ? 0 : this.lost;
    if (this.decimal !== undefined) {
      const rest = this.hasDouble ? add(this.whole, double(this.real + lost)) : this.whole;
      return add(this.decimal, rest);
    }
    return this.hasDouble ? double(toDouble(this.whole) + this.real + lost) : this.whole;
  }
}

export function average(sum: Numeric, count: number): Value {
  if (count === 0) return null;
  if (sum instanceof Decimal128) return divideDecimals(sum, toDecimal(count));
  return double(toDouble(sum) / count);
}

/** Returns the standard deviation of numbers; null when there are too few. */
export function deviation(numbers: readonly number[], isSample: boolean): Value {
  const least = isSample ? 2 : 1;
  if (numbers.length < least) return null;
  let mean = 0;
  let squares = 0;
  numbers.forEach((n, i) => {
    const distance = n - mean;
    mean += distance / (i + 1);
    squares += distance * (n - mean);
  });
  return double(Math.sqrt(squares / (isSample ? numbers.length - 1 : numbers.length)));
}

/** Used as an expression, an accumulator takes its arguments, or the items of its only argument if it is an array. */
function over(apply: (values: Value[]) => Value): Operator {
  return (argument, compile) => {
    const evaluators = argumentList(argument).map((item) => compile(item));
    return (env) => {
      const values = evaluators.map((evaluate) => evaluate(env));
      const only = values[0];
      const list = values.length === 1 && Array.isArray(only) ? only : values;
      return apply(list.filter((value): value is Value => !isNullish(value)));
    };
  };
}

function extreme(direction: 1 | -1): Operator {
  return over((values) => {
    let chosen: Value | undefined;
    for (const value of values) {
      if (chosen === undefined || compareValues(value, chosen) * direction > 0) chosen = value;
    }
    return chosen ?? null;
  });
}

function finite(values: readonly Value[]): number[] {
  return values.filter(isNumber).map(toDouble);
}

export const accumulatorOperators: [string, Operator][] = [
  [
    "$sum",
    over((values) => {
      const sum = new Sum();
      for (const value of values) sum.add(value);
      return sum.value();
    }),
  ],
  [
    "$avg",
    over((values) => {
      const sum = new Sum();
      const numbers = values.filter(isNumber);
      for (const value of numbers) sum.add(value);
      return average(sum.value(), numbers.length);
    }),
  ],
  ["$max", extreme(1)],
  ["$min", extreme(-1)],
  ["$stdDevPop", over((values) => deviation(finite(values), false))],
  ["$stdDevSamp", over((values) => deviation(finite(values), true))],
];
