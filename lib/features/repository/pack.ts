import { createHash, type Hash } from "node:crypto";
import { type FileHandle, open } from "node:fs/promises";
import { crc32 } from "node:zlib";
import type { ObjectType } from "./model";

/** Git's numbers for the object types in a pack. */
const TYPE_NUMBERS = { commit: 1, tree: 2, blob: 3, tag: 4, "ofs-delta": 6 } as const;
const PACK_VERSION = 2;
const INDEX_MAGIC = 0xff744f63;
const INDEX_VERSION = 2;
/** From this offset on, offsets go to the index's second table. */
const LARGE_OFFSET = 0x80000000;
/** Small objects are collected into writes of this size. */
const WRITE_BYTES = 1024 * 1024;

export type PackEntry = { oid: string; crc: number; offset: number };

/** Writes a pack from stored zlib streams: nothing is recompressed, and memory holds only one write. */
export class PackWriter {
  private readonly hash: Hash = createHash("sha1");
  private readonly entries: PackEntry[] = [];
  private offset = 0;
  private waiting: Buffer[] = [];
  private waitingBytes = 0;

  private constructor(private readonly file: FileHandle) {}

  static async create(path: string, count: number): Promise<PackWriter> {
    const writer = new PackWriter(await open(path, "wx"));
    await writer.write(packHead(count));
    return writer;
  }

  /** @param stream zlib stream of the content alone, without git's loose-object header */
  async add(oid: string, type: ObjectType, size: number, stream: Buffer): Promise<void> {
    const head = entryHead(type, size);
    this.entries.push({ oid, crc: crc32(stream, crc32(head)), offset: this.offset });
    await this.write(head);
    await this.write(stream);
  }

  /** Finishes the pack. @returns its checksum and entries, which the index needs */
  async finish(): Promise<{ checksum: Buffer; entries: PackEntry[] }> {
    await this.flush();
    const checksum = this.hash.digest();
    await this.file.write(checksum);
    await this.file.close();
    return { checksum, entries: this.entries };
  }

  async abort(): Promise<void> {
    await this.file.close();
  }

  private async write(bytes: Buffer): Promise<void> {
    this.hash.update(bytes);
    this.offset += bytes.length;
    this.waiting.push(bytes);
    this.waitingBytes += bytes.length;
    if (this.waitingBytes >= WRITE_BYTES) await this.flush();
  }

  private async flush(): Promise<void> {
    await this.file.writeFile(Buffer.concat(this.waiting));
    this.waiting = [];
    this.waitingBytes = 0;
  }
}

/** Returns the index that lets git find an object in a pack (version 2). */
export function packIndex(checksum: Buffer, entries: PackEntry[]): Buffer {
  const sorted = entries.toSorted((a, b) => (a.oid < b.oid ? -1 : 1));
  const head = Buffer.alloc(8 + 256 * 4);
  head.writeUInt32BE(INDEX_MAGIC, 0);
  head.writeUInt32BE(INDEX_VERSION, 4);
  const counts = new Uint32Array(256);
  for (const { oid } of sorted) {
    const byte = Number.parseInt(oid.slice(0, 2), 16);
    counts[byte] = (counts[byte] ?? 0) + 1;
  }
  let total = 0;
  for (const [byte, count] of counts.entries()) {
    total += count;
    head.writeUInt32BE(total, 8 + byte * 4);
  }
  const ids = Buffer.from(sorted.map(({ oid }) => oid).join(""), "hex");
  const sums = Buffer.alloc(sorted.length * 4);
  const offsets = Buffer.alloc(sorted.length * 4);
  const large: Buffer[] = [];
  for (const [index, { crc, offset }] of sorted.entries()) {
    sums.writeUInt32BE(crc, index * 4);
    if (offset < LARGE_OFFSET) offsets.writeUInt32BE(offset, index * 4);
    else {
      offsets.writeUInt32BE(LARGE_OFFSET + large.length, index * 4);
      const wide = Buffer.alloc(8);
      wide.writeBigUInt64BE(BigInt(offset));
      large.push(wide);
    }
  }
  const body = Buffer.concat([head, ids, sums, offsets, ...large, checksum]);
  return Buffer.concat([body, createHash("sha1").update(body).digest()]);
}

/** Returns the header of a pack with `count` entries. */
export function packHead(count: number): Buffer {
  const header = Buffer.alloc(12);
  header.write("PACK", "latin1");
  header.writeUInt32BE(PACK_VERSION, 4);
  header.writeUInt32BE(count, 8);
  return header;
}

/** Encodes type and size of an entry: four bits of the size beside the type, then seven a byte, lowest first. */
export function entryHead(type: ObjectType | "ofs-delta", size: number): Buffer {
  const bytes: number[] = [];
  let byte = (TYPE_NUMBERS[type] << 4) | (size & 0x0f);
  for (let rest = Math.floor(size / 16); rest > 0; rest = Math.floor(rest / 128)) {
    bytes.push(byte | 0x80);
    byte = rest & 0x7f;
  }
  bytes.push(byte);
  return Buffer.from(bytes);
}
