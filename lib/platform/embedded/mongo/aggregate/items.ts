import type { Doc } from "../bson/values.ts";
import type { Flow } from "../scheduling/flow.ts";

/** A document between stages, with its stored bytes while it is unchanged. */
export type Item = { readonly doc: Doc; readonly row?: { readonly bytes: Buffer } };
export type Items = Flow<Item>;
export type Stage = (input: Items) => Items;
