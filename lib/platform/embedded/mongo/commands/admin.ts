import { randomUUID } from "node:crypto";
import { MAX_DOCUMENT_BYTES } from "../bson/codec.ts";
import { Binary, type Doc, docOf, double, isDoc, ObjectId, timestampNow, type Value } from "../bson/values.ts";
import { StoreError } from "../errors.ts";
import { SESSION_MINUTES } from "../storage/retries.ts";
import { MECHANISM, USER_DB } from "../wire/authentication.ts";
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

const PARAMETERS = docOf({
  featureCompatibilityVersion: docOf({ version: "7.0" }),
  transactionLifetimeLimitSeconds: 60,
  ttlMonitorEnabled: true,
});

export function getParameter({ command }: Context): Doc {
  const wanted = command.get("getParameter");
  const isAll = wanted === "*" || (isDoc(wanted) && wanted.get("allParameters") === true);
  const found = new Map([...PARAMETERS].filter(([name]) => isAll || command.has(name)));
  if (found.size === 0) throw new StoreError("InvalidOptions", "no option found to get");
  return new Map<string, Value>([...found, ["ok", OK]]);
}

export function connectionStatus({ connection }: Context): Doc {
  const { user } = connection.authentication;
  const authenticatedUsers = user === undefined ? [] : [docOf({ user, db: USER_DB })];
  const authenticatedUserRoles = user === undefined ? [] : [docOf({ role: "root", db: USER_DB })];
  return docOf({ authInfo: docOf({ authenticatedUsers, authenticatedUserRoles }), ok: OK });
}

export function whatsmyuri(context: Context): Doc {
  return docOf({ you: `connection-${context.connection.id}`, ok: OK });
}

export function serverStatus(context: Context): Doc {
  const { services } = context;
  const { monitor, cursors, sessions, store } = services;
  const memory = process.memoryUsage();
  const uptime = (Date.now() - services.startedAt.getTime()) / 1000;
  return docOf({
    host: services.address,
    version: VERSION,
    process: "millrace-store",
    pid: BigInt(process.pid),
    uptime: Math.floor(uptime),
    uptimeMillis: BigInt(Math.floor(uptime * 1000)),
    localTime: new Date(),
    connections: docOf({ current: monitor.connections, totalCreated: monitor.totalConnections }),
    metrics: docOf({
      cursor: docOf({ open: docOf({ total: BigInt(cursors.size) }) }),
      commands: docOf(
        Object.fromEntries([...monitor.byCommand].map(([name, total]) => [name, docOf({ total: BigInt(total) })])),
      ),
    }),
    transactions: docOf({ currentOpen: BigInt(sessions.openTransactions) }),
    mem: docOf({ resident: Math.floor(memory.rss / 2 ** 20), heapUsed: Math.floor(memory.heapUsed / 2 ** 20) }),
    storageEngine: docOf({
      name: "sqlite",
      supportsCommittedReads: true,
      persistent: true,
      readOnly: false,
      durability: store.durability,
    }),
    repl: docOf({
      setName: SET_NAME,
      isWritablePrimary: true,
      me: services.address,
      hosts: [services.address],
      primary: services.address,
    }),
    ok: OK,
  });
}

export function startSession(): Doc {
  const id = new Binary(Buffer.from(randomUUID().replaceAll("-", ""), "hex"), Binary.SUBTYPE_UUID);
  return docOf({ id: docOf({ id }), timeoutMinutes: SESSION_MINUTES, ok: OK });
}

export function endSessions(context: Context): Doc {
  const ids = context.command.get(context.name);
  for (const lsid of Array.isArray(ids) ? ids : []) {
    const session = sessionId(lsid);
    if (session !== undefined) context.services.sessions.end(session);
  }
  return docOf({ ok: OK });
}

export function acknowledge(): Doc {
  return docOf({ ok: OK });
}

/** Returns a session's id in hex, the form used in the store. */
export function sessionId(lsid: Value | undefined): string | undefined {
  if (!isDoc(lsid)) return undefined;
  const id = lsid.get("id");
  return id instanceof Binary ? Buffer.from(id.buffer.subarray(0, id.position)).toString("hex") : undefined;
}

/**
 * Returns the replica set's configuration. A majority acknowledgement implies a disk sync only when every write is
 * synced.
 */
export function replSetGetConfig({ services }: Context): Doc {
  const member = docOf({ _id: 0, host: services.address, arbiterOnly: false, hidden: false, priority: 1, votes: 1 });
  const config = docOf({
    _id: SET_NAME,
    version: 1,
    term: 1n,
    members: [member],
    protocolVersion: 1n,
    writeConcernMajorityJournalDefault: services.store.durability === "full",
    settings: new Map(),
  });
  return docOf({ config, ok: OK });
}

export function replSetGetStatus(context: Context): Doc {
  const { address, startedAt } = context.services;
  const uptime = Math.floor((Date.now() - startedAt.getTime()) / 1000);
  const member = docOf({ _id: 0, name: address, health: double(1), state: 1, stateStr: "PRIMARY", uptime, self: true });
  return docOf({ set: SET_NAME, date: new Date(), myState: 1, term: 1n, members: [member], ok: OK });
}
