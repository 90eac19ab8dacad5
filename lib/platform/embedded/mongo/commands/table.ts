import type { Doc } from "../bson/values.ts";
import {
  acknowledge,
  buildInfo,
  connectionStatus,
  endSessions,
  getParameter,
  hello,
  ping,
  replSetGetConfig,
  replSetGetStatus,
  saslContinue,
  saslStart,
  serverStatus,
  startSession,
  whatsmyuri,
} from "./admin.ts";
import { aggregate } from "./aggregate.ts";
import {
  collMod,
  collStats,
  create,
  createIndexes,
  dbStats,
  drop,
  dropDatabase,
  dropIndexes,
  listCollections,
  listDatabases,
  listIndexes,
  renameCollection,
} from "./catalog.ts";
import type { Context } from "./context.ts";
import { getCmdLineOpts, getLog, hostInfo, usersInfo, validate } from "./diagnostics.ts";
import { explain } from "./explain.ts";
import { count, distinct, find, getMore, killCursors } from "./reads.ts";
import { abortTransaction, commitTransaction } from "./transaction-end.ts";
import { findAndModify, insert, remove, update } from "./writes.ts";

export type Command = {
  run: (context: Context) => Doc | Promise<Doc>;
  /** Allowed before the client has signed in. */
  isOpen?: boolean;
  /** Allowed within a transaction. */
  inTransaction?: boolean;
  /** A txnNumber outside a transaction makes the command a retryable write. */
  isRetryable?: boolean;
};

const findAndModifyCommand: Command = { run: findAndModify, inTransaction: true, isRetryable: true };
const helloCommand: Command = { run: hello, isOpen: true };

/** All supported commands, by their name on the wire. */
export const COMMANDS = new Map<string, Command>([
  ["hello", helloCommand],
  ["ismaster", helloCommand],
  ["isMaster", helloCommand],
  ["ping", { run: ping, isOpen: true }],
  ["saslStart", { run: saslStart, isOpen: true }],
  ["saslContinue", { run: saslContinue, isOpen: true }],
  ["buildInfo", { run: buildInfo }],
  ["buildinfo", { run: buildInfo }],
  ["getParameter", { run: getParameter }],
  ["connectionStatus", { run: connectionStatus }],
  ["whatsmyuri", { run: whatsmyuri }],
  ["serverStatus", { run: serverStatus }],
  ["replSetGetStatus", { run: replSetGetStatus }],
  ["startSession", { run: startSession }],
  ["refreshSessions", { run: acknowledge }],
  ["endSessions", { run: endSessions }],
  ["killSessions", { run: endSessions }],
  ["insert", { run: insert, inTransaction: true, isRetryable: true }],
  ["update", { run: update, inTransaction: true, isRetryable: true }],
  ["delete", { run: remove, inTransaction: true, isRetryable: true }],
  ["findAndModify", findAndModifyCommand],
  ["findandmodify", findAndModifyCommand],
  ["find", { run: find, inTransaction: true }],
  ["getMore", { run: getMore, inTransaction: true }],
  ["killCursors", { run: killCursors, inTransaction: true }],
  ["aggregate", { run: aggregate, inTransaction: true }],
  ["distinct", { run: distinct, inTransaction: true }],
  ["count", { run: count }],
  ["explain", { run: explain }],
  ["commitTransaction", { run: commitTransaction, inTransaction: true }],
  ["abortTransaction", { run: abortTransaction, inTransaction: true }],
  ["create", { run: create }],
  ["drop", { run: drop }],
  ["dropDatabase", { run: dropDatabase }],
  ["listDatabases", { run: listDatabases }],
  ["listCollections", { run: listCollections }],
  ["createIndexes", { run: createIndexes }],
  ["listIndexes", { run: listIndexes }],
  ["dropIndexes", { run: dropIndexes }],
  ["deleteIndexes", { run: dropIndexes }],
  ["collMod", { run: collMod }],
  ["renameCollection", { run: renameCollection }],
  ["collStats", { run: collStats }],
  ["validate", { run: validate }],
  ["getCmdLineOpts", { run: getCmdLineOpts }],
  ["hostInfo", { run: hostInfo }],
  ["getLog", { run: getLog }],
  ["usersInfo", { run: usersInfo }],
  ["replSetGetConfig", { run: replSetGetConfig }],
  ["dbStats", { run: dbStats }],
]);
