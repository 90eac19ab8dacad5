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
import type { Batch, Entity } from "@/lib/base/values/fields";
import { AppError } from "@/lib/platform/http/errors";
import { mongoProxyOptions, openSocksDoor, type SocksDoor } from "@/lib/platform/net/socks";
import { raceAbort } from "@/lib/platform/process/race-abort";
import type {
  DataSource,
  ExtractRequest,
  ExtractStream,
  Load,
  LoadRequest,
  QueryOptions,
  ResultStream,
  RowChangePlan,
  RowChangeRequest,
  Statement,
} from "../../data-source";
import type { SchemaChoice } from "../../schema";
import { EXTRACT_TIMEOUT_MS } from "../shared/flows/sql-extract";
import { BATCH_BYTES_TARGET, CONNECT_TIMEOUT_MS, IDLE_SESSION_MS, sessionsMaxFor } from "../shared/limits";
import { type OnServer, withinLimit } from "../shared/server";
import { Uses } from "../shared/uses";
import { readEntities, readNames } from "./catalog";
import type { MongoConfig } from "./config";
import { readDdl } from "./ddl";
import { toFailure } from "./failures";
import { type Shape, shapeOf } from "./fields";
import { extractMongo, loadMongo, type MongoFlowParts } from "./flows";
import { GuardedConnection } from "./guarded-connection";
import { type Doc, type Operation, readOperation } from "./operation";
import { planMongoRowChanges } from "./row-changes";
import { RowMaker, SAMPLE_DOCUMENTS } from "./row-maker";
import { checkOperation } from "./rules";
import { Run } from "./run";
import { WireWriter } from "./values";

/** Maximum time that the library searches for a server, even after a refusal, in ms. */
const SELECTION_TIMEOUT_MS = 5000;

/** Options that keep BSON types: an int is not a double, and a long keeps all digits. */
const EXACT = { promoteValues: false, promoteLongs: false, promoteBuffers: false, bsonRegExp: true } as const;

type RowOptions = QueryOptions & { exactFields: Statement["exactFields"] };

/**
 * A MongoDB database. The library owns the pool; each operation has a separate session, which is how it is cancelled.
 */
export class MongoSource implements DataSource {
  readonly #config: OnServer<MongoConfig>;
  #client: Promise<MongoClient> | null = null;
  #door: Promise<SocksDoor> | null = null;
  readonly #uses = new Uses(() => this.#disconnect());

  readonly #readOnly: boolean;

  /** @param readOnly nothing is loaded into it; each operation states what it may do */
  constructor(config: OnServer<MongoConfig>, readOnly: boolean) {
    this.#config = config;
    this.#readOnly = readOnly;
  }

  async query({ query, params, exactFields }: Statement, options: QueryOptions): Promise<ResultStream> {
    if (params !== undefined && Object.keys(params).length > 0) {
      throw new AppError("invalid_request", "MongoDB has no placeholders. Put the values in the operation.");
    }
    const operation = readOperation(query);
    checkOperation(operation, options.readOnly);
    const run = await this.#begin(options.signal);
    try {
      const limits = { signal: options.signal, timeoutMs: withinLimit(this.#config.server, options.timeoutMs) };
      const cursor = await run.work((db, session) => start(db, session, operation, limits));
      return await this.#stream(run, cursor, { ...options, exactFields });
    } catch (error) {
      await run.end();
      throw this.#failure(error, options.signal);
    }
  }

  planRowChanges(
    entity: Entity,
    changes: readonly RowChangeRequest[],
    { signal, timeoutMs, whenLarge }: Pick<QueryOptions, "signal" | "timeoutMs" | "whenLarge">,
  ): Promise<RowChangePlan> {
    return planMongoRowChanges(this.#flowParts, entity, changes, {
      signal,
      timeoutMs: withinLimit(this.#config.server, timeoutMs),
      ...(whenLarge && { whenLarge }),
    });
  }

  extract(request: ExtractRequest): Promise<ExtractStream> {
    return extractMongo(this.#flowParts, request);
  }

  load(request: LoadRequest): Promise<Load> {
    return loadMongo(this.#flowParts, request, this.#readOnly);
  }

  async entities(signal: AbortSignal): Promise<Entity[]> {
    return this.#ask(signal, (db) => readEntities(db, this.#config.server.schemas, signal));
  }

  schemas(signal: AbortSignal): Promise<SchemaChoice[]> {
    return this.#ask(signal, (db) => readNames(db, signal));
  }

  defaultSchema(signal: AbortSignal): Promise<string | null> {
    return this.#ask(signal, async (db) => db.databaseName);
  }

  async ddl(entity: Entity, signal: AbortSignal): Promise<string> {
    return this.#ask(signal, (db) => readDdl(db, entity, signal));
  }

  async test(signal: AbortSignal): Promise<{ serverVersion?: string }> {
    return this.#ask(signal, async (db) => {
      const info = await db.command({ buildInfo: 1 }, { signal });
      // The command above needs no rights; this one shows that the sign-in is valid for the database.
      await db.listCollections({}, { nameOnly: true, batchSize: 1, signal }).next();
      return typeof info.version === "string" ? { serverVersion: `MongoDB ${info.version}` } : {};
    });
  }

  close(): Promise<void> {
    return this.#uses.close();
  }

  async #disconnect(): Promise<void> {
    const client = await this.#client?.catch(() => null);
    if (client) await closeClient(client);
    await (await this.#door?.catch(() => null))?.close();
  }

  get #flowParts(): MongoFlowParts {
    return {
      begin: (signal) => this.#begin(signal),
      failure: (error, signal) => this.#failure(error, signal),
      statementTimeoutMs: withinLimit(this.#config.server, EXTRACT_TIMEOUT_MS),
    };
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

  async #stream(run: Run, cursor: Rows, options: RowOptions): Promise<ResultStream> {
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
    const shape = shapeOf(sample, isWhole, options.exactFields?.names);
    return {
      fields: shape.fields,
      batches: this.#batches(run, cursor, { sample, isWhole, shape }, options),
      affectedRows: () => cursor.affectedRows ?? null,
    };
  }

  async *#batches(
    run: Run,
    cursor: Rows,
    { sample, isWhole, shape }: { sample: Doc[]; isWhole: boolean; shape: Shape },
    options: RowOptions,
  ): AsyncGenerator<Batch, void> {
    const { cellBytesMax, jsonAsText, exactFields } = options;
    const rows = new RowMaker(shape, cellBytesMax, jsonAsText, exactFields);
    let documents: readonly Doc[] | null = sample;
    try {
      while (documents !== null) {
        for (const document of documents) {
          if (!rows.add(document)) return yield { ...rows.take(), isCut: true };
          if (rows.isFull) yield rows.take();
        }
        // Returned before waiting for more.
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
    const leave = this.#uses.begin();
    try {
      // A server may be slow to sign in; an aborted caller does not wait for it.
      const client = await raceAbort(this.#connected(), signal);
      return new Run(client, client.db(this.#config.database, EXACT), signal, leave);
    } catch (error) {
      leave();
      throw this.#failure(error, signal);
    }
  }

  #connected(): Promise<MongoClient> {
    this.#client ??= this.#connect().catch((error: unknown) => {
      this.#client = null;
      throw error;
    });
    return this.#client;
  }

  /** Connects. The library takes no sockets from others, so a connection through a tunnel gets a separate proxy. */
  async #connect(): Promise<MongoClient> {
    const { dialer } = this.#config.server;
    if (dialer.isTunnel) this.#door ??= openSocksDoor(undefined, dialer);
    return connect(this.#config, await this.#door);
  }

  #failure(error: unknown, signal: AbortSignal): unknown {
    return signal.aborted ? signal.reason : toFailure(error, this.#config.secrets);
  }
}

async function connect({ uri, server }: OnServer<MongoConfig>, door: SocksDoor | null): Promise<MongoClient> {
  const client = new MongoClient(uri, {
    ...(door ? door.options : await mongoProxyOptions()),
    maxPoolSize: sessionsMaxFor(server.queriesMax),
    maxIdleTimeMS: IDLE_SESSION_MS,
    connectTimeoutMS: CONNECT_TIMEOUT_MS,
    serverSelectionTimeoutMS: SELECTION_TIMEOUT_MS,
    waitQueueTimeoutMS: CONNECT_TIMEOUT_MS,
    // Discovered servers are reached through the egress proxy as well; the library's streaming monitor is off.
    serverMonitoringMode: "poll",
    enableUtf8Validation: false,
    connectionType: GuardedConnection,
  } as MongoClientOptions);
  try {
    return await client.connect();
  } catch (error) {
    await closeClient(client);
    throw error;
  }
}

/**
 * Closes a client. The library throws where it cannot parse the rest of a cursor or session, before it closes its
 * connections (T47). A second call skips that, and there are no other steps.
 */
async function closeClient(client: MongoClient): Promise<void> {
  for (let steps = 3; steps > 0; steps -= 1) {
    const isClosed = await client.close().then(
      () => true,
      () => false,
    );
    if (isClosed) return;
  }
}

/** Documents as they arrive, several at a time; null at the end. */
type Rows = {
  next(): Promise<readonly Doc[] | null>;
  close(): Promise<void>;
  /** Documents that a write inserted, changed or deleted; absent for a read. */
  affectedRows?: number;
};

async function start(
  db: Db,
  session: ClientSession,
  operation: Operation,
  { timeoutMs, ...options }: Pick<QueryOptions, "timeoutMs" | "signal">,
): Promise<Rows> {
  const collection = db.collection<Document>(operation.collection);
  const limits = { session, maxTimeMS: Math.ceil(timeoutMs), signal: options.signal };
  switch (operation.kind) {
    case "find": {
      const { filter, projection, sort, limit, skip, hint, collation, explain } = operation;
      return fromReading(
        collection.find(filter, {
          ...limits,
          batchSize: SAMPLE_DOCUMENTS,
          ...(projection && { projection }),
          // As a list of pairs: an object would reorder numeric keys.
          ...(sort && { sort: new Map(Object.entries(sort)) as never }),
          ...(limit !== undefined && { limit }),
          ...(skip !== undefined && { skip }),
          ...(hint !== undefined && { hint: hint as Document }),
          ...(collation && { collation: collation as unknown as CollationOptions }),
        }),
        explain,
      );
    }
    case "aggregate": {
      const { pipeline, allowDiskUse, hint, collation, explain } = operation;
      return fromReading(
        collection.aggregate(pipeline, {
          ...limits,
          batchSize: SAMPLE_DOCUMENTS,
          ...(allowDiskUse !== undefined && { allowDiskUse }),
          ...(hint !== undefined && { hint: hint as Document }),
          ...(collation && { collation: collation as unknown as CollationOptions }),
        }),
        explain,
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
        { session, signal: limits.signal, ...EXACT },
      );
      return fromDocuments([{ count: answer.n }]);
    }
    case "distinct": {
      const { field, filter } = operation;
      const answer = await db.command(
        { distinct: operation.collection, key: field, query: filter, maxTimeMS: limits.maxTimeMS },
        { session, signal: limits.signal, ...EXACT },
      );
      return fromDocuments((answer.values as unknown[]).map((value) => ({ value })));
    }
    default:
      return fromWrite(await write(db, operation, { session, maxTimeMS: limits.maxTimeMS }));
  }
}

type Reading = Parameters<typeof fromCursor>[0] & { explain(verbosity: string): Promise<Document> };

/** Returns the documents, or the plan. */
async function fromReading(cursor: Reading, explain: string | undefined): Promise<Rows> {
  if (explain === undefined) return fromCursor(cursor);
  try {
    const answer = await cursor.explain(explain);
    // The rest of the response describes the server.
    const { queryPlanner, executionStats, stages } = answer;
    return fromDocuments([
      { ...(queryPlanner && { queryPlanner }), ...(executionStats && { executionStats }), ...(stages && { stages }) },
    ]);
  } finally {
    await cursor.close().catch(() => {});
  }
}

type Writing = Exclude<
  Operation,
  { kind: "find" | "aggregate" | "countDocuments" | "estimatedDocumentCount" | "distinct" }
>;

type WriteLimits = { session: ClientSession; maxTimeMS: number };

type Written = { document: Doc; affectedRows: number };

function fromWrite({ document, affectedRows }: Written): Rows {
  return { ...fromDocuments([document]), affectedRows };
}

async function write(db: Db, operation: Writing, limits: WriteLimits): Promise<Written> {
  const collection = db.collection<Document>(operation.collection);
  switch (operation.kind) {
    case "insertOne": {
      const { insertedId } = await collection.insertOne(operation.document, limits);
      return { document: { insertedId }, affectedRows: 1 };
    }
    case "insertMany": {
      const { insertedCount, insertedIds } = await collection.insertMany(operation.documents, limits);
      return {
        document: { insertedCount, insertedIds: Object.values(insertedIds) },
        affectedRows: Number(insertedCount),
      };
    }
    case "updateOne":
    case "updateMany": {
      const { filter, update, upsert } = operation;
      const result = await collection[operation.kind](filter, update, { upsert, ...limits });
      return countsOf(result);
    }
    case "replaceOne": {
      const { filter, replacement, upsert } = operation;
      return countsOf(await collection.replaceOne(filter, replacement, { upsert, ...limits }));
    }
    case "deleteOne":
    case "deleteMany": {
      const { deletedCount } = await collection[operation.kind](operation.filter, limits);
      return { document: { deletedCount }, affectedRows: Number(deletedCount) };
    }
  }
}

function countsOf(result: { matchedCount: number; modifiedCount: number; upsertedId: unknown }): Written {
  const { matchedCount, modifiedCount, upsertedId } = result;
  const isUpsert = upsertedId !== null;
  return {
    document: { matchedCount, modifiedCount, ...(isUpsert && { upsertedId }) },
    affectedRows: Number(modifiedCount) + (isUpsert ? 1 : 0),
  };
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
