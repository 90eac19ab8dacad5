import type { CellForm } from "@/lib/base/values/fields";
import type { KnownType } from "./types";

/** Since this version, the text of a double has its shortest digits. */
const SHORTEST_DIGITS_VERSION = 12;

const BY_OID: Readonly<Record<number, CellForm>> = {
  16: "boolean",
  17: "other",
  20: "int64",
  21: "integer",
  23: "integer",
  26: "integer",
  28: "integer",
  29: "integer",
  114: "other",
  700: "float",
  701: "float",
  1082: "date",
  1083: "plain",
  1114: "timestamp",
  1184: "timestamp",
  1266: "other",
  1700: "plain",
  2950: "plain",
  3802: "json",
  5069: "int64",
};

/** Returns the form of a type's texts, which are those that `decoderOf` decodes. */
export function formOf(
  oid: number,
  typeOf: (oid: number) => KnownType | undefined,
  serverVersion: string | null,
): CellForm {
  const { element, base } = typeOf(oid) ?? {};
  const own = BY_OID[oid];
  if (own === "float") return Number.parseInt(serverVersion ?? "", 10) >= SHORTEST_DIGITS_VERSION ? own : "other";
  if (own !== undefined) return own;
  if (base !== undefined) return formOf(base, typeOf, serverVersion);
  return element === undefined ? "text" : "other";
}
