import "server-only";
import { type ClientSession, ObjectId } from "mongodb";
import { type Caller, toKeyAccess } from "@/lib/platform/access/caller";
import { findPage } from "@/lib/platform/db/find-page";
import { AppError } from "@/lib/platform/http/errors";
import type { Page, PageRequest } from "@/lib/platform/http/paging";
import type { ApiKey, CreateApiKeyBody, CreatedApiKey } from "./api-key-schema";
import { collections } from "./collections";
import type { ApiKeyDoc } from "./model";
import { hashToken, newApiKey } from "./tokens";

/**
 * Creates a key that acts as its creator inside the workspace. Only this answer contains the key: its hash is stored
 * (T16, T17).
 */
export async function createApiKey(
  { workspaceId, user }: Caller,
  body: CreateApiKeyBody,
  now = new Date(),
): Promise<CreatedApiKey> {
  const { key, prefix } = newApiKey();
  const doc: ApiKeyDoc = {
    _id: new ObjectId(),
    workspaceId,
    createdBy: user._id,
    name: body.name,
    prefix,
    hash: hashToken(key),
    access: body.access,
    createdAt: now,
    expiresAt: body.expiresAt ?? null,
    lastUsedAt: null,
  };
  await collections.apiKeys().insertOne(doc);
  return { ...toApiKey(doc), key };
}

/** Lists the workspace's keys, newest first. @throws AppError `invalid_request` for a bad cursor */
export async function listApiKeys({ workspaceId }: Caller, page: PageRequest): Promise<Page<ApiKey>> {
  return findPage(collections.apiKeys(), { workspaceId }, page, { order: "newest" }, toApiKey);
}

/** Revokes a key; it is rejected from the next request on (T19). @throws AppError `not_found` */
export async function deleteApiKey({ workspaceId }: Caller, keyId: ObjectId): Promise<void> {
  const { deletedCount } = await collections.apiKeys().deleteOne({ _id: keyId, workspaceId });
  if (deletedCount === 0) throw new AppError("not_found", "API key not found.");
}

/** Deletes the keys that a user created in a workspace: a key is valid only while its creator is a member (T20). */
export async function deleteKeysOf(workspaceId: ObjectId, createdBy: ObjectId, session: ClientSession): Promise<void> {
  await collections.apiKeys().deleteMany({ workspaceId, createdBy }, { session });
}

function toApiKey(doc: ApiKeyDoc): ApiKey {
  return {
    id: doc._id.toHexString(),
    name: doc.name,
    prefix: doc.prefix,
    access: toKeyAccess(doc.access),
    createdBy: doc.createdBy.toHexString(),
    createdAt: doc.createdAt.toISOString(),
    expiresAt: doc.expiresAt?.toISOString() ?? null,
    lastUsedAt: doc.lastUsedAt?.toISOString() ?? null,
  };
}
