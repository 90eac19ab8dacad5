import "server-only";
import {
  type AbstractCursor,
  type ClientSession,
  type CollationOptions,
  type Db,
  type Document,
  MongoClient,
  type MongoClientOptions,
} from "mongodb";
import { AppError } from "@/lib/http/errors";
import { mongoProxyOptions } from "@/lib/net/socks";
import { orAborted } from "@/lib/process/or-aborted";
import type { Batch, Entity } from "@/lib/tabular/fields";
import type { DataSource, QueryOptions, ResultStream, Statement } from "../../data-source";
import { BatchBuilder } from "../shared/batch-queue";
import {
  BATCH_BYTES_TARGET,
  BATCH_ROWS_MAX,
  CONNECT_TIMEOUT_MS,
  IDLE_SESSION_MS,
  SESSIONS_MAX,
} from "../shared/limits";
import { valueBytes } from "../shared/wire-values";
import { readEntities } from "./catalog";
import type { MongoConfig } from "./config";
import { toFailure } from "./failures";
import { OTHER_FIELDS, type Shape, shapeOf } from "./fields";
import { GuardedConnection } from "./guarded-connection";
import { type Doc, type Operation, readOperation } from "./operation";
import { checkOperation } from "./rules";
import { WireWriter } from "./values";

/** Documents from whose fields the columns are made, and what they may take in memory. */
const SAMPLE_DOCUMENTS = 1000;
/** UTF-8 needs at most this many bytes for one unit of UTF-16. */
const BYTES_PER_CHAR_MAX = 3;
/** What a number, a date and the like take in a batch, roughly. */
const SCALAR_BYTES = 12;
const CANCEL_WAIT_MS = 1000;
/** The library goes on looking for a server as long as this, also where it was refused at once. */
const SELECTION_TIMEOUT_MS = 5000;

/** Values stay what they are in BSON: an int is no double, and a long keeps all of its digits. */
const EXACT = { promoteValues: false, promoteLongs: false, promoteBuffers: false, bsonRegExp: true } as const;

/** A MongoDB database. The library keeps the pool; each operation has a session of its own, by which it is cancelled. */
export class MongoSource implements DataSource {
  readonly #config: MongoConfig;
  #client: Promise<MongoClient> | null = null;
  #running = 0;
  #isClosed = false;
  #whenQuiet: (() => void) | null = null;

  constructor(config: MongoConfig) {
    this.#config = config;
  }

  async query({ query, params }: Statement, options: QueryOptions): Promise<ResultStream> {
    if (params !== undefined && Object.keys(params).length > 0) {
      throw new AppError("invalid_request", "MongoDB has no placeholders: write the values into the operation.");
    }
    const operation = readOperation(query);
    checkOperation(operation, options.readOnly);
    const run = await this.#begin(options.signal);
    try {
      const cursor = await run.work((db, session) => start(db, session, operation, options));
      return await this.#stream(run, cursor, options);
    } catch (error) {
      await run.end();
      throw this.#failure(error, options.signal);
    }
  }

  async entities(signal: AbortSignal): Promise<Entity[]> {
    return this.#ask(signal, (db) => readEntities(db, signal));
  }

  async test(signal: AbortSignal): Promise<{ serverVersion?: string }> {
    return this.#ask(signal, async (db) => {
      const info = await db.command({ buildInfo: 1 }, { signal });
      // The question above needs no rights; this one shows that the sign-in is good for the database.
      await db.listCollections({}, { nameOnly: true, batchSize: 1, signal }).next();
      return typeof info.version === "string" ? { serverVersion: `MongoDB ${info.version}` } : {};
    });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    if (this.#running > 0) {
      await new Promise<void>((resolve) => {
        this.#whenQuiet = resolve;
      });
    }
    const client = await this.#client?.catch(() => null);
    await client?.close();
  }

  async #ask<T>(signal: AbortSignal, work: (db: Db) => Promise<T>): Promise<T> {
    const run = await this.#begin(signal);
    try {
      return await run.work((db) => work(db));
    } catch (error) {
      throw this.#failure(error, signal);
    } finally {
      await run.end();
    }
  }

  async #stream(run: Run, cursor: Rows, options: QueryOptions): Promise<ResultStream> {
    const sample: Doc[] = [];
    let bytes = 0;
    const writer = new WireWriter();
    let isWhole = false;
    while (sample.length < SAMPLE_DOCUMENTS && bytes < BATCH_BYTES_TARGET) {
      const documents = await run.work(() => cursor.next());
      if (documents === null) {
        isWhole = true;
        break;
      }
      for (const document of documents) {
        writer.reset();
        writer.write(document);
        bytes += writer.chars;
        sample.push(document);
      }
    }
    const shape = shapeOf(sample, isWhole);
    return { fields: shape.fields, batches: this.#batches(run, cursor, { sample, isWhole, shape }, options) };
  }

  async *#batches(
    run: Run,
    cursor: Rows,
    { sample, isWhole, shape }: { sample: Doc[]; isWhole: boolean; shape: Shape },
    options: QueryOptions,
  ): AsyncGenerator<Batch, void> {
    const rows = new RowMaker(shape, options.cellBytesMax);
    let documents: readonly Doc[] | null = sample;
    try {
      while (documents !== null) {
        for (const document of documents) {
          if (!rows.add(document)) return yield { ...rows.take(), isCut: true };
          if (rows.isFull) yield rows.take();
        }
        // Out before more is waited for.
        if (rows.count > 0) yield rows.take();
        documents = isWhole ? null : await run.work(() => cursor.next());
      }
    } catch (error) {
      throw this.#failure(error, options.signal);
    } finally {
      await cursor.close().catch(() => {});
      await run.end();
    }
  }

  async #begin(signal: AbortSignal): Promise<Run> {
    signal.throwIfAborted();
    if (this.#isClosed) throw new AppError("unavailable", "This connection is being closed. Try again.");
    this.#running += 1;
    const leave = () => {
      this.#running -= 1;
      if (this.#running === 0) this.#whenQuiet?.();
    };
    try {
      // A server may take its time over the sign-in; whoever leaves meanwhile does not wait for it.
      const client = await orAborted(this.#connected(), signal);
      return new Run(client, client.db(this.#config.database, EXACT), signal, leave);
    } catch (error) {
      leave();
      throw this.#failure(error, signal);
    }
  }

  #connected(): Promise<MongoClient> {
    this.#client ??= connect(this.#config).catch((error: unknown) => {
      this.#client = null;
      throw error;
    });
    return this.#client;
  }

  #failure(error: unknown, signal: AbortSignal): unknown {
    return signal.aborted ? signal.reason : toFailure(error, this.#config.secrets);
  }
}

async function connect({ uri }: MongoConfig): Promise<MongoClient> {
  const client = new MongoClient(uri, {
    ...(await mongoProxyOptions()),
    maxPoolSize: SESSIONS_MAX,
    maxIdleTimeMS: IDLE_SESSION_MS,
    connectTimeoutMS: CONNECT_TIMEOUT_MS,
    serverSelectionTimeoutMS: SELECTION_TIMEOUT_MS,
    waitQueueTimeoutMS: CONNECT_TIMEOUT_MS,
    // Servers that are found are asked through the door as well; none is asked by the library's watcher stream.
    serverMonitoringMode: "poll",
    enableUtf8Validation: false,
    connectionType: GuardedConnection,
  } as MongoClientOptions);
  try {
    return await client.connect();
  } catch (error) {
    await client.close().catch(() => {});
    throw error;
  }
}

/** Documents as they arrive, several at a time; null at the end. */
type Rows = { next(): Promise<readonly Doc[] | null>; close(): Promise<void> };

/** One operation in a session of its own. An abort ends the session's work on the server. */
class Run {
  readonly #client: MongoClient;
  readonly #db: Db;
  readonly #session: ClientSession;
  readonly #signal: AbortSignal;
  readonly #leave: () => void;
  readonly #aborted = Promise.withResolvers<never>();
  #isOver = false;
  readonly #onAbort = () => void this.#abort();

  constructor(client: MongoClient, db: Db, signal: AbortSignal, leave: () => void) {
    this.#client = client;
    this.#db = db;
    this.#session = client.startSession();
    this.#signal = signal;
    this.#leave = leave;
    this.#aborted.promise.catch(() => {});
    if (signal.aborted) this.#onAbort();
    else signal.addEventListener("abort", this.#onAbort, { once: true });
  }

  /** Waits no longer than the signal allows. */
  work<T>(ask: (db: Db, session: ClientSession) => T | Promise<T>): Promise<T> {
    const answer = Promise.resolve(ask(this.#db, this.#session));
    answer.catch(() => {});
    return Promise.race([answer, this.#aborted.promise]);
  }

  async end(): Promise<void> {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#signal.removeEventListener("abort", this.#onAbort);
    await this.#session.endSession().catch(() => {});
    this.#leave();
  }

  /** Everybody may end the work of sessions of their own; servers without that command stop at maxTimeMS. */
  async #abort(): Promise<void> {
    const { id } = this.#session;
    if (id) {
      const killed = this.#client.db("admin").command({ killSessions: [{ id: id.id }] }, { timeoutMS: CANCEL_WAIT_MS });
      await killed.catch(() => {});
    }
    this.#aborted.reject(this.#signal.reason);
  }
}

async function start(db: Db, session: ClientSession, operation: Operation, options: QueryOptions): Promise<Rows> {
  const collection = db.collection<Document>(operation.collection);
  const limits = { session, maxTimeMS: Math.ceil(options.timeoutMs), signal: options.signal };
  switch (operation.kind) {
    case "find": {
      const { filter, projection, sort, limit, skip, hint, collation } = operation;
      return fromCursor(
        collection.find(filter, {
          ...limits,
          batchSize: SAMPLE_DOCUMENTS,
          ...(projection && { projection }),
          // As a list of pairs: keys that are numbers would change their places in an object.
          ...(sort && { sort: new Map(Object.entries(sort)) as never }),
          ...(limit !== undefined && { limit }),
          ...(skip !== undefined && { skip }),
          ...(hint !== undefined && { hint: hint as Document }),
          ...(collation && { collation: collation as unknown as CollationOptions }),
        }),
      );
    }
    case "aggregate": {
      const { pipeline, allowDiskUse, hint, collation } = operation;
      return fromCursor(
        collection.aggregate(pipeline, {
          ...limits,
          batchSize: SAMPLE_DOCUMENTS,
          ...(allowDiskUse !== undefined && { allowDiskUse }),
          ...(hint !== undefined && { hint: hint as Document }),
          ...(collation && { collation: collation as unknown as CollationOptions }),
        }),
      );
    }
    case "countDocuments": {
      const { filter, limit, skip } = operation;
      const stages = [{ $match: filter }, ...(skip ? [{ $skip: skip }] : []), ...(limit ? [{ $limit: limit }] : [])];
      const counted = await collection.aggregate([...stages, { $count: "count" }], limits).next();
      return fromDocuments([{ count: counted?.count ?? 0 }]);
    }
    case "estimatedDocumentCount": {
      const answer = await db.command(
        { count: operation.collection, maxTimeMS: limits.maxTimeMS },
        { session, ...EXACT },
      );
      return fromDocuments([{ count: answer.n }]);
    }
    case "distinct": {
      const { field, filter } = operation;
      const answer = await db.command(
        { distinct: operation.collection, key: field, query: filter, maxTimeMS: limits.maxTimeMS },
        { session, ...EXACT },
      );
      return fromDocuments((answer.values as unknown[]).map((value) => ({ value })));
    }
    default:
      return fromDocuments([await write(db, session, operation)]);
  }
}

type Writing = Exclude<
  Operation,
  { kind: "find" | "aggregate" | "countDocuments" | "estimatedDocumentCount" | "distinct" }
>;

async function write(db: Db, session: ClientSession, operation: Writing): Promise<Doc> {
  const collection = db.collection<Document>(operation.collection);
  switch (operation.kind) {
    case "insertOne": {
      const { insertedId } = await collection.insertOne(operation.document, { session });
      return { insertedId };
    }
    case "insertMany": {
      const { insertedCount, insertedIds } = await collection.insertMany(operation.documents, { session });
      return { insertedCount, insertedIds: Object.values(insertedIds) };
    }
    case "updateOne":
    case "updateMany": {
      const { filter, update, upsert } = operation;
      const result = await collection[operation.kind](filter, update, { upsert, session });
      return countsOf(result);
    }
    case "replaceOne": {
      const { filter, replacement, upsert } = operation;
      return countsOf(await collection.replaceOne(filter, replacement, { upsert, session }));
    }
    case "deleteOne":
    case "deleteMany": {
      const { deletedCount } = await collection[operation.kind](operation.filter, { session });
      return { deletedCount };
    }
  }
}

function countsOf(result: { matchedCount: number; modifiedCount: number; upsertedId: unknown }): Doc {
  const { matchedCount, modifiedCount, upsertedId } = result;
  return { matchedCount, modifiedCount, ...(upsertedId !== null && { upsertedId }) };
}

function fromCursor(cursor: AbstractCursor<Document>): Rows {
  return {
    next: async () => ((await cursor.hasNext()) ? cursor.readBufferedDocuments() : null),
    close: () => cursor.close(),
  };
}

function fromDocuments(documents: readonly Doc[]): Rows {
  let left: readonly Doc[] | null = documents.length > 0 ? documents : null;
  return {
    next: async () => {
      const all = left;
      left = null;
      return all;
    },
    close: async () => {},
  };
}

/** Makes rows of documents for columns that are settled. */
class RowMaker {
  readonly #shape: Shape;
  readonly #known: ReadonlySet<string>;
  readonly #cellBytesMax: number | undefined;
  readonly #rows: BatchBuilder;
  readonly #writer = new WireWriter();

  constructor(shape: Shape, cellBytesMax: number | undefined) {
    this.#shape = shape;
    this.#known = new Set(shape.names);
    this.#cellBytesMax = cellBytesMax;
    this.#rows = new BatchBuilder(shape.fields.length);
  }

  get count(): number {
    return this.#rows.rowCount;
  }

  get isFull(): boolean {
    return this.#rows.rowCount >= BATCH_ROWS_MAX || this.#rows.bytes >= BATCH_BYTES_TARGET;
  }

  take(): Batch {
    return this.#rows.take();
  }

  /** @returns false when a cell is too large: the result ends before this row */
  add(document: Doc): boolean {
    let bytes = 0;
    let isLarge = false;
    const write = (value: unknown) => {
      this.#writer.reset();
      const written = this.#writer.write(value);
      bytes += this.#writer.chars + SCALAR_BYTES;
      const limit = this.#cellBytesMax;
      const mayBeLarge = limit !== undefined && this.#writer.chars * BYTES_PER_CHAR_MAX > limit;
      isLarge ||= mayBeLarge && valueBytes(written) > limit;
      return written;
    };
    const row = this.#shape.names.map((name) => (Object.hasOwn(document, name) ? write(document[name]) : null));
    const others = Object.entries(document).filter(([name]) => !this.#known.has(name));
    if (this.#shape.hasOther) row.push(others.length > 0 ? write(Object.fromEntries(others)) : null);
    else if (others.length > 0) throw newField(others[0]?.[0] ?? OTHER_FIELDS);
    if (isLarge) return false;
    this.#rows.add(row, bytes);
    return true;
  }
}

/** The columns were known before the first row, and this field was in none of the documents until then. */
function newField(name: string): AppError {
  return new AppError(
    "query_failed",
    `The first ${SAMPLE_DOCUMENTS} documents are all alike, and a later one has the field ${name} besides. Name the fields that you want in a projection.`,
  );
}
