import { type Doc, docOf, double } from "../../../lib/platform/embedded/mongo/bson/values.ts";
import { refuseView } from "../../../lib/platform/embedded/mongo/commands/collections.ts";
import type { Context } from "../../../lib/platform/embedded/mongo/commands/context.ts";
import { checkCollectionName, checkDatabaseName } from "../../../lib/platform/embedded/mongo/commands/names.ts";
import { optionalBool } from "../../../lib/platform/embedded/mongo/commands/options.ts";
import { StoreError } from "../../../lib/platform/embedded/mongo/errors.ts";

/** Renames a collection within its database, and replaces another one if `dropTarget` is set. */
export function renameCollection(context: Context): Doc {
  const { command } = context;
  const { store } = context.services;
  if (context.db !== "admin")
    throw new StoreError("Unauthorized", "renameCollection may only be run against the admin database.");
  const [from, to] = [command.get("renameCollection"), command.get("to")].map((value) => {
    if (typeof value !== "string" || !value.includes("."))
      throw new StoreError("InvalidNamespace", `Invalid namespace specified '${String(value)}'`);
    return { db: value.slice(0, value.indexOf(".")), name: value.slice(value.indexOf(".") + 1) };
  }) as [{ db: string; name: string }, { db: string; name: string }];
  checkDatabaseName(to.db);
  checkCollectionName(to.db, to.name);
  const collection = store.find(from.db, from.name);
  if (collection === undefined)
    throw new StoreError("NamespaceNotFound", `Source collection ${from.db}.${from.name} does not exist`);
  refuseView(collection);
  if (from.db !== to.db)
    throw new StoreError(
      "CommandNotSupported",
      "Renaming a collection into another database is not supported by this store.",
    );
  if (from.name === to.name) throw new StoreError("IllegalOperation", "Can't rename a collection to itself");
  const target = store.find(to.db, to.name);
  if (target !== undefined) {
    if (!optionalBool(command, "renameCollection", "dropTarget"))
      throw new StoreError("NamespaceExists", "target namespace exists");
    store.dropCollection(target);
  }
  store.renameCollection(collection, to.name);
  return docOf({ ok: double(1) });
}
