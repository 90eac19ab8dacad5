import { decodeDocument } from "../bson/codec.ts";
import type { Doc, Value } from "../bson/values.ts";
import { StoreError } from "../errors.ts";
import type { Variables } from "../expressions/scope.ts";
import { type Flow, PAUSE, type Pause, sortByTurns, TURN_MS, window } from "../scheduling/flow.ts";
import type { Collection } from "../storage/collection.ts";
import type { IndexRow, Row, RowSource } from "../storage/store.ts";
import { compileMatch, type Matcher, type MatchNode, parseMatch } from "./match.ts";
import { type Plan, type PlannedRange, plan } from "./planner.ts";
import { compareSortValues, type SortKey, sortValues } from "./sort.ts";

/** Rows of the first and of later chunks; small first, because most reads need few. */
const FIRST_CHUNK = 16;
const MAX_CHUNK = 512;
/** MongoDB's memory limit of a sort that does not use the disk. */
const MAX_SORT_BYTES = 100 * 1024 * 1024;

/** A document read by a query: its bytes, decoded on first access. */
export class Found {
  readonly row: Row;
  private decoded: Doc | undefined;

  constructor(row: Row) {
    this.row = row;
  }

  get doc(): Doc {
    this.decoded ??= decodeDocument(this.row.bytes);
    return this.decoded;
  }
}

export type Query = {
  collection: Collection;
  rows: RowSource;
  filter: Doc;
  sort: readonly SortKey[];
  hint: Value | undefined;
  variables: Variables;
  /** Maximum number of documents; undefined: no limit. */
  limit?: number | undefined;
  skip?: number;
};

export type PreparedQuery = { node: MatchNode; chosen: Plan; test: Matcher; fields: ReadonlySet<string> | undefined };

export function prepareQuery(query: Query): PreparedQuery {
  const node = parseMatch(query.filter, { variables: query.variables });
  const { collection, sort, hint, rows, variables } = query;
  const chosen = plan({ collection, node, sort, hint, rows, scope: variables.scope });
  return { node, chosen, test: compileMatch(node, variables), fields: fieldsOf(node) };
}

/** Returns the documents of a query, in order. */
export function runQuery(query: Query, prepared: PreparedQuery = prepareQuery(query)): Flow<Found> {
  const { chosen } = prepared;
  const most = query.limit === undefined ? undefined : query.limit + (query.skip ?? 0);
  const isSorted = query.sort.length === 0 || (chosen.kind === "index" && chosen.isSorted) || isSingle(chosen);
  const chunk = isSorted && most !== undefined ? Math.min(most, MAX_CHUNK) : FIRST_CHUNK;
  let flow = matching(query, prepared, chunk);
  if (!isSorted) flow = sortFlow(flow, query.sort, most, (found) => found.row.bytes.length);
  return window(flow, query.skip ?? 0, query.limit);
}

function isSingle(chosen: Plan): boolean {
  return chosen.kind === "nothing" || (chosen.kind === "ids" && chosen.keys.length < 2);
}

/** Returns the top-level fields that a filter reads; undefined when it may read all of them. */
export function fieldsOf(node: MatchNode): ReadonlySet<string> | undefined {
  const names = new Set<string>();
  const visit = (part: MatchNode): boolean => {
    switch (part.kind) {
      case "and":
      case "or":
        return part.nodes.every(visit);
      case "not":
        return visit(part.node);
      case "expression":
        return false;
      default:
        names.add(part.path.parts[0] as string);
        return true;
    }
  };
  return visit(node) ? names : undefined;
}

function* matching(query: Query, prepared: PreparedQuery, chunk: number): Flow<Found> {
  const { chosen, test, fields } = prepared;
  const isExact =
    chosen.kind === "ids" || chosen.kind === "index"
      ? chosen.isExact
      : prepared.node.kind === "and" && prepared.node.nodes.length === 0;
  let started = performance.now();
  for (const item of candidates(query, chosen, chunk)) {
    if (item === PAUSE) yield PAUSE;
    else if (isExact) yield new Found(item);
    else {
      // Testing one document may take long, and a thousand may fail before one matches.
      if (performance.now() - started >= TURN_MS) {
        yield PAUSE;
        started = performance.now();
      }
      const found = new Found(item);
      // Only the filter's fields of a large document are decoded.
      if (test(fields === undefined ? found.doc : decodeDocument(item.bytes, 0, fields))) yield found;
    }
  }
}

function* candidates(query: Query, chosen: Plan, chunk: number): Flow<Row> {
  const { collection, rows } = query;
  switch (chosen.kind) {
    case "nothing":
      return;
    case "ids":
      for (const [i, key] of chosen.keys.entries()) {
        if (i % MAX_CHUNK === MAX_CHUNK - 1) yield PAUSE;
        const row = rows.byId(collection, key);
        if (row !== undefined) yield row;
      }
      return;
    case "collection": {
      let after: number | undefined;
      let size = chunk;
      for (;;) {
        const found = rows.scan(collection, after, size);
        yield* found;
        const last = found.at(-1);
        if (last === undefined) return;
        after = last.rid;
        size = Math.min(MAX_CHUNK, size * 2);
        yield PAUSE;
      }
    }
    case "index": {
      if (chosen.isMerged) {
        yield* merged(query, chosen, chunk);
        return;
      }
      // A document with several entries in the ranges is returned once.
      const seen = chosen.index.isMultikey ? new Set<number>() : undefined;
      let size = chunk;
      for (const range of chosen.ranges) {
        for (const row of entries(query, chosen, range, size)) {
          if (row === PAUSE) {
            size = Math.min(MAX_CHUNK, size * 2);
            yield PAUSE;
          } else if (seen === undefined) yield row;
          else if (!seen.has(row.rid)) {
            seen.add(row.rid);
            yield row;
          }
        }
      }
      return;
    }
    case "union": {
      const seen = new Set<number>();
      for (const part of chosen.plans) {
        for (const item of candidates(query, part, chunk)) {
          if (item === PAUSE) yield PAUSE;
          else if (!seen.has(item.rid)) {
            seen.add(item.rid);
            yield item;
          }
        }
      }
    }
  }
}

type IndexPlan = Extract<Plan, { kind: "index" }>;

/** Returns the rows of one range of an index, with a pause after each chunk. @param chunk rows of the first chunk */
function* entries(query: Query, chosen: IndexPlan, range: PlannedRange, chunk: number): Flow<IndexRow> {
  const { collection, rows } = query;
  let after: IndexRow | undefined;
  for (let size = chunk; ; size = Math.min(MAX_CHUNK, size * 2)) {
    const found = rows.range(collection, chosen.index, range, after, chosen.isReverse, size);
    yield* found;
    after = found.at(-1);
    if (after === undefined) return;
    yield PAUSE;
  }
}

/** Returns the rows of several ranges in the order of their keys behind the range's prefix. */
function* merged(query: Query, chosen: IndexPlan, chunk: number): Flow<Row> {
  type Head = { row: IndexRow; rest: Flow<IndexRow>; prefixBytes: number };
  const isBefore = (a: Head, b: Head): boolean => {
    const order = a.row.key.compare(b.row.key, b.prefixBytes, undefined, a.prefixBytes);
    return chosen.isReverse ? order > 0 : order < 0;
  };
  const heads: Head[] = [];
  for (const range of chosen.ranges) {
    const rest = entries(query, chosen, range, Math.min(chunk, FIRST_CHUNK));
    const row = yield* next(rest);
    if (row !== undefined) heads.push({ row, rest, prefixBytes: range.prefixBytes });
  }
  while (heads.length > 0) {
    const first = heads.reduce((least, head) => (isBefore(head, least) ? head : least));
    yield first.row;
    const row = yield* next(first.rest);
    if (row === undefined) heads.splice(heads.indexOf(first), 1);
    else first.row = row;
  }
}

/** Takes the next item of a flow, and passes its pauses on; undefined at the end. */
function* next<T>(flow: Flow<T>): Generator<Pause, T | undefined, undefined> {
  for (;;) {
    const { value, done } = flow.next();
    if (done === true) return undefined;
    if (value === PAUSE) yield PAUSE;
    else return value as T;
  }
}

type Ranked<T> = { values: Value[]; place: number; item: T };

/**
 * Sorts a flow. With a limit, only the first items are kept.
 * @param most number of items to return; undefined: all
 * @throws StoreError QueryExceededMemoryLimitNoDiskUseAllowed beyond 100 MB
 */
export function* sortFlow<T extends { readonly doc: Doc }>(
  flow: Flow<T>,
  keys: readonly SortKey[],
  most: number | undefined,
  sizeOf: (item: T) => number,
): Flow<T> {
  let kept: Ranked<T>[] = [];
  let bytes = 0;
  let place = 0;
  const compare = (a: Ranked<T>, b: Ranked<T>): number =>
    compareSortValues(a.values, b.values, keys) || a.place - b.place;
  const room = most === undefined ? Number.POSITIVE_INFINITY : Math.max(most * 2, 1000);
  for (const item of flow) {
    if (item === PAUSE) {
      yield PAUSE;
      continue;
    }
    kept.push({ values: sortValues(item.doc, keys), place: place++, item });
    bytes += sizeOf(item);
    if (most !== undefined && (kept.length >= room || bytes > MAX_SORT_BYTES)) {
      kept = (yield* sortByTurns(kept, compare)).slice(0, most);
      bytes = kept.reduce((sum, ranked) => sum + sizeOf(ranked.item), 0);
    }
    if (bytes > MAX_SORT_BYTES) throw sortTooLarge();
  }
  for (const { item } of (yield* sortByTurns(kept, compare)).slice(0, most)) yield item;
}

function sortTooLarge(): StoreError {
  return new StoreError(
    "QueryExceededMemoryLimitNoDiskUseAllowed",
    `Sort exceeded memory limit of ${MAX_SORT_BYTES} bytes. This store does not sort on disk: use an index or a limit.`,
  );
}
