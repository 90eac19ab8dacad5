import { encodeDocument } from "../codec.ts";
import type { Flow } from "../flow.ts";
import type { Row } from "../store.ts";
import type { Doc } from "../values.ts";

/** A document between stages: as stored while nobody changed it. */
export type Item = { readonly doc: Doc; readonly row?: { readonly bytes: Buffer } };
export type Items = Flow<Item>;
export type Stage = (input: Items) => Items;

/** What goes to disk of a document between stages; it has no place of its own any more. */
export function rowOfItem({ doc, row }: Item): Row {
  return { rid: 0, bytes: row?.bytes ?? encodeDocument(doc) };
}
