import type { Field, FieldType } from "@/lib/base/values/fields";
import { typeOfValue, type ValueType } from "./values";

/** Where what the other columns have no place for stands. */
export const OTHER_FIELDS = "_other";

/** Numbers that hold each other, the narrower first. */
const NUMBERS: readonly FieldType[] = ["int32", "int64", "float64"];

export type Shape = {
  fields: Field[];
  /** The names of columns that stand for a field of the documents, in their order. */
  names: readonly string[];
  /** A column behind these takes the fields that have no column of their own. */
  hasOther: boolean;
  /** Fields that come as Extended JSON, in the last columns. */
  exact: readonly string[];
};

/**
 * The columns of documents: the fields of a sample in the order in which they first appear.
 * @param isWhole no document follows. When some do and the sample's documents are not all alike, later ones may well
 *   have fields of their own: then a column behind the others keeps those, and nothing is lost.
 * @param exact fields that come as Extended JSON
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
