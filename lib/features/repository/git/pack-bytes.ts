import "server-only";
import { createHash } from "node:crypto";
import type { ObjectId } from "mongodb";
import { packHead } from "@/lib/features/repository/wire";
import type { BasePack } from "./base-pack";
import { PackBody } from "./pack-body";
import type { PackPlan } from "./pack-plan";

/** A part of a stretch is larger than what one message of the protocol takes. */
const PIECE_BYTES = 64 * 1024;

/**
 * The bytes of a pack, its objects' streams as they are stored. Memory holds a few objects, however long it is.
 * @param base goes first, as it is kept: distances in it are counted backwards, so they hold wherever it stands
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
