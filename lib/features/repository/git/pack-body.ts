import "server-only";
import type { ObjectId } from "mongodb";
import { entryHead, type GitObjectDoc, packedStream, streamObjects } from "@/lib/features/repository/wire";
import type { PackPlan } from "./pack-plan";

/** Small objects are sent together. */
const PIECE_BYTES = 64 * 1024;
/** Folders that are loaded concurrently; their order is kept. */
const TREES_AHEAD = 16;

/** The entries of a pack without its header and checksum. */
export class PackBody {
  private offset = 0;
  private waiting: Buffer[] = [];
  private waitingBytes = 0;

  constructor(
    private readonly repositoryId: ObjectId,
    private readonly plan: PackPlan,
  ) {}

  /** Can be read once. */
  async *pieces(signal: AbortSignal): AsyncGenerator<Buffer, void> {
    const { repositoryId, plan } = this;
    const loose = [...plan.commits, ...plan.blobs];
    let count = 0;
    for await (const doc of streamObjects(repositoryId, loose)) {
      signal.throwIfAborted();
      count++;
      await this.addWhole(doc);
      if (this.waitingBytes >= PIECE_BYTES) yield this.take();
    }
    if (count < loose.length) throw new Error("The repository lacks objects of its history.");
    const offsets: number[] = [];
    for (let at = 0; at < plan.trees.length; at += TREES_AHEAD) {
      signal.throwIfAborted();
      const group = plan.trees.slice(at, at + TREES_AHEAD);
      const docs = new Map<string, GitObjectDoc>();
      const whole = group.filter(({ delta }) => delta === null).map(({ oid }) => oid);
      for await (const doc of streamObjects(repositoryId, whole)) docs.set(doc.oid, doc);
      for (const { oid, delta } of group) {
        offsets.push(this.offset);
        if (delta) {
          const back = this.offset - (offsets[delta.base] ?? 0);
          this.add(entryHead("ofs-delta", delta.size));
          this.add(distance(back));
          this.add(delta.stream);
        } else {
          const doc = docs.get(oid);
          if (!doc) throw new Error(`The tree ${oid} is missing.`);
          await this.addWhole(doc);
        }
        if (this.waitingBytes >= PIECE_BYTES) yield this.take();
      }
    }
    if (this.waitingBytes > 0) yield this.take();
  }

  private async addWhole(doc: GitObjectDoc): Promise<void> {
    this.add(entryHead(doc.type, doc.size));
    this.add(await packedStream(doc));
  }

  private add(bytes: Buffer): void {
    this.offset += bytes.length;
    this.waiting.push(bytes);
    this.waitingBytes += bytes.length;
  }

  private take(): Buffer {
    const piece = Buffer.concat(this.waiting);
    this.waiting = [];
    this.waitingBytes = 0;
    return piece;
  }
}

/**
 * Encodes the distance back to a delta's base: seven bits a byte, highest first, each further byte counting from one.
 */
function distance(back: number): Buffer {
  const bytes = [back % 0x80];
  for (let rest = Math.floor(back / 0x80); rest > 0; rest = Math.floor(rest / 0x80)) {
    rest -= 1;
    bytes.unshift(0x80 | (rest % 0x80));
  }
  return Buffer.from(bytes);
}
