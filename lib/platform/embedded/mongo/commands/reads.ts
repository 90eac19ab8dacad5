import { decodeDocument } from "../bson/codec.ts";
import { encodeKey } from "../bson/keys.ts";
import { toPath, valuesAtPath } from "../bson/paths.ts";
import { type Doc, docOf, double, isDoc, isNumber, toWholeNumber, type Value } from "../bson/values.ts";
import { StoreError, typeMismatch } from "../errors.ts";
import type { Variables } from "../expressions/scope.ts";
import { parseMatch } from "../query/match.ts";
import { compileProjection, type Projection } from "../query/projection.ts";
import { type Found, type Query, runQuery } from "../query/query.ts";
import { parseSort } from "../query/sort.ts";
import { type Flow, nothing, PAUSE } from "../scheduling/flow.ts";
import { refuseCollation } from "../storage/collection.ts";
import { runAggregate } from "./aggregate.ts";
import { viewOf } from "./collections.ts";
import { type Context, transactionOf, variablesOf } from "./context.ts";
import { countDocuments } from "./count-documents.ts";
import { answerCursor, type CursorItem } from "./cursors.ts";
import { collectionName } from "./names.ts";
import { optionalBool, optionalCount, optionalDoc, requiredString } from "./options.ts";

export const FIND_FIELDS = [
  "filter",
  "sort",
  "projection",
  "hint",
  "skip",
  "limit",
  "batchSize",
  "singleBatch",
  "collation",
  "allowDiskUse",
  "let",
];

/** A parsed find; shared by the command and by `explain`. */
export type ReadFind = {
  name: string;
  filter: Doc;
  variables: Variables;
  projection: Projection | undefined;
  sort: Doc;
  skip: number;
  limit: number | undefined;
  hint: Value | undefined;
};

export function readFind(context: Context): ReadFind {
  const { command } = context;
  const name = collectionName("find", command.get("find"));
  refuseCollation(command.get("collation"));
  optionalBool(command, "find", "allowDiskUse");
  const filter = optionalDoc(command, "find", "filter") ?? new Map();
  const variables = variablesOf(context.scope, command.get("let"));
  const spec = optionalDoc(command, "find", "projection");
  const projection =
    spec === undefined || spec.size === 0 ? undefined : compileProjection(spec, { variables, isFind: true });
  const limit = optionalCount(command, "find", "limit");
  return {
    name,
    filter,
    variables,
    projection,
    sort: optionalDoc(command, "find", "sort") ?? new Map(),
    skip: optionalCount(command, "find", "skip") ?? 0,
    limit: limit === 0 ? undefined : limit,
    hint: command.get("hint"),
  };
}

export async function find(context: Context): Promise<Doc> {
  const read = readFind(context);
  const { command, access } = context;
  const { cursors, store } = context.services;
  const batchSize = optionalCount(command, "find", "batchSize");
  const isSingleBatch = optionalBool(command, "find", "singleBatch");
  const collection = store.find(context.db, read.name);
  const view = viewOf(collection);
  if (view !== undefined)
    return runAggregate(context, read.name, pipelineOfFind(read, command), read.variables, batchSize);
  const namespace = `${context.db}.${read.name}`;
  let flow: Flow<CursorItem>;
  if (collection === undefined) {
    parseMatch(read.filter, { variables: read.variables });
    flow = nothing();
  } else {
    const { filter, hint, variables, skip, limit } = read;
    const query: Query = {
      collection,
      rows: access,
      filter,
      sort: parseSort(read.sort),
      hint,
      variables,
      skip,
      limit,
    };
    flow = shown(runQuery(query), read.projection);
  }
  const cursor = cursors.create(namespace, flow, context.session, transactionOf(context));
  return answerCursor(cursors, cursor, batchSize, context.turns, isSingleBatch);
}

function pipelineOfFind(read: ReadFind, command: Doc): Value[] {
  const stages: Value[] = [docOf({ $match: read.filter })];
  if (read.sort.size > 0) stages.push(docOf({ $sort: read.sort }));
  if (read.skip > 0) stages.push(docOf({ $skip: read.skip }));
  if (read.limit !== undefined) stages.push(docOf({ $limit: read.limit }));
  const projection = optionalDoc(command, "find", "projection");
  if (projection !== undefined && projection.size > 0) stages.push(docOf({ $project: projection }));
  return stages;
}

function* shown(flow: Flow<Found>, projection: Projection | undefined): Flow<CursorItem> {
  for (const item of flow) {
    if (item === PAUSE) yield PAUSE;
    else if (projection === undefined) yield item.row.bytes;
    else {
      const { apply, fields } = projection;
      yield apply(fields === undefined ? item.doc : decodeDocument(item.row.bytes, 0, fields));
    }
  }
}

export async function getMore(context: Context): Promise<Doc> {
  const { command } = context;
  const id = command.get("getMore");
  if (typeof id !== "bigint") throw typeMismatch("Field 'getMore' must be of type long");
  const name = requiredString(command, "getMore", "collection");
  const batchSize = optionalCount(command, "getMore", "batchSize");
  const { cursors } = context.services;
  const cursor = cursors.get(id, `${context.db}.${name}`, context.session);
  const transaction = transactionOf(context);
  if (cursor.transaction !== transaction) {
    throw new StoreError(
      50740,
      `Cannot run getMore on cursor ${id} outside of the transaction that created it, or inside of another`,
    );
  }
  context.deadline.limit(cursor.timeLeftMs);
  // A batch may finish before its first check of the clock, so many small batches would exceed the limit.
  context.deadline.check();
  cursor.isBusy = true;
  let isKept = false;
  try {
    const nextBatch = await cursor.batch(batchSize === 0 ? undefined : batchSize, context.turns);
    await cursor.peek(context.turns);
    isKept = !cursor.isExhausted;
    cursor.lastUsed = performance.now();
    cursor.timeLeftMs = context.deadline.left();
    return docOf({ cursor: docOf({ nextBatch, id: isKept ? id : 0n, ns: cursor.namespace }), ok: double(1) });
  } finally {
    cursor.isBusy = false;
    if (!isKept) cursors.kill(id);
  }
}

export function killCursors(context: Context): Doc {
  const { command } = context;
  const ids = command.get("cursors");
  if (!Array.isArray(ids))
    throw new StoreError("IDLFailedToParse", "BSON field 'killCursors.cursors' is missing but a required field");
  const killed: Value[] = [];
  const notFound: Value[] = [];
  for (const id of ids) {
    const isKilled = typeof id === "bigint" && context.services.cursors.kill(id);
    (isKilled ? killed : notFound).push(id);
  }
  return docOf({
    cursorsKilled: killed,
    cursorsNotFound: notFound,
    cursorsAlive: [],
    cursorsUnknown: [],
    ok: double(1),
  });
}

export async function count(context: Context): Promise<Doc> {
  const { command } = context;
  const name = collectionName("count", command.get("count"));
  refuseCollation(command.get("collation"));
  const filter = optionalDoc(command, "count", "query") ?? new Map();
  const collection = context.services.store.find(context.db, name);
  const skip = optionalCount(command, "count", "skip") ?? 0;
  const given = command.get("limit");
  const limit = isNumber(given) ? Math.abs(toWholeNumber(given) ?? 0) : 0;
  const variables = { scope: context.scope };
  if (viewOf(collection) !== undefined) {
    const stages: Value[] = [docOf({ $match: filter })];
    if (skip > 0) stages.push(docOf({ $skip: skip }));
    if (limit > 0) stages.push(docOf({ $limit: limit }));
    const counted = await runAggregate(context, name, [...stages, docOf({ $count: "n" })], variables, undefined, true);
    return docOf({ n: counted.get("n") ?? 0, ok: double(1) });
  }
  if (collection === undefined) {
    parseMatch(filter, { variables });
    return docOf({ n: 0, ok: double(1) });
  }
  const query: Query = {
    collection,
    rows: context.access,
    filter,
    sort: [],
    hint: command.get("hint"),
    variables,
    skip,
    limit: limit === 0 ? undefined : limit,
  };
  return docOf({ n: await countDocuments(context, query), ok: double(1) });
}

export async function distinct(context: Context): Promise<Doc> {
  const { command } = context;
  const name = collectionName("distinct", command.get("distinct"));
  refuseCollation(command.get("collation"));
  const path = toPath(requiredString(command, "distinct", "key"));
  const filter = optionalDoc(command, "distinct", "query") ?? new Map();
  const variables = { scope: context.scope };
  const collection = context.services.store.find(context.db, name);
  const values = new Map<string, Value>();
  const take = (doc: Doc): void => {
    for (const value of valuesAtPath(doc, path.parts)) {
      const id = encodeKey(value).toString("latin1");
      if (!values.has(id)) values.set(id, value);
    }
  };
  if (viewOf(collection) !== undefined) {
    const all = await runAggregate(context, name, [docOf({ $match: filter })], variables, undefined, "all");
    const docs = all.get("docs");
    for (const doc of Array.isArray(docs) ? docs : []) if (isDoc(doc)) take(doc);
  } else if (collection === undefined) parseMatch(filter, { variables });
  else {
    const query: Query = { collection, rows: context.access, filter, sort: [], hint: undefined, variables };
    for (const item of runQuery(query)) {
      if (item === PAUSE) await context.turns.pause();
      else take(item.doc);
    }
  }
  return docOf({ values: [...values.values()], ok: double(1) });
}
