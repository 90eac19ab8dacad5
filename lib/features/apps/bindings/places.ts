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

/* What a binding reads, and where its rows are kept. */

/** `lib/features/runs/schedules` knows what is refreshed by this name. */
export const RESOURCE_TYPE = "app_binding";

export type OfApp = Pick<AppDoc, "_id" | "workspaceId">;

/** Rows that whoever uses the app sees. */
export function publishedOwner({ workspaceId, _id }: OfApp): DatasetOwner {
  return { workspaceId, kind: "app", id: _id };
}

/** Rows that somebody alone sees who works on the app. */
export function workOwner({ workspaceId, _id }: OfApp): DatasetOwner {
  return { workspaceId, kind: "app_work", id: _id };
}

/** By what is read and as whom: a new commit with the same text has its rows already, and an old one keeps its own. */
export function publishedPlace(app: OfApp, sourceKey: string): DatasetPlace {
  return { owner: publishedOwner(app), name: sourceKey };
}

export function workPlace(app: OfApp, userId: ObjectId, sourceKey: string): DatasetPlace {
  return { owner: workOwner(app), name: `${userId.toHexString()}:${sourceKey}` };
}

/** What the rows of a binding are kept as, when this person reads it. */
export function sourceKeyOf(userId: ObjectId, { frontMatter, sql }: Binding): string {
  const { connectionId, params } = frontMatter;
  return toSourceKey(
    { user: { _id: userId } },
    { connection: { _id: new ObjectId(connectionId) }, statement: toStatement(sql, params) },
  );
}

/**
 * The connection and the statement as they are now.
 * @throws AppError not_found for a connection that is unknown, another workspace's or deleted; invalid_request for one that
 *   only flows read
 */
export async function resolveBinding(
  reader: Caller,
  { frontMatter, sql }: Binding,
  origin: QueryOrigin,
): Promise<DatasetSource> {
  const connection = await getConnectionDocOrThrow(reader, new ObjectId(frontMatter.connectionId));
  if (!getDriverOrThrow(connection.type).language) {
    throw new AppError("invalid_request", "This source can only be read by flows. Choose a database.");
  }
  return { connection, origin, statement: toStatement(sql, frontMatter.params) };
}

/** The origin of what a published app reads. */
export function originOf({ _id, space }: Pick<AppDoc, "_id" | "space">): QueryOrigin {
  return { kind: "app", id: _id, isPrivate: accessOf(space) === "private" };
}

/** The connections that a set of bindings reads, each once. */
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
