import { type Doc, isDoc, type Value } from "./values.ts";

/** A parsed dotted path. */
export type Path = { readonly text: string; readonly parts: readonly string[] };

const known = new Map<string, Path>();
/** Maximum cached paths: enough for all queries of an application. Beyond it the cache is cleared. */
const MAX_KNOWN_PATHS = 5000;

export function toPath(text: string): Path {
  let path = known.get(text);
  if (path === undefined) {
    if (known.size >= MAX_KNOWN_PATHS) known.clear();
    path = { text, parts: text.split(".") };
    known.set(text, path);
  }
  return path;
}

/** Returns the array position that a path's part names ("0", "12", never "01"), or -1. */
export function arrayIndex(part: string): number {
  if (part.length === 0 || part.length > 9) return -1;
  for (let i = 0; i < part.length; i++) {
    const unit = part.charCodeAt(i);
    if (unit < 48 || unit > 57) return -1;
  }
  return part.length > 1 && part.charCodeAt(0) === 48 ? -1 : Number(part);
}

export type Leaf = (value: Value | undefined) => boolean;

/**
 * Passes every value that a query's path refers to to `leaf`, as MongoDB's matcher does (matcher/path). Arrays on the
 * path are entered; an array at the end is passed element by element and then as a whole.
 * @param expandLast false passes an array at the end only as a whole ($size, $elemMatch, $all of $elemMatch)
 * @returns true as soon as `leaf` does
 */
export function someAtPath(doc: Doc | Value[], parts: readonly string[], expandLast: boolean, leaf: Leaf): boolean {
  return walk(doc, parts, 0, expandLast, leaf);
}

function walk(start: Doc | Value[], parts: readonly string[], from: number, expandLast: boolean, leaf: Leaf): boolean {
  // Descends through documents to an array, the end of the path, or a missing field.
  let value: Value | undefined = fieldOf(start, parts[from] as string);
  let next = from + 1;
  while (next < parts.length && value instanceof Map) {
    value = value.get(parts[next] as string);
    next++;
  }
  if (!Array.isArray(value)) return leaf(next < parts.length ? undefined : value);
  const isEnd = next === parts.length;
  if (isEnd) {
    if (!expandLast) return leaf(value);
    for (const item of value) if (leaf(item)) return true;
    return leaf(value);
  }
  const position = arrayIndex(parts[next] as string);
  for (let i = 0; i < value.length; i++) {
    const item = value[i] as Value;
    if (item instanceof Map && walk(item, parts, next, expandLast, leaf)) return true;
    if (i !== position) continue;
    if (next + 1 === parts.length) {
      if (leaf(item)) return true;
    } else if ((item instanceof Map || Array.isArray(item)) && walk(item, parts, next + 1, expandLast, leaf)) {
      return true;
    }
  }
  return false;
}

/** Returns a field of a document, or an element of an array by its position. */
export function fieldOf(container: Doc | Value[], part: string): Value | undefined {
  if (container instanceof Map) return container.get(part);
  const position = arrayIndex(part);
  return position < 0 ? undefined : container[position];
}

/** Returns the value at a path through documents only; undefined when it is missing. */
export function getPath(doc: Doc, parts: readonly string[]): Value | undefined {
  let value: Value | undefined = doc;
  for (const part of parts) {
    if (!isDoc(value)) return undefined;
    value = value.get(part);
  }
  return value;
}

/**
 * Returns all values at a path, with arrays on the path expanded, and an array at the end expanded once, as in
 * `distinct`.
 */
export function valuesAtPath(doc: Doc, parts: readonly string[]): Value[] {
  const values: Value[] = [];
  someAtPath(doc, parts, false, (value) => {
    if (Array.isArray(value)) for (const item of value) values.push(item);
    else if (value !== undefined) values.push(value);
    return false;
  });
  return values;
}

/** Returns a copy with another value at a path; undefined removes the field. */
export function setAt(doc: Doc, parts: readonly string[], value: Value | undefined): Doc {
  const copy: Doc = new Map(doc);
  const [first = "", ...rest] = parts;
  if (rest.length === 0) {
    if (value === undefined) copy.delete(first);
    else copy.set(first, value);
  } else {
    const inner = copy.get(first);
    copy.set(first, setAt(isDoc(inner) ? inner : new Map(), rest, value));
  }
  return copy;
}
