import type { Items } from "../aggregate/items.ts";
import { compileUpdatePipeline } from "../aggregate/pipeline.ts";
import { areEqual } from "../bson/compare.ts";
import { getPath } from "../bson/paths.ts";
import { type Doc, docOf, isDoc, ObjectId, typeName, type Value } from "../bson/values.ts";
import { StoreError } from "../errors.ts";
import { compileExpression } from "../expressions/compile.ts";
import { checkVariableName } from "../expressions/logic.ts";
import { bind, type Evaluator, type Scope, type Variables } from "../expressions/scope.ts";
import type { Found } from "../query/query.ts";
import { PAUSE } from "../scheduling/flow.ts";
import { type Collection, duplicateKey, type Index } from "../storage/collection.ts";
import { readyToInsert, readyToStore } from "../storage/documents.ts";
import { refuseView } from "./collections.ts";
import type { Context } from "./context.ts";
import { checkCollectionName, checkDatabaseName } from "./names.ts";
import { optionalBool } from "./options.ts";
import { actOnFirst, afterLocks } from "./write-one.ts";

type Target = { db: string; name: string };

function targetOf(context: Context, value: Value | undefined, stage: string): Target {
  let target: Target | undefined;
  if (typeof value === "string") target = { db: context.db, name: value };
  else if (isDoc(value)) {
    const db = value.get("db");
    const coll = value.get("coll");
    if (typeof coll === "string" && (db === undefined || typeof db === "string"))
      target = { db: db ?? context.db, name: coll };
  }
  if (target === undefined)
    throw new StoreError(16990, `${stage} only supports a string or object argument, not ${typeName(value)}`);
  checkDatabaseName(target.db);
  checkCollectionName(target.db, target.name);
  return target;
}

/**
 * Replaces a collection with the pipeline's documents. They go into a new collection, which takes over the name at the
 * end.
 */
export async function runOut(context: Context, items: Items, argument: Value): Promise<void> {
  const { store } = context.services;
  const target = targetOf(context, argument, "$out");
  const existing = store.find(target.db, target.name);
  refuseView(existing);
  const temporary = store.createCollection(
    target.db,
    `tmp.agg_out.${new ObjectId().toHexString()}`,
    existing?.options ?? new Map(),
  );
  try {
    for (const index of existing?.indexes ?? []) {
      if (index.id === 0) continue;
      store.finishIndex(store.addIndex(temporary, index.spec));
    }
    for (const item of items) {
      if (item === PAUSE) {
        await context.turns.pause();
        continue;
      }
      const ready = readyToInsert(item.doc);
      if (!optionalBool(context.command, "aggregate", "bypassDocumentValidation")) temporary.validate(ready.doc);
      store.insert(temporary, ready.doc, ready.bytes);
    }
    // Both in one turn of the event loop, so that no client sees the collection missing.
    const present = store.find(target.db, target.name);
    if (present !== undefined) store.dropCollection(present);
    store.renameCollection(temporary, target.name);
  } catch (error) {
    if (!temporary.isDropped) store.dropCollection(temporary);
    throw error;
  }
}

type WhenMatched = "replace" | "keepExisting" | "merge" | "fail" | Value[];
type WhenNotMatched = "insert" | "discard" | "fail";

type Merge = {
  target: Target;
  on: string[];
  whenMatched: WhenMatched;
  whenNotMatched: WhenNotMatched;
  lets: [string, Evaluator][];
};

function readMerge(context: Context, argument: Value, variables: Variables): Merge {
  if (typeof argument === "string") {
    return {
      target: targetOf(context, argument, "$merge"),
      on: ["_id"],
      whenMatched: "merge",
      whenNotMatched: "insert",
      lets: [],
    };
  }
  if (!isDoc(argument))
    throw new StoreError(51182, `$merge only supports a string or object argument, not ${typeName(argument)}`);
  for (const name of argument.keys()) {
    if (!["into", "on", "let", "whenMatched", "whenNotMatched"].includes(name))
      throw new StoreError("IDLUnknownField", `BSON field '$merge.${name}' is an unknown field.`);
  }
  const given = argument.get("on") ?? "_id";
  const on = (Array.isArray(given) ? given : [given]).map((field) => {
    if (typeof field !== "string")
      throw new StoreError(51134, "$merge 'on' field must be a string or an array of strings");
    return field;
  });
  const whenMatched = argument.get("whenMatched") ?? "merge";
  const isMode =
    Array.isArray(whenMatched) || ["replace", "keepExisting", "merge", "fail"].includes(String(whenMatched));
  if (!isMode)
    throw new StoreError(
      "BadValue",
      `Enumeration value '${String(whenMatched)}' for field 'whenMatched' is not a valid value.`,
    );
  const whenNotMatched = argument.get("whenNotMatched") ?? "insert";
  if (!["insert", "discard", "fail"].includes(String(whenNotMatched))) {
    throw new StoreError(
      "BadValue",
      `Enumeration value '${String(whenNotMatched)}' for field '$merge.whenNotMatched' is not a valid value.`,
    );
  }
  const letDoc = argument.get("let");
  if (letDoc !== undefined && !Array.isArray(whenMatched))
    throw new StoreError(51199, "Cannot use 'let' variables with a 'whenMatched' mode other than a pipeline");
  const lets: [string, Evaluator][] = isDoc(letDoc)
    ? [...letDoc].map(([name, value]) => [
        name === "new" ? name : checkVariableName(name),
        compileExpression(value, variables),
      ])
    : [["new", (env) => env.root]];
  return {
    target: targetOf(context, argument.get("into"), "$merge"),
    on,
    whenMatched: whenMatched as WhenMatched,
    whenNotMatched: whenNotMatched as WhenNotMatched,
    lets,
  };
}

/** Merges the pipeline's documents into a collection, one by one. */
export async function runMerge(
  context: Context,
  items: Items,
  argument: Value,
  variables: Variables,
  source: string,
): Promise<void> {
  const { store } = context.services;
  const merge = readMerge(context, argument, variables);
  const { target } = merge;
  const collection = store.find(target.db, target.name) ?? store.createCollection(target.db, target.name, new Map());
  refuseView(collection);
  uniqueIndexOn(collection, merge.on);
  // A pipeline that reads its own target is read completely first.
  const isOwn = source === target.name && context.db === target.db;
  const own: Doc[] = [];
  for (const item of items) {
    if (item === PAUSE) await context.turns.pause();
    else if (isOwn) own.push(item.doc);
    else await mergeOne(context, collection, merge, item.doc, variables);
  }
  for (const doc of own) {
    await mergeOne(context, collection, merge, doc, variables);
    await context.turns.pause();
  }
}

function uniqueIndexOn(collection: Collection, on: readonly string[]): Index {
  const wanted = [...on].sort().join();
  const found = collection.indexes.find(
    (index) =>
      index.isUnique &&
      index.partial === undefined &&
      !index.isSparse &&
      index.fields
        .map(({ path }) => path)
        .sort()
        .join() === wanted,
  );
  if (found === undefined) throw new StoreError(51183, "Cannot find index to verify that join fields will be unique");
  return found;
}

async function mergeOne(
  context: Context,
  collection: Collection,
  merge: Merge,
  given: Doc,
  variables: Variables,
): Promise<void> {
  const needsId = merge.on.includes("_id") && !given.has("_id");
  const doc: Doc = needsId ? new Map<string, Value>([["_id", new ObjectId()], ...given]) : given;
  const filter: Doc = new Map();
  for (const field of merge.on) {
    const value = getPath(doc, field.split("."));
    if (value === undefined || value === null || Array.isArray(value))
      throw new StoreError(51132, "$merge write error: 'on' field cannot be missing, null, undefined or an array");
    filter.set(field, docOf({ $eq: value }));
  }
  const bypass = optionalBool(context.command, "aggregate", "bypassDocumentValidation");
  await afterLocks(context, async () => {
    const query = { collection, rows: context.services.store, filter, sort: [], hint: undefined, variables };
    const isMatched = await actOnFirst(context, query, (existing) => {
      if (merge.whenMatched === "keepExisting") return true;
      if (merge.whenMatched === "fail") throw duplicateOf(collection, merge, existing.doc);
      replaceMatched(context, collection, merge, existing, doc, variables, bypass);
      return true;
    });
    if (isMatched !== true) insertUnmatched(context, collection, merge, doc, bypass);
  });
}

function duplicateOf(collection: Collection, { on }: Merge, existing: Doc): StoreError {
  const index = uniqueIndexOn(collection, on);
  return duplicateKey(
    collection,
    index,
    index.fields.map(({ parts }) => getPath(existing, parts) ?? null),
  );
}

function insertUnmatched(context: Context, collection: Collection, merge: Merge, doc: Doc, bypass: boolean): void {
  if (merge.whenNotMatched === "discard") return;
  if (merge.whenNotMatched === "fail")
    throw new StoreError(
      13113,
      "$merge could not find a matching document in the target collection for at least one document in the source collection",
    );
  const ready = readyToInsert(doc);
  if (!bypass) collection.validate(ready.doc);
  context.services.store.insert(collection, ready.doc, ready.bytes);
}

function replaceMatched(
  context: Context,
  collection: Collection,
  merge: Merge,
  existing: Found,
  doc: Doc,
  variables: Variables,
  bypass: boolean,
): void {
  const before = existing.doc;
  const id = before.get("_id") as Value;
  let after: Doc;
  if (Array.isArray(merge.whenMatched)) {
    let scope: Scope = variables.scope;
    for (const [name, evaluate] of merge.lets)
      scope = bind(scope, name, evaluate({ root: doc, current: doc, scope: variables.scope }));
    after = compileUpdatePipeline(merge.whenMatched, { scope })(before);
  } else if (merge.whenMatched === "replace") {
    after = new Map(doc);
  } else {
    after = new Map(before);
    for (const [name, value] of doc) after.set(name, value);
  }
  if (!after.has("_id")) after.set("_id", id);
  if (!areEqual(after.get("_id") as Value, id)) {
    throw new StoreError(
      "ImmutableField",
      "$merge failed to update the matching document, did you attempt to modify the _id or the shard key?",
    );
  }
  const ready = readyToStore(after);
  if (!bypass) collection.validate(ready.doc);
  context.services.store.replace(collection, existing.row, before, ready.doc, ready.bytes);
}
