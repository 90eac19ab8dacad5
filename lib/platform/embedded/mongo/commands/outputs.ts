import type { Items } from "../aggregate/items.ts";
import { encodeKey } from "../bson/keys.ts";
import { type Doc, isDoc, ObjectId, typeName, type Value } from "../bson/values.ts";
import { badValue, StoreError } from "../errors.ts";
import { Found } from "../query/query.ts";
import { PAUSE } from "../scheduling/flow.ts";
import type { Collection } from "../storage/collection.ts";
import { readyToInsert, readyToStore } from "../storage/documents.ts";
import { refuseView } from "./collections.ts";
import type { Context } from "./context.ts";
import { checkCollectionName, checkDatabaseName } from "./names.ts";
import { checkPart, optionalBool } from "./options.ts";
import { afterLocks } from "./write-one.ts";

function checkTarget(context: Context, name: string): void {
  checkDatabaseName(context.db);
  checkCollectionName(context.db, name);
}

/**
 * Replaces a collection with the pipeline's documents. They go into a new collection, which takes over the name at the
 * end.
 */
export async function runOut(context: Context, items: Items, argument: Value): Promise<void> {
  const { store } = context.services;
  if (typeof argument !== "string")
    throw new StoreError(16990, `$out only supports a string argument in this store, not ${typeName(argument)}`);
  checkTarget(context, argument);
  const existing = store.find(context.db, argument);
  refuseView(existing);
  const temporary = store.createCollection(
    context.db,
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
    const present = store.find(context.db, argument);
    if (present !== undefined) store.dropCollection(present);
    store.renameCollection(temporary, argument);
  } catch (error) {
    if (!temporary.isDropped) store.dropCollection(temporary);
    throw error;
  }
}

type Merge = { target: string; isInsertOnly: boolean };

function readMerge(argument: Value): Merge {
  if (typeof argument === "string") return { target: argument, isInsertOnly: false };
  if (!isDoc(argument))
    throw new StoreError(51182, `$merge only supports a string or object argument, not ${typeName(argument)}`);
  checkPart(argument, "$merge", ["into", "whenMatched"]);
  const into = argument.get("into");
  if (typeof into !== "string")
    throw new StoreError(51178, `$merge 'into' field must be a string, but found ${typeName(into)}`);
  const whenMatched = argument.get("whenMatched") ?? "merge";
  if (whenMatched !== "merge" && whenMatched !== "fail")
    throw badValue("$merge supports only the values 'merge' and 'fail' of 'whenMatched' in this store.");
  return { target: into, isInsertOnly: whenMatched === "fail" };
}

/** Merges the pipeline's documents into a collection of the same database, by their `_id`. */
export async function runMerge(context: Context, items: Items, argument: Value, source: string): Promise<void> {
  const { store } = context.services;
  const merge = readMerge(argument);
  checkTarget(context, merge.target);
  const collection =
    store.find(context.db, merge.target) ?? store.createCollection(context.db, merge.target, new Map());
  refuseView(collection);
  // A pipeline that reads its own target is read completely first.
  const own: Doc[] = [];
  for (const item of items) {
    if (item === PAUSE) await context.turns.pause();
    else if (source === merge.target) own.push(item.doc);
    else await mergeOne(context, collection, merge, item.doc);
  }
  for (const doc of own) {
    await mergeOne(context, collection, merge, doc);
    await context.turns.pause();
  }
}

async function mergeOne(context: Context, collection: Collection, merge: Merge, given: Doc): Promise<void> {
  const id = given.get("_id") ?? new ObjectId();
  const { store } = context.services;
  const bypass = optionalBool(context.command, "aggregate", "bypassDocumentValidation");
  await afterLocks(context, async () => {
    const row = store.byId(collection, encodeKey(id));
    if (row === undefined || merge.isInsertOnly) {
      const ready = readyToInsert(new Map<string, Value>([["_id", id], ...given]));
      if (!bypass) collection.validate(ready.doc);
      store.insert(collection, ready.doc, ready.bytes);
      return;
    }
    const before = new Found(row).doc;
    const ready = readyToStore(new Map([...before, ...given]));
    if (!bypass) collection.validate(ready.doc);
    store.replace(collection, row, before, ready.doc, ready.bytes);
  });
}
