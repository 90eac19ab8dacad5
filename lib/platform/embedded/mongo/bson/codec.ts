import { badValue, StoreError } from "../errors.ts";
import { GrowingBytes } from "./growing-bytes.ts";
import {
  Binary,
  BSONRegExp,
  Decimal128,
  DeprecatedValue,
  type Doc,
  Double,
  isInt32,
  MaxKey,
  MinKey,
  ObjectId,
  RawDocument,
  Timestamp,
  TYPE,
  type Value,
} from "./values.ts";

/**
 * MongoDB's limit of nested documents (BSONDepth). Deeper input is rejected, because documents are walked recursively.
 */
export const MAX_NESTING = 200;
/** MongoDB's limit of one document, in bytes. */
export const MAX_DOCUMENT_BYTES = 16 * 1024 * 1024;
/** Limit of a document that is computed and not stored. MongoDB allows it the overhead around a stored one. */
const MAX_MADE_BYTES = MAX_DOCUMENT_BYTES + 16 * 1024;

/**
 * Limit of JavaScript's dates (ms from 1970). A BSON date beyond is rejected, because it would be stored incorrectly.
 */
const MAX_DATE_MS = 8_640_000_000_000_000n;
const SHORT_NAME_BYTES = 24;
const MIN_KEY = new MinKey();
const MAX_KEY = new MaxKey();

/**
 * Reads one document.
 * @param only names of the wanted top-level fields; all others are skipped without being parsed
 * @throws StoreError InvalidBSON on malformed input
 */
export function decodeDocument(bytes: Buffer, start = 0, only?: ReadonlySet<string>): Doc {
  const reader = new BsonReader(bytes, start);
  try {
    return reader.document(0, only);
  } catch (error) {
    if (error instanceof RangeError) throw invalid("the document ends too early");
    throw error;
  }
}

export function encodeDocument(doc: Doc, most = MAX_MADE_BYTES): Buffer {
  const writer = new BsonWriter(FIRST_BYTES, most);
  writer.document(doc, 0);
  return writer.bytes();
}

function invalid(why: string): StoreError {
  return new StoreError("InvalidBSON", `Invalid BSON: ${why}`);
}

function checkDepth(depth: number): void {
  if (depth > MAX_NESTING)
    throw new StoreError("Overflow", `Object exceeds maximum nested object depth: ${MAX_NESTING}`);
}

/** Reads BSON values at a moving position. */
export class BsonReader {
  private readonly buffer: Buffer;
  at: number;

  constructor(buffer: Buffer, at: number) {
    this.buffer = buffer;
    this.at = at;
  }

  document(depth: number, only?: ReadonlySet<string>): Doc {
    const end = this.enter(depth);
    const doc: Doc = new Map();
    let wanted = only === undefined ? Number.POSITIVE_INFINITY : only.size;
    for (;;) {
      const type = this.buffer.readInt8(this.at++);
      if (type === 0) break;
      const name = this.name();
      if (only === undefined) doc.set(name, this.value(type, depth));
      else if (only.has(name)) {
        doc.set(name, this.value(type, depth));
        if (--wanted === 0) {
          this.at = end;
          return doc;
        }
      } else this.skip(type);
    }
    if (this.at !== end) throw invalid("a document's length is not that of its content");
    return doc;
  }

  private array(depth: number): Value[] {
    const end = this.enter(depth);
    const values: Value[] = [];
    for (;;) {
      const type = this.buffer.readInt8(this.at++);
      if (type === 0) break;
      this.skipName();
      values.push(this.value(type, depth));
    }
    if (this.at !== end) throw invalid("an array's length is not that of its content");
    return values;
  }

  private enter(depth: number): number {
    checkDepth(depth);
    const length = this.buffer.readInt32LE(this.at);
    const end = this.at + length;
    if (length < 5 || end > this.buffer.length) throw invalid("a document's length is out of range");
    this.at += 4;
    return end;
  }

  name(): string {
    const buffer = this.buffer;
    const start = this.at;
    let at = start;
    let ascii = true;
    for (;;) {
      const byte = buffer[at];
      if (byte === 0) break;
      if (byte === undefined) throw invalid("a field's name has no end");
      if (byte > 127) ascii = false;
      at++;
    }
    this.at = at + 1;
    if (ascii && at - start <= SHORT_NAME_BYTES) {
      let name = "";
      for (let i = start; i < at; i++) name += String.fromCharCode(buffer[i] as number);
      return name;
    }
    return buffer.toString("utf8", start, at);
  }

  private skipName(): void {
    const end = this.buffer.indexOf(0, this.at);
    if (end < 0) throw invalid("a field's name has no end");
    this.at = end + 1;
  }

  private string(): string {
    const length = this.buffer.readInt32LE(this.at);
    const start = this.at + 4;
    const end = start + length - 1;
    if (length < 1 || this.buffer[end] !== 0) throw invalid("a string's length is wrong");
    this.at = end + 1;
    return this.buffer.toString("utf8", start, end);
  }

  private value(type: number, depth: number): Value {
    const buffer = this.buffer;
    switch (type) {
      case TYPE.double: {
        const n = buffer.readDoubleLE(this.at);
        this.at += 8;
        return isInt32(n) ? new Double(n) : n;
      }
      case TYPE.string:
        return this.string();
      case TYPE.object:
        return this.document(depth + 1);
      case TYPE.array:
        return this.array(depth + 1);
      case TYPE.binData: {
        const length = buffer.readInt32LE(this.at);
        const subtype = buffer.readUInt8(this.at + 4);
        const start = this.at + 5;
        if (length < 0 || start + length > buffer.length) throw invalid("a binary value's length is out of range");
        this.at = start + length;
        return new Binary(Buffer.from(buffer.subarray(start, start + length)), subtype);
      }
      case TYPE.objectId:
        return this.objectId();
      case TYPE.bool: {
        const byte = buffer.readUInt8(this.at++);
        if (byte > 1) throw invalid("a boolean is neither 0 nor 1");
        return byte === 1;
      }
      case TYPE.date: {
        const ms = buffer.readBigInt64LE(this.at);
        this.at += 8;
        if (ms > MAX_DATE_MS || ms < -MAX_DATE_MS) {
          throw badValue("Dates more than 8.64e15 ms from 1970 are not supported by this store.");
        }
        return new Date(Number(ms));
      }
      case TYPE.null:
        return null;
      case TYPE.regex: {
        const pattern = this.name();
        return new BSONRegExp(pattern, this.name());
      }
      case TYPE.int:
        this.at += 4;
        return buffer.readInt32LE(this.at - 4);
      case TYPE.timestamp:
        this.at += 8;
        return new Timestamp(buffer.readBigUInt64LE(this.at - 8));
      case TYPE.long:
        this.at += 8;
        return buffer.readBigInt64LE(this.at - 8);
      case TYPE.decimal: {
        const bytes = Buffer.from(buffer.subarray(this.at, this.at + 16));
        if (bytes.length !== 16) throw invalid("a decimal is cut off");
        this.at += 16;
        return new Decimal128(bytes);
      }
      case TYPE.minKey:
        return MIN_KEY;
      case TYPE.maxKey:
        return MAX_KEY;
      default:
        return this.deprecated(type);
    }
  }

  private deprecated(type: number): DeprecatedValue {
    const start = this.at;
    this.skip(type);
    if (this.at < start || this.at > this.buffer.length) throw invalid("a value's length is out of range");
    return new DeprecatedValue(type, Buffer.from(this.buffer.subarray(start, this.at)));
  }

  private objectId(): ObjectId {
    const start = this.at;
    this.at += 12;
    if (this.at > this.buffer.length) throw invalid("an object id is cut off");
    return new ObjectId(Buffer.from(this.buffer.subarray(start, start + 12)));
  }

  private skip(type: number): void {
    switch (type) {
      case TYPE.double:
      case TYPE.date:
      case TYPE.timestamp:
      case TYPE.long:
        this.at += 8;
        return;
      case TYPE.string:
      case TYPE.javascript:
      case TYPE.symbol:
        this.at += 4 + this.buffer.readInt32LE(this.at);
        return;
      case TYPE.object:
      case TYPE.array:
      case TYPE.javascriptWithScope:
        this.at += this.buffer.readInt32LE(this.at);
        return;
      case TYPE.binData:
        this.at += 5 + this.buffer.readInt32LE(this.at);
        return;
      case TYPE.objectId:
        this.at += 12;
        return;
      case TYPE.bool:
        this.at += 1;
        return;
      case TYPE.regex:
        this.skipName();
        this.skipName();
        return;
      case TYPE.dbPointer:
        this.at += 4 + this.buffer.readInt32LE(this.at) + 12;
        return;
      case TYPE.int:
        this.at += 4;
        return;
      case TYPE.decimal:
        this.at += 16;
        return;
      case TYPE.null:
      case TYPE.undefined:
      case TYPE.minKey:
      case TYPE.maxKey:
        return;
      default:
        throw invalid(`unknown element type ${type}`);
    }
  }
}

const FIRST_BYTES = 256;

/** Writes BSON into a growing buffer. */
export class BsonWriter extends GrowingBytes {
  /** Returns the written bytes without a copy; the writer must not be used afterwards. */
  take(): Buffer {
    return this.buffer.subarray(0, this.at);
  }

  get length(): number {
    return this.at;
  }

  int32(n: number): void {
    this.room(4);
    this.at = this.buffer.writeInt32LE(n, this.at);
  }

  setInt32(n: number, at: number): void {
    this.buffer.writeInt32LE(n, at);
  }

  document(doc: Doc, depth: number): void {
    const start = this.at;
    checkDepth(depth);
    this.int32(0);
    for (const [name, value] of doc) this.element(name, value, depth);
    this.byte(0);
    this.buffer.writeInt32LE(this.at - start, start);
  }

  private array(values: Value[], depth: number): void {
    const start = this.at;
    checkDepth(depth);
    this.int32(0);
    for (let i = 0; i < values.length; i++) this.element(String(i), values[i] as Value, depth);
    this.byte(0);
    this.buffer.writeInt32LE(this.at - start, start);
  }

  private cstring(text: string): void {
    if (text.includes("\0")) throw badValue("A field's name or a regular expression holds a NUL.");
    this.text(text);
    this.byte(0);
  }

  private text(text: string): void {
    const length = text.length;
    if (length <= SHORT_NAME_BYTES) {
      this.room(length * 3);
      const start = this.at;
      let i = 0;
      for (; i < length; i++) {
        const unit = text.charCodeAt(i);
        if (unit > 127) break;
        this.buffer[start + i] = unit;
      }
      if (i === length) {
        this.at = start + length;
        return;
      }
    }
    const bytes = Buffer.byteLength(text, "utf8");
    this.room(bytes);
    this.at += this.buffer.write(text, this.at, "utf8");
  }

  private string(text: string): void {
    const start = this.at;
    this.int32(0);
    this.text(text);
    this.byte(0);
    this.buffer.writeInt32LE(this.at - start - 4, start);
  }

  private head(type: number, name: string): void {
    this.byte(type);
    this.cstring(name);
  }

  private long(n: bigint): void {
    this.room(8);
    this.at = this.buffer.writeBigInt64LE(n, this.at);
  }

  private float(n: number): void {
    this.room(8);
    this.at = this.buffer.writeDoubleLE(n, this.at);
  }

  private element(name: string, value: Value, depth: number): void {
    switch (typeof value) {
      case "string":
        this.head(TYPE.string, name);
        this.string(value);
        return;
      case "number":
        if (isInt32(value)) {
          this.head(TYPE.int, name);
          this.int32(value);
        } else {
          this.head(TYPE.double, name);
          this.float(value);
        }
        return;
      case "bigint":
        this.head(TYPE.long, name);
        this.long(value);
        return;
      case "boolean":
        this.head(TYPE.bool, name);
        this.byte(value ? 1 : 0);
        return;
    }
    if (value === null) this.head(TYPE.null, name);
    else if (value instanceof Map) {
      this.head(TYPE.object, name);
      this.document(value, depth + 1);
    } else if (Array.isArray(value)) {
      this.head(TYPE.array, name);
      this.array(value, depth + 1);
    } else if (value instanceof Date) {
      this.head(TYPE.date, name);
      this.long(BigInt(value.getTime()));
    } else this.special(name, value);
  }

  private special(
    name: string,
    value: Exclude<Value, null | boolean | number | bigint | string | Date | Doc | Value[]>,
  ): void {
    if (value instanceof ObjectId) {
      this.head(TYPE.objectId, name);
      this.raw(value.id);
    } else if (value instanceof RawDocument) {
      this.head(TYPE.object, name);
      this.raw(value.bytes);
    } else if (value instanceof Double) {
      this.head(TYPE.double, name);
      this.float(value.value);
    } else if (value instanceof Binary) {
      this.head(TYPE.binData, name);
      this.int32(value.position);
      this.byte(value.sub_type);
      this.raw(value.buffer.subarray(0, value.position));
    } else if (value instanceof Decimal128) {
      this.head(TYPE.decimal, name);
      this.raw(value.bytes);
    } else if (value instanceof Timestamp) {
      this.head(TYPE.timestamp, name);
      this.room(8);
      this.at = this.buffer.writeBigUInt64LE(timestampBits(value), this.at);
    } else if (value instanceof BSONRegExp) {
      this.head(TYPE.regex, name);
      this.cstring(value.pattern);
      this.cstring(value.options);
    } else if (value instanceof DeprecatedValue) {
      this.head(value.type, name);
      this.raw(value.bytes);
    } else if (value instanceof MinKey) this.head(0xff, name);
    else if (value instanceof MaxKey) this.head(TYPE.maxKey, name);
    else throw new Error(`not a BSON value in field ${name}`);
  }
}

/** Returns the 64 bits of a timestamp: seconds high, increment low. */
export function timestampBits(value: Timestamp): bigint {
  return BigInt.asUintN(64, value.toBigInt());
}
