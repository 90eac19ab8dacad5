import type { Item, Items } from "../aggregate/items.ts";
import { docOf, isDoc, typeName, type Value } from "../bson/values.ts";
import { StoreError } from "../errors.ts";
import { compileExpression } from "../expressions/compile.ts";
import type { Variables } from "../expressions/scope.ts";
import type { Context } from "./context.ts";
import { collectionStats } from "./statistics.ts";

/** Returns the documents of a first stage that generates them; undefined for any other stage. */
export function sourceOf(
  context: Context,
  name: string | undefined,
  stage: string,
  argument: Value,
  variables: Variables,
): Items | undefined {
  switch (stage) {
    case "$documents":
      if (name !== undefined)
        throw new StoreError(
          "InvalidNamespace",
          "$documents must be run against a database, not a collection: {aggregate: 1}",
        );
      return documentsOf(argument, variables);
    case "$listLocalSessions":
    case "$listSessions":
    case "$currentOp":
      if (name !== undefined)
        throw new StoreError("InvalidNamespace", `${stage} must be run against a database with {aggregate: 1}`);
      return stage === "$currentOp" ? currentOperations(context) : sessions(context);
    case "$collStats":
      if (name === undefined) throw new StoreError("InvalidNamespace", "$collStats needs a collection");
      return statistics(context, name, argument);
    case "$indexStats":
      return indexStatistics(context, name ?? "");
    default:
      return undefined;
  }
}

function* sessions(context: Context): Items {
  const lsid = context.command.get("lsid");
  if (isDoc(lsid)) yield { doc: docOf({ _id: lsid, lastUse: new Date() }) };
}

function* currentOperations(context: Context): Items {
  yield { doc: docOf({ type: "op", op: "command", ns: `${context.db}.$cmd.aggregate`, active: true }) };
}

function* statistics(context: Context, name: string, argument: Value): Items {
  const collection = context.services.store.find(context.db, name);
  if (collection === undefined)
    throw new StoreError(
      "NamespaceNotFound",
      `Unable to retrieve storageStats in $collStats stage :: caused by :: Collection [${context.db}.${name}] not found.`,
    );
  const doc = docOf({ ns: collection.namespace, localTime: new Date() });
  if (isDoc(argument)) {
    if (argument.has("count")) doc.set("count", collection.count);
    if (argument.has("storageStats")) doc.set("storageStats", collectionStats(context.services.store, collection));
  }
  yield { doc };
}

function* indexStatistics(context: Context, name: string): Items {
  for (const index of context.services.store.find(context.db, name)?.indexes ?? []) {
    yield { doc: docOf({ name: index.name, key: index.key, host: context.services.address, spec: index.spec }) };
  }
}

/** Yields the constant documents of `$documents`. */
function* documentsOf(argument: Value, variables: Variables): Items {
  const value = compileExpression(argument, variables)({ root: new Map(), current: undefined, scope: variables.scope });
  if (!Array.isArray(value)) throw new StoreError(5858203, "an array is expected for $documents");
  for (const doc of value) {
    if (!isDoc(doc)) throw new StoreError(40228, `$documents items must be objects, found ${typeName(doc)}`);
    const item: Item = { doc };
    yield item;
  }
}
