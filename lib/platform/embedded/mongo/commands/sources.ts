import type { Item, Items } from "../aggregate/items.ts";
import { docOf, isDoc, typeName, type Value } from "../bson/values.ts";
import { StoreError } from "../errors.ts";
import { compileExpression } from "../expressions/compile.ts";
import type { Variables } from "../expressions/scope.ts";
import type { Context } from "./context.ts";

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
      if (name !== undefined)
        throw new StoreError("InvalidNamespace", `${stage} must be run against a database with {aggregate: 1}`);
      return sessions(context);
    default:
      return undefined;
  }
}

function* sessions(context: Context): Items {
  const lsid = context.command.get("lsid");
  if (isDoc(lsid)) yield { doc: docOf({ _id: lsid, lastUse: new Date() }) };
}

/** Yields the constant documents of `$documents`. */
function* documentsOf(argument: Value, variables: Variables): Items {
  const value = compileExpression(argument, variables)({ root: new Map(), scope: variables.scope });
  if (!Array.isArray(value)) throw new StoreError(5858203, "an array is expected for $documents");
  for (const doc of value) {
    if (!isDoc(doc)) throw new StoreError(40228, `$documents items must be objects, found ${typeName(doc)}`);
    const item: Item = { doc };
    yield item;
  }
}
