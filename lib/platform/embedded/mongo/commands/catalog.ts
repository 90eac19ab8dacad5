import { compilePipeline } from "../aggregate/pipeline.ts";
import { areEqual } from "../bson/compare.ts";
import { cloneDoc, type Doc, docOf, double, isDoc, isNumber, toDouble } from "../bson/values.ts";
import { badValue, StoreError, typeMismatch } from "../errors.ts";
import { compileMatch, parseMatch } from "../query/match.ts";
import type { Flow } from "../scheduling/flow.ts";
import { type Collection, type Index, normalizeIndexSpec, refuseCollation } from "../storage/collection.ts";
import { refuseView, viewOf } from "./collections.ts";
import type { Context } from "./context.ts";
import { answerCursor, type CursorItem } from "./cursors.ts";
import { checkCollectionName, checkDatabaseName, collectionName } from "./names.ts";
import { checkPart, documentList, optionalBool, optionalCount, optionalDoc, toDoc } from "./options.ts";

const OK = double(1);
/** Documents to index before yielding to other commands. */
const FILL_CHUNK = 500;
/** MongoDB's limit of indexes on a collection. */
const MAX_INDEXES = 64;

export const CREATE_FIELDS = ["validator", "validationAction", "viewOn", "pipeline", "collation"];

export function create(context: Context): Doc {
  const { command } = context;
  const { store } = context.services;
  const name = collectionName("create", command.get("create"));
  refuseCollation(command.get("collation"));
  checkDatabaseName(context.db);
  checkCollectionName(context.db, name);
  const options: Doc = new Map();
  for (const field of ["validator", "validationAction", "viewOn", "pipeline"]) {
    const value = command.get(field);
    if (value !== undefined) options.set(field, value);
  }
  checkValidation(options);
  const viewOn = options.get("viewOn");
  if (viewOn !== undefined) {
    if (typeof viewOn !== "string")
      throw typeMismatch("BSON field 'create.viewOn' is the wrong type, expected type 'string'");
    const pipeline = options.get("pipeline") ?? [];
    if (!Array.isArray(pipeline))
      throw typeMismatch("BSON field 'create.pipeline' is the wrong type, expected type 'array'");
    options.set("pipeline", pipeline);
    const joins = { run: () => (function* none() {})(), check: () => undefined };
    compilePipeline(pipeline, { variables: { scope: context.scope }, joins });
  } else if (options.has("pipeline"))
    throw new StoreError("InvalidOptions", "'pipeline' requires 'viewOn' to also be specified");
  const existing = store.find(context.db, name);
  if (existing !== undefined) {
    if (areEqual(existing.options, options)) return docOf({ ok: OK });
    throw new StoreError(
      "NamespaceExists",
      `namespace ${context.db}.${name} already exists, but with different options`,
    );
  }
  store.createCollection(context.db, name, options);
  return docOf({ ok: OK });
}

function checkValidation(options: Doc): void {
  const validator = options.get("validator");
  if (validator !== undefined) {
    if (!isDoc(validator)) throw typeMismatch("BSON field 'validator' is the wrong type, expected type 'object'");
    parseMatch(validator, { variables: { scope: undefined } });
  }
  const action = options.get("validationAction");
  if (action !== undefined && action !== "error" && action !== "warn")
    throw badValue(`Enumeration value '${String(action)}' for field 'validationAction' is not a valid value.`);
}

export function drop(context: Context): Doc {
  const { command } = context;
  const { store, cursors } = context.services;
  const name = collectionName("drop", command.get("drop"));
  const collection = store.find(context.db, name);
  // Since MongoDB 7.0, dropping a missing collection succeeds.
  if (collection === undefined) return docOf({ ok: OK });
  const nIndexesWas = collection.indexes.length;
  store.dropCollection(collection);
  cursors.killOf((cursor) => cursor.namespace === `${context.db}.${name}`);
  return docOf({ nIndexesWas, ns: `${context.db}.${name}`, ok: OK });
}

export function dropDatabase(context: Context): Doc {
  const { store, cursors } = context.services;
  const collections = [...store.collections.values()].filter(({ db }) => db === context.db);
  for (const collection of collections) store.dropCollection(collection);
  cursors.killOf((cursor) => cursor.namespace.startsWith(`${context.db}.`));
  return docOf({ dropped: collections.length > 0 ? context.db : undefined, ok: OK });
}

export async function listCollections(context: Context): Promise<Doc> {
  const { command } = context;
  const { store } = context.services;
  const filter = optionalDoc(command, "listCollections", "filter") ?? new Map();
  const isNameOnly = optionalBool(command, "listCollections", "nameOnly");
  const variables = { scope: context.scope };
  const test = compileMatch(parseMatch(filter, { variables }), variables);
  const docs = [...store.collections.values()]
    .filter(({ db }) => db === context.db)
    .map(describeCollection)
    .filter(test)
    .map((doc) => (isNameOnly ? docOf({ name: doc.get("name"), type: doc.get("type") }) : doc));
  return answerList(context, `${context.db}.$cmd.listCollections`, docs);
}

function describeCollection(collection: Collection): Doc {
  const isView = viewOf(collection) !== undefined;
  return docOf({
    name: collection.name,
    type: isView ? "view" : "collection",
    options: cloneDoc(collection.options),
    info: isView ? docOf({ readOnly: true }) : docOf({ readOnly: false, uuid: collection.uuid }),
    idIndex: isView ? undefined : collection.indexes[0]?.spec,
  });
}

function answerList(context: Context, namespace: string, docs: readonly Doc[]): Promise<Doc> {
  const { cursors } = context.services;
  const cursorOptions = optionalDoc(context.command, context.name, "cursor") ?? new Map();
  checkPart(cursorOptions, `${context.name}.cursor`, ["batchSize"]);
  const flow: Flow<CursorItem> = (function* list() {
    yield* docs;
  })();
  const cursor = cursors.create(namespace, flow, context.session, undefined);
  return answerCursor(
    cursors,
    cursor,
    optionalCount(cursorOptions, `${context.name}.cursor`, "batchSize"),
    context.turns,
  );
}

export async function listIndexes(context: Context): Promise<Doc> {
  const { command } = context;
  const name = collectionName("listIndexes", command.get("listIndexes"));
  const collection = context.services.store.find(context.db, name);
  if (collection === undefined) throw new StoreError("NamespaceNotFound", `ns does not exist: ${context.db}.${name}`);
  refuseView(collection);
  return answerList(
    context,
    `${context.db}.${name}`,
    collection.indexes.filter(({ isReady }) => isReady).map(({ spec }) => spec),
  );
}

export async function createIndexes(context: Context): Promise<Doc> {
  const { command } = context;
  const { store } = context.services;
  const name = collectionName("createIndexes", command.get("createIndexes"));
  const specs = documentList(command, "createIndexes", "indexes").map(toDoc);
  if (specs.length === 0) throw badValue("Must specify at least one index to create");
  const wanted = specs.map(normalizeIndexSpec);
  checkDatabaseName(context.db);
  checkCollectionName(context.db, name);
  let collection = store.find(context.db, name);
  refuseView(collection);
  const createdCollectionAutomatically = collection === undefined;
  collection ??= store.createCollection(context.db, name, new Map());
  const numIndexesBefore = collection.indexes.length;
  const missing = wanted.filter((spec) => !isPresent(collection, spec));
  if (collection.indexes.length + missing.length > MAX_INDEXES) {
    throw new StoreError("CannotCreateIndex", `add index fails, too many indexes for ${collection.namespace}`);
  }
  const added: Index[] = [];
  try {
    for (const spec of missing) {
      if (isPresent(collection, spec)) continue;
      const index = store.addIndex(collection, spec);
      added.push(index);
      await fill(context, collection, index);
    }
  } catch (error) {
    for (const index of added)
      if (!collection.isDropped && collection.indexes.includes(index)) store.dropIndex(collection, index);
    throw error;
  }
  const note = added.length === 0 ? "all indexes already exist" : undefined;
  return docOf({
    numIndexesBefore,
    numIndexesAfter: collection.indexes.length,
    createdCollectionAutomatically,
    note,
    ok: OK,
  });
}

async function fill(context: Context, collection: Collection, index: Index): Promise<void> {
  const { store } = context.services;
  let after: number | undefined;
  for (;;) {
    if (collection.isDropped) throw new StoreError(276, "The collection was dropped while its index was made.");
    after = store.fillIndex(collection, index, after, FILL_CHUNK);
    if (after === undefined) break;
    await context.turns.pause();
  }
  store.finishIndex(index);
}

/** @throws StoreError IndexOptionsConflict or IndexKeySpecsConflict when an existing index conflicts */
function isPresent(collection: Collection, spec: Doc): boolean {
  const name = spec.get("name") as string;
  const key = spec.get("key") as Doc;
  const byKey = collection.indexes.find((index) => sameKey(index.key, key) && samePartial(index, spec));
  if (byKey?.id === 0) return true;
  const byName = collection.indexes.find((index) => index.name === name);
  if (byKey !== undefined) {
    if (!sameOptions(byKey, spec)) {
      const code = byKey.name === name ? "IndexKeySpecsConflict" : "IndexOptionsConflict";
      throw new StoreError(
        code,
        `An equivalent index already exists with the same name but different options. Requested index: ${name}, existing index: ${byKey.name}`,
      );
    }
    if (byKey.name !== name)
      throw new StoreError("IndexOptionsConflict", `Index already exists with a different name: ${byKey.name}`);
    return true;
  }
  if (byName !== undefined) {
    throw new StoreError(
      "IndexKeySpecsConflict",
      `An existing index has the same name as the requested index. When index names are not specified, they are auto generated and can cause conflicts. Please refer to our documentation. Requested index: ${name}`,
    );
  }
  return false;
}

function sameKey(a: Doc, b: Doc): boolean {
  const fields = (key: Doc): string =>
    [...key].map(([path, direction]) => `${path}:${Math.sign(toDouble(direction))}`).join();
  return fields(a) === fields(b);
}

function samePartial(index: Index, spec: Doc): boolean {
  const filter = spec.get("partialFilterExpression");
  if (index.partial === undefined || !isDoc(filter)) return index.partial === undefined && filter === undefined;
  return areEqual(index.partial.filter, filter);
}

function sameOptions(index: Index, spec: Doc): boolean {
  const seconds = spec.get("expireAfterSeconds");
  return (
    index.isUnique === (spec.get("unique") === true) &&
    index.isSparse === (spec.get("sparse") === true) &&
    index.expireAfterSeconds === (isNumber(seconds) ? toDouble(seconds) : undefined)
  );
}

export function dropIndexes(context: Context): Doc {
  const { command } = context;
  const { store } = context.services;
  const name = collectionName("dropIndexes", command.get("dropIndexes"));
  const collection = store.find(context.db, name);
  if (collection === undefined) throw new StoreError("NamespaceNotFound", `ns not found ${context.db}.${name}`);
  refuseView(collection);
  const nIndexesWas = collection.indexes.length;
  const found = collection.indexes.find((index) => index.name === command.get("index"));
  if (found === undefined)
    throw new StoreError("IndexNotFound", `index not found with name [${String(command.get("index"))}]`);
  if (found.id === 0) throw new StoreError("InvalidOptions", "cannot drop _id index");
  store.dropIndex(collection, found);
  return docOf({ nIndexesWas, ok: OK });
}

export function collMod(context: Context): Doc {
  const { command } = context;
  const { store } = context.services;
  const name = collectionName("collMod", command.get("collMod"));
  const collection = store.find(context.db, name);
  if (collection === undefined) throw new StoreError("NamespaceNotFound", `ns does not exist: ${context.db}.${name}`);
  const options = cloneDoc(collection.options);
  const validator = command.get("validator");
  if (validator !== undefined) options.set("validator", validator);
  checkValidation(options);
  store.setOptions(collection, options);
  return docOf({ ok: OK });
}
