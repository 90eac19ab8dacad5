import "server-only";
import { createHash } from "node:crypto";
import { Binary, ObjectId } from "mongodb";
import { toBuffer } from "@/lib/platform/db/bytes";
import { isDuplicateKey } from "@/lib/platform/db/duplicate-key";
import { isFullDisk } from "@/lib/platform/db/full-disk";
import { AppError } from "@/lib/platform/http/errors";
import { collections } from "../collections";
import type { AppDoc } from "../model";

/** Size of a part, which is one document (at most 16 MiB). Small parts suit ranges and are sent sooner. */
const PART_BYTES = 1024 * 1024;

type OfApp = Pick<AppDoc, "_id" | "workspaceId">;
/** A content of an app: its SHA-256 in hexadecimal digits, and its length in bytes. */
export type Blob = { hash: string; bytes: number };

/** Stores a content once. Safe to repeat. */
export async function storeBlob({ _id: appId, workspaceId }: OfApp, content: Buffer): Promise<Blob> {
  const hash = createHash("sha256").update(content).digest("hex");
  const place = { workspaceId, appId, hash };
  const count = Math.ceil(content.length / PART_BYTES);
  if ((await collections.appBlobParts().countDocuments(place)) < count) {
    for (let n = 0; n < count; n++) {
      const data = new Binary(content.subarray(n * PART_BYTES, (n + 1) * PART_BYTES));
      await collections
        .appBlobParts()
        .insertOne({ _id: new ObjectId(), ...place, n, data })
        .catch((error: unknown) => {
          if (!isDuplicateKey(error)) throw explainFullDisk(error);
        });
    }
  }
  return { hash, bytes: content.length };
}

/**
 * Reads a content, or a range of it, part by part.
 * @param range first and last byte, inclusive
 */
export async function* readBlob(
  { _id: appId, workspaceId }: OfApp,
  { hash, bytes }: Blob,
  range = { first: 0, last: bytes - 1 },
): AsyncGenerator<Uint8Array> {
  const [from, to] = [Math.floor(range.first / PART_BYTES), Math.floor(range.last / PART_BYTES)];
  if (bytes === 0) return;
  const parts = collections
    .appBlobParts()
    .find({ workspaceId, appId, hash, n: { $gte: from, $lte: to } })
    .sort({ n: 1 });
  let next = from;
  for await (const { n, data } of parts) {
    if (n !== next++) break;
    yield toBuffer(data).subarray(Math.max(0, range.first - n * PART_BYTES), range.last + 1 - n * PART_BYTES);
  }
  // A truncated content must not look complete.
  if (next <= to) throw new Error(`Part of the content ${hash} is missing.`);
}

/** Turns the database's error for a full disk into one for the user; returns other errors unchanged. */
export function explainFullDisk(error: unknown): unknown {
  if (!isFullDisk(error)) return error;
  return new AppError("storage_full", "The store is full. Free some space and publish again.", { cause: error });
}
