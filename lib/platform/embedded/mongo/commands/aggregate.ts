import type { Items } from "../aggregate/items.ts";
import type { Joins } from "../aggregate/lookup.ts";
import { compilePipeline, OUTPUTS, runStages, SOURCES, stageOf } from "../aggregate/pipeline.ts";
import { type Doc, docOf, isDoc, isNumber, toWholeNumber, type Value } from "../bson/values.ts";
import { failedToParse, StoreError, typeMismatch } from "../errors.ts";
import type { Variables } from "../expressions/scope.ts";
import { parseMatch } from "../query/match.ts";
import { type Query, runQuery } from "../query/query.ts";
import { parseSort, type SortKey } from "../query/sort.ts";
import { type Flow, nothing, PAUSE } from "../scheduling/flow.ts";
import { refuseCollation } from "../storage/collection.ts";
import { viewOf } from "./collections.ts";
import { type Context, transactionOf, variablesOf } from "./context.ts";
import { countDocuments } from "./count-documents.ts";
import { answerCursor, type CursorItem } from "./cursors.ts";
import { collectionName } from "./names.ts";
import { checkPart, optionalBool, optionalCount, requiredList } from "./options.ts";
import { runMerge, runOut } from "./outputs.ts";
import { sourceOf } from "./sources.ts";

export const AGGREGATE_FIELDS = [
  "pipeline",
  "cursor",
  "allowDiskUse",
  "bypassDocumentValidation",
  "collation",
  "hint",
  "let",
];

export async function aggregate(context: Context): Promise<Doc> {
  const { command } = context;
  const pipeline = requiredList(command, "aggregate", "pipeline");
  refuseCollation(command.get("collation"));
  optionalBool(command, "aggregate", "allowDiskUse");
  const cursor = command.get("cursor");
  if (cursor === undefined) throw failedToParse("The 'cursor' option is required");
  if (!isDoc(cursor)) throw typeMismatch("BSON field 'aggregate.cursor' is the wrong type, expected type 'object'");
  checkPart(cursor, "aggregate.cursor", ["batchSize"]);
  const batchSize = optionalCount(cursor, "aggregate.cursor", "batchSize");
  const source = command.get("aggregate");
  const name = isNumber(source) && toWholeNumber(source) === 1 ? undefined : collectionName("aggregate", source);
  const variables = variablesOf(context.scope, command.get("let"));
  return runAggregate(context, name, pipeline, variables, batchSize);
}

/**
 * Runs a pipeline and returns its cursor.
 * @param name undefined for a pipeline on the database
 * @param whole true returns the only document itself, "all" returns all of them in `docs`
 */
export async function runAggregate(
  context: Context,
  name: string | undefined,
  given: readonly Value[],
  variables: Variables,
  batchSize: number | undefined,
  whole?: true | "all",
): Promise<Doc> {
  const { cursors } = context.services;
  const namespace = `${context.db}.${name ?? "$cmd.aggregate"}`;
  let pipeline = [...given];
  const [lastName, lastArgument] = pipeline.length > 0 ? stageOf(pipeline.at(-1) as Value) : ["", null];
  const output = OUTPUTS.has(lastName) ? lastName : undefined;
  if (output !== undefined) {
    if (context.isInTransaction)
      throw new StoreError("OperationNotSupportedInTransaction", `${output} cannot be used in a transaction`);
    pipeline = pipeline.slice(0, -1);
  }
  if (output === undefined && whole === undefined && name !== undefined) {
    const counted = await countShortcut(context, name, pipeline, variables);
    if (counted !== undefined) {
      const cursor = cursors.create(namespace, counted, context.session, transactionOf(context));
      return answerCursor(cursors, cursor, batchSize, context.turns);
    }
  }
  const items = pipelineFlow(context, name, pipeline, variables, context.command.get("hint"));
  if (output === "$out") await runOut(context, items, lastArgument as Value);
  else if (output === "$merge") await runMerge(context, items, lastArgument as Value, name ?? "");
  if (whole !== undefined) {
    const docs: Value[] = [];
    for (const item of items) {
      if (item === PAUSE) await context.turns.pause();
      else docs.push(item.doc);
    }
    const first = docs[0];
    return whole === "all" ? docOf({ docs }) : isDoc(first) ? first : new Map();
  }
  const cursor = cursors.create(
    namespace,
    output === undefined ? toCursorItems(items) : nothing(),
    context.session,
    transactionOf(context),
  );
  return answerCursor(cursors, cursor, batchSize, context.turns);
}

function* toCursorItems(items: Items): Flow<CursorItem> {
  for (const item of items) {
    if (item === PAUSE) yield PAUSE;
    else yield item.row?.bytes ?? item.doc;
  }
}

/** Leading stages of a pipeline that the query engine runs: filter, sort, skip and limit. */
type Front = { filter: Doc; sort: readonly SortKey[]; skip: number; limit: number | undefined; rest: readonly Value[] };

export function takeFront(pipeline: readonly Value[]): Front {
  const filters: Doc[] = [];
  let sort: readonly SortKey[] = [];
  let skip = 0;
  let limit: number | undefined;
  let at = 0;
  for (; at < pipeline.length; at++) {
    const [name, argument] = stageOf(pipeline[at] as Value);
    if (name === "$match" && isDoc(argument) && skip === 0 && limit === undefined) filters.push(argument);
    else if (
      name === "$sort" &&
      isDoc(argument) &&
      argument.size > 0 &&
      sort.length === 0 &&
      skip === 0 &&
      limit === undefined
    )
      sort = parseSort(argument);
    else if (name === "$skip" && limit === undefined && isCount(argument, 0)) skip += toWholeNumber(argument) ?? 0;
    else if (name === "$limit" && isCount(argument, 1))
      limit = Math.min(limit ?? Number.MAX_SAFE_INTEGER, toWholeNumber(argument) ?? 0);
    else break;
  }
  const filter =
    filters.length === 1 ? (filters[0] as Doc) : filters.length === 0 ? new Map() : docOf({ $and: filters });
  return { filter, sort, skip, limit, rest: pipeline.slice(at) };
}

function isCount(value: Value, least: number): boolean {
  const n = isNumber(value) ? toWholeNumber(value) : undefined;
  return n !== undefined && n >= least;
}

/** Returns the documents of a pipeline on a collection, a view, or no source. */
export function pipelineFlow(
  context: Context,
  name: string | undefined,
  pipeline: readonly Value[],
  variables: Variables,
  hint: Value | undefined,
): Items {
  const joins = joinsOf(context);
  const first = pipeline.length > 0 ? stageOf(pipeline[0] as Value) : undefined;
  const source = first === undefined ? undefined : sourceOf(context, name, first[0], first[1], variables);
  if (source !== undefined) return runStages(source, compilePipeline(pipeline.slice(1), { variables, joins }));
  if (name === undefined) {
    if (first !== undefined) compilePipeline(pipeline, { variables, joins });
    throw new StoreError(
      "InvalidNamespace",
      `{aggregate: 1} is not valid for '${first?.[0] ?? "an empty pipeline"}'; a collection is required.`,
    );
  }
  const collection = context.services.store.find(context.db, name);
  const view = viewOf(collection);
  if (view !== undefined) return pipelineFlow(context, view.on, [...view.pipeline, ...pipeline], variables, hint);
  const { filter, sort, skip, limit, rest } = takeFront(pipeline);
  const stages = compilePipeline(rest, { variables, joins });
  if (collection === undefined) {
    parseMatch(filter, { variables });
    return runStages(nothing(), stages);
  }
  const query: Query = { collection, rows: context.access, filter, sort, hint, variables, skip, limit };
  return runStages(runQuery(query), stages);
}

function joinsOf(context: Context): Joins {
  return {
    run: (name, pipeline, variables) => pipelineFlow(context, name, pipeline, variables, undefined),
    check: (pipeline, variables) => {
      for (const stage of pipeline) {
        const [name] = stageOf(stage);
        if (OUTPUTS.has(name))
          throw new StoreError(51047, `${name} is not allowed within a $lookup or $unionWith's sub-pipeline`);
      }
      const isSource = pipeline.length > 0 && SOURCES.has(stageOf(pipeline[0] as Value)[0]);
      compilePipeline(isSource ? pipeline.slice(1) : pipeline, { variables, joins: joinsOf(context) });
    },
  };
}

/** Runs countDocuments' pipeline, `[{$match}, {$group: {_id: 1, n: {$sum: 1}}}]`, without reading documents. */
async function countShortcut(
  context: Context,
  name: string,
  pipeline: readonly Value[],
  variables: Variables,
): Promise<Flow<CursorItem> | undefined> {
  const [group, argument] = pipeline.length > 0 ? stageOf(pipeline.at(-1) as Value) : ["", null];
  if (group !== "$group" || !isDoc(argument) || argument.size !== 2) return undefined;
  const [[idName, id], [field, spec]] = [...argument] as [[string, Value], [string, Value]];
  if (idName !== "_id" || !isNumber(id) || !isDoc(spec) || spec.size !== 1 || spec.get("$sum") !== 1) return undefined;
  const { filter, sort, skip, limit, rest } = takeFront(pipeline.slice(0, -1));
  const collection = context.services.store.find(context.db, name);
  if (rest.length > 0 || collection === undefined || viewOf(collection) !== undefined) return undefined;
  const query: Query = {
    collection,
    rows: context.access,
    filter,
    sort: limit === undefined ? [] : sort,
    hint: context.command.get("hint"),
    variables,
    skip,
    limit,
  };
  const n = await countDocuments(context, query);
  return (function* one() {
    if (n > 0) yield docOf({ _id: id, [field]: n });
  })();
}
