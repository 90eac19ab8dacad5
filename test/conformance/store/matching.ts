import { isDeepStrictEqual } from "node:util";

/** A value as the driver returns it and the specification's files write it. */
export type Plain = unknown;
type PlainDoc = Record<string, Plain>;

/**
 * Compares an actual value with the expected value of a unified test (unified test format, "Evaluating matches").
 * @returns a description of the difference; undefined when it matches
 */
export function mismatch(expected: Plain, given: Plain, isRoot: boolean, at = "result"): string | undefined {
  // The driver keeps a sort in a Map, to preserve its order.
  const actual = given instanceof Map ? Object.fromEntries(given) : given;
  if (isDoc(expected)) {
    const names = Object.keys(expected);
    const operator = names.length === 1 && names[0]?.startsWith("$$") ? names[0] : undefined;
    if (operator !== undefined) return special(operator, expected[operator], actual, at);
    if (!isDoc(actual)) return `${at}: expected a document, got ${show(actual)}`;
    return mismatchOfDocs(expected, actual, isRoot, at);
  }
  if (Array.isArray(expected)) {
    if (!Array.isArray(actual)) return `${at}: expected an array, got ${show(actual)}`;
    if (expected.length !== actual.length)
      return `${at}: expected ${expected.length} items, got ${actual.length}: ${show(actual)}`;
    for (let i = 0; i < expected.length; i++) {
      const found = mismatch(expected[i], actual[i], isRoot, `${at}[${i}]`);
      if (found !== undefined) return found;
    }
    return undefined;
  }
  return isSame(expected, actual) ? undefined : `${at}: expected ${show(expected)}, got ${show(actual)}`;
}

function mismatchOfDocs(expected: PlainDoc, actual: PlainDoc, isRoot: boolean, at: string): string | undefined {
  for (const [name, value] of Object.entries(expected)) {
    if (isDoc(value)) {
      if (value.$$exists === false) {
        if (name in actual) return `${at}.${name}: expected to be absent`;
        continue;
      }
      if (value.$$exists === true) {
        if (!(name in actual)) return `${at}.${name}: expected to be there`;
        continue;
      }
      if ("$$unsetOrMatches" in value && !(name in actual)) continue;
    }
    if (!(name in actual) || (actual[name] === undefined && value !== undefined)) return `${at}.${name}: missing`;
    const found = mismatch(value, actual[name], false, `${at}.${name}`);
    if (found !== undefined) return found;
  }
  if (isRoot) return undefined;
  const extra = Object.keys(actual).find((name) => !(name in expected) && actual[name] !== undefined);
  return extra === undefined ? undefined : `${at}: unexpected field ${extra}`;
}

function special(operator: string, argument: Plain, actual: Plain, at: string): string | undefined {
  switch (operator) {
    case "$$unsetOrMatches":
      return actual === undefined || actual === null ? undefined : mismatch(argument, actual, true, at);
    case "$$exists":
      return (actual !== undefined) === argument ? undefined : `${at}: existence differs`;
    case "$$type":
      return [argument].flat().some((type) => isOfType(actual, String(type)))
        ? undefined
        : `${at}: ${show(actual)} is not of type ${String(argument)}`;
    default:
      return `${at}: the runner does not know ${operator}`;
  }
}

function isOfType(actual: Plain, type: string): boolean {
  if (type === "object") return isDoc(actual);
  if (type === "array") return Array.isArray(actual);
  if (type === "string" || type === "boolean") return typeof actual === type;
  if (type === "bool") return typeof actual === "boolean";
  return ["int", "long", "double", "number"].includes(type) && isNumeric(actual);
}

function isDoc(value: Plain): value is PlainDoc {
  return (
    typeof value === "object" &&
    value !== null &&
    !Array.isArray(value) &&
    !("_bsontype" in value) &&
    !(value instanceof Date)
  );
}

/** Compares two values. Numbers compare by value across BSON types. */
function isSame(expected: Plain, actual: Plain): boolean {
  if (isNumeric(expected) && isNumeric(actual)) return Number(expected) === Number(actual);
  return isDeepStrictEqual(expected, actual) || (expected === null && actual === undefined);
}

function isNumeric(value: Plain): boolean {
  if (typeof value === "number" || typeof value === "bigint") return true;
  return (
    typeof value === "object" &&
    value !== null &&
    "_bsontype" in value &&
    ["Int32", "Double", "Long"].includes(String(value._bsontype))
  );
}

function show(value: Plain): string {
  return JSON.stringify(value) ?? String(value);
}
