import { areEqual, compareValues } from "../bson/compare.ts";
import { remainder } from "../bson/numbers.ts";
import { parseTypes } from "../bson/type-names.ts";
import {
  BSONRegExp,
  type Doc,
  isDoc,
  isNumber,
  toDouble,
  toWholeNumber,
  typeCode,
  type Value,
} from "../bson/values.ts";
import { failedToParse, StoreError, typeMismatch } from "../errors.ts";
import { unique } from "../expressions/arrays.ts";
import { compileRegex, type Regex } from "./regex.ts";

type Test = (value: Value) => boolean;

const JSON_TYPES = new Map([
  ["object", "object"],
  ["array", "array"],
  ["string", "string"],
  ["boolean", "bool"],
  ["null", "null"],
  ["number", "number"],
]);

/**
 * Compiles `$jsonSchema`: draft 4 with bsonType, without $ref, format, default and id, as in MongoDB.
 * @throws StoreError FailedToParse for any other keyword
 */
export function compileSchema(schema: Value): Test {
  if (!isDoc(schema)) throw typeMismatch("$jsonSchema must be an object");
  const tests: Test[] = [];
  for (const [keyword, value] of schema) {
    const test = compileKeyword(keyword, value, schema);
    if (test !== undefined) tests.push(test);
  }
  return (value) => tests.every((test) => test(value));
}

function docs(keyword: string, value: Value): Doc {
  if (!isDoc(value)) throw typeMismatch(`$jsonSchema keyword '${keyword}' must be an object`);
  return value;
}

function list(keyword: string, value: Value): Value[] {
  if (!Array.isArray(value) || value.length === 0) {
    throw typeMismatch(`$jsonSchema keyword '${keyword}' must be a nonempty array`);
  }
  return value;
}

function count(keyword: string, value: Value): number {
  const n = toWholeNumber(value);
  if (n === undefined || n < 0) throw failedToParse(`$jsonSchema keyword '${keyword}' must be a non-negative integer`);
  return n;
}

function compileKeyword(keyword: string, value: Value, schema: Doc): Test | undefined {
  switch (keyword) {
    case "bsonType":
    case "type": {
      const names = Array.isArray(value) ? value : [value];
      const codes = parseTypes(
        keyword === "bsonType"
          ? value
          : names.map((name) => {
              const alias = typeof name === "string" ? JSON_TYPES.get(name) : undefined;
              if (alias === undefined) throw failedToParse(`Unknown type name alias for JSON Schema: ${String(name)}`);
              return alias;
            }),
      );
      return (item) => codes.has(typeCode(item));
    }
    case "required": {
      const names = list(keyword, value);
      return (item) => !isDoc(item) || names.every((name) => typeof name === "string" && item.has(name));
    }
    case "properties": {
      const tests = [...docs(keyword, value)].map(([name, inner]): [string, Test] => [name, compileSchema(inner)]);
      return (item) =>
        !isDoc(item) ||
        tests.every(([name, test]) => {
          const field = item.get(name);
          return field === undefined || test(field);
        });
    }
    case "patternProperties": {
      const tests = patterns(value);
      return (item) =>
        !isDoc(item) ||
        [...item].every(([name, field]) => tests.every(([regex, test]) => !regex.test(name) || test(field)));
    }
    case "additionalProperties":
      return additional(value, schema);
    case "enum": {
      const allowed = list(keyword, value);
      return (item) => allowed.some((one) => areEqual(one, item));
    }
    case "allOf":
    case "anyOf":
    case "oneOf": {
      const tests = list(keyword, value).map(compileSchema);
      if (keyword === "allOf") return (item) => tests.every((test) => test(item));
      if (keyword === "anyOf") return (item) => tests.some((test) => test(item));
      return (item) => tests.filter((test) => test(item)).length === 1;
    }
    case "not": {
      const test = compileSchema(value);
      return (item) => !test(item);
    }
    case "minimum":
    case "maximum": {
      if (!isNumber(value)) throw typeMismatch(`$jsonSchema keyword '${keyword}' must be a number`);
      const direction = keyword === "minimum" ? 1 : -1;
      const isStrict = schema.get(keyword === "minimum" ? "exclusiveMinimum" : "exclusiveMaximum") === true;
      return (item) => {
        if (!isNumber(item)) return true;
        const order = compareValues(item, value) * direction;
        return isStrict ? order > 0 : order >= 0;
      };
    }
    case "exclusiveMinimum":
    case "exclusiveMaximum":
      if (typeof value !== "boolean") throw typeMismatch(`$jsonSchema keyword '${keyword}' must be a boolean`);
      return undefined;
    case "multipleOf": {
      if (!isNumber(value) || toDouble(value) <= 0)
        throw failedToParse("$jsonSchema keyword 'multipleOf' must have a positive value");
      return (item) => !isNumber(item) || toDouble(remainder(item, value)) === 0;
    }
    case "minLength":
    case "maxLength": {
      const n = count(keyword, value);
      return (item) =>
        typeof item !== "string" || (keyword === "minLength" ? [...item].length >= n : [...item].length <= n);
    }
    case "pattern": {
      if (typeof value !== "string") throw typeMismatch("$jsonSchema keyword 'pattern' must be a string");
      const regex = compileRegex(new BSONRegExp(value));
      return (item) => typeof item !== "string" || regex.test(item);
    }
    case "minItems":
    case "maxItems": {
      const n = count(keyword, value);
      return (item) => !Array.isArray(item) || (keyword === "minItems" ? item.length >= n : item.length <= n);
    }
    case "minProperties":
    case "maxProperties": {
      const n = count(keyword, value);
      return (item) => !isDoc(item) || (keyword === "minProperties" ? item.size >= n : item.size <= n);
    }
    case "uniqueItems":
      if (value !== true) return undefined;
      return (item) => !Array.isArray(item) || unique(item).length === item.length;
    case "items": {
      if (!Array.isArray(value)) {
        const test = compileSchema(value);
        return (item) => !Array.isArray(item) || item.every(test);
      }
      const tests = value.map(compileSchema);
      return (item) => !Array.isArray(item) || tests.every((test, i) => i >= item.length || test(item[i] as Value));
    }
    case "additionalItems": {
      const items = schema.get("items");
      if (!Array.isArray(items) || value === true) return undefined;
      const test = value === false ? () => false : compileSchema(value);
      return (item) => !Array.isArray(item) || item.slice(items.length).every(test);
    }
    case "dependencies": {
      const tests = [...docs(keyword, value)].map(([name, need]): [string, Test] => [
        name,
        Array.isArray(need)
          ? (item) => isDoc(item) && need.every((other) => typeof other === "string" && item.has(other))
          : compileSchema(need),
      ]);
      return (item) => !isDoc(item) || tests.every(([name, test]) => !item.has(name) || test(item));
    }
    case "title":
    case "description":
      return undefined;
    default:
      throw new StoreError("FailedToParse", `Unknown $jsonSchema keyword: ${keyword}`);
  }
}

function patterns(value: Value | undefined): [Regex, Test][] {
  if (value === undefined) return [];
  return [...docs("patternProperties", value)].map(([pattern, inner]) => [
    compileRegex(new BSONRegExp(pattern)),
    compileSchema(inner),
  ]);
}

function additional(value: Value, schema: Doc): Test | undefined {
  if (value === true) return undefined;
  const test = value === false ? () => false : compileSchema(value);
  const properties = schema.get("properties");
  const known = isDoc(properties) ? properties : new Map<string, Value>();
  const regexes = patterns(schema.get("patternProperties"));
  return (item) =>
    !isDoc(item) ||
    [...item].every(([name, field]) => known.has(name) || regexes.some(([regex]) => regex.test(name)) || test(field));
}
