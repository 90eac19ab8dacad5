import { badValue, failedToParse, typeMismatch } from "../errors.ts";
import { isNumber, TYPE, toDouble, toWholeNumber, type Value } from "./values.ts";

const TYPE_ALIASES = new Map<string, number[]>([
  ...Object.entries(TYPE).map(([name, code]): [string, number[]] => [name, [code]]),
  ["number", [TYPE.double, TYPE.int, TYPE.long, TYPE.decimal]],
]);

/** @throws StoreError BadValue for an unknown BSON type */
export function parseTypes(value: Value): ReadonlySet<number> {
  const codes = new Set<number>();
  for (const item of Array.isArray(value) ? value : [value]) {
    if (typeof item === "string") {
      const found = TYPE_ALIASES.get(item);
      if (found === undefined) throw badValue(`Unknown type name alias: ${item}`);
      for (const code of found) codes.add(code);
    } else if (isNumber(item)) {
      const code = toWholeNumber(item);
      const isKnown = code !== undefined && (Object.values(TYPE) as number[]).includes(code);
      if (!isKnown) throw badValue(`Invalid numerical type code: ${toDouble(item)}`);
      codes.add(code);
    } else throw typeMismatch("type must be represented as a number or a string");
  }
  if (codes.size === 0) throw failedToParse("$type must match at least one type");
  return codes;
}
