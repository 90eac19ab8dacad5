import { Binary, type Doc, docOf, double, isDoc, timestampNow, toWholeNumber } from "../bson/values.ts";
import { sessionId } from "../commands/admin.ts";
import { type Client, type Context, makeDeadline, newTurns, type Services, systemScope } from "../commands/context.ts";
import { checkFields, checkPart } from "../commands/options.ts";
import { COMMANDS } from "../commands/table.ts";
import { readWriteConcern } from "../commands/write-concern.ts";
import { badValue, StoreError, typeMismatch } from "../errors.ts";
import { endTurn } from "../scheduling/effort.ts";
import { toStoreError } from "../storage/sqlite.ts";
import { isTransient, TRANSIENT } from "../storage/transactions.ts";

/** Runs one command and returns its answer. Failures are answers too. */
export async function dispatch(services: Services, connection: Client, command: Doc): Promise<Doc> {
  const answer = await run(services, connection, command);
  if (connection.authentication.isDone) addTimes(answer);
  return answer;
}

const NO_SIGNATURE = docOf({ hash: new Binary(Buffer.alloc(20)), keyId: 0n });

/** Adds the replica set's clock, which clients send with their next command to read their own writes. */
function addTimes(answer: Doc): void {
  const now = timestampNow();
  answer.set("$clusterTime", docOf({ clusterTime: now, signature: NO_SIGNATURE }));
  answer.set("operationTime", now);
}

async function run(services: Services, connection: Client, command: Doc): Promise<Doc> {
  const name = command.keys().next().value ?? "";
  let isInTransaction = false;
  try {
    const known = COMMANDS.get(name);
    if (known === undefined) throw new StoreError("CommandNotFound", `no such command: '${name}'`);
    if (known.isOpen !== true && !connection.authentication.isDone)
      throw new StoreError("Unauthorized", `Command ${name} requires authentication`);
    services.monitor.commands++;
    if (known.fields !== undefined) checkFields(command, name, known.fields);
    const db = command.get("$db");
    if (typeof db !== "string") throw new StoreError("IDLFailedToParse", "OP_MSG requests require a $db argument");
    const session = sessionId(command.get("lsid"));
    const number = toWholeNumber(command.get("txnNumber"));
    isInTransaction = command.get("autocommit") === false;
    const deadline = makeDeadline(command, connection);
    const context: Context = {
      services,
      command,
      name,
      db,
      access: services.store,
      isInTransaction,
      session,
      retry: undefined,
      turns: newTurns(deadline),
      deadline,
      scope: systemScope(new Date()),
      connection,
    };
    if (number !== undefined && session === undefined)
      throw new StoreError("InvalidOptions", "Transaction number requires a session ID to also be specified");
    if (isInTransaction) enterTransaction(context, known.inTransaction === true, BigInt(number ?? -1));
    else if (number !== undefined && session !== undefined && known.isRetryable)
      context.retry = services.retries.begin(session, BigInt(number));
    checkReadConcern(context);
    const concern = readWriteConcern(context);
    const isRead = known.isRead === true && !isInTransaction && writeStageOf(command) === null;
    const answer = await answerOf(context, () => known.run(context), { isRead, isJournaled: concern.isJournaled });
    if (concern.error !== undefined) answer.set("writeConcernError", concern.error);
    return answer;
  } catch (error) {
    return failure(services, command, toStoreError(error), isInTransaction);
  } finally {
    endTurn();
  }
}

/** A read shares at most so many failed commits with writes before it fails as they do. */
const READS_MAX = 5;

/** Runs a command, and returns its answer once what it wrote or read is committed. */
async function answerOf(
  { services: { store, cursors }, retry }: Context,
  work: () => Doc | Promise<Doc>,
  { isRead, isJournaled }: { isRead: boolean; isJournaled: boolean },
): Promise<Doc> {
  for (let run = 1; ; run += 1) {
    // Copied, because a retryable write keeps its answer, which must not change.
    const answer: Doc = new Map(await work());
    endTurn();
    retry?.flush();
    try {
      await (isJournaled ? store.synced() : store.committed());
      return answer;
    } catch (error) {
      // It has read writes that are rolled back now. Without space, reads go on.
      if (!isRead || run === READS_MAX) throw error;
      const cursor = answer.get("cursor");
      const id = isDoc(cursor) ? cursor.get("id") : undefined;
      if (typeof id === "bigint") cursors.kill(id);
    }
  }
}

/** Returns the last stage of a pipeline that stores its documents; null for other commands. */
function writeStageOf(command: Doc): "$out" | "$merge" | null {
  const pipeline = command.get("pipeline");
  const last = Array.isArray(pipeline) ? pipeline.at(-1) : undefined;
  if (!isDoc(last)) return null;
  return last.has("$out") ? "$out" : last.has("$merge") ? "$merge" : null;
}

const READ_CONCERNS = ["local", "available", "majority", "linearizable", "snapshot"];

/** The only member reads its own committed writes, so all levels except snapshot are equivalent. */
function checkReadConcern({ command, isInTransaction, name }: Context): void {
  const concern = command.get("readConcern");
  if (concern === undefined) return;
  if (!isDoc(concern)) throw typeMismatch("BSON field 'readConcern' is the wrong type, expected type 'object'");
  checkPart(concern, "readConcern", ["level", "afterClusterTime"]);
  const level = concern.get("level");
  if (level === undefined) return;
  if (typeof level !== "string" || !READ_CONCERNS.includes(level)) {
    throw badValue(`Enumeration value '${String(level)}' for field 'readConcern.level' is not a valid value.`);
  }
  if (level === "snapshot" && !isInTransaction) {
    throw new StoreError(
      "InvalidOptions",
      "The read concern 'snapshot' is supported by this store in transactions only.",
    );
  }
  const stage = name === "aggregate" ? writeStageOf(command) : null;
  if (level === "linearizable" && stage !== null) {
    throw new StoreError("InvalidOptions", `${stage} cannot be used with a 'linearizable' read concern level`);
  }
}

function enterTransaction(context: Context, isAllowed: boolean, number: bigint): void {
  const { command, name, session } = context;
  const { sessions } = context.services;
  if (session === undefined || number < 0n)
    throw new StoreError("InvalidOptions", "'autocommit' field requires a transaction number to also be specified");
  if (!isAllowed)
    throw new StoreError("OperationNotSupportedInTransaction", `Cannot run '${name}' in a multi-document transaction.`);
  if (name === "commitTransaction" || name === "abortTransaction") return;
  context.access =
    command.get("startTransaction") === true ? sessions.begin(session, number) : sessions.continue(session, number);
}

function failure(services: Services, command: Doc, error: unknown, isInTransaction: boolean): Doc {
  const known =
    error instanceof StoreError
      ? error
      : new StoreError(
          "InternalError",
          `The store failed on this command: ${error instanceof Error ? error.message : String(error)}`,
          { cause: error },
        );
  const labels = [...known.labels];
  if (isInTransaction) {
    if (isTransient(known)) labels.push(TRANSIENT);
    const session = sessionId(command.get("lsid"));
    // A failed statement ends the transaction, as in MongoDB.
    if (session !== undefined && command.keys().next().value !== "commitTransaction") services.sessions.abort(session);
  }
  const answer = docOf({ ok: double(0), errmsg: known.message, code: known.code, codeName: known.codeName });
  for (const [field, value] of known.info ?? []) answer.set(field, value);
  if (labels.length > 0) answer.set("errorLabels", labels);
  return answer;
}
