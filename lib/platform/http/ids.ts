import "server-only";
import { ObjectId } from "mongodb";
import { z } from "zod";
import { objectIdText } from "./schema";

/** An id in a path, parsed for queries. */
export const objectId = objectIdText.transform((text) => new ObjectId(text));

/** Returns a schema for path parameters that are all ids, by name: `workspaces/{workspaceId}/flows/{flowId}`. */
export function pathIds<Name extends string>(...names: Name[]): z.ZodObject<Record<Name, typeof objectId>> {
  return z.object(Object.fromEntries(names.map((name) => [name, objectId])) as Record<Name, typeof objectId>);
}
