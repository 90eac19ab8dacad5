import "server-only";
import { type Db, MongoClient } from "mongodb";
import { env } from "@/lib/platform/env";
import { FAIL_FAST } from "@/lib/platform/net/fail-fast-connection";
import { closeServerMember, forgetServerMember, serverMember } from "@/lib/platform/process/server-context";
import { storeUri } from "@/lib/platform/process/store-uri";
import { watched } from "./changes";

/**
 * Maximum time that a request waits for an unreachable database before a 503, in ms (F5 requires an answer within 5 s).
 */
const SERVER_SELECTION_TIMEOUT_MS = 4_000;
/** Timeout of a socket that hangs, in ms; far above the longest database command. */
const SOCKET_TIMEOUT_MS = 60_000;
const DEFAULT_DATABASE = "millrace";

export type Connection = { client: MongoClient; db: Db };

const connection = serverMember("database", connect, { phase: "network", close: ({ client }) => client.close() });

/** Returns the database, connected on first use, so that a build or a unit test needs none. */
export function database(): Db {
  return connection().db;
}

export function mongoClient(): MongoClient {
  return connection().client;
}

/** Closes the client; a later `database()` opens a new one. */
export function closeDatabase(): Promise<void> {
  return closeServerMember("database");
}

function connect(): Connection {
  const client = new MongoClient(env().MONGODB_URI ?? storeUri(), {
    ...FAIL_FAST,
    appName: "millrace",
    serverSelectionTimeoutMS: SERVER_SELECTION_TIMEOUT_MS,
    socketTimeoutMS: SOCKET_TIMEOUT_MS,
    writeConcern: { w: "majority" },
    retryWrites: true,
  });
  // Counts the writes of every user of this client's collections, including next-auth's adapter.
  const openDb = client.db.bind(client);
  client.db = (...input) => {
    const db = openDb(...input);
    const openCollection = db.collection.bind(db);
    db.collection = (...named) => watched(openCollection(...named)) as never;
    return db;
  };
  const named = client.options.dbName;
  const opened = { client, db: client.db(named && named !== "test" ? named : DEFAULT_DATABASE) };
  // A client whose first connection fails is closed for good: the next request needs a new one.
  client.connect().catch(() => forgetServerMember("database", opened));
  return opened;
}
