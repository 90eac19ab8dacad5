import { setImmediate as nextTurn } from "node:timers/promises";
import { compileUpdatePipeline } from "../aggregate/pipeline.ts";
import { areEqual } from "../bson/compare.ts";
import { cloneDoc, type Doc, isDoc, type Value } from "../bson/values.ts";
import { ERROR_CODES, failedToParse, StoreError } from "../errors.ts";
import type { Variables } from "../expressions/scope.ts";
import { parseMatch } from "../query/match.ts";
import { Found, prepareQuery, type Query, runQuery } from "../query/query.ts";
import type { SortKey } from "../query/sort.ts";
import { endTurn } from "../scheduling/effort.ts";
import { PAUSE } from "../scheduling/flow.ts";
import type { Collection } from "../storage/collection.ts";
import { readyToStore } from "../storage/documents.ts";
import { type Access, DocumentLocked } from "../storage/store.ts";
import { matchedPosition } from "../update/position.ts";
import { compileUpdate, dollarPrefixed, isIdentical, seedOfUpsert } from "../update/update.ts";
import { collectionForWrite } from "./collections.ts";
import type { Context } from "./context.ts";

/** A compiled update of a document. */
type Changer = {
  /** @returns the changed document, or the same object when nothing changes */
  change: (doc: Doc, isInsert: boolean) => Doc;
  isReplacement: boolean;
};

/**
 * Compiles the update part of a command: operators, a replacement, or a pipeline.
 * @throws StoreError FailedToParse and others, before anything is written
 */
export function compileChange(
  update: Value | undefined,
  filter: Doc,
  arrayFilters: Value | undefined,
  variables: Variables,
): Changer {
  if (Array.isArray(update)) {
    if (arrayFilters !== undefined) throw failedToParse("arrayFilters may not be specified for pipeline-syle updates");
    const apply = compileUpdatePipeline(update, variables);
    return {
      isReplacement: false,
      change: (doc) => {
        const changed = apply(doc);
        const id = doc.get("_id");
        if (id !== undefined && !changed.has("_id")) changed.set("_id", id);
        return isIdentical(changed, doc) ? doc : changed;
      },
    };
  }
  if (!isDoc(update)) throw failedToParse("Update argument must be either an object or an array");
  const isOperators = update.keys().next().value?.startsWith("$") === true;
  if (!isOperators) {
    // Operators after fields are an error, and fields may not have operators' names.
    for (const name of update.keys()) if (name.startsWith("$")) throw dollarPrefixed(name);
    if (arrayFilters !== undefined) throw failedToParse("arrayFilters may not be specified for replacement updates");
    return {
      isReplacement: true,
      change: (doc) => {
        const replacement: Doc = new Map();
        const id = doc.get("_id");
        if (id !== undefined) replacement.set("_id", id);
        for (const [name, value] of update) {
          if (name === "_id" && id !== undefined) {
            if (!areEqual(id, value)) throw immutableId();
          } else replacement.set(name, value);
        }
        return isIdentical(replacement, doc) ? doc : replacement;
      },
    };
  }
  const apply = compileUpdate(update, arrayFilters, variables);
  const position = matchedPosition(filter, variables);
  return {
    isReplacement: false,
    change: (doc, isInsert) => {
      const changed = cloneDoc(doc);
      apply(changed, { isInsert, position: (path) => position(doc, path) });
      return isIdentical(changed, doc) ? doc : changed;
    },
  };
}

function immutableId(): StoreError {
  return new StoreError(
    "ImmutableField",
    "Performing an update on the path '_id' would modify the immutable field '_id'",
  );
}

export type UpdateRequest = {
  filter: Doc;
  update: Value | undefined;
  sort: readonly SortKey[];
  hint: Value | undefined;
  arrayFilters: Value | undefined;
  isUpsert: boolean;
  isMulti: boolean;
  variables: Variables;
  bypassValidation: boolean;
};

export type Changed = { before: Doc | undefined; after: Doc };
export type UpdateOutcome = {
  matched: number;
  modified: number;
  upsertedId: Value | undefined;
  changed: Changed | undefined;
};

/** Runs a write, and retries it whenever a transaction that holds its document has ended. */
export async function afterLocks<T>(context: Context, run: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await run();
    } catch (error) {
      if (!(error instanceof DocumentLocked)) throw error;
      context.retry?.flush();
      endTurn();
      const patience = new Promise<void>((resolve) => setTimeout(resolve, LOCK_POLL_MS));
      await Promise.race([error.lock.released, patience]);
      // All waiting commands are notified at once. Each continues in a separate turn of the event loop, like a new
      // command.
      await nextTurn();
      context.turns.begin();
      context.deadline.check();
    }
  }
}

/** Interval at which a write that waits for a transaction checks its own deadline, in ms. */
const LOCK_POLL_MS = 50;

/** Updates the first or all documents of a query; `collection` is undefined when it does not exist yet. */
export async function runUpdate(context: Context, name: string, request: UpdateRequest): Promise<UpdateOutcome> {
  const { store } = context.services;
  const changer = compileChange(request.update, request.filter, request.arrayFilters, request.variables);
  if (request.isMulti && changer.isReplacement) {
    throw failedToParse("multi update is not supported for replacement-style update");
  }
  const collection = store.find(context.db, name);
  if (collection !== undefined) {
    const query = queryOf(collection, context.access, request);
    if (request.isMulti) {
      const outcome = await updateMany(context, query, changer, request);
      if (outcome.matched > 0 || !request.isUpsert) return outcome;
    } else {
      const outcome = await updateFirst(context, query, changer, request);
      if (outcome !== undefined) return outcome;
    }
  } else parseMatch(request.filter, { variables: request.variables });
  if (!request.isUpsert) return { matched: 0, modified: 0, upsertedId: undefined, changed: undefined };
  return upsert(context, name, request, changer);
}

export function queryOf(
  collection: Collection,
  rows: Access,
  request: { filter: Doc; sort: readonly SortKey[]; hint: Value | undefined; variables: Variables },
): Query {
  const { filter, sort, hint, variables } = request;
  return { collection, rows, filter, sort, hint, variables };
}

/** Changes one stored document. Returns undefined when the update changes nothing. */
function applyTo(
  context: Context,
  collection: Collection,
  found: Found,
  changer: Changer,
  bypassValidation: boolean,
): Changed | undefined {
  const before = found.doc;
  const after = changer.change(before, false);
  if (after === before) return undefined;
  const id = before.get("_id") as Value;
  const newId = after.get("_id");
  if (newId === undefined || !areEqual(id, newId)) throw immutableId();
  const ready = readyToStore(after);
  if (!bypassValidation) collection.validate(ready.doc);
  context.access.replace(collection, found.row, before, ready.doc, ready.bytes);
  return { before, after: ready.doc };
}

async function updateFirst(
  context: Context,
  query: Query,
  changer: Changer,
  request: UpdateRequest,
): Promise<UpdateOutcome | undefined> {
  return actOnFirst(context, query, (first) => {
    const changed = applyTo(context, query.collection, first, changer, request.bypassValidation);
    const unchanged = { before: first.doc, after: first.doc };
    return {
      matched: 1,
      modified: changed === undefined ? 0 : 1,
      upsertedId: undefined,
      changed: changed ?? unchanged,
    };
  });
}

/**
 * Runs an action on the first document of a query in its current state. If the search yielded to other commands, the
 * document is read and tested again. Nothing runs between the read and the action, not even an await, because several
 * commands may wait for the same document.
 * @returns undefined when no document matches
 */
export async function actOnFirst<T>(context: Context, query: Query, act: (first: Found) => T): Promise<T | undefined> {
  for (;;) {
    const prepared = prepareQuery({ ...query, limit: 1 });
    let hasPaused = false;
    let first: Found | undefined;
    for (const item of runQuery({ ...query, limit: 1 }, prepared)) {
      if (item !== PAUSE) {
        first = item;
        break;
      }
      if (context.turns.isOver) {
        hasPaused = true;
        context.retry?.flush();
        await context.turns.pause();
      }
    }
    if (first === undefined) return undefined;
    if (!hasPaused) return act(first);
    const row = query.rows.byRid(query.collection, first.row.rid);
    if (row !== undefined) {
      const found = new Found(row);
      if (prepared.test(found.doc)) return act(found);
    }
    // The document was changed or removed during the search: look for another.
  }
}

/**
 * Runs an action on each document of a query in its current state. All documents are found first, so that one whose
 * index entry moves ahead of the scan is not met twice.
 */
async function actOnAll(context: Context, query: Query, act: (found: Found) => void): Promise<void> {
  const prepared = prepareQuery(query);
  const rids: number[] = [];
  for (const item of runQuery(query, prepared)) {
    if (item === PAUSE) await context.turns.pause();
    else rids.push(item.row.rid);
  }
  for (const rid of rids) {
    if (context.turns.isOver) await context.turns.pause();
    await afterLocks(context, async () => {
      const row = query.rows.byRid(query.collection, rid);
      const found = row === undefined ? undefined : new Found(row);
      if (found !== undefined && prepared.test(found.doc)) act(found);
    });
  }
}

async function updateMany(
  context: Context,
  query: Query,
  changer: Changer,
  request: UpdateRequest,
): Promise<UpdateOutcome> {
  let matched = 0;
  let modified = 0;
  await actOnAll(context, query, (found) => {
    const changed = applyTo(context, query.collection, found, changer, request.bypassValidation);
    matched++;
    if (changed !== undefined) modified++;
  });
  return { matched, modified, upsertedId: undefined, changed: undefined };
}

function upsert(context: Context, name: string, request: UpdateRequest, changer: Changer): UpdateOutcome {
  const node = parseMatch(request.filter, { variables: request.variables });
  const seed = changer.isReplacement ? seedOfId(node) : seedOfUpsert(node);
  const after = changer.change(seed, true);
  const seededId = seed.get("_id");
  const id = after.get("_id");
  if (seededId !== undefined && id !== undefined && !areEqual(seededId, id)) throw immutableId();
  const collection = collectionForWrite(context, name);
  const ready = readyToStore(after === seed ? new Map(seed) : after);
  if (!request.bypassValidation) collection.validate(ready.doc);
  context.access.insert(collection, ready.doc, ready.bytes);
  return {
    matched: 0,
    modified: 0,
    upsertedId: ready.doc.get("_id"),
    changed: { before: undefined, after: ready.doc },
  };
}

function seedOfId(node: ReturnType<typeof parseMatch>): Doc {
  const id = seedOfUpsert(node).get("_id");
  return id === undefined ? new Map() : new Map([["_id", id]]);
}

export type DeleteRequest = {
  filter: Doc;
  sort: readonly SortKey[];
  hint: Value | undefined;
  variables: Variables;
  isMulti: boolean;
};

/** @returns the number of removed documents, and the document of a single removal */
export async function runDelete(
  context: Context,
  name: string,
  request: DeleteRequest,
): Promise<{ removed: number; doc: Doc | undefined }> {
  const collection = context.services.store.find(context.db, name);
  if (collection === undefined) {
    parseMatch(request.filter, { variables: request.variables });
    return { removed: 0, doc: undefined };
  }
  const query = queryOf(collection, context.access, request);
  if (!request.isMulti) {
    const outcome = await actOnFirst(context, query, ({ row, doc }) => {
      context.access.remove(collection, row, doc);
      return { removed: 1, doc };
    });
    return outcome ?? { removed: 0, doc: undefined };
  }
  let removed = 0;
  await actOnAll(context, query, ({ row, doc }) => {
    context.access.remove(collection, row, doc);
    removed++;
  });
  return { removed, doc: undefined };
}

/** Returns true when two upserts of one key collided, after which MongoDB retries the update. */
export function isUpsertRace(error: unknown, request: UpdateRequest): boolean {
  return request.isUpsert && error instanceof StoreError && error.code === ERROR_CODES.DuplicateKey;
}
