/*
 * The library trusts the lengths in a message: one of 0, or one below it, makes it read the same bytes for ever. So
 * messages are validated completely first (MongoDB's documentation, "Wire Protocol").
 */

/** Bytes of the message header: length, two ids and the opcode, 4 bytes each. */
const HEADER_BYTES = 16;
const LENGTH_BYTES = 4;
const KIND_AT = 12;
/** Twice the usual `maxMessageSizeBytes` of servers, which they send only in a message. */
const MESSAGE_BYTES_MAX = 2 * 48_000_000;
/** Bytes of the smallest document: its length and the final 0. */
const DOCUMENT_BYTES_MIN = 5;

const OP_REPLY = 1;
const OP_MSG = 2013;
/** Bytes of flags, cursor, position and the number of documents. */
const REPLY_FIELDS_BYTES = 20;
const FLAGS_BYTES = 4;
const CHECKSUM_PRESENT = 1;
const CHECKSUM_BYTES = 4;

/** Splits a stream into its messages. */
export class Messages {
  #chunks: Buffer[] = [];
  #held = 0;
  /** Bytes of the current message; null until known. */
  #length: number | null = null;

  /**
   * @returns the messages that are now complete, in order
   * @throws Error for an invalid message
   */
  push(chunk: Buffer): Buffer {
    this.#chunks.push(chunk);
    this.#held += chunk.length;
    if (this.#length !== null && this.#held < this.#length) return Buffer.alloc(0);
    let bytes = this.#chunks.length === 1 ? chunk : Buffer.concat(this.#chunks);
    const whole = bytes;
    for (;;) {
      this.#length = bytes.length < LENGTH_BYTES ? null : lengthOf(bytes);
      if (this.#length === null || bytes.length < this.#length) break;
      check(bytes.subarray(0, this.#length));
      bytes = bytes.subarray(this.#length);
    }
    this.#chunks = bytes.length > 0 ? [bytes] : [];
    this.#held = bytes.length;
    return whole.subarray(0, whole.length - bytes.length);
  }
}

function lengthOf(message: Buffer): number {
  const length = message.readInt32LE(0);
  if (length < HEADER_BYTES || length > MESSAGE_BYTES_MAX) throw new Error("Invalid message length.");
  return length;
}

function check(message: Buffer): void {
  const kind = message.readInt32LE(KIND_AT);
  const body = message.subarray(HEADER_BYTES);
  if (kind === OP_MSG) checkSections(body);
  else if (kind === OP_REPLY) checkReply(body);
  // The client does not request compression.
  else throw new Error("Unexpected message type.");
}

function checkSections(body: Buffer): void {
  if (body.length < FLAGS_BYTES) throw new Error("Missing message flags.");
  const hasChecksum = (body.readInt32LE(0) & CHECKSUM_PRESENT) !== 0;
  const end = body.length - (hasChecksum ? CHECKSUM_BYTES : 0);
  for (let at = FLAGS_BYTES; at < end; ) {
    if (body[at] !== 0) throw new Error("Unexpected message section.");
    at = endOfDocument(body, at + 1);
  }
}

function checkReply(body: Buffer): void {
  if (body.length < REPLY_FIELDS_BYTES) throw new Error("Truncated reply.");
  let at = REPLY_FIELDS_BYTES;
  let left = body.readInt32LE(REPLY_FIELDS_BYTES - 4);
  if (left < 0 || left > body.length / DOCUMENT_BYTES_MIN) throw new Error("Invalid document count in reply.");
  for (; left > 0; left -= 1) at = endOfDocument(body, at);
}

function endOfDocument(body: Buffer, at: number): number {
  if (at + LENGTH_BYTES > body.length) throw new Error("Missing document length.");
  const length = body.readInt32LE(at);
  if (length < DOCUMENT_BYTES_MIN || at + length > body.length) throw new Error("Invalid document length.");
  return at + length;
}
