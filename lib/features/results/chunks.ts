import "server-only";
import { Binary, ObjectId } from "mongodb";
import { collections } from "./collections";

/** A chunk is one document of the store, which takes 16 MiB; smaller ones are read sooner. */
const CHUNK_BYTES = 1024 * 1024;

/** Writes the bytes of one result, chunk by chunk. */
export class ChunkWriter {
  /** Number of bytes written or pending. */
  bytes = 0;
  chunks = 0;
  #pending: Uint8Array[] = [];
  #pendingBytes = 0;

  constructor(
    private readonly workspaceId: ObjectId,
    private readonly resultId: ObjectId,
    private readonly expiresAt: Date,
  ) {}

  async add(part: Uint8Array): Promise<void> {
    this.#pending.push(part);
    this.#pendingBytes += part.length;
    this.bytes += part.length;
    if (this.#pendingBytes >= CHUNK_BYTES) await this.flush();
  }

  async flush(): Promise<void> {
    if (this.#pendingBytes === 0) return;
    const whole = Buffer.concat(this.#pending, this.#pendingBytes);
    this.#pending = [];
    this.#pendingBytes = 0;
    const { workspaceId, resultId, expiresAt } = this;
    for (let start = 0; start < whole.length; start += CHUNK_BYTES) {
      await collections.resultChunks().insertOne({
        _id: new ObjectId(),
        workspaceId,
        resultId,
        index: this.chunks++,
        bytes: new Binary(whole.subarray(start, start + CHUNK_BYTES)),
        expiresAt,
      });
    }
  }

  /** Deletes the written chunks. Any that cannot be deleted now expire. */
  async undo(): Promise<void> {
    const { workspaceId, resultId } = this;
    await collections
      .resultChunks()
      .deleteMany({ workspaceId, resultId })
      .catch(() => {});
  }
}

/** Reads the bytes of a result, in order. */
export async function* readChunks(workspaceId: ObjectId, resultId: ObjectId): AsyncGenerator<Uint8Array> {
  const chunks = collections.resultChunks().find({ workspaceId, resultId }).sort({ index: 1 });
  for await (const { bytes } of chunks) yield bytes.buffer;
}
