import { BsonReader, BsonWriter, decodeDocument } from "../bson/codec.ts";
import { type Doc, RawDocument, type Value } from "../bson/values.ts";
import { StoreError } from "../errors.ts";

/** MongoDB's limit of one message, in bytes. */
export const MAX_MESSAGE_BYTES = 48_000_000;
const HEADER_BYTES = 16;
const OP_REPLY = 1;
const OP_QUERY = 2004;
const OP_MSG = 2013;

const CHECKSUM_PRESENT = 1;
const MORE_TO_COME = 2;
const EXHAUST_ALLOWED = 1 << 16;
/** Unknown bits below 16 must be rejected. */
const REQUIRED_BITS = 0xffff;

/** A received command, with document sequences inserted as arrays of raw documents. */
export type Request = {
  id: number;
  body: Doc;
  /** False when the client expects no answer. */
  wantsAnswer: boolean;
  exhaustAllowed: boolean;
  isLegacy: boolean;
};

/** Splits a stream of bytes into messages. */
export class MessageSplitter {
  private chunks: Buffer[] = [];
  private length = 0;

  /**
   * @param most maximum size of one message, in bytes
   * @returns the messages that are now complete
   * @throws StoreError ProtocolError for an invalid length; the connection has to be closed
   */
  push(chunk: Buffer, most = MAX_MESSAGE_BYTES): Buffer[] {
    this.chunks.push(chunk);
    this.length += chunk.length;
    const messages: Buffer[] = [];
    while (this.length >= 4) {
      const head = this.peek();
      const size = head.readInt32LE(0);
      if (size < HEADER_BYTES || size > most) {
        throw new StoreError("ProtocolError", `A message of ${size} bytes is not possible.`);
      }
      if (this.length < size) break;
      messages.push(this.take(size));
    }
    return messages;
  }

  private peek(): Buffer {
    let head = this.chunks[0] as Buffer;
    if (head.length < 4) {
      head = Buffer.concat(this.chunks);
      this.chunks = [head];
    }
    return head;
  }

  private take(size: number): Buffer {
    const first = this.chunks[0] as Buffer;
    const whole = first.length >= size ? first : Buffer.concat(this.chunks);
    const rest = whole.subarray(size);
    this.chunks =
      first.length >= size
        ? [...(rest.length > 0 ? [rest] : []), ...this.chunks.slice(1)]
        : rest.length > 0
          ? [rest]
          : [];
    this.length -= size;
    return whole.subarray(0, size);
  }
}

/** @throws StoreError ProtocolError or InvalidBSON */
export function parseMessage(message: Buffer): Request {
  const id = message.readInt32LE(4);
  const opcode = message.readInt32LE(12);
  if (opcode === OP_MSG) return parseMsg(id, message);
  if (opcode === OP_QUERY) return parseQuery(id, message);
  throw new StoreError(
    "ProtocolError",
    `Messages of the kind ${opcode} are not supported. Use a driver for MongoDB 3.6 or later.`,
  );
}

function parseMsg(id: number, message: Buffer): Request {
  const flags = message.readUInt32LE(HEADER_BYTES);
  if ((flags & REQUIRED_BITS & ~(CHECKSUM_PRESENT | MORE_TO_COME)) !== 0) {
    throw new StoreError("ProtocolError", `The message has flags that are not known: ${flags}.`);
  }
  const end = message.length - (flags & CHECKSUM_PRESENT ? 4 : 0);
  let at = HEADER_BYTES + 4;
  let body: Doc | undefined;
  const sequences: [string, Value[]][] = [];
  while (at < end) {
    const kind = message.readUInt8(at++);
    const size = message.readInt32LE(at);
    if (size < 5 || at + size > end) throw new StoreError("ProtocolError", "A section of the message is cut off.");
    if (kind === 0) {
      if (body !== undefined) throw new StoreError("ProtocolError", "The message has two bodies.");
      body = decodeDocument(message.subarray(at, at + size));
    } else if (kind === 1) sequences.push(parseSequence(message, at, at + size));
    else throw new StoreError("ProtocolError", `The message has a section of the unknown kind ${kind}.`);
    at += size;
  }
  if (body === undefined) throw new StoreError("ProtocolError", "The message has no body.");
  for (const [name, documents] of sequences) body.set(name, documents);
  return {
    id,
    body,
    wantsAnswer: (flags & MORE_TO_COME) === 0,
    exhaustAllowed: (flags & EXHAUST_ALLOWED) !== 0,
    isLegacy: false,
  };
}

function parseSequence(message: Buffer, start: number, end: number): [string, Value[]] {
  const reader = new BsonReader(message, start + 4);
  const name = reader.name();
  const documents: Value[] = [];
  let { at } = reader;
  while (at < end) {
    const size = message.readInt32LE(at);
    if (size < 5 || at + size > end) throw new StoreError("ProtocolError", "A document of the message is cut off.");
    documents.push(new RawDocument(message.subarray(at, at + size)));
    at += size;
  }
  return [name, documents];
}

/** Parses the legacy form, in which drivers still send hello. */
function parseQuery(id: number, message: Buffer): Request {
  const reader = new BsonReader(message, HEADER_BYTES + 4);
  const namespace = reader.name();
  const body = decodeDocument(message, reader.at + 8);
  const db = namespace.split(".")[0] ?? "admin";
  const inner = body.get("$query");
  const command = inner instanceof Map ? inner : body;
  command.set("$db", db);
  return { id, body: command, wantsAnswer: true, exhaustAllowed: false, isLegacy: true };
}

let lastId = 0;

/** @param moreToCome true for a streamed answer that is followed by another */
export function encodeAnswer(answer: Doc, request: Request, moreToCome: boolean): Buffer {
  lastId = (lastId + 1) & 0x7fffffff;
  const writer = new BsonWriter(1024, MAX_MESSAGE_BYTES);
  writer.int32(0);
  writer.int32(lastId);
  writer.int32(request.id);
  if (request.isLegacy) {
    writer.int32(OP_REPLY);
    // Flags (await capable), cursor id, first document, number of documents.
    for (const word of [8, 0, 0, 0, 1]) writer.int32(word);
  } else {
    writer.int32(OP_MSG);
    writer.int32(moreToCome ? MORE_TO_COME : 0);
    writer.byte(0);
  }
  writer.document(answer, 0);
  writer.setInt32(writer.length, 0);
  return writer.take();
}

/** Returns the id of the answer that the next streamed answer replies to. */
export function lastAnswerId(): number {
  return lastId;
}
