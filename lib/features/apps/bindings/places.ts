import "server-only";
import { ObjectId } from "mongodb";
import { getConnectionDocOrThrow, getDriverOrThrow } from "@/lib/features/connections/service";
import { accessOf } from "@/lib/features/folders/model";
import type { QueryOrigin } from "@/lib/features/query/model";
import type { DatasetOwner, DatasetPlace } from "@/lib/features/results/datasets/model";
import { type DatasetSource, toSourceKey } from "@/lib/features/results/datasets/service";
import type { Caller } from "@/lib/platform/access/caller";
import { AppError } from "@/lib/platform/http/errors";
import type { AppDoc, BindingSetDoc } from "../model";
import type { Binding } from "./front-matter";

/* Sources of bindings, and the storage of their rows. */

/** Resource type of bindings in `lib/features/runs/schedules`. */
export const RESOURCE_TYPE = "app_binding";

export type OfApp = Pick<AppDoc, "_id" | "workspaceId">;

/** Owner of the rows that users of the app see. */
export function publishedOwner({ workspaceId, _id }: OfApp): DatasetOwner {
  return { workspaceId, kind: "app", id: _id };
}

/** Owner of the rows that only one editor of the app sees. */
export function workOwner({ workspaceId, _id }: OfApp): DatasetOwner {
  return { workspaceId, kind: "app_work", id: _id };
}

/**
 * Place of published rows, named by query and reader: a commit with the same query reuses them, an older one keeps its
 * rows.
 */
export function publishedPlace(app: OfApp, sourceKey: string): DatasetPlace {
  return { owner: publishedOwner(app), name: sourceKey };
}

export function workPlace(app: OfApp, userId: ObjectId, sourceKey: string): DatasetPlace {
  return { owner: workOwner(app), name: `${userId.toHexString()}:${sourceKey}` };
}

/** Returns the key under which a binding's rows are stored when this user reads them. */
export function sourceKeyOf(userId: ObjectId, { frontMatter, sql }: Binding): string {
  const { connectionId, params } = frontMatter;
  return toSourceKey(
    { user: { _id: userId } },
    { connection: { _id: new ObjectId(connectionId) }, statement: toStatement(sql, params) },
  );
}

/**
 * Returns the current connection and statement.
 * @throws AppError not_found for a connection that is unknown, deleted or in another workspace; invalid_request for one
 *   that only flows read
 */
export async function resolveBinding(
  reader: Caller,
  { frontMatter, sql }: Binding,
  origin: QueryOrigin,
): Promise<DatasetSource> {
  const connection = await getConnectionDocOrThrow(reader, new ObjectId(frontMatter.connectionId));
  if (!getDriverOrThrow(connection.type).language) {
    throw new AppError("invalid_request", "Only flows can read this source. Choose a database.");
  }
  return { connection, origin, statement: toStatement(sql, frontMatter.params) };
}

/** Returns the query origin of a published app. */
export function originOf({ _id, space }: Pick<AppDoc, "_id" | "space">): QueryOrigin {
  return { kind: "app", id: _id, isPrivate: accessOf(space) === "private" };
}

/** Returns the connections that bindings read, without duplicates. */
export function connectionIdsOf(bindings: readonly Binding[]): ObjectId[] {
  const ids = new Set(bindings.map(({ frontMatter }) => frontMatter.connectionId.toLowerCase()));
  return [...ids].map((id) => new ObjectId(id));
}

export function isIn({ bindings }: BindingSetDoc, name: string): boolean {
  return bindings.some((each) => each.name === name);
}

function toStatement(query: string, params: Binding["frontMatter"]["params"]): DatasetSource["statement"] {
  return { query, ...(params && { params }) };
}
