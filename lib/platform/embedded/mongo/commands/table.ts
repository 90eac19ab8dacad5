import type { Doc } from "../bson/values.ts";
import { buildInfo, endSessions, hello, ping, saslContinue, saslStart, serverStatus } from "./admin.ts";
import { AGGREGATE_FIELDS, aggregate } from "./aggregate.ts";
import {
  CREATE_FIELDS,
  collMod,
  create,
  createIndexes,
  drop,
  dropDatabase,
  dropIndexes,
  listCollections,
  listIndexes,
} from "./catalog.ts";
import type { Context } from "./context.ts";
import { count, distinct, FIND_FIELDS, find, getMore, killCursors } from "./reads.ts";
import { abortTransaction, commitTransaction } from "./transaction-end.ts";
import { FIND_AND_MODIFY_FIELDS, findAndModify, insert, remove, update } from "./writes.ts";

export type Command = {
  run: (context: Context) => Doc | Promise<Doc>;
  /**
   * Options of the command, besides its name and the options that every command takes. Undefined accepts any: drivers
   * announce new capabilities in their handshake, which servers that do not know them ignore.
   */
  fields: readonly string[] | undefined;
  /** Allowed before the client has signed in. */
  isOpen?: boolean;
  /** Allowed within a transaction. */
  inTransaction?: boolean;
  /** A txnNumber outside a transaction makes the command a retryable write. */
  isRetryable?: boolean;
  /** Changes nothing, so it is run again after a commit fails that others' writes share with it. */
  isRead?: boolean;
};

const helloCommand: Command = { run: hello, fields: undefined, isOpen: true };
const write = { inTransaction: true, isRetryable: true };
const read = { inTransaction: true, isRead: true };

/** Commands in scope, by their name on the wire (docs/develop/store-scope.md). */
export const COMMANDS = new Map<string, Command>([
  ["hello", helloCommand],
  ["ismaster", helloCommand],
  ["ping", { run: ping, fields: [], isOpen: true }],
  ["saslStart", { run: saslStart, fields: ["mechanism", "payload", "options", "autoAuthorize"], isOpen: true }],
  ["saslContinue", { run: saslContinue, fields: ["conversationId", "payload"], isOpen: true }],
  ["buildInfo", { run: buildInfo, fields: [] }],
  ["serverStatus", { run: serverStatus, fields: [] }],
  ["endSessions", { run: endSessions, fields: [] }],
  ["killSessions", { run: endSessions, fields: [] }],
  ["insert", { run: insert, fields: ["documents", "ordered", "bypassDocumentValidation"], ...write }],
  ["update", { run: update, fields: ["updates", "ordered", "bypassDocumentValidation", "let"], ...write }],
  ["delete", { run: remove, fields: ["deletes", "ordered", "let"], ...write }],
  ["findAndModify", { run: findAndModify, fields: FIND_AND_MODIFY_FIELDS, ...write }],
  ["find", { run: find, fields: FIND_FIELDS, ...read }],
  ["getMore", { run: getMore, fields: ["collection", "batchSize"], inTransaction: true }],
  ["killCursors", { run: killCursors, fields: ["cursors"], inTransaction: true }],
  ["aggregate", { run: aggregate, fields: AGGREGATE_FIELDS, ...read }],
  ["distinct", { run: distinct, fields: ["key", "query", "collation"], ...read }],
  ["count", { run: count, fields: ["query", "limit", "skip", "hint", "collation"], isRead: true }],
  ["commitTransaction", { run: commitTransaction, fields: [], inTransaction: true }],
  ["abortTransaction", { run: abortTransaction, fields: [], inTransaction: true }],
  ["create", { run: create, fields: CREATE_FIELDS }],
  ["drop", { run: drop, fields: [] }],
  ["dropDatabase", { run: dropDatabase, fields: [] }],
  ["listCollections", { run: listCollections, fields: ["filter", "nameOnly", "authorizedCollections", "cursor"] }],
  ["createIndexes", { run: createIndexes, fields: ["indexes"] }],
  ["listIndexes", { run: listIndexes, fields: ["cursor"] }],
  ["dropIndexes", { run: dropIndexes, fields: ["index"] }],
  ["collMod", { run: collMod, fields: ["validator"] }],
]);
