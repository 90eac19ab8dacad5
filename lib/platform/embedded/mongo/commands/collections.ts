import type { Value } from "../bson/values.ts";
import { StoreError } from "../errors.ts";
import type { Collection } from "../storage/collection.ts";
import { Transaction } from "../storage/transactions.ts";
import type { Context } from "./context.ts";
import { checkCollectionName, checkDatabaseName } from "./names.ts";

/** Returns the collection that a write goes to, and creates it if missing. */
export function collectionForWrite(context: Context, name: string): Collection {
  const { store } = context.services;
  const existing = store.find(context.db, name);
  if (existing !== undefined) {
    refuseView(existing);
    return existing;
  }
  checkDatabaseName(context.db);
  checkCollectionName(context.db, name);
  const created = store.createCollection(context.db, name, new Map());
  if (context.access instanceof Transaction) context.access.adopt(created);
  return created;
}

/** Returns the pipeline and source of a view; undefined for a plain collection. */
export function viewOf(collection: Collection | undefined): { on: string; pipeline: Value[] } | undefined {
  const on = collection?.options.get("viewOn");
  const pipeline = collection?.options.get("pipeline");
  return typeof on === "string" ? { on, pipeline: Array.isArray(pipeline) ? pipeline : [] } : undefined;
}

export function refuseView(collection: Collection | undefined): void {
  if (viewOf(collection) !== undefined) {
    throw new StoreError(
      "CommandNotSupportedOnView",
      `Namespace ${collection?.namespace ?? ""} is a view, not a collection`,
    );
  }
}
