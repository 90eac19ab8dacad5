import { areEqual } from "../bson/compare.ts";
import { encodeKey } from "../bson/keys.ts";
import { isInt32, isNumber, toWholeNumber, typeName, type Value } from "../bson/values.ts";
import { StoreError } from "../errors.ts";
import { spend } from "../scheduling/effort.ts";
import { type Argument, checkNames, fixed, named, requireDoc, variadic } from "./arguments.ts";
import { checkVariableName } from "./logic.ts";
import { bind, type Operator } from "./scope.ts";
import { isNullish, isTrueInAggregation } from "./truth.ts";

function asArray(name: string, value: Argument, code = 28651): Value[] {
  if (!Array.isArray(value))
    throw new StoreError(code, `${name}'s argument must be an array, but is ${typeName(value)}`);
  return value;
}

/** Returns the name of the element's variable, which must be a constant. */
function elementName(operator: string, value: Value | undefined): string {
  if (value === undefined) return "this";
  if (typeof value !== "string") throw new StoreError("TypeMismatch", `${operator}'s 'as' must be a string`);
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

const slice = fixed(2, (value, count) => {
  if (isNullish(value) || isNullish(count)) return null;
  const list = asArray("$slice", value, 28724);
  const n = toWholeNumber(count);
  if (n === undefined)
    throw new StoreError(
      28725,
      `Second argument to $slice must be a numeric value, but is of type: ${typeName(count)}`,
    );
  return n >= 0 ? list.slice(0, n) : list.slice(n);
});

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

export const arrayOperators: [string, Operator][] = [
  ["$map", map],
  ["$filter", filter],
  ["$reduce", reduce],
  ["$slice", slice],
  ["$range", range],
  ["$arrayElemAt", arrayElemAt],
  ["$indexOfArray", indexOfArray],
  ["$isArray", fixed(1, (value) => Array.isArray(value))],
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
      const ids = values.map((value) => [...idsOf(asArray("$setEquals", value, 17044))].sort().join("|"));
      return ids.every((id) => id === ids[0]);
    }),
  ],
];
