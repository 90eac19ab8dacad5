import { areEqual, compareValues, typeRank } from "../bson/compare.ts";
import { encodeKey, TAG, TEXT_END_BYTES, tagOf } from "../bson/keys.ts";
import { toPath } from "../bson/paths.ts";
import {
  type BSONRegExp,
  isDoc,
  isNumber,
  MaxKey,
  MinKey,
  RawDocument,
  toDouble,
  typeCode,
  type Value,
} from "../bson/values.ts";
import { badValue, StoreError } from "../errors.ts";
import { lookUp, type Scope } from "../expressions/scope.ts";
import type { Collection, Index } from "../storage/collection.ts";
import type { KeyRange, RowSource } from "../storage/store.ts";
import type { MatchNode } from "./match.ts";
import { prefixOf } from "./regex.ts";
import type { SortKey } from "./sort.ts";

export type Plan =
  /** Look-ups of single _id values, returned in the order of insertion. */
  | { kind: "ids"; keys: Buffer[]; isExact: boolean }
  | { kind: "collection" }
  | {
      kind: "index";
      index: Index;
      ranges: PlannedRange[];
      isReverse: boolean;
      /** True when each range alone has the sort's order, and the query has to merge them. */
      isMerged: boolean;
      /** True when every entry in the ranges matches the whole filter, so that documents need not be read. */
      isExact: boolean;
      isSorted: boolean;
      /** True when it limits a field; false when it serves only the order or the index's own filter. */
      isBound: boolean;
    }
  | { kind: "union"; plans: Plan[] }
  | { kind: "nothing" };

/** A range of an index. `prefixBytes` is the length of the values that all its keys share. */
export type PlannedRange = KeyRange & { prefixBytes: number };

/** Maximum number of ranges to merge, as in MongoDB: the query holds a chunk of each. */
const MAX_MERGED_RANGES = 200;
/** Maximum number of ranges; more are not worth their look-ups. */
const MAX_RANGES = 10_000;
/** Maximum entries to count per candidate index to find the most selective one. */
const TRIAL_ENTRIES = 101;

/** Maximum number of predicates to choose from for one multikey index; each costs a trial. A search has up to ten. */
const MAX_CHOICES = 16;

/** A position between keys: directly before all keys with this prefix, or directly after them. */
type Bound = { bytes: Buffer; isBehind: boolean };
type Interval = { low: Bound; high: Bound; isPoint: boolean };
type Bounds = { intervals: Interval[]; isExact: boolean; canBeNull: boolean };

type Predicate = {
  path: string;
  bounds: Bounds;
  node: MatchNode;
  /** True for a predicate from an expression. It compares arrays as a whole, so a multikey index cannot serve it. */
  isOfExpression: boolean;
};

const BELOW_ALL: Bound = { bytes: Buffer.from([0x00]), isBehind: false };
const ABOVE_ALL: Bound = { bytes: Buffer.from([0xff]), isBehind: false };
/** Undefined has a tag and no value, so its entries are a point, which a sort by the next field can merge. */
const UNDEFINED_KEY = Buffer.from([TAG.undefined]);

function before(bytes: Buffer): Bound {
  return { bytes, isBehind: false };
}

function behind(bytes: Buffer): Bound {
  return { bytes, isBehind: true };
}

function toBytes({ bytes, isBehind }: Bound): Buffer {
  return isBehind ? successorOf(bytes) : bytes;
}

/**
 * Returns the smallest bytes above all with this prefix. They exist, because the first byte is a tag or its inverse,
 * below 0xff.
 */
function successorOf(bytes: Buffer): Buffer {
  let end = bytes.length;
  while (end > 1 && bytes[end - 1] === 0xff) end -= 1;
  const successor = Buffer.from(bytes.subarray(0, end));
  successor[end - 1] = (successor[end - 1] as number) + 1;
  return successor;
}

function compareBounds(a: Bound, b: Bound): number {
  return Buffer.compare(toBytes(a), toBytes(b));
}

export type PlanRequest = {
  collection: Collection;
  node: MatchNode;
  sort: readonly SortKey[];
  hint: Value | undefined;
  rows: RowSource;
  scope: Scope;
};

/**
 * Chooses how to find a filter's candidates.
 * @throws StoreError BadValue when the hint names no index
 */
export function plan(request: PlanRequest): Plan {
  const { collection, node, sort } = request;
  if (isNever(node)) return { kind: "nothing" };
  const hinted = hintedIndex(collection, request.hint);
  if (hinted === "natural") return { kind: "collection" };
  const predicates = collectPredicates(node, request.scope);
  if (hinted === undefined) {
    const byId = planIds(node, predicates, sort);
    if (byId !== undefined) return byId;
  }
  const usable =
    hinted === undefined ? collection.indexes.filter((index) => index.isReady && request.rows.sees(index)) : [hinted];
  const candidates: Candidate[] = [];
  for (const index of usable) {
    for (const preferred of choicesOf(index, predicates)) {
      const candidate = planIndex(index, node, predicates, sort, hinted !== undefined, preferred);
      if (candidate !== undefined) candidates.push(candidate);
    }
  }
  const bound = candidates.filter((candidate) => candidate.plan.isBound);
  if (bound.length === 0 && hinted === undefined) {
    const union = planUnion(request, node);
    if (union !== undefined) return union;
  }
  // A candidate with at most one entry is the most selective one and needs no count. Every look-up of a session or a
  // key is one.
  if (bound.length > 1 && !bound.some(({ isSingleEntry }) => isSingleEntry)) narrow(request, bound);
  const best = candidates.sort((a, b) => b.score - a.score)[0];
  return best?.plan ?? { kind: "collection" };
}

/** Returns the index that a hint names, "natural" for `$natural`, or undefined without a hint. */
function hintedIndex(collection: Collection, hint: Value | undefined): Index | "natural" | undefined {
  if (hint === undefined || hint === null || (isDoc(hint) && hint.size === 0)) return undefined;
  if (isDoc(hint)) {
    if (hint.has("$natural")) return "natural";
  } else if (typeof hint !== "string") throw badValue("hint must be either a string or nested object");
  const found = collection.indexes.find(
    (index) =>
      index.isReady &&
      (isDoc(hint)
        ? [...index.key.keys()].join() === [...hint.keys()].join() && areEqual(index.key, hint)
        : index.name === hint),
  );
  if (found === undefined) {
    throw badValue(
      "error processing query: planner returned error :: caused by :: hint provided does not correspond to an existing index",
    );
  }
  return found;
}

function isNever(node: MatchNode): boolean {
  if (node.kind === "in") return node.values.length === 0 && node.regexes.length === 0;
  return node.kind === "and" ? node.nodes.some(isNever) : node.kind === "or" && node.nodes.every(isNever);
}

// Predicates and their bounds

function collectPredicates(node: MatchNode, scope: Scope): Predicate[] {
  const found: Predicate[] = [];
  collect(node, scope, found);
  return found;
}

function collect(node: MatchNode, scope: Scope, found: Predicate[]): void {
  switch (node.kind) {
    case "and":
      for (const child of node.nodes) collect(child, scope, found);
      return;
    case "or":
      if (node.nodes.length === 1) collect(node.nodes[0] as MatchNode, scope, found);
      return;
    case "expression":
      collectOfExpression(node.expression, scope, found);
      return;
    default: {
      const bounds = boundsOf(node);
      if (bounds !== undefined && "path" in node)
        found.push({ path: node.path.text, bounds, node, isOfExpression: false });
    }
  }
}

const EXPRESSION_COMPARISONS = new Map([
  ["$eq", "eq"],
  ["$gt", "gt"],
  ["$gte", "gte"],
  ["$lt", "lt"],
  ["$lte", "lte"],
] as const);
const MIRRORED = { eq: "eq", gt: "lt", gte: "lte", lt: "gt", lte: "gte" } as const;

/** Collects bounds from `$expr` of a field compared with a constant, as in a joined pipeline. */
function collectOfExpression(expression: Value, scope: Scope, found: Predicate[]): void {
  if (!isDoc(expression) || expression.size !== 1) return;
  const [[name, argument]] = [...expression] as [[string, Value]];
  if (name === "$and" && Array.isArray(argument)) {
    for (const part of argument) collectOfExpression(part, scope, found);
    return;
  }
  const op = EXPRESSION_COMPARISONS.get(name as "$eq");
  if (op === undefined || !Array.isArray(argument) || argument.length !== 2) return;
  const [left, right] = argument as [Value, Value];
  const constantOnRight = constantOf(right, scope);
  const constantOnLeft = constantOf(left, scope);
  if (isFieldPath(left) && constantOnRight !== undefined) addOfExpression(left, op, constantOnRight, found);
  else if (isFieldPath(right) && constantOnLeft !== undefined)
    addOfExpression(right, MIRRORED[op], constantOnLeft, found);
}

function isFieldPath(value: Value): value is string {
  return typeof value === "string" && value.startsWith("$") && !value.startsWith("$$");
}

function constantOf(value: Value, scope: Scope): Value | undefined {
  if (typeof value === "string") {
    if (!value.startsWith("$")) return value;
    if (!value.startsWith("$$") || value.includes(".")) return undefined;
    return ["$$ROOT", "$$REMOVE"].includes(value) ? undefined : lookUp(scope, value.slice(2));
  }
  if (isDoc(value)) return value.size === 1 ? value.get("$literal") : undefined;
  return Array.isArray(value) ? undefined : value;
}

function addOfExpression(
  field: string,
  op: "eq" | "gt" | "gte" | "lt" | "lte",
  value: Value,
  found: Predicate[],
): void {
  // Expressions distinguish null from missing, but an index does not.
  if (value === null || Array.isArray(value)) return;
  const path = field.slice(1);
  const key = encodeKey(value);
  // Expressions order across types, so only the ends of the index bound an open range.
  let interval: Interval;
  if (op === "eq") interval = point(key);
  else if (op === "gt") interval = { low: behind(key), high: ABOVE_ALL, isPoint: false };
  else if (op === "gte") interval = { low: before(key), high: ABOVE_ALL, isPoint: false };
  else interval = { low: BELOW_ALL, high: op === "lt" ? before(key) : behind(key), isPoint: false };
  const node: MatchNode = { kind: "compare", path: toPath(path), op, value };
  const canBeNull = op === "lt" || op === "lte";
  found.push({ path, bounds: { intervals: [interval], isExact: false, canBeNull }, node, isOfExpression: true });
}

function point(key: Buffer): Interval {
  return { low: before(key), high: behind(key), isPoint: true };
}

function boundsOf(node: MatchNode): Bounds | undefined {
  switch (node.kind) {
    case "compare":
      return boundsOfComparison(node.op, node.value);
    case "in": {
      if (node.regexes.length > 0) return undefined;
      const intervals: Interval[] = [];
      let isExact = true;
      let canBeNull = false;
      for (const value of node.values) {
        const bounds = boundsOfComparison("eq", value);
        if (bounds === undefined) return undefined;
        for (const interval of bounds.intervals) intervals.push(interval);
        isExact &&= bounds.isExact;
        canBeNull ||= bounds.canBeNull;
      }
      return { intervals: merge(intervals), isExact, canBeNull };
    }
    case "regex":
      return boundsOfRegex(node.regex);
    case "exists":
      return { intervals: [{ low: BELOW_ALL, high: ABOVE_ALL, isPoint: false }], isExact: false, canBeNull: true };
    default:
      return undefined;
  }
}

/** Returns the bounds of `^text`: the strings that begin with it, and the stored expression itself. */
function boundsOfRegex(regex: BSONRegExp): Bounds | undefined {
  const prefix = prefixOf(regex);
  if (prefix === null) return undefined;
  const strings = encodeKey(prefix).subarray(0, -TEXT_END_BYTES);
  const intervals = [{ low: before(strings), high: behind(strings), isPoint: false }, point(encodeKey(regex))];
  return { intervals: merge(intervals), isExact: false, canBeNull: false };
}

function bracket(tag: number): Interval {
  return { low: before(Buffer.from([tag])), high: before(Buffer.from([tag + 1])), isPoint: false };
}

function boundsOfComparison(op: "eq" | "gt" | "gte" | "lt" | "lte", value: Value): Bounds | undefined {
  if (value instanceof RawDocument) return undefined;
  if (value === null) {
    if (op === "gt" || op === "lt") return undefined;
    return { intervals: [point(encodeKey(null)), point(UNDEFINED_KEY)], isExact: false, canBeNull: true };
  }
  if (Array.isArray(value)) {
    if (op !== "eq") return undefined;
    // An index holds an array's elements. It holds the whole array only if that is itself an element.
    const first = value[0];
    const intervals = [point(encodeKey(value)), point(first === undefined ? UNDEFINED_KEY : encodeKey(first))];
    return { intervals: merge(intervals), isExact: false, canBeNull: first === null || first === undefined };
  }
  const key = encodeKey(value);
  if (op === "eq") return { intervals: [point(key)], isExact: true, canBeNull: false };
  if (value instanceof MinKey || value instanceof MaxKey) return undefined;
  const { low, high } = bracket(tagOf(value));
  const isNaNOperand = isNumber(value) && Number.isNaN(toDouble(value));
  if (isNaNOperand)
    return { intervals: op === "gt" || op === "lt" ? [] : [point(key)], isExact: true, canBeNull: false };
  let interval: Interval;
  if (op === "gt") interval = { low: behind(key), high, isPoint: false };
  else if (op === "gte") interval = { low: before(key), high, isPoint: false };
  else interval = { low, high: op === "lt" ? before(key) : behind(key), isPoint: false };
  // NaN is in the range of numbers below a value, but does not match.
  const isExact = !(isNumber(value) && (op === "lt" || op === "lte"));
  return { intervals: [interval], isExact, canBeNull: false };
}

function merge(intervals: Interval[]): Interval[] {
  const sorted = intervals.sort((a, b) => compareBounds(a.low, b.low) || compareBounds(a.high, b.high));
  const merged: Interval[] = [];
  for (const interval of sorted) {
    const last = merged.at(-1);
    if (last !== undefined && compareBounds(interval.low, last.high) < 0) {
      if (compareBounds(interval.high, last.high) > 0) last.high = interval.high;
      last.isPoint = last.isPoint && interval.isPoint;
    } else merged.push({ ...interval });
  }
  return merged;
}

function intersect(a: Interval[], b: Interval[]): Interval[] {
  const common: Interval[] = [];
  for (const x of a) {
    for (const y of b) {
      const low = compareBounds(x.low, y.low) >= 0 ? x.low : y.low;
      const high = compareBounds(x.high, y.high) <= 0 ? x.high : y.high;
      if (compareBounds(low, high) < 0) common.push({ low, high, isPoint: x.isPoint || y.isPoint });
    }
  }
  return merge(common);
}

// Plans

function planIds(node: MatchNode, predicates: readonly Predicate[], sort: readonly SortKey[]): Plan | undefined {
  const ofId = predicates.find(
    ({ path, node: of, isOfExpression }) =>
      path === "_id" && !isOfExpression && (of.kind === "in" || (of.kind === "compare" && of.op === "eq")),
  );
  if (ofId === undefined || !ofId.bounds.intervals.every(({ isPoint }) => isPoint)) return undefined;
  if (ofId.bounds.intervals.length > 1 && sort.length > 0) return undefined;
  const isWhole = node === ofId.node;
  return {
    kind: "ids",
    keys: ofId.bounds.intervals.map(({ low }) => low.bytes),
    isExact: isWhole && ofId.bounds.isExact,
  };
}

type Candidate = {
  plan: Extract<Plan, { kind: "index" }>;
  score: number;
  /** True for one value of each field of a unique index. */
  isSingleEntry: boolean;
};

function planIndex(
  index: Index,
  node: MatchNode,
  predicates: readonly Predicate[],
  sort: readonly SortKey[],
  isHinted: boolean,
  preferred: Predicate | undefined,
): Candidate | undefined {
  if (index.partial !== undefined && !implies(node, index.partial.node)) {
    if (!isHinted) return undefined;
    throw new StoreError(
      291,
      "error processing query: planner returned error: No query solutions: the hinted index is partial",
    );
  }
  const used: Interval[][] = [];
  const taken = new Set<MatchNode>();
  let isExact = true;
  const roots = new Set<string>();
  for (const field of index.fields) {
    const root = field.parts[0] as string;
    // Different elements may match two paths into one array, and they share no entry.
    const sharesRoot = index.isMultikey && roots.has(root);
    const fitting = sharesRoot
      ? []
      : predicates.filter(
          ({ path, isOfExpression, node: of }) =>
            path === field.path && !(index.isMultikey && isOfExpression) && of.kind !== "exists",
        );
    // On a multikey path, only one of several predicates may bound: the preferred one, or the most selective kind.
    const useful = fitting.sort(
      (a, b) => Number(b === preferred) - Number(a === preferred) || Number(isPoints(b)) - Number(isPoints(a)),
    );
    let intervals: Interval[] | undefined;
    for (const predicate of useful) {
      if (intervals === undefined) intervals = predicate.bounds.intervals;
      else if (index.isMultikey) continue;
      else intervals = intersect(intervals, predicate.bounds.intervals);
      taken.add(predicate.node);
      isExact &&= predicate.bounds.isExact;
    }
    if (intervals === undefined) break;
    used.push(intervals);
    roots.add(root);
    if (!intervals.every(({ isPoint }) => isPoint)) break;
  }
  if (index.isSparse && !isHinted) {
    // A sparse index omits documents with none of the fields. It is complete only if a value is required.
    const isComplete = predicates.some(
      ({ path, bounds, node: of, isOfExpression }) =>
        !isOfExpression &&
        index.fields.some((field) => field.path === path) &&
        (of.kind === "exists" || !bounds.canBeNull),
    );
    if (!isComplete) return undefined;
  }
  const inOrder = sortDirection(index, used, sort);
  const merged = inOrder === undefined ? mergedDirection(index, used, sort) : undefined;
  const sorted = inOrder ?? merged;
  const isBound = used.length > 0;
  const existing = predicates.some(
    ({ path, node: of }) => of.kind === "exists" && path === index.fields[0]?.path && index.isSparse,
  );
  const isUseful =
    isBound || (sorted !== undefined && sort.length > 0) || index.partial !== undefined || existing || isHinted;
  if (!isUseful) return undefined;
  const built = buildRanges(index, used, sorted);
  const isWhole = isExact && !index.isMultikey && coversAll(node, taken) && built.isWhole;
  const points = used.filter((intervals) => intervals.every(({ isPoint }) => isPoint)).length;
  const isSingle = used.every((intervals) => intervals.length === 1);
  let score = points * 10 + (used.length - points) * 5 + (sorted !== undefined && sort.length > 0 ? 4 : 0);
  const isSingleEntry = index.isUnique && points === index.fields.length && isSingle;
  if (isSingleEntry) score += 100;
  if (index.partial !== undefined) score += 3;
  return {
    score,
    isSingleEntry,
    plan: {
      kind: "index",
      index,
      ranges: built.ranges,
      isReverse: sorted === "reverse",
      isMerged: merged !== undefined,
      isExact: isWhole,
      isSorted: sorted !== undefined && sort.length > 0,
      isBound,
    },
  };
}

/** Returns the predicates of which each alone may bound a multikey index; undefined leaves the choice to the plan. */
function choicesOf(index: Index, predicates: readonly Predicate[]): (Predicate | undefined)[] {
  if (!index.isMultikey) return [undefined];
  for (const { path } of index.fields) {
    const rivals = predicates.filter(
      (each) => each.path === path && !each.isOfExpression && each.node.kind !== "exists",
    );
    const isFirst = (each: Predicate) => Number(isPoints(each));
    if (rivals.length > 1) return rivals.sort((a, b) => isFirst(b) - isFirst(a)).slice(0, MAX_CHOICES);
  }
  return [undefined];
}

function isPoints({ bounds }: Predicate): boolean {
  return bounds.intervals.every(({ isPoint }) => isPoint);
}

function coversAll(node: MatchNode, taken: ReadonlySet<MatchNode>): boolean {
  if (node.kind === "and") return node.nodes.every((child) => coversAll(child, taken));
  return taken.has(node);
}

type Direction = "forward" | "reverse";

/** Returns the direction in which the index yields the sort's order; undefined when it cannot. */
function sortDirection(index: Index, used: Interval[][], sort: readonly SortKey[]): Direction | undefined {
  if (sort.length === 0) return "forward";
  const fixed = used.findIndex((intervals) => intervals.length !== 1 || intervals[0]?.isPoint !== true);
  // Several ranges of one component still come in its order; the components after several points do not.
  return directionBehind(index, used, sort, fixed < 0 ? used.length : fixed);
}

/**
 * Returns the direction in which each range of an index yields the sort's order, so that a merge of the ranges does;
 * undefined when it does not.
 */
function mergedDirection(index: Index, used: Interval[][], sort: readonly SortKey[]): Direction | undefined {
  const open = used.findIndex((intervals) => !intervals.every(({ isPoint }) => isPoint));
  const points = open < 0 ? used : used.slice(0, open);
  const count = used.reduce((product, intervals) => product * intervals.length, 1);
  return count > MAX_MERGED_RANGES ? undefined : directionBehind(index, used, sort, points.length);
}

/** Returns the direction of the sort's order in the entries that share the first `fixed` components. */
function directionBehind(
  index: Index,
  used: Interval[][],
  sort: readonly SortKey[],
  fixed: number,
): Direction | undefined {
  if (index.isMultikey) return undefined;
  const isFixed = (path: string): boolean =>
    index.fields.slice(0, fixed).some((field, i) => field.path === path && used[i]?.length === 1);
  let direction: Direction | undefined;
  let at = fixed;
  for (const key of sort) {
    if (index.fields[at]?.path !== key.path.text) {
      if (isFixed(key.path.text)) continue;
      return undefined;
    }
    const isReverse = (key.direction === -1) !== index.fields[at]?.isDescending;
    const needed = isReverse ? "reverse" : "forward";
    if (direction !== undefined && direction !== needed) return undefined;
    direction = needed;
    at++;
  }
  return direction ?? "forward";
}

function buildRanges(
  index: Index,
  used: Interval[][],
  sorted: Direction | undefined,
): { ranges: PlannedRange[]; isWhole: boolean } {
  let prefixes: Buffer[] = [Buffer.alloc(0)];
  let isWhole = true;
  for (let i = 0; i < used.length; i++) {
    const intervals = used[i] as Interval[];
    const isDescending = index.fields[i]?.isDescending === true;
    const oriented = isDescending ? intervals.map(invert) : intervals;
    const isLast =
      i === used.length - 1 ||
      !oriented.every(({ isPoint }) => isPoint) ||
      prefixes.length * oriented.length > MAX_RANGES;
    if (isLast) {
      if (i < used.length - 1) isWhole = false;
      if (prefixes.length * oriented.length > MAX_RANGES) {
        isWhole = false;
        break;
      }
      const arePoints = oriented.every(({ isPoint }) => isPoint);
      const ranges = prefixes.flatMap((prefix) =>
        oriented.map(({ low, high }) => ({
          low: Buffer.concat([prefix, toBytes(low)]),
          high: Buffer.concat([prefix, toBytes(high)]),
          prefixBytes: prefix.length + (arePoints ? low.bytes.length : 0),
        })),
      );
      return { ranges: order(ranges, sorted), isWhole };
    }
    prefixes = prefixes.flatMap((prefix) => oriented.map(({ low }) => Buffer.concat([prefix, low.bytes])));
  }
  const ranges = prefixes.map((prefix) => ({
    low: prefix.length === 0 ? BELOW_ALL.bytes : prefix,
    high: prefix.length === 0 ? ABOVE_ALL.bytes : toBytes(behind(prefix)),
    prefixBytes: prefix.length,
  }));
  return { ranges: order(ranges, sorted), isWhole };
}

function order(ranges: PlannedRange[], sorted: Direction | undefined): PlannedRange[] {
  const ordered = ranges.sort((a, b) => Buffer.compare(a.low, b.low));
  return sorted === "reverse" ? ordered.reverse() : ordered;
}

/** Converts an interval of values for a descending index: its ends are swapped and inverted. */
function invert({ low, high, isPoint }: Interval): Interval {
  const turn = ({ bytes, isBehind }: Bound): Bound => ({
    bytes: Buffer.from(bytes.map((byte) => ~byte)),
    isBehind: !isBehind,
  });
  return { low: turn(high), high: turn(low), isPoint };
}

/** Counts a few entries of each candidate and prefers the most selective one. */
function narrow(request: PlanRequest, candidates: Candidate[]): void {
  const counts = candidates.map(({ plan: candidate }) => {
    let count = 0;
    for (const range of candidate.ranges) {
      count += request.rows.countRange(request.collection, candidate.index, range, TRIAL_ENTRIES - count);
      if (count >= TRIAL_ENTRIES) break;
    }
    return count;
  });
  candidates.forEach((candidate, i) => {
    // A full trial means only "many"; then the number of bound fields decides.
    candidate.score += TRIAL_ENTRIES - (counts[i] as number);
  });
}

function planUnion(request: PlanRequest, node: MatchNode): Plan | undefined {
  const branches =
    node.kind === "or"
      ? node.nodes
      : node.kind === "and"
        ? node.nodes.find((child) => child.kind === "or")?.nodes
        : undefined;
  if (branches === undefined) return undefined;
  const plans: Plan[] = [];
  for (const branch of branches) {
    const found = plan({ ...request, node: branch, sort: [], hint: undefined });
    const isBound =
      found.kind === "ids" ||
      found.kind === "nothing" ||
      found.kind === "union" ||
      (found.kind === "index" && found.isBound);
    if (!isBound) return undefined;
    if (found.kind === "index") found.isExact = false;
    if (found.kind === "ids") found.isExact = false;
    plans.push(found);
  }
  return { kind: "union", plans };
}

// Partial indexes

/** Returns true when every document that matches the query is certain to match the index's filter. */
function implies(query: MatchNode, filter: MatchNode): boolean {
  if (filter.kind === "and") return filter.nodes.every((part) => implies(query, part));
  if (query.kind === "and") return query.nodes.some((part) => implies(part, filter));
  if (query.kind === "or") return query.nodes.length > 0 && query.nodes.every((part) => implies(part, filter));
  if (!("path" in query) || !("path" in filter) || query.path.text !== filter.path.text) return false;
  if (filter.kind === "exists") return mustExist(query);
  if (query.kind === "in") {
    return (
      query.regexes.length === 0 &&
      query.values.length > 0 &&
      query.values.every((value) => impliedBy("eq", value, filter))
    );
  }
  return query.kind === "compare" && impliedBy(query.op, query.value, filter);
}

function mustExist(query: MatchNode): boolean {
  if (query.kind === "compare") return query.value !== null;
  if (query.kind === "in") return query.values.every((value) => value !== null);
  return ["exists", "regex", "type", "size"].includes(query.kind);
}

function impliedBy(op: "eq" | "gt" | "gte" | "lt" | "lte", value: Value, filter: MatchNode): boolean {
  if (filter.kind === "type")
    return (
      op === "eq" && value !== null && !Array.isArray(value) && filter.codes.has(typeCode(value)) && !isNumber(value)
    );
  if (filter.kind !== "compare") return false;
  if (Array.isArray(value) || Array.isArray(filter.value))
    return op === "eq" && filter.op === "eq" && areEqual(value, filter.value);
  if (typeRank(value) !== typeRank(filter.value)) return false;
  const comparison = compareValues(value, filter.value);
  if (filter.op === "eq") return op === "eq" && comparison === 0;
  return op === "gt" ? comparison >= 0 : (op === "eq" || op === "gte") && comparison > 0;
}
