import {
  DuckDBArrayValue,
  DuckDBBlobValue,
  type DuckDBBlobVector,
  DuckDBDateValue,
  DuckDBDecimalValue,
  DuckDBGeometryValue,
  DuckDBIntervalValue,
  DuckDBListValue,
  DuckDBListVector,
  DuckDBMapValue,
  DuckDBStructValue,
  DuckDBStructVector,
  DuckDBTimeNSValue,
  DuckDBTimestampMillisecondsValue,
  DuckDBTimestampNanosecondsValue,
  DuckDBTimestampSecondsValue,
  DuckDBTimestampTZValue,
  DuckDBTimestampValue,
  DuckDBTimeTZValue,
  DuckDBTimeValue,
  type DuckDBType,
  DuckDBTypeId,
  DuckDBUnionValue,
  type DuckDBValue,
  DuckDBVariantValue,
  type DuckDBVector,
} from "@duckdb/node-api";
import { ExactNumber, parseExactJson, parseJsonWithTexts } from "../../../base/values/exact-json.ts";
import type { WireValue } from "../../../base/values/fields.ts";
import { shortestFloat32 } from "../../../base/values/float32.ts";
import { isJsonText } from "./field-types.ts";
import {
  dateText,
  intervalText,
  offsetText,
  timestampTextOf,
  timestampTextOfMicros,
  timestampTextOfNanos,
  timestampWriter,
  timeTextOfMicros,
  timeTextOfNanos,
} from "./time-text.ts";
import { NEGATIVE_ZERO } from "./wire.ts";

const TWO_TO_32 = 4_294_967_296;
/** Limit of the high half of an int64 whose value a double holds exactly (|x| < 2^53). */
const SAFE_HIGH_HALF = 2_097_152;
/** Approximate size of a number or date in a batch, in bytes. */
const SCALAR_BYTES = 12;
/** Size of a duckdb_string_t, in bytes. Its first four bytes hold the length. */
const STRING_STRUCT_BYTES = 16;
/** Maximum length of a text that is stored inside the struct, after its length, in bytes. */
const INLINED_BYTES_MAX = 12;

/**
 * Returns a column of a result as it goes into a frame: like `decodeColumn`, with the sign of negative zeros.
 * @param type the column's logical type, because the vector's type lacks the alias
 */
export function encodeColumn(...column: Parameters<typeof decodeColumn>): WireValue[] {
  const [, type] = column;
  const values = decodeColumn(...column);
  const isFloat = type.typeId === DuckDBTypeId.DOUBLE || type.typeId === DuckDBTypeId.FLOAT;
  return isFloat ? values.map((value) => (Object.is(value, -0) ? NEGATIVE_ZERO : value)) : values;
}

/**
 * Returns rows `from` up to, but not including, `to` of one column as `WireValue`.
 * @param type the column's logical type, because the vector's type lacks the alias
 * @param jsonAsText JSON is not parsed, and lists and objects are JSON texts with every digit of their numbers
 */
export function decodeColumn(
  vector: DuckDBVector,
  type: DuckDBType,
  from: number,
  to: number,
  jsonAsText = false,
): WireValue[] {
  switch (type.typeId) {
    case DuckDBTypeId.BIGINT:
      return decodeInt64(vector, from, to, (number) => number, fromInt64);
    case DuckDBTypeId.TIMESTAMP: {
      const text = timestampWriter();
      return decodeInt64(vector, from, to, text, timestampTextOfMicros);
    }
    case DuckDBTypeId.TIMESTAMP_TZ: {
      const text = timestampWriter();
      return decodeInt64(
        vector,
        from,
        to,
        (micros) => `${text(micros)}Z`,
        (micros) => inUtc(timestampTextOfMicros(micros)),
      );
    }
    case DuckDBTypeId.VARCHAR:
      if (jsonAsText || !isJsonText(type)) return decodeText(vector, from, to);
  }
  const isExact = jsonAsText && isNested(type);
  const column: WireValue[] = new Array(to - from);
  for (let row = from; row < to; row += 1) {
    const value = decodeAt(vector, type, row, isExact);
    column[row - from] = isExact && value !== null ? JSON.stringify(value) : value;
  }
  return column;
}

/** Returns true for types whose values are lists or objects. */
function isNested({ typeId }: DuckDBType): boolean {
  return NESTED.has(typeId);
}

const NESTED: ReadonlySet<DuckDBTypeId> = new Set([
  DuckDBTypeId.LIST,
  DuckDBTypeId.ARRAY,
  DuckDBTypeId.STRUCT,
  DuckDBTypeId.MAP,
  DuckDBTypeId.UNION,
  DuckDBTypeId.VARIANT,
]);

/** Reads 64-bit integers as two halves, which avoids a BigInt for all values that a double holds exactly. */
function decodeInt64(
  vector: DuckDBVector,
  from: number,
  to: number,
  ofSafe: (value: number) => WireValue,
  ofAny: (value: bigint) => WireValue,
): WireValue[] {
  const { items, validity } = insideOf(vector, "items");
  const halves = new Int32Array(items.buffer, items.byteOffset, items.length * 2);
  const column: WireValue[] = new Array(to - from);
  for (let row = from; row < to; row += 1) {
    const high = halves[2 * row + 1] as number;
    if (!validity.itemValid(row)) column[row - from] = null;
    else if (high < SAFE_HIGH_HALF && high > -SAFE_HIGH_HALF) {
      column[row - from] = ofSafe(high * TWO_TO_32 + ((halves[2 * row] as number) >>> 0));
    } else column[row - from] = ofAny(items[row] as bigint);
  }
  return column;
}

/** Reads texts. Short ones are in the vector's memory and read directly; long ones are fetched one by one. */
function decodeText(vector: DuckDBVector, from: number, to: number): WireValue[] {
  const { dataView, validity } = insideOf(vector, "dataView");
  const bytes = Buffer.from(dataView.buffer as ArrayBuffer, dataView.byteOffset, dataView.byteLength);
  const column: WireValue[] = new Array(to - from);
  for (let row = from; row < to; row += 1) {
    const start = row * STRING_STRUCT_BYTES;
    const length = validity.itemValid(row) ? bytes.readUInt32LE(start) : -1;
    if (length < 0) column[row - from] = null;
    else if (length > INLINED_BYTES_MAX) column[row - from] = vector.getItem(row) as string;
    else column[row - from] = bytes.toString("utf8", start + 4, start + 4 + length);
  }
  return column;
}

/**
 * Returns the size of a chunk's column in a batch, in bytes: the total and the largest cell. Null values count little.
 */
export function columnBytes(
  vector: DuckDBVector,
  type: DuckDBType,
  rowCount: number,
): { total: number; largest: number } {
  if (isFixedSize(type)) return { total: rowCount * SCALAR_BYTES, largest: SCALAR_BYTES };
  let total = 0;
  let largest = 0;
  for (let row = 0; row < rowCount; row += 1) {
    const bytes = cellBytes(vector, type, row);
    total += bytes;
    if (bytes > largest) largest = bytes;
  }
  return { total, largest };
}

/** Returns an upper estimate of a cell's size in a batch, in bytes, without building it. */
export function cellBytes(vector: DuckDBVector, type: DuckDBType, row: number): number {
  if (isFixedSize(type)) return SCALAR_BYTES;
  if (!isNested(type)) return isValid(vector, row) ? stringBytes(vector, row) : SCALAR_BYTES;
  if (type.typeId === DuckDBTypeId.LIST) {
    if (!isValid(vector, row)) return SCALAR_BYTES;
    const list = vector as DuckDBListVector;
    return rangeBytes(list.childVector, type.valueType, list.getEntryOffset(row), list.getEntryLength(row));
  }
  if (type.typeId === DuckDBTypeId.STRUCT) {
    let bytes = SCALAR_BYTES;
    for (const [index, entryType] of type.entryTypes.entries()) {
      bytes += cellBytes((vector as DuckDBStructVector).entryVectorAt(index), entryType, row);
    }
    return bytes;
  }
  return Buffer.byteLength(JSON.stringify(decodeAt(vector, type, row)));
}

/** Types whose cells are stored as a `duckdb_string_t`. */
const STRINGS: ReadonlySet<DuckDBTypeId> = new Set([
  DuckDBTypeId.VARCHAR,
  DuckDBTypeId.BLOB,
  DuckDBTypeId.BIT,
  DuckDBTypeId.GEOMETRY,
  DuckDBTypeId.BIGNUM,
]);

/** Returns true when all cells of the type have about the same size. */
function isFixedSize(type: DuckDBType): boolean {
  return !STRINGS.has(type.typeId) && !isNested(type);
}

function rangeBytes(vector: DuckDBVector, type: DuckDBType, offset: number, length: number): number {
  if (isFixedSize(type)) return length * SCALAR_BYTES;
  let bytes = SCALAR_BYTES;
  for (let row = offset; row < offset + length; row += 1) bytes += cellBytes(vector, type, row);
  return bytes;
}

/** @param isExact returns numbers in lists and objects that no double holds as `ExactNumber` instead of text */
function decodeAt(vector: DuckDBVector, type: DuckDBType, row: number, isExact = false): WireValue {
  // Structs and lists are read through their vectors, because the driver's values lose entries with equal names.
  if (type.typeId === DuckDBTypeId.STRUCT && vector instanceof DuckDBStructVector) {
    if (!vector.isItemValid(row)) return null;
    const values = type.entryTypes.map((entryType, index) =>
      decodeAt(vector.entryVectorAt(index), entryType, row, isExact),
    );
    return objectOf(type.entryNames, values);
  }
  if (type.typeId === DuckDBTypeId.LIST && vector instanceof DuckDBListVector) {
    const items = vector.getItemVector(row);
    if (!items || !isExact) return items && decodeColumn(items, type.valueType, 0, items.itemCount);
    return Array.from({ length: items.itemCount }, (_, index) => decodeAt(items, type.valueType, index, true));
  }
  if (type.typeId === DuckDBTypeId.BLOB) {
    const bytes = (vector as DuckDBBlobVector).getItemBytes(row);
    return bytes && base64(bytes);
  }
  return toWireValue(vector.getItem(row) as DuckDBValue, type, isExact);
}

/** Converts a value of the driver to its wire form. @param isExact as in `decodeAt` */
export function toWireValue(value: DuckDBValue, type: DuckDBType, isExact = false): WireValue {
  if (value === null || value === undefined) return null;
  if (typeof value === "string") return isJsonText(type) ? parseJson(value, isExact) : value;
  if (typeof value === "number") return fromNumber(type.typeId === DuckDBTypeId.FLOAT ? shortestFloat32(value) : value);
  if (typeof value === "boolean") return value;
  if (typeof value === "bigint") {
    const isInt64 = type.typeId === DuckDBTypeId.BIGINT || type.typeId === DuckDBTypeId.UBIGINT;
    if (isExact) return exactNumber(String(value));
    return isInt64 ? fromInt64(value) : String(value);
  }
  if (value instanceof DuckDBDecimalValue) return isExact ? exactNumber(decimalText(value)) : decimalText(value);
  if (value instanceof DuckDBDateValue) return dateText(value.days);
  if (value instanceof DuckDBTimestampValue) return timestampTextOfMicros(value.micros);
  if (value instanceof DuckDBTimestampTZValue) return inUtc(timestampTextOfMicros(value.micros));
  if (value instanceof DuckDBTimestampSecondsValue) return timestampTextOf(value.seconds, 1_000_000n);
  if (value instanceof DuckDBTimestampMillisecondsValue) return timestampTextOf(value.millis, 1000n);
  if (value instanceof DuckDBTimestampNanosecondsValue) return timestampTextOfNanos(value.nanos);
  if (value instanceof DuckDBTimeValue) return timeTextOfMicros(value.micros);
  if (value instanceof DuckDBTimeNSValue) return timeTextOfNanos(value.nanos);
  if (value instanceof DuckDBTimeTZValue) return timeTextOfMicros(value.micros) + offsetText(value.offset);
  if (value instanceof DuckDBIntervalValue) return intervalText(value.months, value.days, value.micros);
  if (value instanceof DuckDBBlobValue || value instanceof DuckDBGeometryValue) return base64(value.bytes);
  return fromNested(value, type, isExact);
}

function fromNested(value: DuckDBValue, type: DuckDBType, isExact: boolean): WireValue {
  if (value instanceof DuckDBListValue || value instanceof DuckDBArrayValue) {
    const itemType = "valueType" in type ? type.valueType : type;
    return value.items.map((item) => toWireValue(item, itemType, isExact));
  }
  if (value instanceof DuckDBStructValue) {
    const names = Object.keys(value.entries);
    return objectOf(
      names,
      names.map((name) => {
        const entryType = type.typeId === DuckDBTypeId.STRUCT ? type.typeForEntry(name) : type;
        return toWireValue(value.entries[name] ?? null, entryType, isExact);
      }),
    );
  }
  if (value instanceof DuckDBMapValue && type.typeId === DuckDBTypeId.MAP) return fromMap(value, type, isExact);
  if (value instanceof DuckDBUnionValue && type.typeId === DuckDBTypeId.UNION) {
    return objectOf([value.tag], [toWireValue(value.value, type.memberTypeForTag(value.tag), isExact)]);
  }
  if (value instanceof DuckDBVariantValue) {
    return value.value === null ? null : toWireValue(value.value, value.type ?? type, isExact);
  }
  // The remaining types have one text form: UUID and bit strings.
  return String(value);
}

/** Converts a map. Text keys become an object; other keys would lose their type, so they become a list of pairs. */
function fromMap(
  map: DuckDBMapValue,
  type: Extract<DuckDBType, { typeId: DuckDBTypeId.MAP }>,
  isExact: boolean,
): WireValue {
  const keys = map.entries.map((entry) => toWireValue(entry.key, type.keyType, isExact));
  const values = map.entries.map((entry) => toWireValue(entry.value, type.valueType, isExact));
  if (type.keyType.typeId === DuckDBTypeId.VARCHAR) return objectOf(keys.map(String), values);
  return keys.map((key, index) => ({ key, value: values[index] ?? null }));
}

/**
 * Returns an object of names and values without loss: duplicate and empty names are numbered as columns are, and
 * `__proto__` is an ordinary name.
 */
function objectOf(names: readonly string[], values: readonly WireValue[]): WireValue {
  const object: { [key: string]: WireValue } = {};
  for (const [index, name] of names.entries()) {
    let key = name === "" ? `column_${index + 1}` : name;
    for (let count = 2; Object.hasOwn(object, key); count += 1) key = `${name || `column_${index + 1}`}_${count}`;
    Object.defineProperty(object, key, {
      value: values[index] ?? null,
      enumerable: true,
      configurable: true,
      writable: true,
    });
  }
  return object;
}

function exactNumber(text: string): WireValue {
  return new ExactNumber(text) as unknown as WireValue;
}

function fromInt64(value: bigint): number | string {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : String(value);
}

function fromNumber(value: number): number | string {
  return Number.isFinite(value) ? value : String(value);
}

function decimalText({ value, scale }: DuckDBDecimalValue): string {
  if (scale === 0) return String(value);
  const digits = String(value < 0n ? -value : value).padStart(scale + 1, "0");
  const point = digits.length - scale;
  return `${value < 0n ? "-" : ""}${digits.slice(0, point)}.${digits.slice(point)}`;
}

function inUtc(text: string): string {
  return text.endsWith("infinity") ? text : `${text}Z`;
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64");
}

/** Parses JSON. A number that a double cannot hold stays exact as text, as in an int64 column. */
function parseJson(text: string, isExact: boolean): WireValue {
  try {
    return (isExact ? parseExactJson(text) : parseJsonWithTexts(text)) as WireValue;
  } catch {
    return text;
  }
}

// The driver keeps a vector's flat memory in fields that its types declare private. Reading them avoids one BigInt per
// cell. The driver's exact version is pinned, and the conformance test of all types covers these lines.
type VectorInside = {
  items?: BigInt64Array;
  dataView?: DataView;
  validity?: { itemValid(row: number): boolean };
};

function insideOf<K extends "items" | "dataView">(
  vector: DuckDBVector,
  _needed: K,
): Required<Pick<VectorInside, K | "validity">> {
  return vector as unknown as Required<Pick<VectorInside, K | "validity">>;
}

function isValid(vector: DuckDBVector, row: number): boolean {
  return (vector as unknown as VectorInside).validity?.itemValid(row) ?? true;
}

function stringBytes(vector: DuckDBVector, row: number): number {
  const { dataView } = vector as unknown as VectorInside;
  return dataView?.getUint32(row * STRING_STRUCT_BYTES, true) ?? SCALAR_BYTES;
}
