import {
  type AnyBulkWriteOperation,
  type Collection,
  type CommandStartedEvent,
  type Db,
  type Document,
  MongoClient,
  MongoServerError,
} from "mongodb";
import { expect } from "vitest";
import type { Entity, ExpectedError, Operation, SpecFile, SpecTest } from "./format.ts";
import { mismatch, type Plain } from "./matching.ts";

type Observed = { commandStartedEvent: { command: Document; commandName: string; databaseName: string } };

/** Runs tests of the unified test format against one server, through the official driver. */
export class SpecRunner {
  private readonly uri: string;
  private readonly clients = new Map<string, MongoClient>();
  private readonly databases = new Map<string, Db>();
  private readonly collections = new Map<string, Collection>();
  private readonly events = new Map<string, Observed[]>();
  /** Errors that the operations threw, in order. */
  readonly errors: unknown[] = [];

  constructor(uri: string) {
    this.uri = uri;
  }

  async run(file: SpecFile, test: SpecTest): Promise<void> {
    await this.prepare(file);
    for (const operation of test.operations) await this.check(operation);
    for (const { client, events } of test.expectEvents ?? []) this.checkEvents(client, events);
    await this.checkOutcome(test);
  }

  /** Runs the operations of a test that cannot pass, and returns the errors that they threw. */
  async runForErrors(file: SpecFile, test: SpecTest): Promise<unknown[]> {
    await this.prepare(file);
    for (const operation of test.operations) {
      await this.perform(operation).catch((error: unknown) => this.errors.push(error));
    }
    return this.errors;
  }

  async close(): Promise<void> {
    for (const client of this.clients.values()) await client.close();
  }

  private async prepare(file: SpecFile): Promise<void> {
    const setup = new MongoClient(this.uri);
    try {
      for (const { databaseName, collectionName, documents } of file.initialData ?? []) {
        const collection = setup.db(databaseName).collection(collectionName);
        await collection.drop();
        if (documents.length > 0) await collection.insertMany(structuredCopy(documents));
        else await setup.db(databaseName).createCollection(collectionName);
      }
    } finally {
      await setup.close();
    }
    for (const entity of file.createEntities ?? []) await this.create(entity);
  }

  private async create({ client, database, collection }: Entity): Promise<void> {
    if (client !== undefined) {
      const created = new MongoClient(this.uri, { monitorCommands: true, ...client.uriOptions });
      const seen: Observed[] = [];
      if (client.observeEvents?.includes("commandStartedEvent")) {
        created.on("commandStarted", ({ command, commandName, databaseName }: CommandStartedEvent) => {
          seen.push({ commandStartedEvent: { command, commandName, databaseName } });
        });
      }
      this.events.set(client.id, seen);
      this.clients.set(client.id, await created.connect());
    } else if (database !== undefined) {
      const of = found(this.clients, database.client);
      this.databases.set(database.id, of.db(database.databaseName, database.databaseOptions));
    } else if (collection !== undefined) {
      const of = found(this.databases, collection.database);
      this.collections.set(collection.id, of.collection(collection.collectionName, collection.collectionOptions));
    }
  }

  private async check(operation: Operation): Promise<void> {
    const { expectError, expectResult, name } = operation;
    let result: Plain;
    try {
      result = await this.perform(operation);
    } catch (error) {
      if (expectError === undefined) throw error;
      checkError(expectError, error, name);
      return;
    }
    if (expectError !== undefined) throw new Error(`${name} was to fail and gave ${JSON.stringify(result)}`);
    if (expectResult !== undefined) mustMatch(mismatch(expectResult, result, true, name));
  }

  private async perform({ object, name, arguments: given }: Operation): Promise<Plain> {
    const args: Args = structuredCopy(given ?? {});
    const collection = this.collections.get(object);
    if (collection !== undefined) return onCollection(collection, name, args);
    const database = this.databases.get(object);
    if (database !== undefined) return onDatabase(database, name, args);
    throw new Error(`the runner does not know ${name} on ${object}`);
  }

  private checkEvents(client: string, expected: readonly Record<string, Record<string, Plain>>[]): void {
    const seen = this.events.get(client) ?? [];
    const started = expected.filter((event) => "commandStartedEvent" in event);
    expect(seen.map((event) => event.commandStartedEvent.commandName)).toHaveLength(started.length);
    started.forEach((event, i) => {
      const actual = seen[i]?.commandStartedEvent;
      const { command, commandName, databaseName } = event.commandStartedEvent ?? {};
      if (commandName !== undefined) expect(actual?.commandName).toBe(commandName);
      if (databaseName !== undefined) expect(actual?.databaseName).toBe(databaseName);
      if (command !== undefined) mustMatch(mismatch(command, actual?.command, true, `event ${i}`));
    });
  }

  private async checkOutcome({ outcome }: SpecTest): Promise<void> {
    const reader = new MongoClient(this.uri);
    try {
      for (const { databaseName, collectionName, documents } of outcome ?? []) {
        const actual = await reader
          .db(databaseName)
          .collection(collectionName)
          .find({}, { sort: { _id: 1 } })
          .toArray();
        mustMatch(mismatch(documents, actual, false, "outcome"));
      }
    } finally {
      await reader.close();
    }
  }
}

/** @throws Error that describes the difference */
function mustMatch(difference: string | undefined): void {
  if (difference !== undefined) throw new Error(difference);
}

function found<T>(map: ReadonlyMap<string, T>, id: string): T {
  const value = map.get(id);
  if (value === undefined) throw new Error(`the test has no entity ${id}`);
  return value;
}

/** Copies a value, because the driver adds _id fields to its arguments and each test needs its own copy. */
function structuredCopy<T>(value: T): T {
  if (Array.isArray(value)) return value.map(structuredCopy) as T;
  if (typeof value !== "object" || value === null || "_bsontype" in value || value instanceof Date) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, structuredCopy(item)])) as T;
}

function checkError(expected: ExpectedError, error: unknown, name: string): void {
  expect(error, name).toBeInstanceOf(Error);
  const { isClientError, errorCode, errorCodeName, errorContains, errorResponse, expectResult } = expected;
  const server = error instanceof MongoServerError ? error : undefined;
  if (isClientError !== undefined) expect(server === undefined, `${name}: ${String(error)}`).toBe(isClientError);
  if (errorCode !== undefined) expect(server?.code, `${name}: ${String(error)}`).toBe(errorCode);
  if (errorCodeName !== undefined) expect(server?.codeName).toBe(errorCodeName);
  if (errorContains !== undefined)
    expect((error as Error).message.toLowerCase()).toContain(errorContains.toLowerCase());
  if (errorResponse !== undefined) mustMatch(mismatch(errorResponse, server?.errorResponse, true, `${name}'s answer`));
  if (expectResult !== undefined) {
    const partial = error instanceof Error && "result" in error ? bulkResult(error.result) : undefined;
    mustMatch(mismatch(expectResult, partial, true, name));
  }
}

/** Arguments of an operation, with the types that the driver's functions require. */
type Args = Document & { pipeline?: Document[]; requests?: Document[]; documents?: Document[] };

async function onCollection(collection: Collection, name: string, args: Args): Promise<Plain> {
  const {
    filter = {},
    update = {},
    replacement = {},
    document = {},
    documents = [],
    requests = [],
    pipeline = [],
  } = args;
  const { fieldName = "", returnDocument, keys = {} } = args;
  const named = [
    "filter",
    "update",
    "replacement",
    "document",
    "documents",
    "requests",
    "pipeline",
    "fieldName",
    "returnDocument",
    "keys",
  ];
  const options: Document = Object.fromEntries(Object.entries(args).filter(([key]) => !named.includes(key)));
  if (returnDocument !== undefined) options.returnDocument = String(returnDocument).toLowerCase();
  switch (name) {
    case "find":
      return collection.find(filter, options).toArray();
    case "findOne":
      return collection.findOne(filter, options);
    case "insertOne":
      return collection.insertOne(document, options);
    case "insertMany":
      return collection.insertMany(documents, options);
    case "updateOne":
      return collection.updateOne(filter, update, options);
    case "updateMany":
      return collection.updateMany(filter, update, options);
    case "replaceOne":
      return collection.replaceOne(filter, replacement, options);
    case "deleteOne":
      return collection.deleteOne(filter, options);
    case "deleteMany":
      return collection.deleteMany(filter, options);
    case "findOneAndUpdate":
      return collection.findOneAndUpdate(filter, update, options);
    case "findOneAndReplace":
      return collection.findOneAndReplace(filter, replacement, options);
    case "findOneAndDelete":
      return collection.findOneAndDelete(filter, options);
    case "bulkWrite":
      return bulkResult(await collection.bulkWrite(bulkOperations(requests), options));
    case "aggregate":
      return collection.aggregate(pipeline, options).toArray();
    case "distinct":
      return collection.distinct(fieldName, filter, options);
    case "countDocuments":
      return collection.countDocuments(filter, options);
    case "estimatedDocumentCount":
      return collection.estimatedDocumentCount(options);
    case "count":
      return collection.count(filter, options);
    case "createIndex":
      return collection.createIndex(keys, options);
    default:
      throw new Error(`the runner does not know ${name}`);
  }
}

function bulkOperations(requests: readonly Document[]): AnyBulkWriteOperation[] {
  return requests.map((request) => {
    const [[kind, spec]] = Object.entries(request) as [[string, Document]];
    return { [kind]: kind === "insertOne" ? { document: spec.document } : spec } as unknown as AnyBulkWriteOperation;
  });
}

/** Returns the counts of a bulk write, with the specification's names. */
function bulkResult(result: unknown): Plain {
  const { insertedCount, matchedCount, modifiedCount, deletedCount, upsertedCount, insertedIds, upsertedIds } =
    result as Document;
  return { insertedCount, matchedCount, modifiedCount, deletedCount, upsertedCount, insertedIds, upsertedIds };
}

async function onDatabase(database: Db, name: string, args: Args): Promise<Plain> {
  const { collection, pipeline = [] } = args;
  const options: Document = Object.fromEntries(
    Object.entries(args).filter(([key]) => key !== "collection" && key !== "pipeline"),
  );
  switch (name) {
    case "aggregate":
      return database.aggregate(pipeline, options).toArray();
    case "createCollection":
      return (await database.createCollection(collection, { pipeline, ...options })).collectionName;
    case "dropCollection":
      return database.dropCollection(collection);
    case "modifyCollection":
      return database.command({ collMod: collection, ...options });
    default:
      throw new Error(`the runner does not know ${name} on a database`);
  }
}
