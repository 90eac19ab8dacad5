import { arch, cpus, hostname, release, totalmem, type } from "node:os";
import { decodeDocument } from "../bson/codec.ts";
import { type Doc, docOf, double, isDoc, type Value } from "../bson/values.ts";
import { StoreError } from "../errors.ts";
import type { Collection, Index } from "../storage/collection.ts";
import { MECHANISM, USER_DB } from "../wire/authentication.ts";
import { viewOf } from "./collections.ts";
import type { Context } from "./context.ts";
import { collectionName } from "./names.ts";

const OK = double(1);
/** Documents to read before yielding to other commands. */
const CHUNK = 128;

/** Returns no options: paths and settings are for the operator only, and clients do not need them. */
export function getCmdLineOpts(): Doc {
  return docOf({ argv: ["millrace-store"], parsed: new Map(), ok: OK });
}

export function hostInfo(): Doc {
  return docOf({
    system: docOf({
      currentTime: new Date(),
      hostname: hostname(),
      cpuAddrSize: 64,
      memSizeMB: BigInt(Math.floor(totalmem() / 2 ** 20)),
      numCores: cpus().length,
      cpuArch: arch(),
      numaEnabled: false,
    }),
    os: docOf({ type: type(), name: type(), version: release() }),
    extra: new Map(),
    ok: OK,
  });
}

const LOGS = ["global", "startupWarnings"];

/** Returns empty logs, because the store keeps no log in memory. */
export function getLog({ command }: Context): Doc {
  const wanted = command.get("getLog");
  if (wanted === "*") return docOf({ names: LOGS, ok: OK });
  if (typeof wanted !== "string")
    throw new StoreError(
      "TypeMismatch",
      "Argument to getLog must be of type String; found an argument of another type",
    );
  if (!LOGS.includes(wanted)) throw new StoreError("OperationFailed", `No log named '${wanted}'`);
  return docOf({ totalLinesWritten: 0, log: [], ok: OK });
}

/** Returns the only user of a store on a port; none on a socket. */
export function usersInfo({ command, db, services }: Context): Doc {
  const user = services.credentials?.user;
  const wanted = command.get("usersInfo");
  const users: Value[] = [];
  if (user !== undefined && asksFor(wanted, user, db))
    users.push(
      docOf({
        _id: `${USER_DB}.${user}`,
        user,
        db: USER_DB,
        roles: [docOf({ role: "root", db: USER_DB })],
        mechanisms: [MECHANISM],
      }),
    );
  return docOf({ users, ok: OK });
}

function asksFor(wanted: Value | undefined, user: string, db: string): boolean {
  if (Array.isArray(wanted)) return wanted.some((each) => asksFor(each, user, db));
  if (typeof wanted === "string") return wanted === user && db === USER_DB;
  if (!isDoc(wanted)) return db === USER_DB;
  return wanted.get("forAllDBs") === true || (wanted.get("user") === user && wanted.get("db") === USER_DB);
}

/** Checks that every document has its entries in every index. */
export async function validate(context: Context): Promise<Doc> {
  const name = collectionName("validate", context.command.get("validate"));
  const { store } = context.services;
  const collection = store.find(context.db, name);
  if (collection === undefined)
    throw new StoreError("NamespaceNotFound", `Collection '${context.db}.${name}' does not exist to validate.`);
  if (viewOf(collection) !== undefined)
    throw new StoreError("CommandNotSupportedOnView", `${collection.namespace} is a view, not a collection`);
  const errors: Value[] = [];
  const missing: Value[] = [];
  let nrecords = 0;
  let nInvalidDocuments = 0;
  let after: number | undefined;
  for (;;) {
    const rows = store.scan(collection, after, false, CHUNK);
    for (const row of rows) {
      nrecords++;
      let doc: Doc;
      try {
        doc = decodeDocument(row.bytes);
      } catch {
        nInvalidDocuments++;
        continue;
      }
      for (const index of missingFrom(context, collection, doc, row.rid))
        missing.push(docOf({ indexName: index.name, recordId: BigInt(row.rid), idKey: doc.get("_id") ?? null }));
    }
    after = rows.at(-1)?.rid;
    if (after === undefined) break;
    await context.turns.pause();
  }
  if (nInvalidDocuments > 0) errors.push("Detected one or more invalid documents.");
  if (missing.length > 0) errors.push("Detected one or more missing index entries.");
  const count = (index: Index): number =>
    store.connection.get<[number]>(`SELECT COUNT(*) FROM "${index.id === 0 ? collection.table : index.table}"`)?.[0] ??
    0;
  return docOf({
    ns: collection.namespace,
    uuid: collection.uuid,
    nInvalidDocuments,
    nNonCompliantDocuments: 0,
    nrecords,
    nIndexes: collection.indexes.length,
    keysPerIndex: docOf(Object.fromEntries(collection.indexes.map((index) => [index.name, count(index)]))),
    indexDetails: docOf(
      Object.fromEntries(
        collection.indexes.map((index) => [
          index.name,
          docOf({ valid: !missing.some((each) => isDoc(each) && each.get("indexName") === index.name) }),
        ]),
      ),
    ),
    valid: errors.length === 0,
    repaired: false,
    warnings: [],
    errors,
    extraIndexEntries: [],
    missingIndexEntries: missing,
    corruptRecords: [],
    ok: OK,
  });
}

function missingFrom(context: Context, collection: Collection, doc: Doc, rid: number): Index[] {
  const { connection } = context.services.store;
  return collection.indexes.filter(
    (index) =>
      index.id !== 0 &&
      index.isReady &&
      index
        .entries(doc)
        .keys.some(
          (key) => connection.get(`SELECT 1 FROM "${index.table}" WHERE k = ? AND r = ?`, key, rid) === undefined,
        ),
  );
}
