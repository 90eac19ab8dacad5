import { Binary, BSONRegExp, Decimal128, Double, MaxKey, MinKey, ObjectId, Timestamp } from "bson";

/**
 * BSON in memory. Types survive a round trip. A JavaScript number is an int32 if its value is one, and a double
 * otherwise. A double with an int32's value is a `Double`; an int64 is a bigint. A document is a Map, so that names
 * such as "2" or "__proto__" keep their position and are ordinary names.
 */
export type Doc = Map<string, Value>;
export type Value =
  | null
  | boolean
  | number
  | bigint
  | string
  | Date
  | Doc
  | Value[]
  | Double
  | Decimal128
  | ObjectId
  | Binary
  | BSONRegExp
  | Timestamp
  | MinKey
  | MaxKey
  | DeprecatedValue
  | RawDocument;

/** A value of a deprecated type (undefined, dbPointer, javascript, symbol), kept byte for byte. */
export class DeprecatedValue {
  readonly _bsontype = "DeprecatedValue";
  readonly type: number;
  readonly bytes: Buffer;
  constructor(type: number, bytes: Buffer) {
    this.type = type;
    this.bytes = bytes;
  }
}

/** An encoded document, copied into an answer unchanged. Never part of a decoded document. */
export class RawDocument {
  readonly _bsontype = "RawDocument";
  readonly bytes: Buffer;
  constructor(bytes: Buffer) {
    this.bytes = bytes;
  }
}

/** BSON element types by number; minKey is -1 as in `$type`. */
export const TYPE = {
  double: 1,
  string: 2,
  object: 3,
  array: 4,
  binData: 5,
  undefined: 6,
  objectId: 7,
  bool: 8,
  date: 9,
  null: 10,
  regex: 11,
  dbPointer: 12,
  javascript: 13,
  symbol: 14,
  javascriptWithScope: 15,
  int: 16,
  timestamp: 17,
  long: 18,
  decimal: 19,
  minKey: -1,
  maxKey: 127,
} as const;

/** Position of an empty array in a sort and an index. */
export const UNDEFINED = new DeprecatedValue(TYPE.undefined, Buffer.alloc(0));

export type TypeName = keyof typeof TYPE;

const TYPE_NAMES = new Map<number, TypeName>(
  Object.entries(TYPE).map(([name, code]) => [code as number, name as TypeName]),
);

const TYPE_OF_CLASS = new Map<string, number>([
  ["Double", TYPE.double],
  ["Decimal128", TYPE.decimal],
  ["ObjectId", TYPE.objectId],
  ["Binary", TYPE.binData],
  ["BSONRegExp", TYPE.regex],
  ["Timestamp", TYPE.timestamp],
  ["MinKey", TYPE.minKey],
  ["MaxKey", TYPE.maxKey],
  ["RawDocument", TYPE.object],
]);

/** Returns the BSON number of the value's type. */
export function typeCode(value: Value): number {
  switch (typeof value) {
    case "string":
      return TYPE.string;
    case "number":
      return isInt32(value) ? TYPE.int : TYPE.double;
    case "bigint":
      return TYPE.long;
    case "boolean":
      return TYPE.bool;
  }
  if (value === null) return TYPE.null;
  if (value instanceof Map) return TYPE.object;
  if (Array.isArray(value)) return TYPE.array;
  if (value instanceof Date) return TYPE.date;
  const code = value instanceof DeprecatedValue ? value.type : TYPE_OF_CLASS.get(value._bsontype);
  if (code === undefined) throw new Error(`not a BSON value: ${String(value)}`);
  return code;
}

/** Returns the type's name as in `$type`: "int", "objectId", ... */
export function typeName(value: Value | undefined): string {
  return value === undefined ? "missing" : (TYPE_NAMES.get(typeCode(value)) ?? "unknown");
}

export function isInt32(value: number): boolean {
  return (value | 0) === value && !Object.is(value, -0);
}

/** Returns a number that is encoded as a double, even when its value is an int32. */
export function double(value: number): number | Double {
  return isInt32(value) ? new Double(value) : value;
}

export function isNumber(value: Value | undefined): value is number | bigint | Double | Decimal128 {
  return (
    typeof value === "number" || typeof value === "bigint" || value instanceof Double || value instanceof Decimal128
  );
}

/** Returns the nearest double; NaN for anything but a number. */
export function toDouble(value: Value | undefined): number {
  if (typeof value === "number") return value;
  if (typeof value === "bigint") return Number(value);
  if (value instanceof Double) return value.value;
  if (value instanceof Decimal128) return Number(value.toString());
  return Number.NaN;
}

/** Returns the whole number that a value represents; undefined if it is not one or beyond 2^53. */
export function toWholeNumber(value: Value | undefined): number | undefined {
  if (!isNumber(value)) return undefined;
  const n = toDouble(value);
  return Number.isSafeInteger(n) ? n + 0 : undefined;
}

/** Returns the truth of an option as in MongoDB: false, 0, null and missing are false. */
export function isTruthy(value: Value | undefined): boolean {
  if (value === undefined || value === null || value === false) return false;
  return isNumber(value) ? toDouble(value) !== 0 : true;
}

export function isDoc(value: Value | undefined): value is Doc {
  return value instanceof Map;
}

/** Creates a document from names and values; undefined omits the field. */
export function docOf(fields: Record<string, Value | undefined>): Doc {
  const doc: Doc = new Map();
  for (const name of Object.keys(fields)) {
    const value = fields[name];
    if (value !== undefined) doc.set(name, value);
  }
  return doc;
}

/** Returns a copy that shares no document or array with the original; scalars are treated as immutable. */
export function cloneValue(value: Value): Value {
  if (value instanceof Map) return cloneDoc(value);
  if (Array.isArray(value)) return value.map(cloneValue);
  return value;
}

export function cloneDoc(doc: Doc): Doc {
  const copy: Doc = new Map();
  for (const [name, value] of doc) copy.set(name, cloneValue(value));
  return copy;
}

export { Binary, BSONRegExp, Decimal128, Double, MaxKey, MinKey, ObjectId, Timestamp };

let lastTimestampSecond = 0;
let timestampIncrement = 0;

/** Returns the server's time as a timestamp; each is later than the previous one. */
export function timestampNow(): Timestamp {
  const second = Math.max(lastTimestampSecond, Math.floor(Date.now() / 1000));
  timestampIncrement = second === lastTimestampSecond ? timestampIncrement + 1 : 1;
  lastTimestampSecond = second;
  return new Timestamp({ t: second, i: timestampIncrement });
}
