import { compareValues } from "../bson/compare.ts";
import { type Path, someAtPath, toPath } from "../bson/paths.ts";
import { type Doc, isDoc, isNumber, toDouble, UNDEFINED, type Value } from "../bson/values.ts";
import { badValue, StoreError } from "../errors.ts";

export type SortKey = { path: Path; direction: 1 | -1 };

/** MongoDB's limit of keys in a compound sort. */
const MAX_SORT_KEYS = 32;

/** @throws StoreError BadValue for directions other than 1 and -1 */
export function parseSort(sort: Doc): SortKey[] {
  const keys: SortKey[] = [];
  for (const [name, direction] of sort) {
    if (isDoc(direction)) throw badValue("Sorting by $meta is not supported by this store.");
    if (!isNumber(direction) || Math.abs(toDouble(direction)) !== 1) {
      throw new StoreError(15975, "$sort key ordering must be 1 (for ascending) or -1 (for descending)");
    }
    if (name === "") throw new StoreError(40352, "FieldPath cannot be constructed with empty string");
    if (name.startsWith("$"))
      throw new StoreError(
        16410,
        "FieldPath field names may not start with '$'. Consider using $getField or $setField.",
      );
    if (name.endsWith(".")) throw new StoreError(40353, "FieldPath must not end with a '.'.");
    keys.push({ path: toPath(name), direction: toDouble(direction) === 1 ? 1 : -1 });
  }
  if (keys.length > MAX_SORT_KEYS) throw badValue(`too many compound keys: ${keys.length}`);
  return keys;
}

/**
 * Returns the values that a document sorts by: for an array, its smallest (ascending) or largest (descending) element.
 */
export function sortValues(doc: Doc, keys: readonly SortKey[]): Value[] {
  return keys.map(({ path, direction }) => {
    if (path.parts.length === 1) {
      const value = doc.get(path.text);
      if (!Array.isArray(value)) return value ?? null;
    }
    let chosen: Value | undefined;
    const consider = (value: Value): void => {
      if (chosen === undefined || compareValues(value, chosen) * direction < 0) chosen = value;
    };
    let isSeen = false;
    someAtPath(doc, path.parts, false, (value) => {
      isSeen = true;
      if (!Array.isArray(value)) consider(value ?? null);
      else if (value.length === 0) consider(UNDEFINED);
      else value.forEach(consider);
      return false;
    });
    return isSeen && chosen !== undefined ? chosen : null;
  });
}

export function compareSortValues(a: readonly Value[], b: readonly Value[], keys: readonly SortKey[]): number {
  for (let i = 0; i < keys.length; i++) {
    const order = compareValues(a[i] as Value, b[i] as Value);
    if (order !== 0) return order * (keys[i] as SortKey).direction;
  }
  return 0;
}
