import "server-only";
import type { ObjectId } from "mongodb";
import { hashToken } from "@/lib/auth/tokens";
import { AppError } from "@/lib/http/errors";
import { admitVisitor } from "@/lib/shares/visits";
import { collections } from "../collections";

/**
 * The picture of a message, for whoever has its address: chats read it without signing in.
 * @throws AppError `not_found`, the same for an unknown address and one that has ended; `rate_limited`
 */
export async function readSnapshotPicture(token: string, headers: Headers): Promise<Buffer> {
  await admitVisitor(headers);
  // The token says which workspace it is.
  const doc = await collections.snapshotPictures().findOne({ tokenHash: hashToken(token) });
  if (!doc) throw new AppError("not_found", "There is no picture at this address. It may have ended.");
  return Buffer.from(doc.png.buffer);
}

/** That of a delivery; null when it has ended, and for what has none. */
export async function findPicture(workspaceId: ObjectId, pictureId: ObjectId): Promise<Buffer | null> {
  const doc = await collections.snapshotPictures().findOne({ _id: pictureId, workspaceId });
  return doc && Buffer.from(doc.png.buffer);
}
