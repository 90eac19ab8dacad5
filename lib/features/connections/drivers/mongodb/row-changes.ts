import { BSON, type ClientSession, type Collection, type Db, type Document, MongoError, ObjectId } from "mongodb";
import type { Entity } from "@/lib/base/values/fields";
import { AppError, invalidInput } from "@/lib/platform/http/errors";
import type { QueryOptions, RowChangePlan, RowChangeRequest, RowChangesEnd } from "../../data-source";
import { ConflictValues } from "../shared/conflict-values";
import { fromEditText, hasEditText, toCandidates, toEditedValue, toShownText } from "./edit-values";
import type { Doc } from "./operation";
import { checkCollection } from "./rules";
import type { Run } from "./run";
import { toShellText } from "./shell/write";
import { knowsTransactions, withTransaction } from "./transactions";
import { WireWriter } from "./values";

/*
 * Changes single documents. Planning reads each document: its values decide the types of the new ones, and are in the
 * filter of the write, which so matches the document only as it was read.
 */

const ID = "_id";
/** A field that an expression and an update can name. Other names would be a path or an operator. */
const PLAIN_NAME = /^[^.$\0][^.\0]*$/;
/** Maximum number of conflicts whose documents are read again. */
const CONFLICTS_MAX = 50;
const MIB = 1024 * 1024;
/** Size from which a plan waits until it may hold a large amount of memory, in bytes. */
const LARGE_PLAN_BYTES = 4 * MIB;
/** Maximum size of all writes of a plan, in bytes, since it is held until it has run: two of the largest documents. */
const PLAN_BYTES_MAX = 32 * MIB;
const INCOMPARABLE =
  "This value can't be compared with the stored one: numeric names of nested fields, or a type of old servers. Use a console.";
const SHORTENED = "… (shortened)";
const REPEATED = "An earlier submission has already stored this document. Remove the new row, then refresh the rows.";
/** Error code of the server for a key that exists. */
const DUPLICATE_KEY = 11000;
const UNKNOWN_COMMIT = "UnknownTransactionCommitResult";

/** Reads and writes a database in its session, until the signal aborts. Errors are those of the library. */
type Begin = <T>(signal: AbortSignal, work: (db: Db, session: ClientSession) => Promise<T>) => Promise<T>;
export type RowChangeParts = {
  begin(signal: AbortSignal): Promise<Run>;
  failure(error: unknown, signal: AbortSignal): unknown;
};

/** The write of one change. */
type Write =
  | { op: "insert"; document: Doc; objectId: string | undefined }
  | { op: "update"; filter: Doc; update: Doc | Doc[]; row: Row }
  | { op: "delete"; filter: Doc; row: Row };
/** The document of a change. `isUnchanged`: it has the old values. */
type Row = { id: unknown; old: Readonly<Record<string, string | null>>; isUnchanged: boolean };
type Planned = Pick<RowChangePlan, "inTransaction"> & { writes: readonly Write[] };
type Limits = Pick<QueryOptions, "signal" | "timeoutMs">;
type PlanOptions = Limits & Pick<QueryOptions, "whenLarge">;

/**
 * Plans changes of documents, without writing.
 * @throws AppError `invalid_request` with the path of the change
 */
export async function planMongoRowChanges(
  { begin, failure }: RowChangeParts,
  entity: Entity,
  changes: readonly RowChangeRequest[],
  options: PlanOptions,
): Promise<RowChangePlan> {
  if (entity.kind !== "collection") {
    throw invalidInput("table", `${entity.name} is a view. Edit the documents of its collection.`);
  }
  checkCollection(entity.name);
  const inSession: Begin = async (signal, work) => {
    const run = await begin(signal);
    try {
      return await run.work(work);
    } finally {
      await run.end();
    }
  };
  const planner = new Planner(inSession, entity);
  try {
    const { writes, inTransaction } = await planner.plan(changes, options);
    return {
      texts: writes.map((write) => (charsMax) => toText(entity.name, write, charsMax)),
      inTransaction,
      run: (limits) => new Writer(inSession, failure, entity.name).run({ writes, inTransaction }, limits),
    };
  } catch (error) {
    throw failure(error, options.signal);
  }
}

class Planner {
  readonly #begin: Begin;
  readonly #entity: Entity;

  constructor(begin: Begin, entity: Entity) {
    this.#begin = begin;
    this.#entity = entity;
  }

  plan(changes: readonly RowChangeRequest[], { signal, timeoutMs, whenLarge }: PlanOptions): Promise<Planned> {
    return this.#begin(signal, async (db, session) => {
      const collection = db.collection<Document>(this.#entity.name);
      const reading = { session, maxTimeMS: Math.ceil(timeoutMs), signal };
      const writes: Write[] = [];
      let bytes = 0;
      for (const [at, change] of changes.entries()) {
        const path = `changes.${at}`;
        checkChange(change, path);
        const names = [...new Set([...Object.keys(change.old), ...Object.keys(change.set), ...change.defaults])];
        // A whole document is read to be copied.
        const projection = change.op === "insert" ? {} : toProjection(names);
        const id = change.key[ID];
        const read = async () => {
          const candidates = inChange(`${path}.key`, () => toCandidates(id ?? null));
          const cursor = collection.find({ [ID]: { $in: candidates as ObjectId[] } }, { ...reading, projection });
          const found = (await cursor.toArray()).filter((each) => toShownText(each[ID]) === (id ?? null));
          if (found.length > 1) {
            throw invalidInput(`${path}.key`, `Several documents have an _id shown as ${id}. Use a console.`);
          }
          return found[0] ?? null;
        };
        const write = this.#toWrite(change, id === undefined ? null : await read(), path);
        bytes += BSON.calculateObjectSize(write.op === "insert" ? write.document : { ...write, row: null });
        if (bytes > PLAN_BYTES_MAX) {
          const message = `The changes up to this one have over ${PLAN_BYTES_MAX / MIB} MiB. Submit them in parts.`;
          throw invalidInput(path, message);
        }
        writes.push(write);
        if (bytes > LARGE_PLAN_BYTES) await whenLarge?.();
      }
      return { writes, inTransaction: await knowsTransactions(db) };
    });
  }

  #toWrite(change: RowChangeRequest, found: Doc | null, path: string): Write {
    const { op, key, old, set, defaults } = change;
    if (op === "insert") {
      if (Object.hasOwn(key, ID) && !found) {
        throw invalidInput(`${path}.key`, "The document to copy was deleted. Remove the new row.");
      }
      if (found) requireAsRead(change, found, path);
      return { op, document: this.#toDocument(change, found, path), objectId: change.objectId };
    }
    const oldValues = Object.entries(old).map(([name, text]) => {
      const stored = found && Object.hasOwn(found, name) ? found[name] : undefined;
      const isUnchanged = found !== null && toShownText(stored) === text;
      if (isUnchanged && stored !== undefined && !hasEditText(stored)) {
        throw invalidInput(`${path}.old`, `Field ${name}: ${INCOMPARABLE}`);
      }
      // A document that is not as it was read is not written: this filter is only shown.
      return { name, isUnchanged, value: isUnchanged ? stored : this.#asRead(name, text, stored) };
    });
    const id = found ? found[ID] : (toCandidates(key[ID] ?? null).at(-1) ?? null);
    const conditions = oldValues.map(({ name, value }) => toCondition(name, value));
    const filter: Doc = { [ID]: id };
    if (conditions.length > 0) filter.$expr = conditions.length === 1 ? conditions[0] : { $and: conditions };
    const row = {
      id,
      old,
      isUnchanged: found !== null && oldValues.every(({ isUnchanged }) => isUnchanged),
    };
    if (op === "delete") return { op, filter, row };
    const values = Object.entries(set).map(([name, text]): [string, unknown] => {
      const stored = found && Object.hasOwn(found, name) ? found[name] : null;
      // The type of a changed value is not the one that the new value was meant for.
      return [name, row.isUnchanged ? this.#toValue(change, name, stored, path) : this.#asRead(name, text, stored)];
    });
    return { op, filter, update: toUpdate(values, defaults), row };
  }

  /** Returns the document to insert: the fields of the copied one, then those of the change. */
  #toDocument(change: RowChangeRequest, copied: Doc | null, path: string): Doc {
    const { set, defaults, objectId } = change;
    const entries = new Map(Object.entries(copied ?? {}).filter(([name]) => name !== ID && !defaults.includes(name)));
    const given = Object.keys(set).map((name): [string, unknown] => {
      return [name, this.#toValue(change, name, entries.get(name) ?? null, path)];
    });
    for (const [name, value] of given) entries.set(name, value);
    if (objectId !== undefined && !entries.has(ID)) entries.set(ID, new ObjectId(objectId));
    const first = entries.has(ID) ? [[ID, entries.get(ID)] as const] : [];
    entries.delete(ID);
    return Object.fromEntries([...first, ...entries]);
  }

  /** Returns the value to store in a field of a change. */
  #toValue({ set, exact = [] }: RowChangeRequest, name: string, stored: unknown, path: string): unknown {
    const text = set[name] ?? null;
    if (text === null) return null;
    const isExact = exact.includes(name);
    const read = () => (isExact ? fromEditText(text) : toEditedValue(text, stored, this.#typesOf(name)));
    return inChange(`${path}.set`, read, name);
  }

  /** Returns a value that is shown as an old text, of a likely type. */
  #asRead(name: string, text: string | null, stored: unknown): unknown {
    if (text === null) return null;
    try {
      return toEditedValue(text, stored, this.#typesOf(name));
    } catch {
      return text;
    }
  }

  #typesOf(name: string): string[] {
    const type = this.#entity.columns?.find((column) => column.name === name)?.type ?? "null";
    return type.split(" | ").filter((each) => each !== "null");
  }
}

class Writer {
  readonly #begin: Begin;
  readonly #failure: RowChangeParts["failure"];
  readonly #collection: string;
  /** Number of changes that no transaction can undo. */
  #written = 0;
  /** Whether a write may be complete of which there is no answer yet. */
  #isUnanswered = false;

  constructor(begin: Begin, failure: RowChangeParts["failure"], collection: string) {
    this.#begin = begin;
    this.#failure = failure;
    this.#collection = collection;
  }

  async run({ writes, inTransaction }: Planned, { signal, timeoutMs }: Limits): Promise<RowChangesEnd> {
    try {
      return await this.#begin(signal, async (db, session) => {
        const documents = db.collection<Document>(this.#collection);
        const limits = { session, maxTimeMS: Math.ceil(timeoutMs) };
        const stale = writes.flatMap((write, at) => (write.op !== "insert" && !write.row.isUnchanged ? [at] : []));
        const end =
          stale.length > 0
            ? { conflicts: stale, written: 0, failure: null }
            : inTransaction
              ? await this.#runTogether(documents, writes, { ...limits, signal })
              : await this.#runInTurn(documents, writes, { ...limits, signal });
        return await this.#withCurrent(end, { documents, writes, limits });
      });
    } catch (error) {
      const known = this.#failure(error, signal);
      const isUnknown = this.#isUnanswered;
      if (!(known instanceof AppError) || (!isUnknown && this.#written === 0)) throw known;
      return { conflicts: [], written: this.#written, failure: { change: null, error: known, isUnknown } };
    }
  }

  /** Writes all changes in one transaction, or none. */
  async #runTogether(documents: Documents, writes: readonly Write[], limits: WriteLimits): Promise<WritesEnd> {
    let conflicts: number[] = [];
    let at: number | null = null;
    try {
      await withTransaction(limits.session, limits.signal, async () => {
        conflicts = [];
        this.#isUnanswered = false;
        for (const [index, write] of writes.entries()) {
          at = index;
          if (!(await this.#apply(documents, write, limits))) conflicts.push(index);
        }
        at = null;
        if (conflicts.length > 0) throw new Conflicting();
        this.#isUnanswered = true;
      });
    } catch (error) {
      this.#isUnanswered = false;
      if (error instanceof Conflicting) return { conflicts, written: 0, failure: null };
      const isUnknown = at === null && error instanceof MongoError && error.hasErrorLabel(UNKNOWN_COMMIT);
      return this.#failed(error, { change: at, written: 0, isUnknown, signal: limits.signal });
    }
    this.#isUnanswered = false;
    return { conflicts: [], written: writes.length, failure: null };
  }

  /** Writes one change after the other, up to the first that fails. */
  async #runInTurn(documents: Documents, writes: readonly Write[], limits: WriteLimits): Promise<WritesEnd> {
    for (const [at, write] of writes.entries()) {
      try {
        limits.signal.throwIfAborted();
        this.#isUnanswered = true;
        const isApplied = await this.#apply(documents, write, limits);
        this.#isUnanswered = false;
        if (!isApplied) return { conflicts: [at], written: at, failure: null };
        this.#written = at + 1;
      } catch (error) {
        // Without an answer, the change may have been written.
        return this.#failed(error, { change: at, written: at, isUnknown: null, signal: limits.signal });
      }
    }
    return { conflicts: [], written: writes.length, failure: null };
  }

  #failed(
    error: unknown,
    {
      change,
      written,
      isUnknown,
      signal,
    }: { change: number | null; written: number; isUnknown: boolean | null; signal: AbortSignal },
  ): WritesEnd {
    const known = this.#failure(error, signal);
    if (!(known instanceof AppError)) throw known;
    return {
      conflicts: [],
      written,
      failure: { change, error: known, isUnknown: isUnknown ?? known.kind !== "query_failed" },
    };
  }

  /** Returns whether the change has its document, with its old values. */
  async #apply(documents: Documents, write: Write, limits: WriteLimits): Promise<boolean> {
    const { session, maxTimeMS } = limits;
    if (write.op === "insert") {
      await documents.insertOne(write.document, { session, maxTimeMS }).catch((error: unknown) => {
        throw isRepeated(error, write) ? new AppError("query_failed", REPEATED, { cause: error }) : error;
      });
      return true;
    }
    if (write.op === "delete") {
      const { deletedCount } = await documents.deleteOne(write.filter, { session, maxTimeMS });
      return Number(deletedCount) === 1;
    }
    const { matchedCount } = await documents.updateOne(write.filter, write.update, { session, maxTimeMS });
    return Number(matchedCount) === 1;
  }

  /** Adds the present values of the conflicting documents. */
  async #withCurrent(
    end: WritesEnd,
    {
      documents,
      writes,
      limits,
    }: { documents: Documents; writes: readonly Write[]; limits: Omit<WriteLimits, "signal"> },
  ): Promise<RowChangesEnd> {
    const conflicts: RowChangesEnd["conflicts"] = [];
    const values = new ConflictValues();
    const shown = (found: Doc, name: string) => values.show(new WireWriter().write(ownValue(found, name)));
    for (const change of end.conflicts.slice(0, CONFLICTS_MAX)) {
      const write = writes[change];
      if (!write || write.op === "insert") continue;
      const { id, old, isUnchanged } = write.row;
      const projection = toProjection(Object.keys(old));
      const found = await documents.findOne({ [ID]: { $eq: id as ObjectId } }, { ...limits, projection });
      const entries = Object.entries(old);
      // The library sorts nested fields with numeric names, so that such a value differs from the stored one.
      if (found && isUnchanged && entries.every(([name, text]) => toShownText(ownValue(found, name)) === text)) {
        const error = new AppError("query_failed", INCOMPARABLE);
        return { conflicts: [], written: end.written, failure: { change, error, isUnknown: false } };
      }
      const current = found && Object.fromEntries([ID, ...Object.keys(old)].map((name) => [name, shown(found, name)]));
      conflicts.push({ change, current });
    }
    return { ...end, conflicts };
  }
}

type Documents = Collection<Document>;
type WriteLimits = { session: ClientSession; maxTimeMS: number; signal: AbortSignal };
type WritesEnd = Omit<RowChangesEnd, "conflicts"> & { conflicts: number[] };

/** Aborts a transaction whose documents have changed. */
class Conflicting extends Error {}

/** Returns whether a document was refused because of the `_id` that its change was sent with. */
function isRepeated(error: unknown, { objectId }: { objectId: string | undefined }): boolean {
  if (!(error instanceof MongoError) || objectId === undefined) return false;
  return Number(error.code) === DUPLICATE_KEY && error.message.includes(objectId.toLowerCase());
}

/** Returns a projection of some fields and `_id`: of all fields where one has a name that it cannot express. */
function toProjection(names: readonly string[]): Record<string, 1> {
  if (!names.every((name) => PLAIN_NAME.test(name))) return {};
  return Object.fromEntries([ID, ...names].map((name) => [name, 1]));
}

function ownValue(found: Doc, name: string): unknown {
  return Object.hasOwn(found, name) ? found[name] : null;
}

/** @throws AppError `invalid_request` */
function checkChange({ op, key, old, set, defaults, exact = [] }: RowChangeRequest, path: string): void {
  if (Object.keys(key).some((name) => name !== ID) || (op !== "insert" && !Object.hasOwn(key, ID))) {
    throw invalidInput(`${path}.key`, "Send the primary key: _id.");
  }
  const unnamed = [...Object.keys(set), ...defaults].find((name) => name.includes("\0"));
  if (unnamed !== undefined) throw invalidInput(`${path}.set`, "Field names can't contain NUL characters.");
  const unset = exact.find((name) => !Object.hasOwn(set, name));
  if (unset !== undefined) throw invalidInput(`${path}.exact`, `Send the value of ${unset} in set.`);
  if (op !== "update") return;
  const changed = [...Object.keys(set), ...defaults];
  if (changed.length === 0) throw invalidInput(`${path}.set`, "Send at least one field to change.");
  if (changed.includes(ID)) {
    throw invalidInput(`${path}.set`, "MongoDB can't change an _id. Duplicate the row and delete this one.");
  }
  const missing = changed.find((name) => !Object.hasOwn(old, name));
  if (missing !== undefined) throw invalidInput(`${path}.old`, `Send the value of ${missing} as it was read.`);
}

/** Requires that the fields to copy have the values that were read. @throws AppError `invalid_request` */
function requireAsRead({ old, set, defaults }: RowChangeRequest, found: Doc, path: string): void {
  const changed = Object.entries(old).find(([name, text]) => {
    if (Object.hasOwn(set, name) || defaults.includes(name)) return false;
    return toShownText(ownValue(found, name)) !== text;
  });
  if (!changed) return;
  const message = `Field ${changed[0]} of the document to copy was changed. Remove the new row, refresh the rows and duplicate it again.`;
  throw invalidInput(`${path}.old`, message);
}

function inChange<T>(path: string, work: () => T, field?: string): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof AppError) || error.kind !== "invalid_request") throw error;
    throw invalidInput(path, field === undefined ? error.message : `Field ${field}: ${error.message}`);
  }
}

/** Returns an expression that is true for a field with exactly this value, undefined for a missing one. */
function toCondition(name: string, value: unknown): Doc {
  const field = PLAIN_NAME.test(name) ? `$${name}` : { $getField: { field: { $literal: name }, input: "$$ROOT" } };
  if (value === undefined) return { $eq: [{ $type: field }, "missing"] };
  return { $eq: [field, toLiteral(value)] };
}

/** Returns a value that no expression reads as a field or an operator. */
function toLiteral(value: unknown): unknown {
  const isRead = typeof value === "string" ? value.startsWith("$") : typeof value === "object" && value !== null;
  const isScalar =
    value instanceof Date || (isRead && typeof value === "object" && value !== null && "_bsontype" in value);
  return isRead && !isScalar ? { $literal: value } : value;
}

/** Returns an update. Fields whose names would be a path or an operator need a pipeline. */
function toUpdate(values: readonly [string, unknown][], unset: readonly string[]): Doc | Doc[] {
  const names = [...values.map(([name]) => name), ...unset];
  if (names.every((name) => PLAIN_NAME.test(name))) {
    return {
      ...(values.length > 0 && { $set: Object.fromEntries(values) }),
      ...(unset.length > 0 && { $unset: Object.fromEntries(unset.map((name) => [name, ""])) }),
    };
  }
  const sets: [string, unknown][] = [
    ...values.map(([name, value]): [string, unknown] => [name, { $literal: value }]),
    ...unset.map((name): [string, unknown] => [name, "$$REMOVE"]),
  ];
  return sets.map(([name, value]) => ({
    $replaceWith: { $setField: { field: { $literal: name }, input: "$$ROOT", value } },
  }));
}

/** Returns the statement of a write: its beginning if it is longer than `charsMax`. */
function toText(collection: string, write: Write, charsMax: number): string {
  const target = `db.getCollection(${JSON.stringify(collection)})`;
  const text = (value: unknown) => toShellText(value, { charsMax, isExact: true });
  const whole =
    write.op === "insert"
      ? `${target}.insertOne(${text(write.document)})`
      : write.op === "delete"
        ? `${target}.deleteOne(${text(write.filter)})`
        : `${target}.updateOne(${text(write.filter)}, ${text(write.update)})`;
  return whole.length > charsMax ? `${whole.slice(0, charsMax)}${SHORTENED}` : whole;
}
