import { areEqual } from "../../../lib/platform/embedded/mongo/bson/compare.ts";
import { encodeKey } from "../../../lib/platform/embedded/mongo/bson/keys.ts";
import {
  isInt32,
  isNumber,
  toWholeNumber,
  typeName,
  type Value,
} from "../../../lib/platform/embedded/mongo/bson/values.ts";
import { StoreError } from "../../../lib/platform/embedded/mongo/errors.ts";
import {
  type Argument,
  fixed,
  requireDoc,
  variadic,
} from "../../../lib/platform/embedded/mongo/expressions/arguments.ts";
import { bind, type Operator } from "../../../lib/platform/embedded/mongo/expressions/scope.ts";
import { isNullish } from "../../../lib/platform/embedded/mongo/expressions/truth.ts";
import { spend } from "../../../lib/platform/embedded/mongo/scheduling/effort.ts";
import { named } from "./named-arguments.ts";

const reduce: Operator = (argument, compile, name) => {
  const doc = requireDoc(name, argument);
  const body = doc.get("in");
  const { input, initialValue } = named(
    name,
    argument,
    (value) => (value === body ? () => null : compile(value)),
    ["input", "initialValue", "in"],
    [],
  );
  const evaluate = compile(body as Value, ["this", "value"]);
  return (env) => {
    const value = input(env);
    if (isNullish(value)) return null;
    if (!Array.isArray(value))
      throw new StoreError(40080, `$reduce requires that 'input' be an array, found: ${typeName(value)}`);
    let result = initialValue(env);
    for (const item of value) {
      spend(1);
      result = evaluate({ ...env, scope: bind(bind(env.scope, "value", result), "this", item) });
    }
    return result;
  };
};

/** Maximum length of a `$range`; MongoDB has a memory limit of 100 MB instead. */
const MAX_RANGE = 1_000_000;

const range = fixed(2, (from, to) => {
  const [start, end] = [from, to].map((value, i) => {
    const n = toWholeNumber(value);
    if (n === undefined || !isInt32(n))
      throw new StoreError(
        34443 + i * 2,
        `$range requires a numeric argument that can be represented as a 32-bit integer, found ${typeName(value)}`,
      );
    return n;
  }) as [number, number];
  const length = Math.max(0, end - start);
  if (length > MAX_RANGE) throw new StoreError("ExceededMemoryLimit", "$range would use too much memory");
  return Array.from({ length }, (_, i) => start + i);
});

const arrayElemAt = fixed(2, (value, position) => {
  if (isNullish(value) || isNullish(position)) return null;
  if (!Array.isArray(value))
    throw new StoreError(28689, `$arrayElemAt's first argument must be an array, but is ${typeName(value)}`);
  if (!isNumber(position))
    throw new StoreError(28690, `$arrayElemAt's second argument must be a numeric value, but is ${typeName(position)}`);
  const i = toWholeNumber(position);
  if (i === undefined)
    throw new StoreError(28691, "$arrayElemAt's second argument must be representable as a 32-bit integer");
  return value.at(i);
});

const indexOfArray = fixed(2, (value, wanted) => {
  if (isNullish(value)) return null;
  if (!Array.isArray(value))
    throw new StoreError(40090, `$indexOfArray requires an array as a first argument, found: ${typeName(value)}`);
  if (wanted === undefined) return -1;
  return value.findIndex((item) => {
    spend(1);
    return areEqual(item, wanted);
  });
});

/** Returns the distinct values, in order. */
function unique(values: readonly Value[]): Value[] {
  const seen = new Map<string, Value>();
  for (const value of values) {
    const id = encodeKey(value).toString("latin1");
    if (!seen.has(id)) seen.set(id, value);
  }
  return [...seen.values()];
}

function idsOf(values: readonly Value[]): Set<string> {
  return new Set(values.map((value) => encodeKey(value).toString("latin1")));
}

function sets(name: string, values: Argument[], code: number): Value[][] | null {
  const lists: Value[][] = [];
  for (const value of values) {
    if (isNullish(value)) return null;
    if (!Array.isArray(value))
      throw new StoreError(code, `All operands of ${name} must be arrays. One argument is of type: ${typeName(value)}`);
    lists.push(value);
  }
  return lists;
}

/** Operators on lists and sets that statements for users' databases need. */
export const listOperators: [string, Operator][] = [
  ["$reduce", reduce],
  ["$range", range],
  ["$arrayElemAt", arrayElemAt],
  ["$indexOfArray", indexOfArray],
  ["$isArray", fixed(1, (value) => Array.isArray(value))],
  [
    "$setDifference",
    fixed(2, (a, b) => {
      const lists = sets("$setDifference", [a, b], 17048);
      if (lists === null) return null;
      const ids = idsOf(lists[1] ?? []);
      return unique(lists[0] ?? []).filter((item) => !ids.has(encodeKey(item).toString("latin1")));
    }),
  ],
  [
    "$setEquals",
    variadic((values) => {
      const ids = values.map((value) => {
        if (!Array.isArray(value))
          throw new StoreError(17044, `$setEquals's argument must be an array, but is ${typeName(value)}`);
        return [...idsOf(value)].sort().join("|");
      });
      return ids.every((id) => id === ids[0]);
    }),
  ],
];
