import { MAX_DOCUMENT_BYTES } from "../bson/codec.ts";
import { Binary, type Doc, docOf, double, isDoc, ObjectId, timestampNow, type Value } from "../bson/values.ts";
import { SESSION_MINUTES } from "../storage/retries.ts";
import { MECHANISM } from "../wire/authentication.ts";
import { MAX_MESSAGE_BYTES } from "../wire/wire.ts";
import type { Context } from "./context.ts";

const OK = double(1);
/** Name of the replica set, which has one member. */
export const SET_NAME = "millrace";
/** MongoDB version whose behaviour the store implements. */
export const VERSION = "7.0.0";
const MAX_WIRE_VERSION = 21;
const MAX_WRITE_BATCH = 100_000;

const ELECTION = new ObjectId("7fffffff0000000000000001");
const TOPOLOGY_PROCESS = new ObjectId();

export function topologyVersion(): Doc {
  return docOf({ processId: TOPOLOGY_PROCESS, counter: 0n });
}

/** Answers `hello` and `isMaster`, with the old or the new name of the primary's flag. */
export function hello(context: Context): Doc {
  const { services, name, command } = context;
  const address = services.address;
  const { authentication } = context.connection;
  const isModern = name === "hello";
  const now = new Date();
  const opTime = docOf({ ts: timestampNow(), t: 1n });
  return docOf({
    helloOk: command.get("helloOk") === true || isModern ? true : undefined,
    ismaster: isModern ? undefined : true,
    isWritablePrimary: isModern ? true : undefined,
    topologyVersion: topologyVersion(),
    hosts: [address],
    setName: SET_NAME,
    setVersion: 1,
    secondary: false,
    primary: address,
    me: address,
    electionId: ELECTION,
    lastWrite: docOf({ opTime, lastWriteDate: now, majorityOpTime: opTime, majorityWriteDate: now }),
    maxBsonObjectSize: MAX_DOCUMENT_BYTES,
    maxMessageSizeBytes: MAX_MESSAGE_BYTES,
    maxWriteBatchSize: MAX_WRITE_BATCH,
    localTime: now,
    logicalSessionTimeoutMinutes: SESSION_MINUTES,
    connectionId: context.connection.id,
    minWireVersion: 0,
    maxWireVersion: MAX_WIRE_VERSION,
    readOnly: false,
    // The answer does not reveal whether a user exists.
    saslSupportedMechs: authentication.isRequired && command.has("saslSupportedMechs") ? [MECHANISM] : undefined,
    speculativeAuthenticate: authentication.startWithin(command.get("speculativeAuthenticate")),
    ok: OK,
  });
}

export function saslStart({ connection, command, db }: Context): Doc {
  return connection.authentication.start(db, command);
}

export function saslContinue({ connection, command }: Context): Promise<Doc> {
  return connection.authentication.continue(command);
}

export function ping(): Doc {
  return docOf({ ok: OK });
}

export function buildInfo(): Doc {
  return docOf({
    version: VERSION,
    versionArray: [...VERSION.split(".").map(Number), 0],
    gitVersion: "millrace",
    modules: [],
    sysInfo: "deprecated",
    bits: 64,
    debug: false,
    maxBsonObjectSize: MAX_DOCUMENT_BYTES,
    storageEngines: ["sqlite"],
    ok: OK,
  });
}

/** Returns the counters that show a leak: heap in MB, open cursors and transactions. */
export function serverStatus({ services }: Context): Doc {
  const { cursors, sessions } = services;
  return docOf({
    metrics: docOf({ cursor: docOf({ open: docOf({ total: BigInt(cursors.size) }) }) }),
    transactions: docOf({ currentOpen: BigInt(sessions.openTransactions) }),
    mem: docOf({ heapUsed: Math.floor(process.memoryUsage().heapUsed / 2 ** 20) }),
    ok: OK,
  });
}

export function endSessions(context: Context): Doc {
  const ids = context.command.get(context.name);
  for (const lsid of Array.isArray(ids) ? ids : []) {
    const session = sessionId(lsid);
    if (session !== undefined) context.services.sessions.end(session);
  }
  return docOf({ ok: OK });
}

/** Returns a session's id in hex, the form used in the store. */
export function sessionId(lsid: Value | undefined): string | undefined {
  if (!isDoc(lsid)) return undefined;
  const id = lsid.get("id");
  return id instanceof Binary ? Buffer.from(id.buffer.subarray(0, id.position)).toString("hex") : undefined;
}
