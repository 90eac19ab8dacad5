import "server-only";
import { createHash } from "node:crypto";
import {
  type AnyBulkWriteOperation,
  Binary,
  type ClientSession,
  type Collection,
  type Db,
  Decimal128,
  type Document,
  Double,
  Int32,
  Long,
  MongoServerError,
  ObjectId,
  UUID,
} from "mongodb";
import { ExactNumber, parseExactJson } from "@/lib/base/values/exact-json";
import type { Batch, Field, WireValue } from "@/lib/base/values/fields";
import { isJsonText } from "@/lib/base/values/json-text";
import { isUuid } from "@/lib/base/values/precision";
import { AppError } from "@/lib/platform/http/errors";
import type { Checkpoint, Load, LoadRequest, LoadState, RejectedRow, WriteOptions } from "../../data-source";
import {
  ABANDON_TIMEOUT_MS,
  abandoned,
  afterBatch,
  finished,
  finishing,
  openProgress,
  type Progress,
} from "../shared/flows/load-progress";
import { CellRefused, exactInt64, RowRefused, textOf, writeAccepted } from "../shared/flows/rows";
import { checkRequest, LOADS_TABLE, LoadTaken, NoColumns, stagingNameOf } from "../shared/flows/sql-load";
import { checkCollection } from "./rules";
import type { Run } from "./run";
import { knowsTransactions, TRANSACTION_TRIES, withTransaction } from "./transactions";

const DUPLICATE_KEY = 11_000;
const NAMESPACE_EXISTS = 48;
const COPY_DOCUMENTS = 1000;

/** The progress of a load, as a document in the destination. */
type Books = Progress<string> & { _id: string; updatedAt?: Date };

type LoadParts = {
  /** Starts work on the database that the load's signal cancels. */
  begin(signal: AbortSignal): Promise<Run>;
  failure(error: unknown, signal: AbortSignal): unknown;
  statementTimeoutMs: number;
};

export async function loadCollection(request: LoadRequest, parts: LoadParts): Promise<Load> {
  const { begin: open, failure, statementTimeoutMs } = parts;
  // Documents have no columns: a load without columns has none to check.
  if (request.columns.length > 0) checkRequest(request, { foldsCase: false, nameLimit: null });
  checkCollection(request.table.name);
  const path = request.primaryKey.find((name) => name.includes(".") || name.startsWith("$"));
  if (path !== undefined)
    throw new AppError("invalid_request", `Field ${path} can't be a key because MongoDB reads its name as a path.`);
  const begin = async <T>(signal: AbortSignal, work: (db: Db, session: ClientSession) => Promise<T>): Promise<T> => {
    const run = await open(signal);
    try {
      // The library misreads its counts where values are not simplified.
      return await run.work((db, session) => work(run.client.db(db.databaseName), session));
    } catch (error) {
      throw error instanceof RowRefused || error instanceof LoadTaken ? error : failure(error, signal);
    } finally {
      await run.end();
    }
  };
  const load = new CollectionLoad(request, begin, statementTimeoutMs);
  await load.open();
  return load;
}

type Begin = <T>(signal: AbortSignal, work: (db: Db, session: ClientSession) => Promise<T>) => Promise<T>;

class CollectionLoad implements Load {
  readonly #request: LoadRequest;
  readonly #begin: Begin;
  readonly #timeoutMs: number;
  readonly #isStaged: boolean;
  readonly #staging: string;
  #state: LoadState = { position: null, isResumed: false, rowCount: 0, isFinished: false };
  #hasTransactions = false;
  #books: Books;

  constructor(request: LoadRequest, begin: Begin, timeoutMs: number) {
    this.#request = request;
    this.#begin = begin;
    this.#timeoutMs = timeoutMs;
    this.#isStaged = request.mode === "replace" || request.visible === "end";
    this.#staging = stagingNameOf(request.load);
    this.#books = {
      _id: request.load,
      ...openProgress<string>(null, { run: request.run, staging: null, isKept: false }).next,
    };
  }

  get state(): LoadState {
    return this.#state;
  }

  get guarantee(): "exactly_once" | "at_least_once" {
    return this.#hasTransactions ? "exactly_once" : "at_least_once";
  }

  async open(): Promise<void> {
    await this.#begin(this.#request.signal, async (db, session) => {
      const { columns, table } = this.#request;
      if (columns.length === 0 && !(await isThere(db, table.name))) throw new NoColumns();
      this.#hasTransactions = await knowsTransactions(db);
      const isMade = await makeCollection(db, this.#request.table.name);
      await makeCollection(db, LOADS_TABLE);
      const { mode, primaryKey } = this.#request;
      const isOwnKey = primaryKey.length === 1 && primaryKey[0] === "_id";
      if (primaryKey.length > 0 && !isOwnKey && (mode === "upsert" || isMade)) {
        await db
          .collection(this.#request.table.name)
          .createIndex(Object.fromEntries(primaryKey.map((name) => [name, 1])), { unique: true, session });
      }
      await this.#take(db, session);
    });
    if (this.#books.isFinishing) await this.finish();
  }

  /** Makes this load the only writer. */
  async #take(db: Db, session: ClientSession): Promise<void> {
    const loads = db.collection<Books>(LOADS_TABLE);
    const { run } = this.#request;
    for (let tries = 1; ; tries += 1) {
      const before = await loads.findOne({ _id: this.#request.load }, { session });
      const hasStaging = before?.staging != null && (await isThere(db, this.#staging));
      const { next: progress, isResumed } = openProgress(before, {
        run,
        staging: this.#isStaged ? this.#staging : null,
        isKept: hasStaging,
        // The collection has its new name already.
        isMoved: before?.isFinishing === true && !hasStaging && this.#request.mode === "replace",
      });
      const next: Books = { _id: this.#request.load, ...progress };
      if (await replaceBooks(loads, before, next, session)) {
        this.#books = next;
        this.#state = {
          position: fromText(next.position),
          isResumed,
          rowCount: next.rowCount,
          isFinished: next.isFinished,
        };
        const isLeft = !isResumed && (before?.staging != null || next.staging !== null);
        if (isLeft) await db.collection(this.#staging).drop().catch(ignoreMissing);
        if (next.staging !== null && !isResumed) await this.#makeStaging(db);
        return;
      }
      if (tries === TRANSACTION_TRIES) throw new LoadTaken();
    }
  }

  /** Creates the staging collection with the target's rules and indexes. */
  async #makeStaging(db: Db): Promise<void> {
    const { name } = this.#request.table;
    const [info] = await db.listCollections({ name }).toArray();
    const { uuid: _, ...options } = ((info as { options?: Document } | undefined)?.options ?? {}) as Document;
    await db.createCollection(this.#staging, options);
    const indexes = await db.collection(name).listIndexes().toArray();
    const others = indexes.filter((index) => index.name !== "_id_").map(({ v: _v, ns: _ns, ...index }) => index);
    if (others.length > 0 && this.#request.mode !== "append") {
      await db.collection(this.#staging).createIndexes(others as never);
    }
  }

  async write(
    batch: Batch,
    { position, rejectsMax }: WriteOptions,
  ): Promise<{ written: number; rejected: RejectedRow[] }> {
    if (this.#books.isFinished) throw new AppError("invalid_request", "This load has already finished.");
    return writeAccepted(batch, rejectsMax, {
      write: (part) => this.#writePart(part, position),
      probe: (rows) => this.#probe(rows),
    });
  }

  async #writePart(batch: Batch, position: Checkpoint | null): Promise<void> {
    const next = afterBatch(this.#books, batch.rowCount, position === null ? null : JSON.stringify(position));
    const documents = documentsOf(batch, this.#request);
    const target = this.#books.staging ?? this.#request.table.name;
    await this.#begin(this.#request.signal, async (db, session) => {
      const loads = db.collection<Books>(LOADS_TABLE);
      if (this.#hasTransactions) {
        await withTransaction(session, this.#request.signal, async () => {
          if (!(await replaceBooks(loads, this.#books, next, session))) throw new LoadTaken();
          if (documents.length > 0) await this.#send(db.collection(target), documents, session);
        });
        return;
      }
      // Without transactions the rows come first, with ids that a retry generates again.
      const held = await loads.findOne(
        { _id: next._id, epoch: this.#books.epoch, batch: this.#books.batch },
        { session },
      );
      if (!held) throw new LoadTaken();
      if (documents.length > 0) await this.#send(db.collection(target), this.#withIds(documents), session);
      if (!(await replaceBooks(loads, this.#books, next, session))) throw new LoadTaken();
    });
    this.#books = next;
  }

  /** Tests the rows, only with transactions: without them the server names the rejected document. */
  async #probe(batch: Batch): Promise<void> {
    const documents = documentsOf(batch, this.#request);
    await this.#begin(this.#request.signal, async (db, session) => {
      session.startTransaction();
      try {
        await this.#send(db.collection(this.#books.staging ?? this.#request.table.name), documents, session);
      } finally {
        await session.abortTransaction().catch(() => {});
      }
    });
  }

  /**
   * Adds deterministic ids: the same rows at the same position have the same ids, so rows from before a kill are not
   * duplicated.
   */
  #withIds(documents: Map<string, unknown>[]): Map<string, unknown>[] {
    if (this.#request.mode === "upsert") return documents;
    const { load, run } = this.#request;
    const seen = new Map<string, number>();
    return documents.map((document) => {
      if (document.has("_id")) return document;
      const content = JSON.stringify([...document]);
      const times = (seen.get(content) ?? 0) + 1;
      seen.set(content, times);
      const hash = createHash("sha256")
        .update(JSON.stringify([load, run, this.#books.position, times, content]))
        .digest();
      return new Map<string, unknown>([["_id", new ObjectId(hash.subarray(0, 12))], ...document]);
    });
  }

  async #send(collection: Collection, documents: Map<string, unknown>[], session: ClientSession): Promise<void> {
    const { mode, primaryKey } = this.#request;
    const operations: AnyBulkWriteOperation[] =
      mode === "upsert"
        ? documents.map((document) => ({
            replaceOne: {
              filter: Object.fromEntries(primaryKey.map((name) => [name, document.get(name)])),
              replacement: document as unknown as Document,
              upsert: true,
            },
          }))
        : documents.map((document) => ({ insertOne: { document: document as unknown as Document } }));
    try {
      await collection.bulkWrite(operations, { session, ordered: true, maxTimeMS: this.#timeoutMs });
    } catch (error) {
      const refused = refusedRow(error);
      if (refused === null) throw error;
      const document = refused.row === null ? undefined : documents[refused.row];
      const isOurs = !this.#hasTransactions && mode !== "upsert" && codeOf(refused.cause) === DUPLICATE_KEY;
      const existing =
        isOurs && document
          ? await collection.findOne({ _id: document.get("_id") as ObjectId }, { session, ...EXACT })
          : null;
      if (existing === null || !document || !isSame(existing, document)) throw refused;
      // The previous attempt wrote it; the documents after it may be new.
      const rest = documents.slice((refused.row ?? 0) + 1);
      if (rest.length === 0) return;
      try {
        await this.#send(collection, rest, session);
      } catch (later) {
        if (!(later instanceof RowRefused)) throw later;
        throw new RowRefused(later.message, {
          row: (refused.row ?? 0) + 1 + (later.row ?? 0),
          column: later.column,
          cause: later.cause,
        });
      }
    }
  }

  async finish(): Promise<void> {
    if (this.#books.isFinished) return;
    await this.#begin(this.#request.signal, async (db, session) => {
      const loads = db.collection<Books>(LOADS_TABLE);
      const advance = async (next: Books) => {
        if (!(await replaceBooks(loads, this.#books, next, session))) throw new LoadTaken();
        this.#books = next;
      };
      if (this.#books.staging !== null) {
        await advance(finishing(this.#books));
        if (this.#request.mode === "replace") await rename(db, this.#staging, this.#request.table.name);
        else await this.#copy(db, session);
      }
      await advance(finished(this.#books));
      await db.collection(this.#staging).drop().catch(ignoreMissing);
    });
  }

  /** Copies invisible rows into the collection. Safe to repeat after a kill, since every row is idempotent. */
  async #copy(db: Db, session: ClientSession): Promise<void> {
    const target = db.collection(this.#request.table.name);
    const { mode, primaryKey } = this.#request;
    let documents: Document[] = [];
    const send = async () => {
      if (documents.length === 0) return;
      const operations: AnyBulkWriteOperation[] = documents.map((document) => {
        if (mode !== "upsert")
          return { replaceOne: { filter: { _id: document._id }, replacement: document, upsert: true } };
        const { _id, ...rest } = document;
        const isOwnKey = primaryKey.includes("_id");
        const filter = Object.fromEntries(primaryKey.map((name) => [name, document[name]]));
        return { replaceOne: { filter, replacement: isOwnKey ? document : rest, upsert: true } };
      });
      await target.bulkWrite(operations, { session, ordered: true, maxTimeMS: this.#timeoutMs });
      documents = [];
    };
    for await (const document of db
      .collection(this.#staging)
      .find({}, { session, batchSize: COPY_DOCUMENTS, ...EXACT })) {
      documents.push(document);
      if (documents.length >= COPY_DOCUMENTS) await send();
    }
    await send();
  }

  async abandon(): Promise<void> {
    if (this.#books.staging === null || this.#books.isFinished) return;
    // The load's signal has aborted already, so this needs a new one.
    await this.#begin(AbortSignal.timeout(ABANDON_TIMEOUT_MS), async (db, session) => {
      const next = abandoned(this.#books);
      if (!(await replaceBooks(db.collection<Books>(LOADS_TABLE), this.#books, next, session))) throw new LoadTaken();
      this.#books = next;
      await db.collection(this.#staging).drop().catch(ignoreMissing);
    });
  }
}

/** Options that keep documents unchanged when they are only moved. */
const EXACT = { promoteValues: false, promoteLongs: false, promoteBuffers: false, bsonRegExp: true } as const;

/** Creates a collection. @returns whether it was created */
async function makeCollection(db: Db, name: string): Promise<boolean> {
  if (await isThere(db, name)) return false;
  try {
    await db.createCollection(name);
    return true;
  } catch (error) {
    if (codeOf(error) === NAMESPACE_EXISTS) return false;
    throw error;
  }
}

async function isThere(db: Db, name: string): Promise<boolean> {
  return (await db.listCollections({ name }, { nameOnly: true }).toArray()).length > 0;
}

async function rename(db: Db, from: string, to: string): Promise<void> {
  await db.renameCollection(from, to, { dropTarget: true });
}

/** Replaces a load's progress. @returns false when another load has taken it over */
async function replaceBooks(
  loads: Collection<Books>,
  before: Books | null,
  next: Books,
  session: ClientSession,
): Promise<boolean> {
  const stored = { ...next, updatedAt: new Date() };
  try {
    if (before === null) {
      await loads.insertOne(stored, { session });
      return true;
    }
    const { epoch, batch } = before;
    const { matchedCount } = await loads.replaceOne({ _id: next._id, epoch, batch }, stored, { session });
    return matchedCount === 1;
  } catch (error) {
    if (codeOf(error) === DUPLICATE_KEY) return false;
    throw error;
  }
}

function documentsOf(batch: Batch, { columns, primaryKey }: LoadRequest): Map<string, unknown>[] {
  return Array.from({ length: batch.rowCount }, (_, row) => {
    // A Map: names may be __proto__, or numbers, whose order an object would change.
    const document = new Map<string, unknown>();
    for (const [index, field] of columns.entries()) {
      const value = batch.columns[index]?.[row] ?? null;
      if (value === null && primaryKey.includes(field.name)) {
        throw new RowRefused("The row has no primary key value.", { row, column: field.name });
      }
      if (value === null && field.name === "_id") continue;
      try {
        document.set(field.name, value === null ? null : toBson(value, field));
      } catch (error) {
        if (!(error instanceof CellRefused)) throw error;
        throw new RowRefused(error.message, { row, column: field.name });
      }
    }
    return document;
  });
}

function toBson(value: Exclude<WireValue, null>, field: Field): unknown {
  switch (field.type) {
    case "int32":
      return typeof value === "number" && value === (value | 0)
        ? new Int32(value)
        : Long.fromString(String(exactInt64(value)));
    case "int64":
      return Long.fromString(String(exactInt64(value)));
    case "float64":
      return new Double(Number(value));
    case "decimal":
      return decimalOf(textOf(value));
    case "timestamptz":
      return dateOf(textOf(value));
    case "objectId":
      return typeof value === "string" && /^[0-9a-f]{24}$/.test(value) ? new ObjectId(value) : value;
    case "binary":
      return new Binary(Buffer.from(String(value), "base64"));
    case "string":
      return isUuid(field) && UUID.isValid(String(value)) ? new UUID(String(value)) : textOf(value);
    default:
      return typeof value === "string" ? textOf(value) : documentOf(value);
  }
}

/** Converts lists and documents. JSON that came as text is parsed with every digit of its numbers. */
function documentOf(value: unknown): unknown {
  if (isJsonText(value)) return parseExactJson(value.json, numberOf);
  if (value instanceof ExactNumber) return numberOf(value.text);
  if (Array.isArray(value)) return value.map(documentOf);
  if (typeof value !== "object" || value === null) return value;
  return new Map(Object.entries(value).map(([name, each]) => [name, documentOf(each)]));
}

/** Converts a number that no double holds to an int64 if possible, else to a decimal. @throws CellRefused */
function numberOf(text: string): Long | Decimal128 {
  if (!/^-?\d{1,19}$/.test(text)) return decimalOf(text);
  const integer = BigInt(text);
  return BigInt.asIntN(64, integer) === integer ? Long.fromBigInt(integer) : decimalOf(text);
}

function decimalOf(text: string): Decimal128 {
  try {
    return Decimal128.fromString(text);
  } catch (error) {
    throw new CellRefused(`${text.slice(0, 60)} exceeds the 34 digits of Decimal128.`, { cause: error });
  }
}

/** Returns a date. MongoDB keeps milliseconds: further digits are cut. */
function dateOf(text: string): Date {
  const date = new Date(text);
  if (Number.isNaN(date.getTime())) throw new CellRefused(`${text.slice(0, 60)} is out of range for a MongoDB date.`);
  return date;
}

type WriteError = { index: number; code: number; errmsg: string };

/** Server error codes about a document: rules of the collection and of its indexes, sizes and names. */
const ROW_CODES = new Set([2, 52, 57, 121, 10_334, 11_000, 16_755, 17_280]);

/** Returns the rejected row of an error. Within a transaction the server does not say which row it is. */
function refusedRow(error: unknown): RowRefused | null {
  if (!(error instanceof MongoServerError)) return null;
  const found = (error as { writeErrors?: unknown }).writeErrors;
  const [first] = (Array.isArray(found) ? found : found === undefined ? [] : [found]) as WriteError[];
  if (first !== undefined) return new RowRefused(first.errmsg ?? error.message, { row: first.index, cause: error });
  return ROW_CODES.has(codeOf(error)) ? new RowRefused(error.message, { cause: error }) : null;
}

function isSame(existing: Document, document: Map<string, unknown>): boolean {
  const values = (entries: [string, unknown][]) =>
    JSON.stringify(entries.map(([name, value]) => [name, String(JSON.stringify(value))]));
  return values(Object.entries(existing)) === values([...document]);
}

function codeOf(error: unknown): number {
  return Number((error as { code?: unknown } | null)?.code ?? 0);
}

function ignoreMissing(): boolean {
  return false;
}

function fromText(text: string | null): Checkpoint | null {
  return text === null ? null : (JSON.parse(text) as Checkpoint);
}
