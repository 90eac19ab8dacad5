import type { Field, FieldType } from "@/lib/base/values/fields";
import { typeOfValue, type ValueType } from "./values";

/** The column for values that have no other column. */
export const OTHER_FIELDS = "_other";

/** Number types, each of which holds the ones before it. */
const NUMBERS: readonly FieldType[] = ["int32", "int64", "float64"];

export type Shape = {
  fields: Field[];
  /** The names of the columns for document fields, in order. */
  names: readonly string[];
  /** Whether a last column holds the fields without a column. */
  hasOther: boolean;
  /** Fields to return as Extended JSON, in the last columns. */
  exact: readonly string[];
};

/**
 * Returns the columns of documents: the fields of a sample in the order in which they first appear.
 * @param isWhole no document follows. Otherwise, when the sample's documents differ, later ones may have other fields:
 *   a last column keeps those, and nothing is lost.
 * @param exact fields to return as Extended JSON
 */
export function shapeOf(
  sample: readonly Record<string, unknown>[],
  isWhole: boolean,
  exact: readonly string[] = [],
): Shape {
  const types = new Map<string, ValueType | null>();
  let isAlike = true;
  for (const [index, document] of sample.entries()) {
    const keys = Object.keys(document).filter((key) => !exact.includes(key));
    if (index > 0 && keys.length !== types.size) isAlike = false;
    for (const key of keys) {
      const known = types.get(key);
      if (index > 0 && known === undefined) isAlike = false;
      types.set(key, merge(known ?? null, typeOfValue(document[key])));
    }
  }
  const names = [...types.keys()];
  const fields: Field[] = names.map((name) => {
    const { type, dbType } = types.get(name) ?? { type: "other", dbType: "null" };
    return { name, type, dbType };
  });
  const hasOther = !isWhole && !isAlike;
  if (hasOther) fields.push({ name: OTHER_FIELDS, type: "json", dbType: "object" });
  fields.push(...exact.map((name): Field => ({ name, type: "string", dbType: "string" })));
  return { fields, names, hasOther, exact };
}

function merge(left: ValueType | null, right: ValueType | null): ValueType | null {
  if (!left || !right) return left ?? right;
  if (left.dbType === right.dbType) return left;
  const isNumber = NUMBERS.includes(left.type) && NUMBERS.includes(right.type);
  if (isNumber) return NUMBERS.indexOf(left.type) > NUMBERS.indexOf(right.type) ? left : right;
  const names = [...new Set([...left.dbType.split(" | "), ...right.dbType.split(" | ")])].sort();
  return { type: left.type === right.type ? left.type : "other", dbType: names.join(" | ") };
}
