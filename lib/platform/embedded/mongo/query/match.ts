import { areEqual, compareValues, RANK, typeRank } from "../bson/compare.ts";
import { fieldOf, type Path, someAtPath, toPath } from "../bson/paths.ts";
import { parseTypes } from "../bson/type-names.ts";
import {
  Binary,
  BSONRegExp,
  BSONSymbol,
  BsonUndefined,
  Decimal128,
  type Doc,
  Double,
  isDoc,
  isNumber,
  isTruthy,
  toDouble,
  toWholeNumber,
  typeCode,
  typeName,
  type Value,
} from "../bson/values.ts";
import { badValue, failedToParse, StoreError } from "../errors.ts";
import { compileExpression } from "../expressions/compile.ts";
import type { Env, Variables } from "../expressions/scope.ts";
import { isTrueInAggregation } from "../expressions/truth.ts";
import { compileSchema } from "./json-schema.ts";
import { compileRegex } from "./regex.ts";

/**
 * A parsed query. The planner derives index bounds from it, and `compileMatch` a test for documents. `not` of a field's
 * operator and top-level `$nor` are represented in the same way.
 */
export type MatchNode =
  | { kind: "and"; nodes: MatchNode[] }
  | { kind: "or"; nodes: MatchNode[] }
  | { kind: "not"; node: MatchNode }
  | { kind: "always"; value: boolean }
  | { kind: "compare"; path: Path; op: Comparison; value: Value }
  | { kind: "in"; path: Path; values: Value[]; regexes: BSONRegExp[] }
  | { kind: "regex"; path: Path; regex: BSONRegExp }
  | { kind: "exists"; path: Path }
  | { kind: "type"; path: Path; codes: ReadonlySet<number> }
  | { kind: "mod"; path: Path; divisor: bigint; remainder: bigint }
  | { kind: "size"; path: Path; size: number }
  | { kind: "bits"; path: Path; op: BitTest; mask: bigint }
  | { kind: "elementDocs"; path: Path; node: MatchNode }
  | { kind: "elementValues"; path: Path; node: MatchNode }
  | { kind: "schema"; test: (value: Value) => boolean; path: Path | undefined }
  | { kind: "expression"; expression: Value; test: (env: Env) => Value | undefined };

export type Comparison = "eq" | "gt" | "gte" | "lt" | "lte";
type BitTest = "$bitsAllSet" | "$bitsAllClear" | "$bitsAnySet" | "$bitsAnyClear";

export type MatchOptions = {
  /** Values of `$$NAME`, from the command's `let` and the system. */
  variables: Variables;
  /** False where MongoDB rejects $expr, as in arrayFilters and partial indexes. */
  allowExpressions?: boolean;
};

/** Path of a bare value inside `$elemMatch`, arrayFilters or `$pull`. */
const SELF: Path = { text: "", parts: [] };

const COMPARISONS = new Map<string, Comparison>([
  ["$eq", "eq"],
  ["$gt", "gt"],
  ["$gte", "gte"],
  ["$lt", "lt"],
  ["$lte", "lte"],
]);

const REFUSED_OPERATORS = new Map([
  ["$where", "$where is not supported by this store: it runs no JavaScript. Use $expr."],
  ["$text", "$text is not supported by this store: it has no text indexes. Use $regex."],
  ["$near", "$near is not supported by this store: it has no geospatial indexes."],
  ["$nearSphere", "$nearSphere is not supported by this store: it has no geospatial indexes."],
  ["$geoNear", "$geoNear is not supported by this store: it has no geospatial indexes."],
  ["$geoWithin", "$geoWithin is not supported by this store: it has no geospatial operators."],
  ["$geoIntersects", "$geoIntersects is not supported by this store: it has no geospatial operators."],
  ["$within", "$within is not supported by this store: it has no geospatial operators."],
]);

/** Fields of a reference to another collection's document; within `$elemMatch` they are not operators. */
const DBREF_FIELDS: ReadonlySet<string> = new Set(["$ref", "$id", "$db"]);

/**
 * Parses a filter.
 * @throws StoreError BadValue or FailedToParse as MongoDB's parser, for every unknown operator
 */
export function parseMatch(filter: Doc, options: MatchOptions): MatchNode {
  return parseFields(filter, options, true);
}

function parseFields(filter: Doc, options: MatchOptions, isTop: boolean): MatchNode {
  const nodes: MatchNode[] = [];
  for (const [name, value] of filter) {
    if (name.startsWith("$") && (isTop || !DBREF_FIELDS.has(name))) {
      const node = parseTopOperator(name, value, options, isTop);
      if (node !== undefined) nodes.push(node);
    } else for (const node of parseField(toPath(name), value, options)) nodes.push(node);
  }
  return nodes.length === 1 ? (nodes[0] as MatchNode) : { kind: "and", nodes };
}

function parseTopOperator(name: string, value: Value, options: MatchOptions, isTop: boolean): MatchNode | undefined {
  switch (name) {
    case "$and":
    case "$or":
    case "$nor": {
      if (!Array.isArray(value)) throw badValue(`${name} must be an array`);
      if (value.length === 0) throw badValue("$and/$or/$nor must be a nonempty array");
      const nodes = value.map((item) => {
        if (!isDoc(item)) throw badValue("$or/$and/$nor entries need to be full objects");
        return parseFields(item, options, isTop);
      });
      if (name === "$and") return { kind: "and", nodes };
      return name === "$or" ? { kind: "or", nodes } : { kind: "not", node: { kind: "or", nodes } };
    }
    case "$expr":
      if (!isTop || options.allowExpressions === false) {
        throw new StoreError("BadValue", "$expr can only be applied to the top-level document");
      }
      return { kind: "expression", expression: value, test: compileExpression(value, options.variables) };
    case "$comment":
      return undefined;
    case "$alwaysTrue":
    case "$alwaysFalse":
      if (toWholeNumber(value) !== 1) throw failedToParse(`${name} must be an integer value of 1`);
      return { kind: "always", value: name === "$alwaysTrue" };
    case "$sampleRate": {
      const rate = toDouble(value);
      if (!(rate >= 0 && rate <= 1)) throw badValue("numeric argument to $sampleRate must be in [0, 1]");
      return { kind: "expression", expression: null, test: () => Math.random() < rate };
    }
    case "$jsonSchema":
      return { kind: "schema", test: compileSchema(value), path: undefined };
    default:
      throw badValue(
        REFUSED_OPERATORS.get(name) ??
          `unknown top level operator: ${name}. If you have a field name that starts with a '$' symbol, consider using $getField or $setField.`,
      );
  }
}

function isOperatorDoc(value: Value): value is Doc {
  if (!isDoc(value)) return false;
  const first = value.keys().next().value;
  return first?.startsWith("$") === true && !DBREF_FIELDS.has(first);
}

function parseField(path: Path, value: Value, options: MatchOptions): MatchNode[] {
  if (isOperatorDoc(value)) return parseOperators(path, value, options);
  if (value instanceof BSONRegExp) return [regexNode(path, value)];
  if (value instanceof BsonUndefined) throw badValue("cannot compare to undefined");
  return [{ kind: "compare", path, op: "eq", value }];
}

function regexNode(path: Path, regex: BSONRegExp): MatchNode {
  compileRegex(regex);
  return { kind: "regex", path, regex };
}

function parseOperators(path: Path, operators: Doc, options: MatchOptions): MatchNode[] {
  const nodes: MatchNode[] = [];
  for (const [name, value] of operators) {
    const node = parseOperator(path, name, value, operators, options);
    if (node !== undefined) nodes.push(node);
  }
  return nodes;
}

function not(node: MatchNode): MatchNode {
  return { kind: "not", node };
}

function parseOperator(
  path: Path,
  name: string,
  value: Value,
  siblings: Doc,
  options: MatchOptions,
): MatchNode | undefined {
  const comparison = COMPARISONS.get(name);
  if (comparison !== undefined) {
    if (value instanceof BsonUndefined) throw badValue("cannot compare to undefined");
    if (value instanceof BSONRegExp && comparison !== "eq")
      throw badValue(`Can't have RegEx as arg to predicate over field '${path.text}'.`);
    return { kind: "compare", path, op: comparison, value };
  }
  switch (name) {
    case "$ne":
      if (value instanceof BsonUndefined) throw badValue("cannot compare to undefined");
      if (value instanceof BSONRegExp) throw badValue("Can't have regex as arg to $ne.");
      return not({ kind: "compare", path, op: "eq", value });
    case "$in":
      return inNode(path, value);
    case "$nin":
      return not(inNode(path, value));
    case "$exists":
      return isTruthy(value) ? { kind: "exists", path } : not({ kind: "exists", path });
    case "$type":
      return { kind: "type", path, codes: parseTypes(value) };
    case "$mod":
      return modNode(path, value);
    case "$regex":
      return regexNode(path, parseRegex(value, siblings));
    case "$options":
      if (!siblings.has("$regex")) throw badValue("$options needs a $regex");
      return undefined;
    case "$size": {
      const size = toWholeNumber(value);
      if (!isNumber(value))
        throw failedToParse(`Failed to parse $size. Expected a number in: $size: ${inWords(value)}`);
      if (size === undefined)
        throw failedToParse(`Failed to parse $size. Expected an integer: $size: ${inWords(value)}`);
      if (size < 0) throw failedToParse(`Failed to parse $size. Expected a non-negative number in: $size: ${size}`);
      return { kind: "size", path, size };
    }
    case "$all":
      return allNode(path, value, options);
    case "$elemMatch":
      return elementNode(path, value, options);
    case "$not":
      return notNode(path, value, options);
    case "$bitsAllSet":
    case "$bitsAllClear":
    case "$bitsAnySet":
    case "$bitsAnyClear":
      return { kind: "bits", path, op: name, mask: parseMask(name, value) };
    case "$comment":
      return undefined;
    default:
      throw badValue(REFUSED_OPERATORS.get(name) ?? `unknown operator: ${name}`);
  }
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
    else if (item instanceof BsonUndefined) throw badValue("cannot compare to undefined");
    else values.push(item);
  }
  return { kind: "in", path, values, regexes };
}

function modNode(path: Path, value: Value): MatchNode {
  if (!Array.isArray(value)) throw badValue("malformed mod, needs to be an array");
  if (value.length < 2) throw badValue("malformed mod, not enough elements");
  if (value.length > 2) throw badValue("malformed mod, too many elements");
  const [divisor, remainder] = value.map((item, i) => {
    if (!isNumber(item)) throw badValue(`malformed mod, ${i === 0 ? "divisor" : "remainder"} not a number`);
    const n = truncated(item);
    if (n === undefined) throw badValue(`malformed mod, ${i === 0 ? "divisor" : "remainder"} value is invalid`);
    return n;
  });
  if (divisor === undefined || remainder === undefined) throw badValue("malformed mod, not enough elements");
  if (divisor === 0n) throw badValue("divisor cannot be 0");
  return { kind: "mod", path, divisor, remainder };
}

const LONG_LIMIT = 2n ** 63n;

function truncated(value: Value | undefined): bigint | undefined {
  if (typeof value === "bigint") return value;
  const n = Math.trunc(toDouble(value));
  if (!Number.isFinite(n)) return undefined;
  const whole = value instanceof Decimal128 && Math.abs(n) > Number.MAX_SAFE_INTEGER ? wholeOf(value, n) : BigInt(n);
  return whole >= -LONG_LIMIT && whole < LONG_LIMIT ? whole : undefined;
}

function wholeOf(value: Decimal128, fallback: number): bigint {
  const text = value.toString();
  return /^-?\d+$/.test(text) ? BigInt(text) : BigInt(fallback);
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

function allNode(path: Path, value: Value, options: MatchOptions): MatchNode {
  if (!Array.isArray(value)) throw badValue("$all needs an array");
  if (value.length === 0) return { kind: "always", value: false };
  const first = value[0];
  const isElements = isDoc(first) && first.keys().next().value === "$elemMatch";
  const nodes = value.map((item): MatchNode => {
    if (isElements) {
      if (!isDoc(item) || item.keys().next().value !== "$elemMatch")
        throw badValue("$all/$elemMatch has to be consistent");
      return elementNode(path, item.get("$elemMatch") as Value, options);
    }
    if (isOperatorDoc(item)) throw badValue("no $ expressions in $all");
    return item instanceof BSONRegExp ? regexNode(path, item) : { kind: "compare", path, op: "eq", value: item };
  });
  return { kind: "and", nodes };
}

function elementNode(path: Path, value: Value, options: MatchOptions): MatchNode {
  if (!isDoc(value)) throw badValue("$elemMatch needs an Object");
  const first = value.keys().next().value;
  const isOfValues =
    isOperatorDoc(value) && !["$and", "$or", "$nor", "$expr", "$jsonSchema", "$where"].includes(first ?? "");
  if (isOfValues) {
    return { kind: "elementValues", path, node: { kind: "and", nodes: parseOperators(SELF, value, options) } };
  }
  return { kind: "elementDocs", path, node: parseFields(value, options, false) };
}

function notNode(path: Path, value: Value, options: MatchOptions): MatchNode {
  if (value instanceof BSONRegExp) return not(regexNode(path, value));
  if (!isDoc(value)) throw badValue("$not needs a regex or a document");
  if (value.size === 0) throw badValue("$not cannot be empty");
  for (const name of value.keys()) {
    if (!name.startsWith("$")) throw badValue(`unknown operator: ${name}`);
  }
  return not({ kind: "and", nodes: parseOperators(path, value, options) });
}

function parseMask(name: string, value: Value): bigint {
  if (Array.isArray(value)) {
    let mask = 0n;
    for (const item of value) {
      const position = toWholeNumber(item);
      if (position === undefined) throw failedToParse(`bit positions must be an integer but got: ${inWords(item)}`);
      if (position < 0) throw failedToParse(`bit positions must be >= 0 but got: ${position}`);
      mask |= 1n << BigInt(position);
    }
    return mask;
  }
  if (value instanceof Binary) return bitsOf(value);
  const n = toWholeNumber(value);
  if (n === undefined || n < 0) {
    throw failedToParse(`${name} takes an Array, a number, or a BinData but received: ${inWords(value)}`);
  }
  return BigInt(n);
}

/** Returns the bits of binary data; bit 0 is the lowest bit of the first byte. */
function bitsOf(value: Binary): bigint {
  let bits = 0n;
  for (let i = value.position - 1; i >= 0; i--) bits = (bits << 8n) | BigInt(value.buffer[i] as number);
  return bits;
}

export type Matcher = (doc: Doc) => boolean;
/** Tests a bare value, as in `$elemMatch: {$gt: 1}`. */
export type ValueMatcher = (value: Value) => boolean;

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
    case "always":
      return () => node.value;
    case "expression":
      return (doc) => isTrueInAggregation(node.test({ root: doc, current: doc, scope: variables.scope }));
    case "schema":
      if (node.path === undefined) return node.test;
      return atPath(node.path, true, (value) => value !== undefined && node.test(value));
    default:
      return atPath(node.path, expandsLast(node), leafTest(node, variables));
  }
}

/** Compiles the test of a single element. An array in it is compared as a whole. */
export function compileValueMatch(node: MatchNode, variables: Variables): ValueMatcher {
  switch (node.kind) {
    case "and": {
      const tests = node.nodes.map((child) => compileValueMatch(child, variables));
      return (value) => tests.every((test) => test(value));
    }
    case "or": {
      const tests = node.nodes.map((child) => compileValueMatch(child, variables));
      return (value) => tests.some((test) => test(value));
    }
    case "not": {
      const test = compileValueMatch(node.node, variables);
      return (value) => !test(value);
    }
    case "always":
      return () => node.value;
    case "expression":
      throw badValue("$expr can only be applied to the top-level document");
    case "schema":
      return node.test;
    default:
      return leafTest(node, variables);
  }
}

type LeafNode = Exclude<MatchNode, { kind: "and" | "or" | "not" | "always" | "expression" | "schema" }>;

function expandsLast(node: LeafNode): boolean {
  return node.kind !== "size" && node.kind !== "elementDocs" && node.kind !== "elementValues" && node.kind !== "exists";
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

function leafTest(node: LeafNode, variables: Variables): (value: Value | undefined) => boolean {
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
    case "mod":
      return (value) => {
        if (!isNumber(value)) return false;
        const n = truncated(value);
        return n !== undefined && n % node.divisor === node.remainder;
      };
    case "size":
      return (value) => Array.isArray(value) && value.length === node.size;
    case "bits":
      return bitsTest(node.op, node.mask);
    case "elementDocs": {
      const test = compileMatch(node.node, variables);
      return (value) =>
        Array.isArray(value) &&
        value.some((item) => (isDoc(item) ? test(item) : Array.isArray(item) && test(arrayAsDoc(item))));
    }
    case "elementValues": {
      const test = compileValueMatch(node.node, variables);
      return (value) => Array.isArray(value) && value.some((item) => test(item));
    }
  }
}

export function arrayAsDoc(values: Value[]): Doc {
  return new Map(values.map((value, i) => [String(i), value]));
}

function isNullish(value: Value | undefined): boolean {
  return value === undefined || value === null || value instanceof BsonUndefined;
}

function compareTest(op: Comparison, operand: Value): (value: Value | undefined) => boolean {
  if (operand === null) {
    return op === "eq" || op === "gte" || op === "lte" ? isNullish : () => false;
  }
  if (op === "eq") {
    if (typeof operand === "string") {
      return (value) => value === operand || (value instanceof BSONSymbol && value.value === operand);
    }
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
  let hasText = false;
  for (const value of values) {
    if (typeof value === "string") {
      hashed.add(`s${value}`);
      hasText = true;
    } else if (typeof value === "number" && !Number.isNaN(value)) {
      hashed.add(value);
      hasNumber = true;
    } else others.push(compareTest("eq", value));
  }
  return (value) => {
    if (typeof value === "string") {
      if (hashed.has(`s${value}`)) return true;
    } else if (typeof value === "number") {
      if (hashed.has(value)) return true;
    } else if (hasNumber && isNumber(value) && values.some((item) => areEqual(item, value))) return true;
    else if (hasText && value instanceof BSONSymbol && hashed.has(`s${value.value}`)) return true;
    for (const test of others) if (test(value)) return true;
    return false;
  };
}

function regexTest(regex: BSONRegExp): (value: Value | undefined) => boolean {
  const compiled = compileRegex(regex);
  return (value) => {
    if (typeof value === "string") return compiled.test(value);
    if (value instanceof BSONSymbol) return compiled.test(value.value);
    return value instanceof BSONRegExp && value.pattern === regex.pattern && value.options === regex.options;
  };
}

function bitsTest(op: BitTest, mask: bigint): (value: Value | undefined) => boolean {
  return (value) => {
    let bits: bigint;
    if (value instanceof Binary) bits = bitsOf(value);
    else {
      if (!isNumber(value)) return false;
      const n = truncated(value);
      if (n === undefined || (typeof value !== "bigint" && !Number.isInteger(toDouble(value)))) return false;
      bits = n;
    }
    const common = bits & mask;
    if (op === "$bitsAllSet") return common === mask;
    if (op === "$bitsAllClear") return common === 0n;
    return op === "$bitsAnySet" ? common !== 0n : common !== mask;
  };
}
