import "server-only";
import { randomBytes } from "node:crypto";
import { ObjectId } from "mongodb";
import { hashPassword } from "@/lib/features/accounts/passwords";
import { hashToken } from "@/lib/features/accounts/tokens";
import type { Caller } from "@/lib/platform/access/caller";
import { isDuplicateKey } from "@/lib/platform/db/duplicate-key";
import { AppError, invalidInput } from "@/lib/platform/http/errors";
import { open, seal } from "@/lib/platform/secrets/seal";
import { contextOf } from "@/lib/platform/secrets/sealed-fields";
import { collections } from "./collections";
import { type ShareDoc, type Shared, toShare } from "./model";
import type { Share, ShareBody } from "./schema";

/** 128 random bits (T95), which cannot be guessed. */
const TOKEN_BYTES = 16;

/** Returns the share of an item; null when it was never shared. The caller's access has been checked already. */
export async function findShare({ workspaceId, kind, resourceId }: Shared): Promise<Share | null> {
  const doc = await collections.shares().findOne({ workspaceId, kind, resourceId });
  return doc && toShare(doc, open(doc.token, contextOf(doc, "token")));
}

/**
 * Shares an item, or changes its share. Properties that are not sent stay, including the link. The caller's access has
 * been checked already.
 * @throws AppError `invalid_request` for an expiry in the past, and for embedding without allowed sites
 */
export async function putShare(caller: Caller, shared: Shared, body: ShareBody, now = new Date()): Promise<Share> {
  const { workspaceId, kind, resourceId } = shared;
  const place = { workspaceId, kind, resourceId };
  const before = await collections.shares().findOne(place);
  const embed = body.embed ?? before?.embed ?? false;
  const embedOrigins = body.embedOrigins ?? before?.embedOrigins ?? [];
  if (embed && embedOrigins.length === 0) throw invalidInput("embedOrigins", "Add at least one site.");
  const expiresAt = body.expiresAt ? new Date(body.expiresAt) : null;
  if (expiresAt && expiresAt <= now) throw invalidInput("expiresAt", "expiresAt must be in the future.");
  const changes = {
    enabled: body.enabled,
    embed,
    embedOrigins,
    updatedAt: now,
    ...(body.expiresAt !== undefined && { expiresAt }),
    ...(body.password !== undefined && {
      passwordHash: body.password === null ? null : await hashPassword(body.password),
      passwordId: new ObjectId(),
    }),
  };
  const changed = await collections.shares().findOneAndUpdate(place, { $set: changes }, { returnDocument: "after" });
  if (changed) return toShare(changed, open(changed.token, contextOf(changed, "token")));
  const token = randomBytes(TOKEN_BYTES).toString("base64url");
  const _id = new ObjectId();
  const doc: ShareDoc = {
    _id,
    ...place,
    tokenHash: hashToken(token),
    token: seal(token, contextOf({ _id, workspaceId }, "token")),
    ...{ passwordHash: null, passwordId: new ObjectId(), expiresAt: null },
    ...changes,
    createdBy: caller.user._id,
    createdAt: now,
  };
  try {
    await collections.shares().insertOne(doc);
    return toShare(doc, token);
  } catch (error) {
    // Someone else shared it at the same moment: keep their link.
    if (isDuplicateKey(error)) return putShare(caller, shared, body, now);
    throw error;
  }
}

/** Deletes a share: its link stops working, and a later share gets another link. */
export async function dropShare({ workspaceId, kind, resourceId }: Shared): Promise<void> {
  await collections.shares().deleteOne({ workspaceId, kind, resourceId });
}

/**
 * Returns the active share of a link.
 * @throws AppError `not_found`, the same for an unknown token, a disabled share and an expired one
 */
export async function getOpenShareOrThrow(token: string, now = new Date()): Promise<ShareDoc> {
  // The token determines the workspace.
  const doc = await collections.shares().findOne({ tokenHash: hashToken(token) });
  if (!doc?.enabled || (doc.expiresAt && doc.expiresAt <= now)) throw noSuchShare();
  return doc;
}

/** Returns the active share with an id, for visitors who entered by the link earlier; null when it has ended since. */
export async function findOpenShare(
  workspaceId: ObjectId,
  shareId: ObjectId,
  now = new Date(),
): Promise<ShareDoc | null> {
  const doc = await collections.shares().findOne({ _id: shareId, workspaceId });
  return doc?.enabled && !(doc.expiresAt && doc.expiresAt <= now) ? doc : null;
}

/**
 * Returns the ids of items of one kind with an active share. Access to the items is not checked.
 * @param among ids to check; all of the workspace when omitted
 */
export async function listOpenlyShared(
  { workspaceId, kind }: Pick<Shared, "workspaceId" | "kind">,
  among?: readonly ObjectId[],
  now = new Date(),
): Promise<ObjectId[]> {
  const isOpen = { enabled: true, $or: [{ expiresAt: null }, { expiresAt: { $gt: now } }] };
  const docs = await collections
    .shares()
    .find(
      { workspaceId, kind, ...isOpen, ...(among && { resourceId: { $in: [...among] } }) },
      { projection: { resourceId: 1 } },
    )
    .toArray();
  return docs.map(({ resourceId }) => resourceId);
}

/** Returns the same error for every reason. */
export function noSuchShare(): AppError {
  return new AppError("not_found", "This link does not work. Ask the sender for a new one.");
}
