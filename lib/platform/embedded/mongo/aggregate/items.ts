import { encodeDocument } from "../bson/codec.ts";
import type { Doc } from "../bson/values.ts";
import type { Flow } from "../scheduling/flow.ts";
import type { Row } from "../storage/store.ts";

/** A document between stages, with its stored bytes while it is unchanged. */
export type Item = { readonly doc: Doc; readonly row?: { readonly bytes: Buffer } };
export type Items = Flow<Item>;
export type Stage = (input: Items) => Items;

/** Returns the row that a document between stages is spilled to disk as. It has no record id any more. */
export function rowOfItem({ doc, row }: Item): Row {
  return { rid: 0, bytes: row?.bytes ?? encodeDocument(doc) };
}
