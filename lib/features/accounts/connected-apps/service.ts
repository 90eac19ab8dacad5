import "server-only";
import type { ClientSession, ObjectId } from "mongodb";
import type { Caller } from "@/lib/platform/access/caller";
import { isAtLeast } from "@/lib/platform/access/roles";
import { findPage } from "@/lib/platform/db/find-page";
import { inTransaction } from "@/lib/platform/db/transaction";
import { AppError } from "@/lib/platform/http/errors";
import type { Page, PageRequest } from "@/lib/platform/http/paging";
import { deleteApps } from "./authorization-server";
import { collections } from "./collections";
import type { ConnectedAppDoc } from "./model";
import type { ConnectedApp } from "./schema";
import { countCalls } from "./uses";

/** Lists the connected apps that the caller may revoke, newest first: admins everyone's, members their own. */
export function listConnectedApps(caller: Caller, page: PageRequest): Promise<Page<ConnectedApp>> {
  const now = new Date();
  return findPage(collections.connectedApps(), ownOrAll(caller), page, { order: "newest" }, (doc) =>
    toConnectedApp(doc, now),
  );
}

/** Ends a client's access; its tokens are rejected from the next request on. @throws AppError `not_found` */
export async function revokeConnectedApp(caller: Caller, _id: ObjectId): Promise<void> {
  const deleted = await inTransaction((session) => deleteApps({ ...ownOrAll(caller), _id }, session));
  if (deleted === 0) throw new AppError("not_found", "Connected app not found.");
}

/** Deletes the apps of a user who leaves a workspace. */
export async function deleteAppsOf(workspaceId: ObjectId, userId: ObjectId, session: ClientSession): Promise<void> {
  await deleteApps({ workspaceId, userId }, session);
}

function ownOrAll({ workspaceId, role, user }: Caller) {
  return isAtLeast(role, "admin") ? { workspaceId } : { workspaceId, userId: user._id };
}

function toConnectedApp(doc: ConnectedAppDoc, now: Date): ConnectedApp {
  return {
    id: doc._id.toHexString(),
    clientId: doc.clientId,
    name: doc.name,
    host: doc.host,
    scopes: doc.scopes,
    userId: doc.userId.toHexString(),
    createdAt: doc.createdAt.toISOString(),
    lastUsedAt: doc.lastUsedAt?.toISOString() ?? null,
    calls: countCalls(doc, now),
    expiresAt: doc.expiresAt.toISOString(),
  };
}
