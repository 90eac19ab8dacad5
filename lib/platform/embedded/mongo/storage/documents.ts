import { decodeDocument, encodeDocument, MAX_DOCUMENT_BYTES } from "../bson/codec.ts";
import { BSONRegExp, type Doc, ObjectId, RawDocument, Timestamp, timestampNow, type Value } from "../bson/values.ts";
import { StoreError } from "../errors.ts";

/** A document that is ready to be stored. */
export type Ready = { doc: Doc; bytes: Buffer };

/**
 * Prepares a document for insertion, with its _id first. Keeps its bytes when nothing has to change.
 * @throws StoreError BSONObjectTooLarge, or BadValue for an invalid _id
 */
export function readyToInsert(given: Doc | RawDocument): Ready {
  const raw = given instanceof RawDocument ? given.bytes : undefined;
  if (raw !== undefined && raw.length > MAX_DOCUMENT_BYTES) throw tooLarge(raw.length);
  let doc = given instanceof RawDocument ? decodeDocument(given.bytes) : given;
  let isChanged = raw === undefined;
  if (doc.keys().next().value !== "_id") {
    doc = idFirst(doc);
    isChanged = true;
  }
  checkId(doc.get("_id") as Value);
  for (const [name, value] of doc) {
    // A top-level timestamp of zero is replaced by the server's time.
    if (value instanceof Timestamp && name !== "_id" && value.toBigInt() === 0n) {
      doc.set(name, timestampNow());
      isChanged = true;
    }
  }
  const bytes = raw !== undefined && !isChanged ? Buffer.from(raw) : encode(doc);
  return { doc, bytes };
}

function idFirst(doc: Doc): Doc {
  const ordered: Doc = new Map([["_id", doc.get("_id") ?? new ObjectId()]]);
  for (const [name, value] of doc) if (name !== "_id") ordered.set(name, value);
  return ordered;
}

/** Moves the _id of a changed document to the front and encodes the document. */
export function readyToStore(doc: Doc): Ready {
  const ordered = doc.keys().next().value === "_id" ? doc : idFirst(doc);
  checkId(ordered.get("_id") as Value);
  return { doc: ordered, bytes: encode(ordered) };
}

function encode(doc: Doc): Buffer {
  const bytes = encodeDocument(doc);
  if (bytes.length > MAX_DOCUMENT_BYTES) throw tooLarge(bytes.length);
  return bytes;
}

function tooLarge(bytes: number): StoreError {
  return new StoreError(
    "BSONObjectTooLarge",
    `object to insert too large. size in bytes: ${bytes}, max size: ${MAX_DOCUMENT_BYTES}`,
  );
}

function checkId(id: Value): void {
  if (Array.isArray(id)) throw new StoreError("InvalidIdField", "The '_id' value cannot be of type array");
  if (id instanceof BSONRegExp) throw new StoreError("InvalidIdField", "The '_id' value cannot be of type regex");
  if (id instanceof Map) {
    for (const name of id.keys()) {
      if (name.startsWith("$") && !["$ref", "$id", "$db"].includes(name)) {
        throw new StoreError(
          "DollarPrefixedFieldName",
          `_id fields may not contain '$'-prefixed fields: ${name} is not valid for storage.`,
        );
      }
    }
  }
}
