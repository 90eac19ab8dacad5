import { BSON } from "mongodb";
import { READ_ONLY_MESSAGE } from "@/lib/base/sql/statement-messages";
import { AppError } from "@/lib/platform/http/errors";
import { notAllowed } from "../shared/statements/refusals";
import type { Doc, Operation } from "./operation";

/*
 * The operations that are allowed (T57). MongoDB has no read-only session, so read-only connections have an allow-list
 * of operations and pipeline stages. Server-side code and other databases are refused on every connection.
 */

const DEPTH_MAX = 32;
const BYTES_MAX = 256 * 1024;
/** Maximum bytes of inserted data, which may be as large as the request. */
const DATA_BYTES_MAX = 16 * 1024 * 1024;
const NAME_BYTES_MAX = 255;
const LAST_ASCII = 0x7f;

const READING: ReadonlySet<Operation["kind"]> = new Set([
  "find",
  "aggregate",
  "countDocuments",
  "estimatedDocumentCount",
  "distinct",
]);

/** Keys for which the server runs JavaScript. */
const CODE_KEYS = new Set([
  "$where",
  "$function",
  "$accumulator",
  "mapReduce",
  "mapreduce",
  "$eval",
  "$code",
  "$scope",
]);
const WRITING_STAGES = new Set(["$out", "$merge"]);
/** Stages that only compute from collections of this database. New ones are refused until reviewed. */
const STAGES = new Set([
  ...["$addFields", "$bucket", "$bucketAuto", "$collStats", "$count", "$densify", "$documents", "$facet", "$fill"],
  ...["$geoNear", "$graphLookup", "$group", "$indexStats", "$limit", "$lookup", "$match", "$project", "$redact"],
  ...["$replaceRoot", "$replaceWith", "$sample", "$search", "$searchMeta", "$set", "$setWindowFields", "$skip"],
  ...["$sort", "$sortByCount", "$unionWith", "$unset", "$unwind", "$vectorSearch", "$rankFusion", "$scoreFusion"],
]);

/** Checks an operation. @throws AppError `read_only`, `not_allowed`, `invalid_request` */
export function checkOperation(operation: Operation, readOnly: boolean): void {
  checkCollection(operation.collection);
  if (readOnly && !READING.has(operation.kind)) {
    throw new AppError("read_only", READ_ONLY_MESSAGE);
  }
  const { collection: _, kind, ...rest } = operation;
  const isData = kind === "insertOne" || kind === "insertMany" || kind === "replaceOne";
  checkSize(rest, isData ? DATA_BYTES_MAX : BYTES_MAX);
  checkKeys(rest, 0);
  if (operation.kind === "aggregate") checkPipeline(operation.pipeline, readOnly);
}

export function checkCollection(name: string): void {
  const isPossible =
    name !== "" && Buffer.byteLength(name) <= NAME_BYTES_MAX && !/[$\0]/.test(name) && !name.startsWith(".");
  if (!isPossible) throw new AppError("invalid_request", "Invalid collection name.");
  if (/^system\./i.test(name)) throw notAllowed("System collections (system.*) are not accessible.");
}

function checkSize(values: Doc, bytesMax: number): void {
  let bytes: number;
  try {
    bytes = BSON.calculateObjectSize(values, { ignoreUndefined: true });
  } catch (error) {
    throw new AppError("invalid_request", "The operation contains a value that MongoDB can't store.", { cause: error });
  }
  if (bytes > bytesMax) {
    throw new AppError("too_large", `The operation exceeds ${bytesMax / 1024} KiB.`);
  }
}

function checkKeys(value: unknown, depth: number): void {
  if (depth > DEPTH_MAX) throw new AppError("invalid_request", `The operation exceeds ${DEPTH_MAX} nesting levels.`);
  if (Array.isArray(value)) {
    for (const item of value) checkKeys(item, depth + 1);
    return;
  }
  if (typeof value !== "object" || value === null) return;
  const type = (value as { _bsontype?: unknown })._bsontype;
  if (type === "Code" || type === "DBRef" || type === "BSONSymbol") {
    throw notAllowed(`Values of type ${type} are not supported.`);
  }
  if (type !== undefined && typeof type === "string" && Object.getPrototypeOf(value) !== Object.prototype) return;
  if (value instanceof Date || value instanceof Uint8Array) return;
  for (const [key, item] of Object.entries(value)) {
    // The server may treat full-width and small forms of the dollar sign as the usual one.
    const plain = isAscii(key) ? key : key.normalize("NFKC");
    if (CODE_KEYS.has(plain)) throw notAllowed(`${plain} runs code in the database and is not allowed.`);
    if (key === "__proto__") throw new AppError("invalid_request", "The key __proto__ is not allowed.");
    if (key.includes("\0")) throw new AppError("invalid_request", "Keys can't contain NUL characters.");
    checkKeys(item, depth + 1);
  }
}

function isAscii(text: string): boolean {
  for (let index = 0; index < text.length; index += 1) if (text.charCodeAt(index) > LAST_ASCII) return false;
  return true;
}

function checkPipeline(pipeline: readonly unknown[], readOnly: boolean): void {
  for (const stage of pipeline) {
    const entries = typeof stage === "object" && stage !== null ? Object.entries(stage) : [];
    for (const [name, body] of entries) {
      if (WRITING_STAGES.has(name)) {
        throw readOnly
          ? new AppError("read_only", `${name} writes data and is not allowed on a read-only connection.`)
          : notAllowed(`${name} can write to any database and is not supported.`);
      }
      if (!STAGES.has(name)) throw notAllowed(`Stage ${name.slice(0, 60)} is not supported.`);
      checkStage(name, body, readOnly);
    }
  }
}

function checkStage(name: string, body: unknown, readOnly: boolean): void {
  if (name === "$unionWith" && typeof body === "string") checkSource(body);
  if (typeof body !== "object" || body === null) return;
  const { from, coll, pipeline } = body as { from?: unknown; coll?: unknown; pipeline?: unknown };
  if (name === "$lookup" || name === "$graphLookup") checkSource(from);
  if (name === "$unionWith") checkSource(coll);
  if (Array.isArray(pipeline)) checkPipeline(pipeline, readOnly);
  if (name === "$facet" || name === "$rankFusion" || name === "$scoreFusion") checkInner(body, readOnly);
}

/** Checks the lists below a stage: any whose items look like stages is a pipeline. */
function checkInner(body: unknown, readOnly: boolean): void {
  for (const value of Object.values(body as Doc)) {
    if (Array.isArray(value)) checkPipeline(value, readOnly);
    else if (typeof value === "object" && value !== null) checkInner(value, readOnly);
  }
}

/** Checks the source of a stage. Without one, the stage reads what its pipeline starts with. */
function checkSource(name: unknown): void {
  if (name === undefined) return;
  if (typeof name !== "string") throw notAllowed("Stages can read only collections of this database.");
  checkCollection(name);
}
