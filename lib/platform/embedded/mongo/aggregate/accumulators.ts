import { encodeKey } from "../bson/keys.ts";
import { add, isDouble, type Numeric } from "../bson/numbers.ts";
import { double, isDoc, isNumber, toDouble, type Value } from "../bson/values.ts";
import { StoreError } from "../errors.ts";
import { compileExpression } from "../expressions/compile.ts";
import type { Env, Variables } from "../expressions/scope.ts";

/** Accumulates the values of one group. */
export type Accumulator = { add: (env: Env) => void; value: () => Value };
export type AccumulatorFactory = () => Accumulator;

/** Memory that the groups in memory use. */
export type Spending = { bytes: number };

export type State = { add: (value: Value | undefined) => void; value: () => Value };

/** Assumed memory overhead of a group or a value, in bytes; a rough estimate. */
export const ENTRY_BYTES = 100;

/** Sums numbers and ignores other values. Doubles are added with compensation, so that the order hardly matters. */
export class Sum {
  private whole: Numeric = 0;
  private real = 0;
  private lost = 0;
  private hasDouble = false;

  add(value: Value | undefined): void {
    if (!isNumber(value)) return;
    if (isDouble(value)) {
      this.hasDouble = true;
      const n = toDouble(value);
      const sum = this.real + n;
      this.lost += Math.abs(this.real) >= Math.abs(n) ? this.real - sum + n : n - sum + this.real;
      this.real = sum;
    } else this.whole = add(this.whole, value);
  }

  value(): Numeric {
    const lost = Number.isNaN(this.lost) ? 0 : this.lost;
    return this.hasDouble ? double(toDouble(this.whole) + this.real + lost) : this.whole;
  }
}

function collect(isSet: boolean, spending: Spending): State {
  const values: Value[] = [];
  const seen = new Set<string>();
  return {
    add: (value) => {
      if (value === undefined) return;
      if (isSet) {
        const id = encodeKey(value).toString("latin1");
        if (seen.has(id)) return;
        seen.add(id);
      }
      spending.bytes += sizeOf(value);
      values.push(value);
    },
    value: () => values,
  };
}

/** Returns the approximate size of a value in memory, in bytes. */
export function sizeOf(value: Value): number {
  if (typeof value === "string") return ENTRY_BYTES + value.length;
  if (value instanceof Map) {
    let bytes = ENTRY_BYTES;
    for (const item of value.values()) bytes += sizeOf(item);
    return bytes;
  }
  return Array.isArray(value) ? value.reduce<number>((sum, item) => sum + sizeOf(item), ENTRY_BYTES) : 16;
}

/** Accumulators in scope (docs/develop/store-scope.md). */
export const ACCUMULATORS = new Map<string, (spending: Spending) => State>([
  ["$sum", () => new Sum()],
  ["$push", (spending) => collect(false, spending)],
  ["$addToSet", (spending) => collect(true, spending)],
]);

/** @throws StoreError 15952 for an unknown accumulator */
export function compileAccumulator(
  field: string,
  spec: Value,
  variables: Variables,
  spending: Spending,
): AccumulatorFactory {
  if (!isDoc(spec)) throw new StoreError(40234, `The field '${field}' must be an accumulator object`);
  if (spec.size !== 1) throw new StoreError(40238, `The field '${field}' must specify one accumulator`);
  const [[name, argument]] = [...spec] as [[string, Value]];
  const make = ACCUMULATORS.get(name);
  if (make === undefined) throw new StoreError(15952, `unknown group operator '${name}'`);
  const evaluate = compileExpression(argument, variables);
  return () => {
    const state = make(spending);
    return { add: (env) => state.add(evaluate(env)), value: () => state.value() };
  };
}
