import { type Doc, docOf, double, isDoc, type Value } from "../../../lib/platform/embedded/mongo/bson/values.ts";
import { SET_NAME, VERSION } from "../../../lib/platform/embedded/mongo/commands/admin.ts";
import { AGGREGATE_FIELDS, takeFront } from "../../../lib/platform/embedded/mongo/commands/aggregate.ts";
import type { Context } from "../../../lib/platform/embedded/mongo/commands/context.ts";
import { checkFields } from "../../../lib/platform/embedded/mongo/commands/options.ts";
import { FIND_FIELDS, readFind } from "../../../lib/platform/embedded/mongo/commands/reads.ts";
import { StoreError, typeMismatch } from "../../../lib/platform/embedded/mongo/errors.ts";
import type { Variables } from "../../../lib/platform/embedded/mongo/expressions/scope.ts";
import { parseMatch } from "../../../lib/platform/embedded/mongo/query/match.ts";
import type { Plan } from "../../../lib/platform/embedded/mongo/query/planner.ts";
import { prepareQuery, type Query, runQuery } from "../../../lib/platform/embedded/mongo/query/query.ts";
import { parseSort } from "../../../lib/platform/embedded/mongo/query/sort.ts";
import { PAUSE } from "../../../lib/platform/embedded/mongo/scheduling/flow.ts";
import { countReads } from "./count-reads.ts";

type Explained = {
  name: string;
  filter: Doc;
  sort: Doc;
  skip: number;
  limit: number | undefined;
  hint: Value | undefined;
  variables: Variables;
  rest: readonly Value[];
};

/** Returns the index that a command would use, and with `executionStats` what it read. Writes nothing. */
export async function explain(context: Context): Promise<Doc> {
  const { command } = context;
  const inner = command.get("explain");
  if (!isDoc(inner)) throw typeMismatch("BSON field 'explain.explain' is the wrong type, expected type 'object'");
  const explained = readExplained({ ...context, command: inner, name: inner.keys().next().value ?? "" });
  const { store, address } = context.services;
  const collection = store.find(context.db, explained.name);
  const namespace = `${context.db}.${explained.name}`;
  const serverInfo = docOf({ host: address, version: VERSION, setName: SET_NAME });
  if (collection === undefined) {
    parseMatch(explained.filter, { variables: explained.variables });
    const queryPlanner = docOf({
      namespace,
      parsedQuery: explained.filter,
      winningPlan: docOf({ stage: "EOF" }),
      rejectedPlans: [],
    });
    return docOf({ explainVersion: "1", queryPlanner, command: inner, serverInfo, ok: double(1) });
  }
  const { rows, examined } = countReads(context.access);
  const { filter, skip, limit, hint, variables } = explained;
  const query: Query = {
    collection,
    rows,
    filter,
    sort: parseSort(explained.sort),
    hint,
    variables,
    skip,
    limit,
  };
  const prepared = prepareQuery(query);
  let winningPlan = describePlan(prepared.chosen);
  const needsSort = explained.sort.size > 0 && !(prepared.chosen.kind === "index" && prepared.chosen.isSorted);
  if (needsSort) winningPlan = docOf({ stage: "SORT", sortPattern: explained.sort, inputStage: winningPlan });
  const queryPlanner = docOf({ namespace, parsedQuery: filter, winningPlan, rejectedPlans: [] });
  const answer = docOf({ explainVersion: "1", queryPlanner });
  if (command.get("verbosity") !== "queryPlanner") {
    const started = performance.now();
    let nReturned = 0;
    for (const item of runQuery(query, prepared)) {
      if (item === PAUSE) await context.turns.pause();
      else nReturned++;
    }
    answer.set(
      "executionStats",
      docOf({
        executionSuccess: true,
        nReturned,
        executionTimeMillis: Math.round(performance.now() - started),
        totalKeysExamined: examined.keys,
        totalDocsExamined: examined.docs,
        executionStages: winningPlan,
      }),
    );
  }
  if (explained.rest.length > 0) answer.set("stages", [docOf({ $cursor: docOf({ queryPlanner }) }), ...explained.rest]);
  for (const [name, value] of docOf({ command: inner, serverInfo, ok: double(1) })) answer.set(name, value);
  return answer;
}

/** Returns a plan in the server's words. */
function describePlan(chosen: Plan): Doc {
  switch (chosen.kind) {
    case "ids":
      return docOf({ stage: "IDHACK", keyPattern: docOf({ _id: 1 }), indexName: "_id_" });
    case "collection":
      return docOf({ stage: "COLLSCAN", direction: "forward" });
    case "nothing":
      return docOf({ stage: "EOF" });
    case "union":
      return docOf({ stage: "FETCH", inputStage: docOf({ stage: "OR", inputStages: chosen.plans.map(describePlan) }) });
    case "index": {
      const { index } = chosen;
      const scan = docOf({
        stage: "IXSCAN",
        keyPattern: index.key,
        indexName: index.name,
        isMultiKey: index.isMultikey,
        isUnique: index.isUnique,
        isSparse: index.isSparse,
        isPartial: index.partial !== undefined,
        direction: chosen.isReverse ? "backward" : "forward",
      });
      const inputStage = chosen.isMerged ? docOf({ stage: "SORT_MERGE", inputStages: [scan] }) : scan;
      return docOf({ stage: "FETCH", inputStage });
    }
  }
}

function readExplained(context: Context): Explained {
  const { command, name } = context;
  switch (name) {
    case "find":
      checkFields(command, name, FIND_FIELDS);
      return { ...readFind(context), rest: [] };
    case "aggregate": {
      checkFields(command, name, AGGREGATE_FIELDS);
      const pipeline = command.get("pipeline");
      const { filter, sort, skip, limit, rest } = takeFront(Array.isArray(pipeline) ? pipeline : []);
      return {
        name: String(command.get(name)),
        filter,
        sort: docOf(Object.fromEntries(sort.map(({ path, direction }) => [path.text, direction]))),
        skip,
        limit,
        hint: command.get("hint"),
        variables: { scope: context.scope },
        rest,
      };
    }
    default:
      throw new StoreError("CommandNotFound", `Explain failed due to unknown command: ${name}`);
  }
}
