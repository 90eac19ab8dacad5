import { type Document, serialize } from "bson";
import { decodeDocument } from "../codec.ts";
import { type Doc, Double, type Value } from "../values.ts";

/** A document as the store holds it, from one as a driver would send it. */
export function doc(object: Document): Doc {
  return decodeDocument(Buffer.from(serialize(object, { ignoreUndefined: false })));
}

/** Plain JavaScript for comparing: documents as objects, numbers as numbers. */
export function plain(value: Value | undefined): unknown {
  if (value instanceof Map) return Object.fromEntries([...value].map(([name, item]) => [name, plain(item)]));
  if (Array.isArray(value)) return value.map(plain);
  return value instanceof Double ? value.value : value;
}
