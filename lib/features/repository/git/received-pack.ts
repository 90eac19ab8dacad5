import "server-only";
import { createHash } from "node:crypto";
import { promisify } from "node:util";
import { createInflate, type InputType, inflate, inflateSync, type ZlibOptions } from "node:zlib";
import { chunkOf, deflated, MAX_FILE_BYTES, makeObject, type ObjectType } from "@/lib/features/repository/wire";
import { AppError } from "@/lib/platform/http/errors";
import { yieldToEventLoop } from "@/lib/platform/process/yield-to-event-loop";
import { applyDelta, deltaSizes } from "./delta";
import { MAX_DELTA_DEPTH, MAX_PACK_OBJECTS, MAX_UNPACKED_BYTES } from "./limits";

const HEAD_BYTES = 12;
const CHECKSUM_BYTES = 20;
const OID_BYTES = 20;
/** Above this size, unpacking runs outside the event loop (F15). */
const INLINE_BYTES = 64 * 1024;
const SLICE_MS = 10;
const MIB = 1024 * 1024;
/**
 * Objects over this many times the size of a file are never held in memory. A file is hashed in pieces, so that the
 * refusal can name it; a delta is skipped, with those based on it.
 */
const HELD_FILES = 2;
/** Maximum number of files that a refusal names. */
const NAMED_FILES_MAX = 10;
const TYPES: Record<number, ObjectType | "ofs" | "ref"> = { 1: "commit", 2: "tree", 3: "blob", 6: "ofs", 7: "ref" };

type Entry = {
  /** Offsets of the zlib stream. */
  start: number;
  end: number;
  /** Unpacked size of the object or the delta, in bytes. */
  size: number;
  type: ObjectType | null;
  base: Entry | null;
  baseOid: string | null;
  depth: number;
  oid: string;
};
/** Maximum sizes of a file and of all objects, unpacked, in bytes. */
type PackLimits = { fileBytes: number; unpackedBytes: number };
const LIMITS: PackLimits = { fileBytes: MAX_FILE_BYTES, unpackedBytes: MAX_UNPACKED_BYTES };
export type ReceivedObject = { oid: string; type: ObjectType; content: Buffer };
export type PackedObject = { oid: string; type: ObjectType; size: number; stream: Buffer };

/** The objects of a push, in memory as received; content is unpacked on demand. */
export class ReceivedPack {
  private readonly objects = new Map<string, Entry>();
  private readonly children = new Map<Entry, Entry[]>();
  private readonly roots: Entry[] = [];
  /** Sizes of the files over the limit. */
  private readonly large = new Map<string, number>();
  private hasSkipped = false;
  private sliceEnds = 0;

  private constructor(
    private readonly bytes: Buffer,
    private readonly signal: AbortSignal,
    private readonly limits: PackLimits,
  ) {}

  /**
   * Reads a pack; each limit is checked before memory is used.
   * @param check is called once for each object, and throws to refuse it
   * @param findPaths finds the paths of files that are too large, after all trees have been checked
   * @throws AppError invalid_request, too_large
   */
  static async read(
    bytes: Buffer,
    signal: AbortSignal,
    check: (object: ReceivedObject) => void,
    findPaths: (oids: ReadonlySet<string>) => Promise<ReadonlyMap<string, string>> = async () => new Map(),
    limits = LIMITS,
  ): Promise<ReceivedPack> {
    const pack = new ReceivedPack(bytes, signal, limits);
    if (bytes.length > 0) {
      await pack.readEntries();
      await pack.visit(null, (entry, type, content) => {
        entry.oid = makeObject(type, content).oid;
        pack.objects.set(entry.oid, entry);
        if (content.length <= limits.fileBytes) check({ oid: entry.oid, type, content });
        else pack.large.set(entry.oid, content.length);
      });
      if (pack.large.size > 0 || pack.hasSkipped)
        throw tooLarge(pack.large, await findPaths(new Set(pack.large.keys())), limits.fileBytes);
      // Each delta with a known base was visited.
      if ([...pack.children.values()].flat().some(({ oid }) => oid === "") || pack.waiting.size > 0) {
        throw malformed("a delta base is missing");
      }
    }
    return pack;
  }

  /** Deltas that refer to a base id that has not been seen yet. */
  private readonly waiting = new Map<string, Entry[]>();

  typeOf(oid: string): ObjectType | null {
    const entry = this.objects.get(oid);
    return entry ? rootOf(entry).type : null;
  }

  /** Returns an object's content; null if the pack does not contain it. */
  async content(oid: string): Promise<Buffer | null> {
    const entry = this.objects.get(oid);
    if (!entry) return null;
    const chain: Entry[] = [];
    for (let at: Entry | null = entry; at; at = at.base) chain.push(at);
    let content: Buffer | null = null;
    for (const each of chain.reverse()) content = this.resolve(content, await this.unpack(each));
    return content;
  }

  /** Yields the objects of one kind among `wanted`, with zlib streams to store. */
  async *packed(type: ObjectType, wanted: ReadonlySet<string>): AsyncGenerator<PackedObject, void> {
    const queue: PackedObject[] = [];
    for (const root of this.roots.filter((each) => each.type === type)) {
      await this.visit(root, async (entry, _type, content) => {
        if (!wanted.has(entry.oid)) return;
        const stream = entry.base ? await deflated(content) : this.bytes.subarray(entry.start, entry.end);
        queue.push({ oid: entry.oid, type, size: content.length, stream });
      });
      yield* queue.splice(0);
    }
  }

  private async readEntries(): Promise<void> {
    const { bytes } = this;
    const end = bytes.length - CHECKSUM_BYTES;
    if (end < HEAD_BYTES || bytes.toString("latin1", 0, 4) !== "PACK" || bytes.readUInt32BE(4) !== 2) {
      throw malformed("it is not version 2");
    }
    const checksum = createHash("sha1").update(bytes.subarray(0, end)).digest();
    if (!checksum.equals(bytes.subarray(end))) throw malformed("its checksum does not match");
    const count = bytes.readUInt32BE(8);
    if (count > MAX_PACK_OBJECTS) {
      throw new AppError("too_large", `A push is limited to ${MAX_PACK_OBJECTS} objects. Push in parts.`);
    }
    const byOffset = new Map<number, Entry>();
    let unpackedBytes = 0;
    let at = HEAD_BYTES;
    for (let n = 0; n < count; n++) {
      await this.breathe();
      const offset = at;
      const head = this.readHead(at, end);
      at = head.at;
      const entry: Entry = {
        start: 0,
        end: 0,
        size: head.size,
        type: null,
        base: null,
        baseOid: null,
        depth: 0,
        oid: "",
      };
      if (head.type === "ofs") {
        const back = this.readDistance(at, end);
        at = back.at;
        entry.base = byOffset.get(offset - back.value) ?? null;
        if (!entry.base) throw malformed("a delta has no base");
      } else if (head.type === "ref") {
        entry.baseOid = bytes.toString("hex", at, at + OID_BYTES);
        at += OID_BYTES;
      } else entry.type = head.type;
      entry.start = at;
      unpackedBytes += head.size;
      this.requireFew(unpackedBytes);
      const isHeld = head.size <= HELD_FILES * this.limits.fileBytes;
      const { target, consumed } = isHeld ? await measure(bytes.subarray(at, end), entry) : await this.hash(entry, end);
      at += consumed;
      entry.end = at;
      // A delta counts with its result, which has to be held in memory.
      const isSkipped = !isHeld || target > HELD_FILES * this.limits.fileBytes;
      if (!isSkipped) unpackedBytes += target;
      this.requireFew(unpackedBytes);
      byOffset.set(offset, entry);
      if (isSkipped) this.hasSkipped = true;
      else if (entry.type) this.roots.push(entry);
      else if (entry.base) this.hang(entry, entry.base);
      else if (entry.baseOid !== null) {
        this.waiting.set(entry.baseOid, [...(this.waiting.get(entry.baseOid) ?? []), entry]);
      }
    }
    if (at !== end) throw malformed("data follows its last object");
  }

  /** Unpacks an object in pieces, and notes a file's id and size. */
  private async hash({ start, size, type }: Entry, end: number): Promise<{ target: number; consumed: number }> {
    const hash = createHash("sha1").update(`${type} ${size}\0`);
    const stream = createInflate();
    let length = 0;
    try {
      stream.end(this.bytes.subarray(start, end));
      for await (const piece of stream) {
        this.signal.throwIfAborted();
        length += piece.length;
        if (length > size) break;
        hash.update(piece);
      }
    } catch (cause) {
      this.signal.throwIfAborted();
      throw unreadable(cause);
    }
    if (length !== size) throw malformed("an object's size does not match");
    if (type === "blob") this.large.set(hash.digest("hex"), size);
    return { target: 0, consumed: stream.bytesWritten };
  }

  /** Visits all objects, or those based on one, bases first, without recursion. */
  private async visit(
    from: Entry | null,
    work: (entry: Entry, type: ObjectType, content: Buffer) => void | Promise<void>,
  ): Promise<void> {
    for (const root of from ? [from] : this.roots) {
      const { type } = root;
      if (!type) continue;
      const stack: { entry: Entry; base: Buffer | null }[] = [{ entry: root, base: null }];
      for (let item = stack.pop(); item; item = stack.pop()) {
        await this.breathe();
        const { entry, base } = item;
        const content = this.resolve(base, await this.unpack(entry));
        await work(entry, type, content);
        const late = this.waiting.get(entry.oid) ?? [];
        this.waiting.delete(entry.oid);
        for (const each of late) this.hang(each, entry);
        for (const child of this.children.get(entry) ?? []) {
          child.depth = entry.depth + 1;
          if (child.depth > MAX_DELTA_DEPTH) throw malformed(`a delta chain exceeds ${MAX_DELTA_DEPTH}`);
          stack.push({ entry: child, base: content });
        }
      }
    }
  }

  private hang(entry: Entry, base: Entry): void {
    entry.base = base;
    const siblings = this.children.get(base);
    if (siblings) siblings.push(entry);
    else this.children.set(base, [entry]);
  }

  private resolve(base: Buffer | null, unpacked: Buffer): Buffer {
    if (base === null) return unpacked;
    const content = applyDelta(base, unpacked);
    if (!content) throw malformed("a delta does not apply");
    return content;
  }

  private async unpack({ start, end, size }: Entry): Promise<Buffer> {
    return (await unpackAt(this.bytes.subarray(start, end), size)).content;
  }

  private readHead(from: number, end: number): { type: ObjectType | "ofs" | "ref"; size: number; at: number } {
    let at = from;
    let byte = this.byte(at++, end);
    const type = TYPES[(byte >> 4) & 7];
    if (!type) throw malformed("it contains an object that is not a commit, tree or blob (tags are not supported)");
    let size = byte & 0x0f;
    for (let factor = 16; byte & 0x80; factor *= 128) {
      if (factor > 2 ** 40) throw malformed("a size is out of bounds");
      byte = this.byte(at++, end);
      size += (byte & 0x7f) * factor;
    }
    return { type, size, at };
  }

  private readDistance(from: number, end: number): { value: number; at: number } {
    let at = from;
    let byte = this.byte(at++, end);
    let value = byte & 0x7f;
    while (byte & 0x80) {
      if (value > 2 ** 40) throw malformed("an offset is out of bounds");
      byte = this.byte(at++, end);
      value = (value + 1) * 128 + (byte & 0x7f);
    }
    return { value, at };
  }

  private byte(at: number, end: number): number {
    if (at >= end) throw malformed("it is truncated");
    return this.bytes[at] ?? 0;
  }

  private requireFew(unpackedBytes: number): void {
    const max = this.limits.unpackedBytes;
    if (unpackedBytes <= max) return;
    throw new AppError("too_large", `A push is limited to ${max / MIB} MiB unpacked. Push in parts.`);
  }

  private async breathe(): Promise<void> {
    this.signal.throwIfAborted();
    if (performance.now() < this.sliceEnds) return;
    await yieldToEventLoop();
    this.sliceEnds = performance.now() + SLICE_MS;
  }
}

/** Unpacks the stream at the start of some bytes, and returns how many of them it uses. */
async function unpackAt(bytes: Buffer, size: number): Promise<{ content: Buffer; consumed: number }> {
  const options = { info: true, maxOutputLength: Math.max(size, 1), chunkSize: chunkOf(size) };
  try {
    const { buffer, engine } =
      size > INLINE_BYTES ? await inflateInfo(bytes, options) : inflateInfoSync(bytes, options);
    if (buffer.length !== size) throw malformed("an object's size does not match");
    return { content: buffer, consumed: engine.bytesWritten };
  } catch (cause) {
    if (cause instanceof AppError) throw cause;
    throw unreadable(cause);
  }
}

/** Returns the size of a delta's result (0 for another object), and how many bytes the stream uses. */
async function measure(bytes: Buffer, { size, type }: Entry): Promise<{ target: number; consumed: number }> {
  const { content, consumed } = await unpackAt(bytes, size);
  return { target: type ? 0 : (deltaSizes(content)?.target ?? Number.POSITIVE_INFINITY), consumed };
}

type Info = { buffer: Buffer; engine: { bytesWritten: number } };
// With `info`, both return the engine too, which the types omit.
const inflateInfoSync = inflateSync as unknown as (bytes: InputType, options: ZlibOptions) => Info;
const inflateInfo = promisify(inflate) as unknown as (bytes: InputType, options: ZlibOptions) => Promise<Info>;

function rootOf(entry: Entry): Entry {
  let at = entry;
  while (at.base) at = at.base;
  return at;
}

/** Names files over the limit. A file without a path is in no commit of the push. */
function tooLarge(sizes: ReadonlyMap<string, number>, paths: ReadonlyMap<string, string>, fileBytes: number): AppError {
  const files = [...paths].map(([oid, path]) => {
    // Rounded up, so that no size shown is the limit itself.
    const size = Math.ceil(((sizes.get(oid) ?? 0) / MIB) * 10) / 10;
    return `${path} (${size} MiB)`;
  });
  const more = files.length - NAMED_FILES_MAX;
  const named = files.slice(0, NAMED_FILES_MAX).join(", ") + (more > 0 ? ` and ${more} more` : "");
  const verb = files.length > 1 ? "are" : "is";
  const what = named === "" ? "A file is" : `${named} ${verb}`;
  return new AppError(
    "too_large",
    `${what} larger than ${fileBytes / MIB} MiB. Keep large files out of git, in all commits of the push.`,
  );
}

function unreadable(cause: unknown): AppError {
  return new AppError("invalid_request", "The pack is malformed: an object can't be unpacked.", { cause });
}

function malformed(why: string): AppError {
  return new AppError("invalid_request", `The pack is malformed: ${why}.`);
}
