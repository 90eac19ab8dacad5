import { setImmediate as nextTurn } from "node:timers/promises";
import { decodeDocument } from "./codec.ts";
import type { Collection } from "./collection.ts";
import { beginTurn, endTurn } from "./effort.ts";
import { StoreError } from "./errors.ts";
import type { Variables } from "./expressions/scope.ts";
import { encodeKey } from "./keys.ts";
import { compileMatch, type Matcher, type MatchNode, parseMatch } from "./match.ts";
import { type Plan, plan } from "./planner.ts";
import { compareSortValues, type SortKey, sortValues } from "./sort.ts";
import { ExternalSorter } from "./spill.ts";
import type { IndexRow, Row, RowSource } from "./store.ts";
import type { Doc, Value } from "./values.ts";

/** A moment at which a long read lets other commands have their turn. */
export const PAUSE = Symbol("pause");
export type Pause = typeof PAUSE;
/** What reads are made of: items, and moments to pause between them. */
export type Flow<T> = Generator<T | Pause, void, undefined>;

/** The longest time that a read holds the event loop, ms. */
const TURN_MS = 5;
/** Values that are sorted or merged between two pauses; some milliseconds of comparing. */
const SORT_RUN = 1024;
/** Rows of the first and of later chunks; small first, since most reads want few. */
const FIRST_CHUNK = 16;
const MAX_CHUNK = 512;
/** MongoDB's limit of a sort that may not use the disk. */
const MAX_SORT_BYTES = 100 * 1024 * 1024;

/** A document on its way: its bytes, decoded when somebody looks inside. */
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

/** Counts what a query looked at, for `explain`. */
export type Examined = { keys: number; docs: number };

export type Query = {
  collection: Collection;
  rows: RowSource;
  filter: Doc;
  sort: readonly SortKey[];
  hint: Value | undefined;
  variables: Variables;
  /** Stop after so many; undefined: no limit. */
  limit?: number | undefined;
  skip?: number;
  examined?: Examined;
  /** The store's file, when a sort may use the disk beside it. */
  disk?: string | undefined;
};

export type PreparedQuery = { node: MatchNode; chosen: Plan; test: Matcher; fields: ReadonlySet<string> | undefined };

export function prepareQuery(query: Query): PreparedQuery {
  const node = parseMatch(query.filter, { variables: query.variables });
  const { collection, sort, hint, rows, variables } = query;
  const chosen = plan({ collection, node, sort, hint, rows, scope: variables.scope });
  return { node, chosen, test: compileMatch(node, variables), fields: fieldsOf(node) };
}

/** The documents of a query, in order. */
export function runQuery(query: Query, prepared: PreparedQuery = prepareQuery(query)): Flow<Found> {
  const { chosen } = prepared;
  const most = query.limit === undefined ? undefined : query.limit + (query.skip ?? 0);
  const isSorted = query.sort.length === 0 || (chosen.kind === "index" && chosen.isSorted) || isSingle(chosen);
  const chunk = isSorted && most !== undefined ? Math.min(most, MAX_CHUNK) : FIRST_CHUNK;
  let flow = matching(query, prepared, chunk);
  if (!isSorted) flow = sorted(flow, query.sort, most, query.disk);
  return window(flow, query.skip ?? 0, query.limit);
}

function isSingle(chosen: Plan): boolean {
  return chosen.kind === "nothing" || (chosen.kind === "ids" && chosen.keys.length < 2);
}

/** The top-level fields that a filter looks at, or undefined when it may look at all of them. */
export function fieldsOf(node: MatchNode): ReadonlySet<string> | undefined {
  const names = new Set<string>();
  const visit = (part: MatchNode): boolean => {
    switch (part.kind) {
      case "and":
      case "or":
        return part.nodes.every(visit);
      case "not":
        return visit(part.node);
      case "always":
        return true;
      case "expression":
        return false;
      case "schema":
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
      // A document's test may take long by itself, and a thousand may fail before one is found.
      if (performance.now() - started >= TURN_MS) {
        yield PAUSE;
        started = performance.now();
      }
      const found = new Found(item);
      // Of a big document only the fields of the filter are decoded.
      if (test(fields === undefined ? found.doc : decodeDocument(item.bytes, 0, fields))) yield found;
    }
  }
}

function* candidates(query: Query, chosen: Plan, chunk: number): Flow<Row> {
  const { collection, rows, examined } = query;
  switch (chosen.kind) {
    case "nothing":
      return;
    case "ids":
      for (const [i, key] of chosen.keys.entries()) {
        if (i % MAX_CHUNK === MAX_CHUNK - 1) yield PAUSE;
        const row = rows.byId(collection, key);
        if (examined !== undefined) examined.keys++;
        if (row === undefined) continue;
        if (examined !== undefined) examined.docs++;
        yield row;
      }
      return;
    case "collection": {
      let after: number | undefined;
      let size = chunk;
      for (;;) {
        const found = rows.scan(collection, after, chosen.isReverse, size);
        if (examined !== undefined) examined.docs += found.length;
        yield* found;
        const last = found.at(-1);
        if (last === undefined) return;
        after = last.rid;
        size = Math.min(MAX_CHUNK, size * 2);
        yield PAUSE;
      }
    }
    case "index": {
      // A document with several entries in the ranges is answered once.
      const seen = chosen.index.isMultikey ? new Set<number>() : undefined;
      let size = chunk;
      for (const range of chosen.ranges) {
        let after: IndexRow | undefined;
        for (;;) {
          const found = rows.range(collection, chosen.index, range, after, chosen.isReverse, size);
          if (examined !== undefined) {
            examined.keys += found.length;
            examined.docs += found.length;
          }
          for (const row of found) {
            if (seen?.has(row.rid)) continue;
            seen?.add(row.rid);
            yield row;
          }
          if (found.length === 0) break;
          after = found.at(-1);
          size = Math.min(MAX_CHUNK, size * 2);
          yield PAUSE;
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

/**
 * Lets a pause in wherever the making of the next item has taken a turn: a stage may turn one document into a million,
 * or a million into none, and has to heed the time limit and the other commands all the same.
 */
export function* paced<T>(flow: Flow<T>): Flow<T> {
  let started = performance.now();
  for (const item of flow) {
    if (performance.now() - started >= TURN_MS) {
      yield PAUSE;
      started = performance.now();
    }
    yield item;
  }
}

type Ranked<T> = { values: Value[]; place: number; item: T };

function* sorted(
  flow: Flow<Found>,
  keys: readonly SortKey[],
  most: number | undefined,
  disk: string | undefined,
): Flow<Found> {
  yield* sortFlow(flow, keys, { most, disk, rowOf: (found) => found.row, sizeOf: (found) => found.row.bytes.length });
}

export type SortOptions<T> = {
  /** Only the first so many are wanted; undefined: all. */
  most: number | undefined;
  /** The store's file, when what does not fit into memory may be sorted beside it. */
  disk: string | undefined;
  /** What is written to disk of an item. */
  rowOf: (item: T) => Row;
  sizeOf: (item: T) => number;
};

/**
 * Sorts a flow; of a limited one only the first are kept. Beyond 100 MB it goes to disk, from where items come back as
 * they were written.
 * @throws StoreError QueryExceededMemoryLimitNoDiskUseAllowed beyond 100 MB without the disk
 */
export function* sortFlow<T extends { readonly doc: Doc }>(
  flow: Flow<T>,
  keys: readonly SortKey[],
  { most, disk, rowOf, sizeOf }: SortOptions<T>,
): Flow<T | Found> {
  let kept: Ranked<T>[] = [];
  let bytes = 0;
  let place = 0;
  let sorter: ExternalSorter | undefined;
  const compare = (a: Ranked<T>, b: Ranked<T>): number =>
    compareSortValues(a.values, b.values, keys) || a.place - b.place;
  const room = most === undefined ? Number.POSITIVE_INFINITY : Math.max(most * 2, 1000);
  const keyOf = (values: readonly Value[]): Buffer =>
    Buffer.concat(values.map((value, i) => encodeKey(value, keys[i]?.direction === -1)));
  try {
    for (const item of flow) {
      if (item === PAUSE) {
        yield PAUSE;
        continue;
      }
      const values = sortValues(item.doc, keys);
      if (sorter !== undefined) {
        yield* sorter.add(keyOf(values), rowOf(item));
        continue;
      }
      kept.push({ values, place: place++, item });
      bytes += sizeOf(item);
      if (most !== undefined && kept.length >= room) {
        kept = (yield* sortByTurns(kept, compare)).slice(0, most);
        bytes = kept.reduce((sum, ranked) => sum + sizeOf(ranked.item), 0);
      }
      if (bytes <= MAX_SORT_BYTES) continue;
      if (disk === undefined) throw sortTooLarge();
      sorter = new ExternalSorter(disk);
      // In the order in which they came, which is the order of equal ones.
      kept.sort((a, b) => a.place - b.place);
      for (const ranked of kept) yield* sorter.add(keyOf(ranked.values), rowOf(ranked.item));
      kept = [];
    }
    let count = 0;
    if (sorter !== undefined) {
      for (const item of sorter.sorted()) {
        if (item === PAUSE) {
          yield PAUSE;
          continue;
        }
        if (most !== undefined && count++ >= most) return;
        yield new Found(item.row);
      }
      return;
    }
    for (const ranked of yield* sortByTurns(kept, compare)) {
      if (most !== undefined && count++ >= most) return;
      yield ranked.item;
    }
  } finally {
    sorter?.close();
  }
}

function sortTooLarge(): StoreError {
  return new StoreError(
    "QueryExceededMemoryLimitNoDiskUseAllowed",
    `Sort exceeded memory limit of ${MAX_SORT_BYTES} bytes, but did not opt in to external sorting. Aborting operation. Pass allowDiskUse:true to opt in.`,
  );
}

/** Sorts like `Array.sort` (equal ones keep their order), and pauses on the way. */
export function* sortByTurns<T>(
  items: readonly T[],
  compare: (a: T, b: T) => number,
): Generator<Pause, T[], undefined> {
  let runs: T[][] = [];
  for (let i = 0; i < items.length; i += SORT_RUN) {
    runs.push(items.slice(i, i + SORT_RUN).sort(compare));
    yield PAUSE;
  }
  while (runs.length > 1) {
    const merged: T[][] = [];
    for (let i = 0; i < runs.length; i += 2) merged.push(yield* merge(runs[i] ?? [], runs[i + 1] ?? [], compare));
    runs = merged;
  }
  return runs[0] ?? [];
}

function* merge<T>(
  left: readonly T[],
  right: readonly T[],
  compare: (a: T, b: T) => number,
): Generator<Pause, T[], undefined> {
  const merged: T[] = [];
  let i = 0;
  let j = 0;
  while (i < left.length || j < right.length) {
    const isRight = i === left.length || (j < right.length && compare(right[j] as T, left[i] as T) < 0);
    merged.push((isRight ? right[j++] : left[i++]) as T);
    if (merged.length % SORT_RUN === 0) yield PAUSE;
  }
  return merged;
}

export function* window<T>(flow: Flow<T>, skip: number, limit: number | undefined): Flow<T> {
  let passed = 0;
  let taken = 0;
  if (limit === 0) return;
  for (const item of flow) {
    if (item === PAUSE) yield PAUSE;
    else if (passed < skip) passed++;
    else {
      yield item;
      if (limit !== undefined && ++taken >= limit) return;
    }
  }
}

/** Says when a command has run longer than it may. */
export type Deadline = {
  check: () => void;
  /** Milliseconds; infinite without a limit. */
  left: () => number;
  /** Ends the command after so many milliseconds from now, when it does not end earlier. */
  limit: (ms: number) => void;
};

/** Of the store's own work, which nobody waits for. */
export const NO_DEADLINE: Deadline = {
  check: () => undefined,
  left: () => Number.POSITIVE_INFINITY,
  limit: () => undefined,
};

/** Takes from a flow by turns, so that no read holds up the others. */
export class Turns {
  private started = 0;
  readonly deadline: Deadline;

  constructor(deadline: Deadline) {
    this.deadline = deadline;
    this.begin();
  }

  /** Says that the event loop works for this command again, after it has waited for something. */
  begin(): void {
    this.started = performance.now();
    beginTurn(this.deadline);
  }

  /** Gives other commands a turn when this one had its share. */
  async pause(): Promise<void> {
    if (performance.now() - this.started < TURN_MS) return;
    endTurn();
    await nextTurn();
    this.deadline.check();
    this.begin();
  }

  /** True when the present turn is over. */
  get isOver(): boolean {
    return performance.now() - this.started >= TURN_MS;
  }

  async collect<T>(flow: Flow<T>): Promise<T[]> {
    const items: T[] = [];
    for (const item of flow) {
      if (item === PAUSE) await this.pause();
      else items.push(item);
    }
    return items;
  }

  /** The first item; undefined when there is none. */
  async first<T>(flow: Flow<T>): Promise<T | undefined> {
    for (const item of flow) {
      if (item !== PAUSE) return item;
      await this.pause();
    }
    return undefined;
  }
}
