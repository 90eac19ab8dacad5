import { type Doc, docOf, double, isDoc, toWholeNumber, type Value } from "../bson/values.ts";
import { failedToParse, StoreError } from "../errors.ts";
import type { Variables } from "../expressions/scope.ts";
import { compileProjection } from "../query/projection.ts";
import { parseSort } from "../query/sort.ts";
import { refuseCollation } from "../storage/collection.ts";
import { readyToInsert } from "../storage/documents.ts";
import { toStoreError } from "../storage/sqlite.ts";
import { isTransient } from "../storage/transactions.ts";
import { collectionForWrite, refuseView } from "./collections.ts";
import { type Context, variablesOf } from "./context.ts";
import { collectionName } from "./names.ts";
import { checkPart, documentList, optionalBool, optionalDoc, toDoc } from "./options.ts";
import { afterLocks, type DeleteRequest, isUpsertRace, runDelete, runUpdate, type UpdateRequest } from "./write-one.ts";

/** MongoDB's limit of statements in one command. */
const MAX_BATCH = 100_000;

type WriteError = { index: number; error: StoreError };

/** Returns the error if it belongs to one statement only. Throws errors that end the whole command. */
function asStatementError(context: Context, error: unknown): StoreError {
  const known = toStoreError(error);
  // In a transaction, any failure ends the transaction. A full disk ends every command of the group.
  if (
    !(known instanceof StoreError) ||
    context.isInTransaction ||
    isTransient(known) ||
    known.codeName === "OutOfDiskSpace"
  )
    throw error;
  return known;
}

export function describeError({ index, error }: WriteError): Doc {
  const doc = docOf({ index, code: error.code, errmsg: error.message });
  for (const [name, value] of error.info ?? []) doc.set(name, value);
  return doc;
}

function checkBatch<T>(statements: readonly T[], name: string): readonly T[] {
  if (statements.length === 0 || statements.length > MAX_BATCH) {
    throw new StoreError(
      "InvalidLength",
      `Write batch sizes must be between 1 and ${MAX_BATCH}. Got ${statements.length} operations in ${name}.`,
    );
  }
  return statements;
}

/** Runs the statements of a batch in order, and returns the errors of those that fail. */
async function runBatch(
  context: Context,
  count: number,
  run: (index: number) => void | Promise<void>,
): Promise<WriteError[]> {
  const isOrdered =
    context.command.get("ordered") === undefined || optionalBool(context.command, context.name, "ordered");
  const errors: WriteError[] = [];
  for (let index = 0; index < count; index++) {
    if (index > 0 && context.turns.isOver) {
      context.retry?.flush();
      await context.turns.pause();
    }
    try {
      await run(index);
    } catch (error) {
      errors.push({ index, error: asStatementError(context, error) });
      if (isOrdered) break;
    }
  }
  return errors;
}

export async function insert(context: Context): Promise<Doc> {
  const { command } = context;
  const name = collectionName("insert", command.get("insert"));
  const documents = checkBatch(documentList(command, "insert", "documents"), "insert");
  const bypass = optionalBool(command, "insert", "bypassDocumentValidation");
  let n = 0;
  const writeErrors = await runBatch(context, documents.length, (i) => {
    if (!context.retry?.wasInserted(i)) {
      const ready = readyToInsert(documents[i] as Doc);
      const collection = collectionForWrite(context, name);
      if (!bypass) collection.validate(ready.doc);
      context.access.insert(collection, ready.doc, ready.bytes);
      context.retry?.noteInserted(i);
    }
    n++;
  });
  return answer({ n }, writeErrors);
}

function answer(counts: Record<string, Value | undefined>, writeErrors: readonly WriteError[]): Doc {
  return docOf({
    ...counts,
    writeErrors: writeErrors.length > 0 ? writeErrors.map(describeError) : undefined,
    ok: double(1),
  });
}

const UPDATE_FIELDS = ["q", "u", "multi", "upsert", "arrayFilters", "hint", "collation"];

function readUpdate(statement: Doc, variables: Variables, bypassValidation: boolean): UpdateRequest {
  checkPart(statement, "update.updates", UPDATE_FIELDS);
  const filter = statement.get("q");
  if (!isDoc(filter))
    throw new StoreError("IDLFailedToParse", "BSON field 'update.updates.q' is missing but a required field");
  if (!statement.has("u"))
    throw new StoreError("IDLFailedToParse", "BSON field 'update.updates.u' is missing but a required field");
  refuseCollation(statement.get("collation"));
  return {
    filter,
    update: statement.get("u"),
    sort: [],
    hint: statement.get("hint"),
    arrayFilters: statement.get("arrayFilters"),
    isUpsert: optionalBool(statement, "update.updates", "upsert"),
    isMulti: optionalBool(statement, "update.updates", "multi"),
    variables,
    bypassValidation,
  };
}

async function updateWithRetry(context: Context, name: string, request: UpdateRequest): ReturnType<typeof runUpdate> {
  return afterLocks(context, async () => {
    try {
      return await runUpdate(context, name, request);
    } catch (error) {
      if (!isUpsertRace(error, request)) throw error;
      // Another command inserted the same key between the search and the insert, so the document can be updated now. If
      // it is another key than the query's, the retry fails in the same way.
      return runUpdate(context, name, request);
    }
  });
}

export async function update(context: Context): Promise<Doc> {
  const { command } = context;
  const name = collectionName("update", command.get("update"));
  refuseView(context.services.store.find(context.db, name));
  const statements = checkBatch(documentList(command, "update", "updates"), "update").map(toDoc);
  const variables = variablesOf(context.scope, command.get("let"));
  const bypass = optionalBool(command, "update", "bypassDocumentValidation");
  const upserted: Value[] = [];
  let n = 0;
  let nModified = 0;
  const count = (matched: number, modified: number, index: number, id: Value | undefined): void => {
    n += matched;
    nModified += modified;
    if (id === undefined) return;
    n++;
    upserted.push(docOf({ index, _id: id }));
  };
  const writeErrors = await runBatch(context, statements.length, async (i) => {
    const earlier = context.retry?.result(i);
    if (earlier !== undefined)
      return count(toWholeNumber(earlier.get("n")) ?? 0, toWholeNumber(earlier.get("m")) ?? 0, i, earlier.get("id"));
    const request = readUpdate(statements[i] as Doc, variables, bypass);
    if (request.isMulti && context.retry !== undefined)
      throw new StoreError("InvalidOptions", "Cannot use retryable writes with multi=true");
    const { matched, modified, upsertedId } = await updateWithRetry(context, name, request);
    context.retry?.note(i, docOf({ n: matched, m: modified, id: upsertedId }));
    count(matched, modified, i, upsertedId);
  });
  return answer({ n, upserted: upserted.length > 0 ? upserted : undefined, nModified }, writeErrors);
}

const DELETE_FIELDS = ["q", "limit", "hint", "collation"];

function readDelete(statement: Doc, variables: Variables): DeleteRequest {
  checkPart(statement, "delete.deletes", DELETE_FIELDS);
  const filter = statement.get("q");
  if (!isDoc(filter))
    throw new StoreError("IDLFailedToParse", "BSON field 'delete.deletes.q' is missing but a required field");
  const limit = toWholeNumber(statement.get("limit"));
  if (limit === undefined)
    throw new StoreError("IDLFailedToParse", "BSON field 'delete.deletes.limit' is missing but a required field");
  if (limit !== 0 && limit !== 1) throw failedToParse(`The limit field in delete objects must be 0 or 1. Got ${limit}`);
  refuseCollation(statement.get("collation"));
  return { filter, sort: [], hint: statement.get("hint"), variables, isMulti: limit === 0 };
}

export async function remove(context: Context): Promise<Doc> {
  const { command } = context;
  const name = collectionName("delete", command.get("delete"));
  refuseView(context.services.store.find(context.db, name));
  const statements = checkBatch(documentList(command, "delete", "deletes"), "delete").map(toDoc);
  const variables = variablesOf(context.scope, command.get("let"));
  let n = 0;
  const writeErrors = await runBatch(context, statements.length, async (i) => {
    const earlier = context.retry?.result(i);
    if (earlier !== undefined) {
      n += toWholeNumber(earlier.get("n")) ?? 0;
      return;
    }
    const request = readDelete(statements[i] as Doc, variables);
    if (request.isMulti && context.retry !== undefined)
      throw new StoreError("InvalidOptions", "Cannot use retryable writes with limit=0");
    const { removed } = await afterLocks(context, () => runDelete(context, name, request));
    context.retry?.note(i, docOf({ n: removed }));
    n += removed;
  });
  return answer({ n }, writeErrors);
}

export const FIND_AND_MODIFY_FIELDS = [
  "query",
  "sort",
  "remove",
  "update",
  "new",
  "fields",
  "upsert",
  "bypassDocumentValidation",
  "collation",
  "arrayFilters",
  "hint",
  "let",
];

export async function findAndModify(context: Context): Promise<Doc> {
  const { command } = context;
  const name = collectionName("findAndModify", command.get("findAndModify"));
  refuseCollation(command.get("collation"));
  refuseView(context.services.store.find(context.db, name));
  const earlier = context.retry?.result(0);
  if (earlier !== undefined) return earlier;
  const filter = optionalDoc(command, "findAndModify", "query") ?? new Map();
  const sort = parseSort(optionalDoc(command, "findAndModify", "sort") ?? new Map());
  const variables = variablesOf(context.scope, command.get("let"));
  const isRemove = optionalBool(command, "findAndModify", "remove");
  const wantsNew = optionalBool(command, "findAndModify", "new");
  const isUpsert = optionalBool(command, "findAndModify", "upsert");
  const spec = optionalDoc(command, "findAndModify", "fields");
  const projection =
    spec === undefined || spec.size === 0 ? undefined : compileProjection(spec, { variables, isFind: true });
  const shown = (doc: Doc | undefined): Value => (doc === undefined ? null : (projection?.apply(doc) ?? doc));
  const hint = command.get("hint");
  let result: Doc;
  if (isRemove) {
    if (command.has("update")) throw failedToParse("Cannot specify both an update and remove=true");
    if (isUpsert) throw failedToParse("Cannot specify both upsert=true and remove=true");
    if (wantsNew)
      throw failedToParse("Cannot specify both new=true and remove=true; 'remove' always returns the deleted document");
    const { removed, doc } = await afterLocks(context, () =>
      runDelete(context, name, { filter, sort, hint, variables, isMulti: false }),
    );
    result = docOf({ lastErrorObject: docOf({ n: removed }), value: shown(doc), ok: double(1) });
  } else {
    if (!command.has("update")) throw failedToParse("Either an update or remove=true must be specified");
    const bypassValidation = optionalBool(command, "findAndModify", "bypassDocumentValidation");
    const arrayFilters = command.get("arrayFilters");
    const request: UpdateRequest = {
      filter,
      update: command.get("update"),
      sort,
      hint,
      arrayFilters,
      isUpsert,
      isMulti: false,
      variables,
      bypassValidation,
    };
    const { matched, upsertedId, changed } = await updateWithRetry(context, name, request);
    const lastErrorObject = docOf({
      n: matched === 1 || upsertedId !== undefined ? 1 : 0,
      updatedExisting: matched === 1,
      upserted: upsertedId,
    });
    result = docOf({ lastErrorObject, value: shown(wantsNew ? changed?.after : changed?.before), ok: double(1) });
  }
  context.retry?.note(0, result);
  return result;
}
