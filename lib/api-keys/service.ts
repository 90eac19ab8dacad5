import "server-only";
import { ObjectId } from "mongodb";
import type { ApiKeyDoc } from "@/lib/auth/model";
import { hashToken, newApiKey } from "@/lib/auth/tokens";
import { collections } from "@/lib/db/collections";
import { AppError } from "@/lib/http/errors";
import { LIST_LIMIT_MAX } from "@/lib/http/schema";
import type { ApiKey, CreateApiKeyBody, CreatedApiKey } from "./schema";

/**
 * Makes a key that acts as its creator inside the workspace. The key itself is in this answer and nowhere else:
 * what is stored is its hash (T16, T17).
 */
export async function createApiKey(
  workspaceId: ObjectId,
  createdBy: ObjectId,
  body: CreateApiKeyBody,
  now = new Date(),
): Promise<CreatedApiKey> {
  const { key, prefix } = newApiKey();
  const doc: ApiKeyDoc = {
    _id: new ObjectId(),
    workspaceId,
    createdBy,
    name: body.name,
    prefix,
    hash: hashToken(key),
    createdAt: now,
    expiresAt: body.expiresAt ?? null,
    lastUsedAt: null,
  };
  await collections.apiKeys().insertOne(doc);
  return { ...toApiKey(doc), key };
}

/** The workspace's keys, the newest first. */
export async function listApiKeys(workspaceId: ObjectId, limit = LIST_LIMIT_MAX): Promise<ApiKey[]> {
  const docs = await collections.apiKeys().find({ workspaceId }).sort({ createdAt: -1 }).limit(limit).toArray();
  return docs.map(toApiKey);
}

/** Revokes a key; it is refused from the next request on (T19). @throws AppError `not_found` */
export async function deleteApiKey(workspaceId: ObjectId, keyId: ObjectId): Promise<void> {
  const { deletedCount } = await collections.apiKeys().deleteOne({ _id: keyId, workspaceId });
  if (deletedCount === 0) throw new AppError("not_found", "There is no such API key in this workspace.");
}

function toApiKey(doc: ApiKeyDoc): ApiKey {
  return {
    id: doc._id.toHexString(),
    name: doc.name,
    prefix: doc.prefix,
    createdBy: doc.createdBy.toHexString(),
    createdAt: doc.createdAt.toISOString(),
    expiresAt: doc.expiresAt?.toISOString() ?? null,
    lastUsedAt: doc.lastUsedAt?.toISOString() ?? null,
  };
}
