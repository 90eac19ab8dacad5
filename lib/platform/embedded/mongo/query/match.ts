import { areEqual, compareValues, RANK, typeRank } from "../bson/compare.ts";
import { fieldOf, type Path, someAtPath, toPath } from "../bson/paths.ts";
import { parseTypes } from "../bson/type-names.ts";
import {
  BSONRegExp,
  Decimal128,
  type Doc,
  Double,
  isDoc,
  isNumber,
  isTruthy,
  ObjectId,
  TYPE,
  toWholeNumber,
  typeCode,
  typeName,
  type Value,
} from "../bson/values.ts";
import { badValue, failedToParse, StoreError } from "../errors.ts";
import { compileExpression } from "../expressions/compile.ts";
import type { Env, Variables } from "../expressions/scope.ts";
import { isTrueInAggregation } from "../expressions/truth.ts";
import { compileRegex } from "./regex.ts";

/**
 * A parsed query. The planner derives index bounds from it, and `compileMatch` a test for documents. `not` of a field's
 * operator and top-level `$nor` are represented in the same way.
 */
export type MatchNode =
  | { kind: "and"; nodes: MatchNode[] }
  | { kind: "or"; nodes: MatchNode[] }
  | { kind: "not"; node: MatchNode }
  | { kind: "compare"; path: Path; op: Comparison; value: Value }
  | { kind: "in"; path: Path; values: Value[]; regexes: BSONRegExp[] }
  | { kind: "regex"; path: Path; regex: BSONRegExp }
  | { kind: "exists"; path: Path }
  | { kind: "type"; path: Path; codes: ReadonlySet<number> }
  | { kind: "size"; path: Path; size: number }
  | { kind: "expression"; expression: Value; test: (env: Env) => Value | undefined };

export type Comparison = "eq" | "gt" | "gte" | "lt" | "lte";

export type MatchOptions = {
  /** Values of `$$NAME`, from the command's `let` and the system. */
  variables: Variables;
  /** False where MongoDB rejects $expr, as in arrayFilters and partial indexes. */
  allowExpressions?: boolean;
};

/** Fields of a reference to another collection's document; a document that starts with one is a value. */
const DBREF_FIELDS: ReadonlySet<string> = new Set(["$ref", "$id", "$db"]);

/**
 * Parses a filter.
 * @throws StoreError BadValue or FailedToParse as MongoDB's parser, for every unknown operator
 */
export function parseMatch(filter: Doc, options: MatchOptions): MatchNode {
  const nodes: MatchNode[] = [];
  for (const [name, value] of filter) {
    if (!name.startsWith("$")) {
      nodes.push(...parseField(toPath(name), value, options));
      continue;
    }
    const parse = TOP_OPERATORS.get(name);
    if (parse === undefined)
      throw badValue(
        `unknown top level operator: ${name}. If you have a field name that starts with a '$' symbol, consider using $getField or $setField.`,
      );
    nodes.push(parse(value, options, name));
  }
  return nodes.length === 1 ? (nodes[0] as MatchNode) : { kind: "and", nodes };
}

function parseAll(value: Value, options: MatchOptions, name: string): MatchNode[] {
  if (!Array.isArray(value)) throw badValue(`${name} must be an array`);
  if (value.length === 0) throw badValue("$and/$or/$nor must be a nonempty array");
  return value.map((item) => {
    if (!isDoc(item)) throw badValue("$or/$and/$nor entries need to be full objects");
    return parseMatch(item, options);
  });
}

type TopOperator = (value: Value, options: MatchOptions, name: string) => MatchNode;

/** Operators in the place of a field, in scope (docs/develop/store-scope.md). */
export const TOP_OPERATORS: ReadonlyMap<string, TopOperator> = new Map<string, TopOperator>([
  ["$and", (value, options, name) => ({ kind: "and", nodes: parseAll(value, options, name) })],
  ["$or", (value, options, name) => ({ kind: "or", nodes: parseAll(value, options, name) })],
  ["$nor", (value, options, name) => not({ kind: "or", nodes: parseAll(value, options, name) })],
  [
    "$expr",
    (value, options) => {
      if (options.allowExpressions === false) throw badValue("$expr can only be applied to the top-level document");
      return { kind: "expression", expression: value, test: compileExpression(value, options.variables) };
    },
  ],
]);

function isOperatorDoc(value: Value): value is Doc {
  if (!isDoc(value)) return false;
  const first = value.keys().next().value;
  return first?.startsWith("$") === true && !DBREF_FIELDS.has(first);
}

function parseField(path: Path, value: Value, options: MatchOptions): MatchNode[] {
  if (isOperatorDoc(value)) return parseOperators(path, value, options);
  if (value instanceof BSONRegExp) return [regexNode(path, value)];
  return [{ kind: "compare", path, op: "eq", value: defined(value) }];
}

function defined(value: Value): Value {
  if (typeCode(value) === TYPE.undefined) throw badValue("cannot compare to undefined");
  return value;
}

function regexNode(path: Path, regex: BSONRegExp): MatchNode {
  compileRegex(regex);
  return { kind: "regex", path, regex };
}

function parseOperators(path: Path, operators: Doc, options: MatchOptions): MatchNode[] {
  const nodes: MatchNode[] = [];
  for (const [name, value] of operators) {
    const parse = FIELD_OPERATORS.get(name);
    if (parse === undefined) throw badValue(`unknown operator: ${name}`);
    const node = parse(path, value, operators, options);
    if (node !== undefined) nodes.push(node);
  }
  return nodes;
}

function not(node: MatchNode): MatchNode {
  return { kind: "not", node };
}

type FieldOperator = (path: Path, value: Value, siblings: Doc, options: MatchOptions) => MatchNode | undefined;

function comparison(op: Comparison): FieldOperator {
  return (path, value) => {
    if (value instanceof BSONRegExp && op !== "eq")
      throw badValue(`Can't have RegEx as arg to predicate over field '${path.text}'.`);
    return { kind: "compare", path, op, value: defined(value) };
  };
}

/** Operators on a field, in scope (docs/develop/store-scope.md). */
export const FIELD_OPERATORS: ReadonlyMap<string, FieldOperator> = new Map<string, FieldOperator>([
  ["$eq", comparison("eq")],
  ["$gt", comparison("gt")],
  ["$gte", comparison("gte")],
  ["$lt", comparison("lt")],
  ["$lte", comparison("lte")],
  [
    "$ne",
    (path, value) => {
      if (value instanceof BSONRegExp) throw badValue("Can't have regex as arg to $ne.");
      return not({ kind: "compare", path, op: "eq", value: defined(value) });
    },
  ],
  ["$in", inNode],
  ["$nin", (path, value) => not(inNode(path, value))],
  ["$exists", (path, value) => (isTruthy(value) ? { kind: "exists", path } : not({ kind: "exists", path }))],
  ["$type", (path, value) => ({ kind: "type", path, codes: parseTypes(value) })],
  ["$regex", (path, value, siblings) => regexNode(path, parseRegex(value, siblings))],
  [
    "$options",
    (_path, _value, siblings) => {
      if (!siblings.has("$regex")) throw badValue("$options needs a $regex");
      return undefined;
    },
  ],
  ["$size", sizeNode],
  ["$not", notNode],
]);

function sizeNode(path: Path, value: Value): MatchNode {
  const size = toWholeNumber(value);
  if (!isNumber(value)) throw failedToParse(`Failed to parse $size. Expected a number in: $size: ${inWords(value)}`);
  if (size === undefined) throw failedToParse(`Failed to parse $size. Expected an integer: $size: ${inWords(value)}`);
  if (size < 0) throw failedToParse(`Failed to parse $size. Expected a non-negative number in: $size: ${size}`);
  return { kind: "size", path, size };
}

function inWords(value: Value): string {
  return typeof value === "string"
    ? `"${value}"`
    : value instanceof Map || Array.isArray(value)
      ? typeName(value)
      : String(value);
}

function inNode(path: Path, value: Value): MatchNode {
  if (!Array.isArray(value)) throw badValue("$in needs an array");
  const values: Value[] = [];
  const regexes: BSONRegExp[] = [];
  for (const item of value) {
    if (item instanceof BSONRegExp) {
      compileRegex(item);
      regexes.push(item);
    } else if (isOperatorDoc(item)) throw badValue("cannot nest $ under $in");
    else values.push(defined(item));
  }
  return { kind: "in", path, values, regexes };
}

function parseRegex(value: Value, siblings: Doc): BSONRegExp {
  const options = siblings.get("$options");
  if (options !== undefined && typeof options !== "string") throw badValue("$options has to be a string");
  if (value instanceof BSONRegExp) {
    if (options !== undefined && value.options !== "") {
      throw new StoreError(51074, "options set in both $regex and $options");
    }
    return options === undefined ? value : new BSONRegExp(value.pattern, options);
  }
  if (typeof value !== "string") throw badValue("$regex has to be a string");
  // The bson package's constructor rejects unknown flags with a different error.
  const unknown = [...(options ?? "")].find((flag) => !"imsxu".includes(flag));
  if (unknown !== undefined) throw new StoreError(51108, `invalid flag in regex options: ${unknown}`);
  return new BSONRegExp(value, options ?? "");
}

function notNode(path: Path, value: Value, _siblings: Doc, options: MatchOptions): MatchNode {
  if (value instanceof BSONRegExp) return not(regexNode(path, value));
  if (!isDoc(value)) throw badValue("$not needs a regex or a document");
  if (value.size === 0) throw badValue("$not cannot be empty");
  for (const name of value.keys()) {
    if (!name.startsWith("$")) throw badValue(`unknown operator: ${name}`);
  }
  return not({ kind: "and", nodes: parseOperators(path, value, options) });
}

export type Matcher = (doc: Doc) => boolean;
/** Compiles the test of a document. `env` binds the variables of expressions. */
export function compileMatch(node: MatchNode, variables: Variables): Matcher {
  switch (node.kind) {
    case "and": {
      const tests = node.nodes.map((child) => compileMatch(child, variables));
      if (tests.length === 1) return tests[0] as Matcher;
      return (doc) => {
        for (const test of tests) if (!test(doc)) return false;
        return true;
      };
    }
    case "or": {
      const tests = node.nodes.map((child) => compileMatch(child, variables));
      return (doc) => tests.some((test) => test(doc));
    }
    case "not": {
      const test = compileMatch(node.node, variables);
      return (doc) => !test(doc);
    }
    case "expression":
      return (doc) => isTrueInAggregation(node.test({ root: doc, scope: variables.scope }));
    default:
      return atPath(node.path, expandsLast(node), leafTest(node));
  }
}

type LeafNode = Exclude<MatchNode, { kind: "and" | "or" | "not" | "expression" }>;

function expandsLast(node: LeafNode): boolean {
  return node.kind !== "size" && node.kind !== "exists";
}

function atPath(path: Path, expandLast: boolean, leaf: (value: Value | undefined) => boolean): Matcher {
  const { parts } = path;
  if (parts.length > 1) return (doc) => someAtPath(doc, parts, expandLast, leaf);
  const name = parts[0] as string;
  return (doc) => {
    const value = fieldOf(doc, name);
    if (!Array.isArray(value) || !expandLast) return leaf(value);
    for (const item of value) if (leaf(item)) return true;
    return leaf(value);
  };
}

function leafTest(node: LeafNode): (value: Value | undefined) => boolean {
  switch (node.kind) {
    case "compare":
      return compareTest(node.op, node.value);
    case "in": {
      const tests = node.regexes.map(regexTest);
      const isIn = membership(node.values);
      return (value) => isIn(value) || tests.some((test) => test(value));
    }
    case "regex":
      return regexTest(node.regex);
    case "exists":
      return (value) => value !== undefined;
    case "type":
      return (value) => value !== undefined && node.codes.has(typeCode(value));
    case "size":
      return (value) => Array.isArray(value) && value.length === node.size;
  }
}

function isNullish(value: Value | undefined): boolean {
  return value === undefined || value === null;
}

function compareTest(op: Comparison, operand: Value): (value: Value | undefined) => boolean {
  if (operand === null) {
    return op === "eq" || op === "gte" || op === "lte" ? isNullish : () => false;
  }
  if (op === "eq") {
    if (typeof operand === "string") return (value) => value === operand;
    if (typeof operand === "number" && !Number.isNaN(operand)) {
      return (value) =>
        typeof value === "number" ? value === operand : value !== undefined && areEqual(value, operand);
    }
    return (value) => value !== undefined && areEqual(value, operand);
  }
  const rank = typeRank(operand);
  // Only MinKey and MaxKey compare with values of other types; all other values compare within their type.
  const crossesTypes = rank === RANK.minKey || rank === RANK.maxKey;
  const isNaNOperand = isNumber(operand) && isNotANumber(operand);
  if (isNaNOperand && (op === "gt" || op === "lt")) return () => false;
  return (value) => {
    if (value === undefined) return false;
    if (!crossesTypes && typeRank(value) !== rank) return false;
    if (rank === RANK.number && isNotANumber(value) !== isNaNOperand) return false;
    const order = compareValues(value, operand);
    if (op === "gt") return order > 0;
    if (op === "gte") return order >= 0;
    return op === "lt" ? order < 0 : order <= 0;
  };
}

function isNotANumber(value: Value): boolean {
  if (typeof value === "number") return Number.isNaN(value);
  return value instanceof Double
    ? Number.isNaN(value.value)
    : value instanceof Decimal128 && value.toString() === "NaN";
}

/** Returns a membership test. Text, whole numbers and object ids use a hash; other values are compared one by one. */
function membership(values: Value[]): (value: Value | undefined) => boolean {
  const hashed = new Set<string | number | boolean>();
  const others: ((value: Value | undefined) => boolean)[] = [];
  let hasNumber = false;
  for (const value of values) {
    if (typeof value === "string") {
      hashed.add(`s${value}`);
    } else if (typeof value === "number" && !Number.isNaN(value)) {
      hashed.add(value);
      hasNumber = true;
    } else if (value instanceof ObjectId) hashed.add(idKey(value));
    else others.push(compareTest("eq", value));
  }
  return (value) => {
    if (typeof value === "string") {
      if (hashed.has(`s${value}`)) return true;
    } else if (typeof value === "number") {
      if (hashed.has(value)) return true;
    } else if (value instanceof ObjectId) {
      if (hashed.has(idKey(value))) return true;
    } else if (hasNumber && isNumber(value) && values.some((item) => areEqual(item, value))) return true;
    for (const test of others) if (test(value)) return true;
    return false;
  };
}

function idKey(id: ObjectId): string {
  return `o${id.toHexString()}`;
}

function regexTest(regex: BSONRegExp): (value: Value | undefined) => boolean {
  const compiled = compileRegex(regex);
  return (value) => {
    if (typeof value === "string") return compiled.test(value);
    return value instanceof BSONRegExp && value.pattern === regex.pattern && value.options === regex.options;
  };
}
