import type { Flow } from "../query.ts";
import type { Doc } from "../values.ts";

/** A document between stages: as stored while nobody changed it. */
export type Item = { readonly doc: Doc; readonly row?: { readonly bytes: Buffer } };
export type Items = Flow<Item>;
