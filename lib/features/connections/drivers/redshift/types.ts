import type { WireValue } from "@/lib/base/values/fields";
import { type Decode, decoderOf } from "../postgres/decode";
import { BUILT_IN_TYPES, type KnownType } from "../postgres/types";

/*
 * Redshift's types, by their numbers: those of PostgreSQL 8.0, and its own (the file oids.py of its Python driver and
 * Oid.java of its JDBC driver). Users cannot create types, so none is looked up.
 */

const JSON_OID = 114;
const SUPER_OID = 4000;
const VARBYTE_OID = 6551;

const OWN_TYPES: readonly (readonly [oid: number, type: KnownType])[] = [
  // Intervals are printed as words: `1 year 2 mons`.
  [1186, { name: "interval", type: "other" }],
  [1188, { name: "interval year to month", type: "other" }],
  [1190, { name: "interval day to second", type: "other" }],
  [2935, { name: "hllsketch", type: "other" }],
  [3000, { name: "geometry", type: "other" }],
  [3001, { name: "geography", type: "other" }],
  [3999, { name: "geometryhex", type: "other" }],
  [SUPER_OID, { name: "super", type: "json" }],
  [VARBYTE_OID, { name: "varbyte", type: "binary" }],
];

export const REDSHIFT_TYPES: ReadonlyMap<number, KnownType> = new Map([...BUILT_IN_TYPES, ...OWN_TYPES]);

/** Returns the decoder of a type's texts. @param jsonAsText JSON is not parsed (`JsonText`) */
export function redshiftDecoderOf(oid: number, jsonAsText: boolean): Decode {
  if (oid === VARBYTE_OID) return hexText;
  return decoderOf(oid === SUPER_OID ? JSON_OID : oid, (each) => REDSHIFT_TYPES.get(each), jsonAsText);
}

/** Decodes VARBYTE, which is printed as hexadecimal digits. */
function hexText(text: string): WireValue {
  return Buffer.from(text.replace(/^\\x/, ""), "hex").toString("base64");
}
