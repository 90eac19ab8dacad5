import { KeyWriter } from "../bson/keys.ts";
import { type Doc, isDoc, UNDEFINED, type Value } from "../bson/values.ts";
import { StoreError } from "../errors.ts";

export type IndexField = { path: string; parts: readonly string[]; isDescending: boolean };

export type IndexEntries = {
  /** Distinct encoded keys. */
  keys: Buffer[];
  /** Values of the first key, for messages. */
  values: Value[];
  /** True when an array on one of the paths was expanded. */
  isMultikey: boolean;
};

const NO_ENTRIES: IndexEntries = { keys: [], values: [], isMultikey: false };
const writer = new KeyWriter();

/**
 * Returns a document's index entries, as MongoDB's key generator does. An array gives one entry per element, a missing
 * field counts as null, an empty array as undefined.
 * @param isSparse omits a document with none of the fields
 * @throws StoreError CannotIndexParallelArrays when two different arrays would have to be expanded
 */
export function indexEntries(doc: Doc, fields: readonly IndexField[], isSparse: boolean): IndexEntries {
  const only = fields.length === 1 ? fields[0] : undefined;
  if (only !== undefined && only.parts.length === 1) {
    const value = doc.get(only.path);
    if (value === undefined && isSparse) return NO_ENTRIES;
    if (!Array.isArray(value)) {
      const known = value ?? null;
      return { keys: [encode([known], fields)], values: [known], isMultikey: false };
    }
  }
  const generator = new Generator(fields, isSparse);
  generator.run(
    fields.map(({ parts }) => ({ container: doc, parts, at: 0 })),
    fields.map(() => undefined),
  );
  return { keys: [...generator.keys.values()], values: generator.first ?? [], isMultikey: generator.isMultikey };
}

function encode(values: readonly Value[], fields: readonly IndexField[]): Buffer {
  writer.reset();
  values.forEach((value, i) => {
    writer.value(value, fields[i]?.isDescending);
  });
  return writer.bytes();
}

/** A path that was followed up to its next array. */
type Cursor = { container: Value | undefined; parts: readonly string[]; at: number };

class Generator {
  readonly keys = new Map<string, Buffer>();
  first: Value[] | undefined;
  isMultikey = false;
  private readonly fields: readonly IndexField[];
  private readonly isSparse: boolean;

  constructor(fields: readonly IndexField[], isSparse: boolean) {
    this.fields = fields;
    this.isSparse = isSparse;
  }

  /** @param done values of the fields whose path has ended; undefined for a missing field */
  run(cursors: readonly (Cursor | undefined)[], done: readonly (Value | undefined)[]): void {
    const values = [...done];
    const waiting: (Cursor | undefined)[] = cursors.map(() => undefined);
    let array: Value[] | undefined;
    cursors.forEach((cursor, i) => {
      if (cursor === undefined) return;
      const stop = descend(cursor);
      if (!Array.isArray(stop.container)) {
        values[i] = stop.container;
        return;
      }
      if (array !== undefined && array !== stop.container) {
        throw new StoreError("CannotIndexParallelArrays", "cannot index parallel arrays");
      }
      array = stop.container;
      waiting[i] = stop;
    });
    if (array === undefined) {
      this.emit(values);
      return;
    }
    this.isMultikey = true;
    const items: Value[] = array.length === 0 ? [UNDEFINED] : array;
    for (const item of items) {
      const inner = [...values];
      const next = waiting.map((cursor, i): Cursor | undefined => {
        if (cursor === undefined) return undefined;
        if (cursor.at === cursor.parts.length) {
          inner[i] = item;
          return undefined;
        }
        if (isDoc(item)) return { container: item, parts: cursor.parts, at: cursor.at };
        inner[i] = undefined;
        return undefined;
      });
      if (next.some((cursor) => cursor !== undefined)) this.run(next, inner);
      else this.emit(inner);
    }
  }

  private emit(values: readonly (Value | undefined)[]): void {
    if (this.isSparse && values.every((value) => value === undefined)) return;
    const known = values.map((value) => value ?? null);
    const key = encode(known, this.fields);
    this.first ??= known;
    this.keys.set(key.toString("latin1"), key);
  }
}

/** Follows a path through documents, to its end or an array. */
function descend({ container, parts, at }: Cursor): Cursor {
  let reached = container;
  let next = at;
  for (; next < parts.length && !Array.isArray(reached); next++)
    reached = isDoc(reached) ? reached.get(parts[next] as string) : undefined;
  return { container: reached, parts, at: Array.isArray(reached) ? next : parts.length };
}
