import "server-only";
import type { CollectionInfo, Db, Document } from "mongodb";
import type { Entity } from "@/lib/base/values/fields";
import { noSuchTable, toScript } from "../shared/ddl";
import { toShellText } from "./shell/write";

/** Index options that the server added, or that its keys state. */
const SAID_ELSEWHERE = new Set(["v", "key", "ns", "background"]);

/**
 * Returns the shell statements that create a collection or view: its options with the validator, its indexes.
 * @throws AppError `not_found`
 */
export async function readDdl(db: Db, { name, kind }: Entity, signal: AbortSignal): Promise<string> {
  const [found] = await db.listCollections<CollectionInfo>({ name }, { signal }).toArray();
  if (!found) throw noSuchTable(name);
  const written = toShellText(name);
  const options = withoutIds(found.options ?? {});
  const isPlain = Object.keys(options).length === 0;
  const made = `db.createCollection(${written}${isPlain ? "" : `, ${toShellText(options)}`})`;
  if (kind === "view") return toScript([made], name);
  signal.throwIfAborted();
  const indexes = await db.collection(name).listIndexes().toArray();
  // The _id index comes with the collection.
  const others = indexes.filter((index) => index.name !== "_id_" && !index.clustered);
  return toScript([made, ...others.map((index) => toIndex(written, index))], name);
}

function toIndex(collection: string, { key, ...index }: Document): string {
  const ownName = Object.entries(key as Document)
    .map(([field, direction]) => `${field}_${String(direction)}`)
    .join("_");
  const options = Object.entries(index).filter(
    ([option, value]) => !SAID_ELSEWHERE.has(option) && !(option === "name" && value === ownName),
  );
  const said = options.length === 0 ? "" : `, ${toShellText(Object.fromEntries(options))}`;
  return `db.getCollection(${collection}).createIndex(${toShellText(key)}${said})`;
}

/** Removes the server's id of a collection, which is not an option. */
function withoutIds({ uuid: _, ...options }: Document): Document {
  return options;
}
