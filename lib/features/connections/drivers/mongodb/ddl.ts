import "server-only";
import type { CollectionInfo, Db, Document } from "mongodb";
import type { Entity } from "@/lib/base/values/fields";
import { noSuchTable, toScript } from "../shared/ddl";
import { toShellText } from "./shell/write";

/** What an index has that the server has added, or that is said by its keys. */
const SAID_ELSEWHERE = new Set(["v", "key", "ns", "background"]);

/**
 * How a collection or view would be made again, in the words of the shell: its options with the validator, its indexes.
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
  // The one of _id comes with the collection.
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

/** The server's own number of a collection is no option. */
function withoutIds({ uuid: _, ...options }: Document): Document {
  return options;
}
