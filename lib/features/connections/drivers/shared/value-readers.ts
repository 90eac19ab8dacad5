import type { FieldType, WireValue } from "@/lib/base/values/fields";
import { jsonSlices } from "@/lib/base/values/json-slices";
import { jsonText, toJsonText } from "@/lib/base/values/json-text";
import { keysOf } from "@/lib/base/values/wide-keys";

/** Values that are read between two calls of `rest`: a few milliseconds for any type. */
const VALUES_AT_ONCE = 256;

/** Lets the event loop serve others, once per some values. Returns undefined where there is no need to wait. */
export type Pause = () => Promise<void> | undefined;

/** A reader of parsed JSON as the values of a type. */
export type ValueReader = {
  read: (value: unknown) => WireValue;
  /** Reads the same in slices, for values of a large response, and may reuse the given lists and objects. */
  readSliced?: (value: unknown, pause: Pause) => WireValue | Promise<WireValue>;
};

/** A reader of the values of a column. */
export type ColumnReader = ValueReader & { type: FieldType };

export const asIs = (value: unknown): WireValue => value as WireValue;

/** Returns a pause that rests after some values, counted across all lists and objects. */
export function pausing(rest: () => Promise<void>): Pause {
  let count = 0;
  return () => {
    count += 1;
    return count % VALUES_AT_ONCE === 0 ? rest() : undefined;
  };
}

/** Reads the cells of a row in slices. Missing cells and readers are null. */
export async function readRowSliced(
  row: readonly unknown[],
  readers: readonly ValueReader[],
  pause: Pause,
): Promise<WireValue[]> {
  const cells: WireValue[] = [];
  for (const [index, value] of row.entries()) {
    const reader = readers[index];
    const isMissing = value === null || reader === undefined;
    cells.push(isMissing ? null : ((await sliced(reader, value, pause)) ?? null));
    await pause();
  }
  return cells;
}

function sliced(reader: ValueReader, value: unknown, pause: Pause): WireValue | Promise<WireValue> {
  return reader.readSliced ? reader.readSliced(value, pause) : reader.read(value);
}

/**
 * Returns a reader of lists.
 * @param readerAt the reader of the item at an index
 * @param otherwise reads any other value
 */
export function listReader(
  readerAt: (index: number) => ValueReader,
  otherwise: (value: unknown) => WireValue,
): ValueReader {
  return {
    read: (value) => (Array.isArray(value) ? value.map((item, index) => readerAt(index).read(item)) : otherwise(value)),
    readSliced: async (value, pause) => {
      if (!Array.isArray(value)) return otherwise(value);
      for (let index = 0; index < value.length; index += 1) {
        const read = sliced(readerAt(index), value[index], pause);
        value[index] = read instanceof Promise ? await read : read;
        const wait = pause();
        if (wait) await wait;
      }
      return value as WireValue[];
    },
  };
}

/**
 * Returns a reader of objects, which may have any key, also `__proto__`.
 * @param readerFor the reader of a key's value
 * @param otherwise reads any other value
 */
export function objectReader(
  readerFor: (key: string) => ValueReader,
  otherwise: (value: unknown) => WireValue,
): ValueReader {
  return {
    read: (value) => {
      if (!isObject(value)) return otherwise(value);
      return objectOf(Object.keys(value), (key) => readerFor(key).read(value[key]));
    },
    readSliced: async (value, pause) => {
      if (!isObject(value)) return otherwise(value);
      for (const key of keysOf(value)) {
        const read = sliced(readerFor(key), value[key], pause);
        value[key] = read instanceof Promise ? await read : read;
        const wait = pause();
        if (wait) await wait;
      }
      return value as WireValue;
    },
  };
}

/** Returns a reader that passes null through. */
export function nullable(reader: ValueReader): ValueReader {
  const { readSliced } = reader;
  return {
    read: (value) => (value === null ? null : reader.read(value)),
    ...(readSliced && {
      readSliced: (value: unknown, pause: Pause) => (value === null ? null : readSliced(value, pause)),
    }),
  };
}

/** Returns an object with those keys, of which one may be `__proto__`. */
export function objectOf(keys: readonly string[], cellFor: (key: string, index: number) => WireValue): WireValue {
  const object: { [key: string]: WireValue } = {};
  for (const [index, key] of keys.entries()) {
    Object.defineProperty(object, key, {
      value: cellFor(key, index),
      enumerable: true,
      configurable: true,
      writable: true,
    });
  }
  return object;
}

/** A reader of values as JSON text. */
export const jsonTextReader: ValueReader = {
  read: toJsonText,
  readSliced: async (value, pause) => {
    if (value === null || value === undefined) return null;
    let text = "";
    for (const slice of jsonSlices(value)) {
      text += slice;
      const wait = pause();
      if (wait) await wait;
    }
    return jsonText(text);
  },
};

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
