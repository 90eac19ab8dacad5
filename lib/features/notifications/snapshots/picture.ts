import "server-only";
import type { ObjectId } from "mongodb";
import { hashToken } from "@/lib/features/accounts/tokens";
import { admitVisitor } from "@/lib/features/shares/visits";
import { AppError } from "@/lib/platform/http/errors";
import { collections } from "../collections";

export type SnapshotForm = "png" | "pdf";

/**
 * The picture of a message, or its PDF, for whoever has its address: chats read it without signing in.
 * @throws AppError `not_found`, the same for an unknown address and one that has ended; `rate_limited`
 */
export async function readSnapshotPicture(token: string, as: SnapshotForm, headers: Headers): Promise<Buffer> {
  await admitVisitor(headers);
  // The token says which workspace it is.
  const doc = await collections.snapshotPictures().findOne({ tokenHash: hashToken(token) });
  const file = doc?.[as];
  if (!file) throw new AppError("not_found", "There is no picture at this address. It may have ended.");
  return Buffer.from(file.buffer);
}

/** Those of a delivery; null when they have ended, and for what has none. */
export async function findSnapshotFiles(
  workspaceId: ObjectId,
  pictureId: ObjectId,
): Promise<{ png: Buffer; pdf: Buffer | null } | null> {
  const doc = await collections.snapshotPictures().findOne({ _id: pictureId, workspaceId });
  return doc && { png: Buffer.from(doc.png.buffer), pdf: doc.pdf ? Buffer.from(doc.pdf.buffer) : null };
}
