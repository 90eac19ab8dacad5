import "server-only";
import { ObjectId } from "mongodb";
import { collections } from "./collections";
import type { ConnectionDoc } from "./model";

/** Connections that a name fits: more than one is ambiguous anyway. */
const FOUND_MAX = 2;
const ID = /^[0-9a-f]{24}$/i;

/** Returns the connections with a name; one with an ID, in the form of `labelsOf`. More than one is ambiguous. */
export async function findConnectionsNamed(workspaceId: ObjectId, label: string): Promise<ConnectionDoc[]> {
  const named = await collections.connections().find({ workspaceId, name: label }).limit(FOUND_MAX).toArray();
  if (named.length > 0 || !ID.test(label)) return named;
  return collections
    .connections()
    .find({ workspaceId, _id: new ObjectId(label) })
    .toArray();
}

/** Returns what files call these connections, by ID: the name, or the ID if others have the same name. */
export async function labelsOf(workspaceId: ObjectId, ids: readonly ObjectId[]): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map();
  const projection = { name: 1 };
  const docs = await collections
    .connections()
    .find({ workspaceId, _id: { $in: [...ids] } }, { projection })
    .toArray();
  const names = docs.map(({ name }) => name);
  const all = await collections
    .connections()
    .find({ workspaceId, name: { $in: names } }, { projection })
    .toArray();
  const isUnique = (name: string) => all.filter((each) => each.name === name).length === 1;
  return new Map(docs.map(({ _id, name }) => [_id.toHexString(), isUnique(name) ? name : _id.toHexString()]));
}
