import { randomUUID } from "node:crypto";
import { arrayIndex, toPath } from "../bson/paths.ts";
import {
  Binary,
  type Doc,
  Double,
  docOf,
  isDoc,
  isNumber,
  isTruthy,
  ObjectId,
  toDouble,
  typeName,
  type Value,
} from "../bson/values.ts";
import { badValue, failedToParse, StoreError, typeMismatch } from "../errors.ts";
import { compileMatch, type Matcher, type MatchNode, parseMatch } from "../query/match.ts";
import { type IndexField, indexEntries } from "./index-keys.ts";

/** An index: its specification, and what the planner needs to know about it. */
export class Index {
  /** 0 is the index on _id, which is the collection's table itself. */
  readonly id: number;
  readonly name: string;
  readonly key: Doc;
  readonly fields: readonly IndexField[];
  readonly isUnique: boolean;
  readonly isSparse: boolean;
  readonly partial: { filter: Doc; node: MatchNode; test: Matcher } | undefined;
  readonly expireAfterSeconds: number | undefined;
  /** The specification as listIndexes returns it. */
  readonly spec: Doc;
  isMultikey: boolean;
  /** False during the build: writes maintain the index, but reads do not use it. */
  isReady: boolean;
  /** The store's clock when the index became ready. Older snapshots do not have it. */
  createdAt = 0;

  constructor(id: number, spec: Doc, isMultikey: boolean, isReady: boolean) {
    this.id = id;
    this.spec = spec;
    this.name = spec.get("name") as string;
    this.key = spec.get("key") as Doc;
    this.fields = [...this.key].map(([path, direction]) => ({
      path,
      parts: toPath(path).parts,
      isDescending: toDouble(direction) < 0,
    }));
    this.isUnique = id === 0 || isTruthy(spec.get("unique"));
    this.isSparse = isTruthy(spec.get("sparse"));
    const filter = spec.get("partialFilterExpression");
    if (isDoc(filter)) {
      const variables = { scope: undefined };
      const node = parseMatch(filter, { variables, allowExpressions: false });
      this.partial = { filter, node, test: compileMatch(node, variables) };
    }
    const seconds = spec.get("expireAfterSeconds");
    this.expireAfterSeconds = isNumber(seconds) ? toDouble(seconds) : undefined;
    this.isMultikey = isMultikey;
    this.isReady = isReady;
  }

  /** Name of the table with the index's entries. */
  get table(): string {
    return `i_${this.id}`;
  }

  entries(doc: Doc): { keys: Buffer[]; values: Value[]; isMultikey: boolean } {
    if (this.partial !== undefined && !this.partial.test(doc)) return { keys: [], values: [], isMultikey: false };
    return indexEntries(doc, this.fields, this.isSparse);
  }
}

export class Collection {
  readonly id: number;
  readonly db: string;
  name: string;
  readonly uuid: Binary;
  options: Doc;
  /** Indexes of the collection; the first is always the one on _id. */
  indexes: Index[];
  /** Next record id in insertion order. It is counted here so that no id is given twice. */
  nextRid = 1;
  count = 0;
  isDropped = false;
  validator: Matcher | undefined;
  /** The store's clock at creation. Older snapshots do not have the collection. */
  createdAt = 0;

  constructor(id: number, db: string, name: string, uuid: Binary, options: Doc) {
    this.id = id;
    this.db = db;
    this.name = name;
    this.uuid = uuid;
    this.options = options;
    this.indexes = [new Index(0, docOf({ v: 2, key: docOf({ _id: 1 }), name: "_id_" }), false, true)];
    this.setOptions(options);
  }

  get namespace(): string {
    return `${this.db}.${this.name}`;
  }

  get table(): string {
    return `d_${this.id}`;
  }

  setOptions(options: Doc): void {
    this.options = options;
    const filter = options.get("validator");
    this.validator = undefined;
    if (isDoc(filter) && filter.size > 0) {
      const variables = { scope: undefined };
      this.validator = compileMatch(parseMatch(filter, { variables }), variables);
    }
  }

  /** @throws StoreError DocumentValidationFailure when the collection's validator rejects the document */
  validate(doc: Doc): void {
    if (this.validator === undefined || this.validator(doc)) return;
    if (this.options.get("validationAction") === "warn") return;
    throw new StoreError("DocumentValidationFailure", "Document failed validation", {
      info: docOf({
        errInfo: docOf({
          failingDocumentId: doc.get("_id"),
          details: docOf({ operatorName: "validator", specifiedAs: this.options.get("validator") }),
        }),
      }),
    });
  }
}

export function newUuid(): Binary {
  return new Binary(Buffer.from(randomUUID().replaceAll("-", ""), "hex"), Binary.SUBTYPE_UUID);
}

export function uuidOf(bytes: Buffer): Binary {
  return new Binary(bytes, Binary.SUBTYPE_UUID);
}

/** Options of an index in scope (docs/develop/store-scope.md). */
export const INDEX_OPTIONS: ReadonlySet<string> = new Set([
  "v",
  "key",
  "name",
  "unique",
  "sparse",
  "partialFilterExpression",
  "expireAfterSeconds",
]);

const MAX_INDEX_FIELDS = 32;
const MAX_TTL_SECONDS = 2 ** 31 - 1;

function cannotCreate(message: string): StoreError {
  return new StoreError("CannotCreateIndex", message);
}

/**
 * Validates an index specification of createIndexes and normalises it to the form that listIndexes returns.
 * @throws StoreError CannotCreateIndex, and InvalidOptions or BadValue where MongoDB does
 */
export function normalizeIndexSpec(spec: Doc): Doc {
  const key = spec.get("key");
  if (!isDoc(key)) throw failedToParse("The 'key' field is a required property of an index specification");
  if (key.size === 0) throw cannotCreate("Index keys cannot be an empty field.");
  if (key.size > MAX_INDEX_FIELDS) throw cannotCreate(`Index keys cannot have more than ${MAX_INDEX_FIELDS} fields.`);
  for (const [path, direction] of key) {
    if (typeof direction === "string") {
      throw cannotCreate(`Index type '${direction}' is not supported by this store: only 1 and -1 are.`);
    }
    if (!isNumber(direction))
      throw cannotCreate(
        `Values in v:2 index key pattern cannot be of type ${typeName(direction)}. Only numbers > 0, numbers < 0, and strings are allowed.`,
      );
    const n = toDouble(direction);
    if (n === 0 || Number.isNaN(n)) throw cannotCreate("Values in the index key pattern cannot be 0.");
    if (path === "" || path.split(".").includes("")) throw cannotCreate("Index keys cannot contain an empty field.");
    if (path.split(".").some((part) => arrayIndex(part) >= 0))
      throw cannotCreate("Indexes on positions of arrays are not supported by this store.");
    if (path === "$**" || path.endsWith(".$**"))
      throw cannotCreate("Wildcard indexes are not supported by this store.");
    if (path.split(".").some((part) => part.startsWith("$") && !["$id", "$ref", "$db"].includes(part))) {
      throw cannotCreate(`Index key contains an illegal field name: field name starts with '$'.`);
    }
  }
  for (const name of spec.keys()) {
    if (!INDEX_OPTIONS.has(name))
      throw new StoreError(
        197,
        `The field '${name}' is not valid for an index specification. Specification: ${[...spec.keys()].join(", ")}`,
      );
  }
  const given = spec.get("name");
  if (given !== undefined && typeof given !== "string") throw typeMismatch("The field 'name' must be a string");
  if (given === "") throw cannotCreate("Index name cannot be empty");
  if (given === "*") throw cannotCreate("The index name '*' is not valid.");
  const normalized = docOf({ v: 2, key, name: given ?? indexName(key) });
  const isIdIndex = key.size === 1 && key.has("_id");
  for (const option of ["unique", "sparse"]) {
    const value = spec.get(option);
    if (value === undefined) continue;
    if (typeof value !== "boolean" && !isNumber(value))
      throw typeMismatch(
        `The field '${option}' has value of type ${typeName(value)}, which is not convertible to bool`,
      );
    if (isTruthy(value)) normalized.set(option, true);
  }
  if (isIdIndex && normalized.has("sparse"))
    throw new StoreError(197, "The field 'sparse' is not valid for an _id index specification.");
  const filter = spec.get("partialFilterExpression");
  if (filter !== undefined) {
    if (!isDoc(filter)) throw typeMismatch("The field 'partialFilterExpression' must be an object");
    if (normalized.has("sparse")) throw cannotCreate('cannot mix "partialFilterExpression" and "sparse" options');
    if (isIdIndex) throw cannotCreate("_id index cannot be a partial index");
    checkPartial(parseMatch(filter, { variables: { scope: undefined }, allowExpressions: false }));
    normalized.set("partialFilterExpression", filter);
  }
  const seconds = spec.get("expireAfterSeconds");
  if (seconds !== undefined) {
    if (!isNumber(seconds))
      throw cannotCreate(
        `TTL index 'expireAfterSeconds' option must be numeric, but received a type of '${typeName(seconds)}'.`,
      );
    const n = toDouble(seconds);
    if (!(n >= 0 && n <= MAX_TTL_SECONDS))
      throw cannotCreate(
        "TTL index 'expireAfterSeconds' option must be within an acceptable range, try a different value.",
      );
    if (key.size !== 1)
      throw cannotCreate("TTL indexes are single-field indexes, compound indexes do not support TTL.");
    if (isIdIndex) throw cannotCreate("The field 'expireAfterSeconds' is not valid for an _id index specification.");
    normalized.set("expireAfterSeconds", seconds);
  }
  return normalized;
}

function checkPartial(node: MatchNode): void {
  if (node.kind === "and") for (const child of node.nodes) checkPartial(child);
  else if (
    node.kind === "compare" ? node.op !== "eq" && node.op !== "gt" : node.kind !== "exists" && node.kind !== "type"
  )
    throw cannotCreate(
      "unsupported expression in partial index: only $eq, $exists: true, $gt, $type and $and are allowed",
    );
}

export function indexName(key: Doc): string {
  return [...key].map(([path, direction]) => `${path}_${String(toDouble(direction))}`).join("_");
}

/** @throws StoreError BadValue: this store compares text by code point only */
export function refuseCollation(collation: Value | undefined): void {
  if (collation === undefined || collation === null) return;
  if (isDoc(collation) && (collation.size === 0 || collation.get("locale") === "simple")) return;
  throw badValue(
    "Collation is not supported by this store: text compares by code point only. Leave the collation out.",
  );
}

/** Returns the error for a duplicate key, with MongoDB's message and fields. */
export function duplicateKey(collection: Collection, index: Index, values: readonly Value[]): StoreError {
  const keyValue: Doc = new Map();
  index.fields.forEach(({ path }, i) => {
    keyValue.set(path, values[i] ?? null);
  });
  const shown = [...keyValue].map(([name, value]) => `${name}: ${show(value)}`).join(", ");
  return new StoreError(
    "DuplicateKey",
    `E11000 duplicate key error collection: ${collection.namespace} index: ${index.name} dup key: { ${shown} }`,
    { info: docOf({ keyPattern: index.key, keyValue }) },
  );
}

function show(value: Value): string {
  if (typeof value === "string") return `"${value}"`;
  if (value === null) return "null";
  if (value instanceof ObjectId) return `ObjectId('${value.toHexString()}')`;
  if (value instanceof Date) return `new Date(${value.getTime()})`;
  if (value instanceof Map) return `{ ${[...value].map(([name, item]) => `${name}: ${show(item)}`).join(", ")} }`;
  if (Array.isArray(value)) return `[ ${value.map(show).join(", ")} ]`;
  if (value instanceof Double) return Number.isInteger(value.value) ? value.value.toFixed(1) : String(value.value);
  if (value instanceof Binary)
    return `BinData(${value.sub_type}, ${Buffer.from(value.buffer).toString("hex").toUpperCase()})`;
  return String(value);
}
