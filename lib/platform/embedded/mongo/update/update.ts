import { areEqual, compareValues } from "../bson/compare.ts";
import { add, fitsLong, type Numeric } from "../bson/numbers.ts";
import { arrayIndex, toPath } from "../bson/paths.ts";
import {
  BSONRegExp,
  cloneValue,
  Decimal128,
  type Doc,
  isDoc,
  isInt32,
  isNumber,
  toWholeNumber,
  typeName,
  type Value,
} from "../bson/values.ts";
import { badValue, failedToParse, StoreError, typeMismatch } from "../errors.ts";
import type { Variables } from "../expressions/scope.ts";
import { compileMatch, type MatchNode, parseMatch } from "../query/match.ts";

/** Query results that an update may refer to. */
export type UpdateContext = {
  /** True when an upsert creates the document, so that $setOnInsert applies. */
  isInsert: boolean;
  /** Returns the array position that the query matched, for the positional `$`; undefined when there was none. */
  position: (path: readonly string[]) => number | undefined;
};

/** Applies an update to a document in place. */
export type Update = (doc: Doc, context: UpdateContext) => void;

type Modifier = { operator: string; path: string; parts: readonly string[]; argument: Value; compileChange: Compiler };

type Compiler = (modifier: Modifier) => Change;

/** Update operators in scope (docs/develop/store-scope.md). */
export const UPDATE_OPERATORS: ReadonlyMap<string, Compiler> = new Map<string, Compiler>([
  ["$set", ({ argument }) => set(argument)],
  ["$setOnInsert", ({ argument }) => set(argument)],
  ["$unset", () => () => undefined],
  ["$inc", ({ argument, path }) => increment(argument, path)],
  ["$max", ({ argument }) => max(argument)],
  ["$push", ({ argument }) => push(argument)],
  ["$addToSet", ({ argument }) => addToSet(argument)],
  ["$pull", ({ argument }) => pull(argument)],
]);

/** Operators that create no missing field. */
const REMOVING: ReadonlySet<string> = new Set(["$unset", "$pull"]);

/** Maximum null elements that setting a position may add to an array (as in MongoDB). */
const MAX_PADDING = 1_500_000;

/**
 * Compiles an update with operators.
 * @throws StoreError FailedToParse for an unknown operator, ConflictingUpdateOperators for two on one path
 */
export function compileUpdate(update: Doc, arrayFilters: Value | undefined, variables: Variables): Update {
  const filters = parseArrayFilters(arrayFilters, variables);
  const modifiers: Modifier[] = [];
  for (const [operator, fields] of update) {
    const compileChange = UPDATE_OPERATORS.get(operator);
    if (compileChange === undefined) {
      throw failedToParse(
        `Unknown modifier: ${operator}. Expected a valid update modifier or pipeline-style update specified as an array`,
      );
    }
    if (!isDoc(fields)) {
      throw failedToParse(
        `Modifiers operate on fields but we found type ${typeName(fields)} instead. For example: {$mod: {<field>: ...}} not {${operator}: ${typeName(fields)}}`,
      );
    }
    for (const [path, argument] of fields) {
      const parts = checkPath(path);
      modifiers.push({ operator, path, parts, argument, compileChange });
    }
  }
  checkConflicts(modifiers);
  const used = new Set<string>();
  for (const { parts } of modifiers) {
    for (const part of parts) {
      const identifier = /^\$\[(.+)\]$/.exec(part)?.[1];
      if (identifier === undefined) continue;
      if (!filters.has(identifier))
        throw badValue(`No array filter found for identifier '${identifier}' in path '${parts.join(".")}'`);
      used.add(identifier);
    }
  }
  for (const identifier of filters.keys()) {
    if (!used.has(identifier)) {
      throw failedToParse(`The array filter for identifier '${identifier}' was not used in the update`);
    }
  }
  // MongoDB applies operators in the order of their paths, so new fields appear in that order.
  modifiers.sort((a, b) => comparePaths(a.parts, b.parts));
  const applied = modifiers.map((modifier) => ({ ...modifier, change: modifier.compileChange(modifier) }));
  return (doc, context) => {
    for (const { operator, parts, change } of applied) {
      if (operator === "$setOnInsert" && !context.isInsert) continue;
      const mayCreate = !REMOVING.has(operator);
      const top = parts[0] as string;
      if (top.startsWith("$") && !context.isInsert && mayCreate) throw dollarPrefixed(top);
      applyAt(doc, parts, 0, change, { context, filters, mayCreate });
    }
  };
}

function checkPath(path: string): readonly string[] {
  const { parts } = toPath(path);
  if (path === "") throw new StoreError("EmptyFieldName", "An empty update path is not valid.");
  for (const part of parts) {
    if (part === "")
      throw new StoreError(
        "EmptyFieldName",
        `The update path '${path}' contains an empty field name, which is not allowed.`,
      );
  }
  const first = parts[0] as string;
  if (first === "$" || first.startsWith("$[")) {
    throw badValue(
      `Cannot have array filter identifier (i.e. '$[<id>]') element in the first position in path '${path}'`,
    );
  }
  if (parts.includes("$[]")) throw badValue("The positional operator '$[]' is not supported by this store.");
  return parts;
}

/**
 * Returns the error for a name with a dollar. Such names are allowed below the top level, and at the top level when an
 * upsert creates a document.
 */
export function dollarPrefixed(name: string): StoreError {
  return new StoreError(
    "DollarPrefixedFieldName",
    `The dollar ($) prefixed field '${name}' in '${name}' is not allowed in the context of an update's replacement document. Consider using an aggregation pipeline with $replaceWith.`,
  );
}

function checkConflicts(modifiers: readonly Modifier[]): void {
  const sorted = modifiers.map(({ path }) => `${path}.`).sort();
  for (let i = 1; i < sorted.length; i++) {
    const before = sorted[i - 1] as string;
    const path = sorted[i] as string;
    if (path.startsWith(before)) {
      throw new StoreError(
        "ConflictingUpdateOperators",
        `Updating the path '${path.slice(0, -1)}' would create a conflict at '${before.slice(0, -1)}'`,
      );
    }
  }
}

/** Compares paths field by field; numbers compare by value. */
function comparePaths(a: readonly string[], b: readonly string[]): number {
  for (let i = 0; i < Math.min(a.length, b.length); i++) {
    const x = a[i] as string;
    const y = b[i] as string;
    if (x === y) continue;
    const n = arrayIndex(x);
    const m = arrayIndex(y);
    if (n >= 0 && m >= 0) return n - m;
    return compareValues(x, y);
  }
  return a.length - b.length;
}

function parseArrayFilters(value: Value | undefined, variables: Variables): Map<string, (item: Value) => boolean> {
  const filters = new Map<string, (item: Value) => boolean>();
  if (value === undefined || value === null) return filters;
  if (!Array.isArray(value)) throw typeMismatch("BSON field 'arrayFilters' is the wrong type, expected type 'array'");
  for (const filter of value) {
    if (!isDoc(filter)) throw typeMismatch("Each array filter must be an object");
    if (filter.size === 0)
      throw failedToParse("Cannot use an expression without a top-level field name in arrayFilters");
    const identifier = identifierOf(filter);
    if (!/^[a-z][a-zA-Z0-9]*$/.test(identifier)) {
      throw badValue(
        `Error parsing array filter :: caused by :: The top-level field name must be an alphanumeric string beginning with a lowercase letter, found '${identifier}'`,
      );
    }
    if (filters.has(identifier))
      throw failedToParse(`Found multiple array filters with the same top-level field name ${identifier}`);
    const test = compileMatch(parseMatch(filter, { variables, allowExpressions: false }), variables);
    filters.set(identifier, (item) => test(new Map([[identifier, item]])));
  }
  return filters;
}

function identifierOf(filter: Doc): string {
  const names = new Set<string>();
  const collect = (doc: Doc): void => {
    for (const [name, value] of doc) {
      if (name.startsWith("$") && Array.isArray(value)) for (const item of value) isDoc(item) && collect(item);
      else names.add(name.split(".")[0] as string);
    }
  };
  collect(filter);
  if (names.size !== 1) {
    throw failedToParse(
      `Error parsing array filter :: caused by :: Expected a single top-level field name, found ${[...names].map((name) => `'${name}'`).join(" and ")}`,
    );
  }
  return [...names][0] as string;
}

type Step = {
  context: UpdateContext;
  filters: ReadonlyMap<string, (item: Value) => boolean>;
  mayCreate: boolean;
};

/** Computes the new value: `undefined` removes the field, KEEP leaves it unchanged. */
type Change = (current: Value | undefined, path: string, context: UpdateContext) => Value | undefined | typeof KEEP;
const KEEP = Symbol("keep");

function applyAt(container: Doc | Value[], parts: readonly string[], at: number, change: Change, step: Step): void {
  let part = parts[at] as string;
  if (Array.isArray(container)) {
    const identifier = /^\$\[(.+)\]$/.exec(part)?.[1];
    if (identifier !== undefined) {
      const test = step.filters.get(identifier);
      const chosen = container.map((item) => test?.(item) ?? false);
      for (const [i, isChosen] of chosen.entries())
        if (isChosen) applyTo(container, String(i), parts, at, change, step);
      return;
    }
  } else if (part.startsWith("$[")) {
    throw badValue(`Cannot apply array updates to non-array element ${parts[at - 1] ?? ""}: ${typeName(container)}`);
  }
  if (part === "$") {
    const position = step.context.position(parts.slice(0, at));
    if (position === undefined) throw badValue("The positional operator did not find the match needed from the query.");
    part = String(position);
  }
  applyTo(container, part, parts, at, change, step);
}

function applyTo(
  container: Doc | Value[],
  part: string,
  parts: readonly string[],
  at: number,
  change: Change,
  step: Step,
): void {
  const isArray = Array.isArray(container);
  const index = isArray ? arrayIndex(part) : -1;
  if (isArray && index < 0) {
    if (!step.mayCreate) return;
    throw new StoreError(
      "PathNotViable",
      `Cannot create field '${part}' in element {${parts[at - 1] ?? ""}: ${typeName(container)}}`,
    );
  }
  const current = isArray ? container[index] : container.get(part);
  if (at === parts.length - 1) {
    const next = change(current, parts.join("."), step.context);
    if (next === KEEP) return;
    if (next === undefined) {
      // Array elements keep their positions: an unset element becomes null.
      if (current === undefined) return;
      if (isArray) container[index] = null;
      else container.delete(part);
    } else put(container, part, index, next);
    return;
  }
  if (current instanceof Map || Array.isArray(current)) {
    applyAt(current, parts, at + 1, change, step);
    return;
  }
  if (!step.mayCreate) return;
  const following = parts[at + 1] as string;
  if (current !== undefined) {
    if (following.startsWith("$["))
      throw badValue(`Cannot apply array updates to non-array element ${part}: ${typeName(current)}`);
    throw new StoreError(
      "PathNotViable",
      `Cannot create field '${following}' in element {${part}: ${typeName(current)}}`,
    );
  }
  if (following.startsWith("$[")) {
    throw badValue(
      `The path '${parts.slice(0, at + 1).join(".")}' must exist in the document in order to apply array updates.`,
    );
  }
  const created: Doc = new Map();
  applyAt(created, parts, at + 1, change, step);
  if (created.size > 0) put(container, part, index, created);
}

function put(container: Doc | Value[], part: string, index: number, value: Value): void {
  if (!Array.isArray(container)) {
    container.set(part, value);
    return;
  }
  if (index - container.length > MAX_PADDING)
    throw badValue("An array cannot be filled with null that far. Set a nearer position.");
  while (container.length < index) container.push(null);
  container[index] = value;
}

function set(argument: Value): Change {
  return (current) => (current !== undefined && isIdentical(current, argument) ? KEEP : cloneValue(argument));
}

function max(argument: Value): Change {
  return (current) => (current === undefined || compareValues(argument, current) > 0 ? cloneValue(argument) : KEEP);
}

/** Returns true for values that are equal in value and type at all levels. */
export function isIdentical(a: Value, b: Value): boolean {
  if (typeName(a) !== typeName(b)) return false;
  if (a instanceof Map && b instanceof Map) {
    if (a.size !== b.size) return false;
    const other = b.entries();
    for (const [name, value] of a) {
      const [otherName, otherValue] = other.next().value as [string, Value];
      if (name !== otherName || !isIdentical(value, otherValue)) return false;
    }
    return true;
  }
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((item, i) => isIdentical(item, b[i] as Value));
  }
  if (a instanceof Decimal128 && b instanceof Decimal128) return a.toString() === b.toString();
  if (typeof a === "number" && typeof b === "number") return Object.is(a, b);
  return areEqual(a, b);
}

function increment(argument: Value, path: string): Change {
  if (!isNumber(argument)) {
    throw typeMismatch(`Cannot increment with non-numeric argument: {${path}: ${typeName(argument)}}`);
  }
  return (current, at) => {
    if (current === undefined) return argument;
    if (!isNumber(current)) {
      throw typeMismatch(
        `Cannot apply $inc to a value of non-numeric type. The field '${at}' has a value of type ${typeName(current)}`,
      );
    }
    const result = add(current, argument);
    if (isWhole(current) && isWhole(argument) && !isWhole(result))
      throw badValue(`Failed to apply $inc operations to current value of field '${at}': the result is beyond a long`);
    return isIdentical(result, current) ? KEEP : result;
  };
}

function isWhole(value: Numeric): boolean {
  return (typeof value === "bigint" && fitsLong(value)) || (typeof value === "number" && isInt32(value));
}

function push(argument: Value): Change {
  let items: Value[] = [argument];
  let slice: number | undefined;
  if (isDoc(argument) && argument.has("$each")) {
    for (const [name, value] of argument) {
      switch (name) {
        case "$each":
          if (!Array.isArray(value))
            throw badValue(`The argument to $each in $push must be an array but it was of type: ${typeName(value)}`);
          items = value;
          break;
        case "$slice":
          slice = toWholeNumber(value);
          if (slice === undefined)
            throw badValue(`The value for $slice must be an integer value but was given type: ${typeName(value)}`);
          break;
        default:
          throw badValue(`Unrecognized clause in $push: ${name}`);
      }
    }
  }
  return (current, path) => {
    if (current !== undefined && !Array.isArray(current)) {
      throw badValue(`The field '${path}' must be an array but is of type ${typeName(current)}`);
    }
    const list = [...(current ?? []), ...items.map(cloneValue)];
    if (slice === undefined) return list;
    return slice >= 0 ? list.slice(0, slice) : list.slice(slice);
  };
}

function addToSet(argument: Value): Change {
  let items: Value[] = [argument];
  if (isDoc(argument) && argument.has("$each")) {
    const each = argument.get("$each");
    if (!Array.isArray(each))
      throw typeMismatch(`The argument to $each in $addToSet must be an array but it was of type ${typeName(each)}`);
    if (argument.size > 1) throw badValue("Found unexpected fields after $each in $addToSet");
    items = each;
  }
  return (current, path) => {
    if (current !== undefined && !Array.isArray(current)) {
      throw badValue(
        `Cannot apply $addToSet to non-array field. Field named '${path}' has non-array type ${typeName(current)}`,
      );
    }
    const list = current === undefined ? [] : [...current];
    const before = list.length;
    for (const item of items) if (!list.some((known) => areEqual(known, item))) list.push(cloneValue(item));
    return current !== undefined && list.length === before ? KEEP : list;
  };
}

function pull(argument: Value): Change {
  if (isDoc(argument) || argument instanceof BSONRegExp)
    throw badValue("$pull by a condition is not supported by this store. Name the value.");
  return (current, path) => {
    if (current === undefined) return KEEP;
    if (!Array.isArray(current))
      throw badValue(`Cannot apply $pull to a non-array value (field '${path}' is of type ${typeName(current)})`);
    const kept = current.filter((item) => !areEqual(item, argument));
    return kept.length === current.length ? KEEP : kept;
  };
}

/**
 * Returns the document that an upsert starts from: the equalities of the query.
 * @throws StoreError NotSingleValueField when the query gives one field two values
 */
export function seedOfUpsert(node: MatchNode): Doc {
  const seed: Doc = new Map();
  const collect = (part: MatchNode): void => {
    if (part.kind === "and") part.nodes.forEach(collect);
    else if (part.kind === "or" && part.nodes.length === 1) collect(part.nodes[0] as MatchNode);
    else if (part.kind === "compare" && part.op === "eq") setOnce(seed, part.path.parts, part.value, part.path.text);
    else if (part.kind === "in" && part.values.length === 1 && part.regexes.length === 0) {
      setOnce(seed, part.path.parts, part.values[0] as Value, part.path.text);
    }
  };
  collect(node);
  return seed;
}

function setOnce(seed: Doc, parts: readonly string[], value: Value, text: string): void {
  let here = seed;
  for (const part of parts.slice(0, -1)) {
    const next = here.get(part);
    if (next === undefined) {
      const made: Doc = new Map();
      here.set(part, made);
      here = made;
    } else if (isDoc(next)) here = next;
    else
      throw new StoreError(
        "NotSingleValueField",
        `cannot infer query fields to set, both paths '${text}' and its parent are matched`,
      );
  }
  const last = parts.at(-1) as string;
  if (here.has(last))
    throw new StoreError("NotSingleValueField", `cannot infer query fields to set, path '${text}' is matched twice`);
  here.set(last, cloneValue(value));
}
