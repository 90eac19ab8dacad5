import "server-only";
import { createHash } from "node:crypto";
import type { ObjectId } from "mongodb";
import { packHead } from "@/lib/features/repository/wire";
import type { BasePack } from "./base-pack";
import { PackBody } from "./pack-body";
import type { PackPlan } from "./pack-plan";

/** A part of a stretch exceeds the size of one protocol packet. */
const PIECE_BYTES = 64 * 1024;

/**
 * Yields the bytes of a pack, with its objects' streams as stored. Memory holds only a few objects, for a pack of any
 * length.
 * @param base sent first, as stored: its distances count backwards, so they are valid at any offset
 */
export async function* packBytes(
  repositoryId: ObjectId,
  plan: PackPlan,
  base: BasePack | null,
  signal: AbortSignal,
): AsyncGenerator<Buffer, void> {
  const hash = createHash("sha1");
  const head = packHead((base?.objects ?? 0) + plan.commits.length + plan.blobs.length + plan.trees.length);
  hash.update(head);
  yield head;
  if (base) {
    for await (const piece of base.pieces(signal)) {
      hash.update(piece);
      for (let at = 0; at < piece.length; at += PIECE_BYTES) yield piece.subarray(at, at + PIECE_BYTES);
    }
  }
  for await (const piece of new PackBody(repositoryId, plan).pieces(signal)) {
    hash.update(piece);
    yield piece;
  }
  yield hash.digest();
}
