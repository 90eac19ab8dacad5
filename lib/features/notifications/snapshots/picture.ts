import "server-only";
import type { ObjectId } from "mongodb";
import { hashToken } from "@/lib/features/accounts/tokens";
import { admitVisitor } from "@/lib/features/shares/visits";
import { AppError } from "@/lib/platform/http/errors";
import { collections } from "../collections";

export type SnapshotForm = "png" | "pdf";

/**
 * Returns the picture of a message, or its PDF, to anyone with the address: chats read it without signing in.
 * @throws AppError `not_found`, the same for an unknown address and an expired one; `rate_limited`
 */
export async function readSnapshotPicture(token: string, as: SnapshotForm, headers: Headers): Promise<Buffer> {
  await admitVisitor(headers);
  // The token determines the workspace.
  const doc = await collections.snapshotPictures().findOne({ tokenHash: hashToken(token) });
  const file = doc?.[as];
  if (!file) throw new AppError("not_found", "Image not found or expired.");
  return Buffer.from(file.buffer);
}

/** Returns the files of a delivery; null if they have expired or it has none. */
export async function findSnapshotFiles(
  workspaceId: ObjectId,
  pictureId: ObjectId,
): Promise<{ png: Buffer; pdf: Buffer | null } | null> {
  const doc = await collections.snapshotPictures().findOne({ _id: pictureId, workspaceId });
  return doc && { png: Buffer.from(doc.png.buffer), pdf: doc.pdf ? Buffer.from(doc.pdf.buffer) : null };
}
