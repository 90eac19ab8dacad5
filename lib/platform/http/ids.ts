import "server-only";
import { ObjectId } from "mongodb";
import { z } from "zod";
import { objectIdText } from "./schema";

/** An id in a path, ready for queries. */
export const objectId = objectIdText.transform((text) => new ObjectId(text));

/** The parameters of a path that are all ids, by their names in it: `workspaces/{workspaceId}/flows/{flowId}`. */
export function pathIds<Name extends string>(...names: Name[]): z.ZodObject<Record<Name, typeof objectId>> {
  return z.object(Object.fromEntries(names.map((name) => [name, objectId])) as Record<Name, typeof objectId>);
}
