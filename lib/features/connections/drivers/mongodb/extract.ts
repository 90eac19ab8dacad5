import "server-only";
import { BSON, Decimal128, type Document, Double, Int32, Long, Timestamp } from "mongodb";
import type { Batch, WireValue } from "@/lib/base/values/fields";
import type { Checkpoint, ExtractBatch, ExtractRequest, ExtractStream } from "../../data-source";
import { cursorBatches, toCursorCheckpoint } from "../shared/flows/cursor-batches";
import { regroup } from "../shared/flows/regroup";
import { BATCH_BYTES_TARGET } from "../shared/limits";
import { OTHER_FIELDS, type Shape, shapeOf } from "./fields";
import type { Doc } from "./operation";
import { RowMaker, SAMPLE_DOCUMENTS } from "./row-maker";
import { checkCollection } from "./rules";
import type { Run } from "./run";
import { WireWriter } from "./values";

/** Leading columns for internal use: the cursor and the _id as exact texts. They are not returned. */
const OWN_COLUMNS = 2;

/**
 * BSON's types in MongoDB's sort order (its page "Comparison/Sort Order"), with all numbers as one. A comparison in a
 * filter stays within a type, a sort does not.
 */
const TYPE_ORDER: readonly (readonly string[])[] = [
  ["minKey"],
  ["undefined", "null"],
  ["int", "long", "double", "decimal"],
  ["symbol", "string"],
  ["object"],
  ["array"],
  ["binData"],
  ["objectId"],
  ["bool"],
  ["date"],
  ["timestamp"],
  ["regex"],
  ["maxKey"],
];

/**
 * Reads a collection or view in the order of the cursor and of _id. Every document has an _id, so rows are distinct for
 * any key of the request. A reading takes time and sees each document in its state at that moment.
 */
export async function extractCollection(run: Run, request: ExtractRequest, timeoutMs: number): Promise<ExtractStream> {
  const { entity, cursorField, batchRows, signal } = request;
  checkCollection(entity.name);
  const from = toCursorCheckpoint(request.from);
  const filter = cursorField === null ? wholeFilter(request.from) : cursorFilter(cursorField, from);
  const cursor = await run.work((db, session) =>
    db.collection<Document>(entity.name).find(filter, {
      session,
      signal,
      maxTimeMS: timeoutMs,
      batchSize: SAMPLE_DOCUMENTS,
      allowDiskUse: true,
      // The collection's default may treat different texts as equal.
      collation: { locale: "simple" },
      sort: new Map([...(cursorField === null ? [] : [[cursorField, 1] as const]), ["_id", 1]]) as never,
    }),
  );
  const next = () =>
    run.work(async () => ((await cursor.hasNext()) ? (cursor.readBufferedDocuments() as Doc[]) : null));
  const sample: Doc[] = [];
  const writer = new WireWriter();
  let isWhole = false;
  for (let bytes = 0; sample.length < SAMPLE_DOCUMENTS && bytes < BATCH_BYTES_TARGET; ) {
    const documents = await next();
    isWhole = documents === null;
    if (documents === null) break;
    for (const document of documents) {
      writer.reset();
      writer.write(document);
      bytes += writer.chars;
      sample.push(document);
    }
  }
  const shape = withOthers(shapeOf(sample, isWhole), isWhole);
  const documents = async function* () {
    yield sample;
    for (let more = isWhole ? null : await next(); more !== null; more = await next()) yield more;
  };
  const width = OWN_COLUMNS + shape.fields.length;
  const batches = batchesOf(documents(), shape, cursorField);
  const hasId = sample.every((document) => Object.hasOwn(document, "_id"));
  const read =
    cursorField === null
      ? wholeBatches(batches, width, { batchRows, hasId })
      : cursorBatches(
          batches,
          { cursor: 0, cursorType: "string", key: hasId ? [1] : [], isEndless },
          { width, batchRows, from },
        );
  return {
    fields: shape.fields,
    batches: (async function* () {
      try {
        for await (const { columns, ...batch } of read) {
          signal.throwIfAborted();
          yield { ...batch, columns: columns.slice(OWN_COLUMNS) };
        }
      } finally {
        await cursor.close().catch(() => {});
      }
    })(),
  };
}

/** Adds a column for the fields of later documents, since fields must be known before all documents are seen. */
function withOthers(shape: Shape, isWhole: boolean): Shape {
  if (isWhole || shape.hasOther) return shape;
  return {
    ...shape,
    fields: [...shape.fields, { name: OTHER_FIELDS, type: "json", dbType: "object" }],
    hasOther: true,
  };
}

async function* batchesOf(
  documents: AsyncIterable<readonly Doc[]>,
  shape: Shape,
  cursorField: string | null,
): AsyncGenerator<Batch> {
  const rows = new RowMaker(shape, undefined, true);
  let own: [WireValue[], WireValue[]] = [[], []];
  const take = (): Batch => {
    const { rowCount, columns } = rows.take();
    const batch = { rowCount, columns: [...own, ...columns] };
    own = [[], []];
    return batch;
  };
  for await (const some of documents) {
    for (const document of some) {
      rows.add(document);
      own[0].push(cursorField === null ? null : exactText(valueAt(document, cursorField)));
      own[1].push(exactText(document._id));
      if (rows.isFull) yield take();
    }
    if (rows.count > 0) yield take();
  }
}

async function* wholeBatches(
  batches: AsyncIterable<Batch>,
  width: number,
  { batchRows, hasId }: { batchRows: number; hasId: boolean },
): AsyncGenerator<ExtractBatch> {
  for await (const batch of regroup(batches, width, batchRows)) {
    const last = batch.columns[1]?.[batch.rowCount - 1] ?? null;
    yield { ...batch, checkpoint: hasId ? { key: [last] } : null };
  }
}

function wholeFilter(from: Checkpoint | null): Doc {
  const key = typeof from === "object" && from !== null && "key" in from ? from.key : undefined;
  return Array.isArray(key) && typeof key[0] === "string" ? above("_id", key[0], "$gt") : {};
}

function cursorFilter(field: string, from: ReturnType<typeof toCursorCheckpoint>): Doc {
  if (from === null) return {};
  const [id] = from.key ?? [];
  if (typeof from.value !== "string") {
    if (typeof id !== "string") return {};
    return { $or: [{ [field]: { $ne: null } }, { [field]: null, ...above("_id", id, "$gt") }] };
  }
  if (typeof id !== "string") return above(field, from.value, "$gte");
  const value = parse(from.value);
  return { $or: [above(field, from.value, "$gt"), { $and: [{ [field]: { $eq: value } }, above("_id", id, "$gt")] }] };
}

/** Returns a filter for values after one in sort order, including those of other types. */
function above(field: string, text: string, operator: "$gt" | "$gte"): Doc {
  const value = parse(text);
  const place = TYPE_ORDER.findIndex((types) => types.includes(typeName(value)));
  const later = TYPE_ORDER.slice(place + 1).flat();
  return { $or: [{ [field]: { [operator]: value } }, ...(later.length > 0 ? [{ [field]: { $type: later } }] : [])] };
}

function parse(text: string): unknown {
  return (BSON.EJSON.parse(text, { relaxed: false }) as { v: unknown }).v;
}

/** Returns one text for equal values: 1 is the same number as an int, a long, a double and a decimal. */
function exactText(value: unknown): string | null {
  if (value === undefined || value === null) return null;
  return BSON.EJSON.stringify({ v: normal(value) }, { relaxed: false });
}

/** Returns whether the text is NaN or an infinity, which `normal` converts to doubles. */
function isEndless(text: WireValue): boolean {
  return typeof text === "string" && /^\{"v":\{"\$numberDouble":"(?:NaN|-?Infinity)"\}\}$/.test(text);
}

/** Digits of a decimal. A double may have more, and then no number of another type equals it. */
const DECIMAL_DIGITS = 34;
/** Digits that write out every double of up to DECIMAL_DIGITS digits in full. */
const DOUBLE_DIGITS = 100;

function normal(value: unknown): unknown {
  const text = numberText(value);
  if (text === null) return value;
  const [, sign = "", whole = "", fraction = "", exponent = "0"] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text) ?? [];
  // NaN and the infinities.
  if (whole === "") return value instanceof Decimal128 ? new Double(Number(text)) : value;
  const digits = `${whole}${fraction}`.replace(/^0+/, "");
  const significant = digits.replace(/0+$/, "");
  if (significant === "") return Decimal128.fromString("0");
  if (significant.length > DECIMAL_DIGITS) return value;
  const power = Number(exponent) - fraction.length + digits.length - significant.length;
  return Decimal128.fromString(`${sign}${significant}E${power}`);
}

function numberText(value: unknown): string | null {
  if (value instanceof Int32 || value instanceof Decimal128) return value.toString();
  if (value instanceof Double) return Number.isFinite(value.value) ? value.value.toPrecision(DOUBLE_DIGITS) : "";
  // A Timestamp is a Long to the library.
  return value instanceof Long && !(value instanceof Timestamp) ? value.toString() : null;
}

function typeName(value: unknown): string {
  if (typeof value === "string") return "string";
  if (typeof value === "boolean") return "bool";
  if (value instanceof Date) return "date";
  if (Array.isArray(value)) return "array";
  const type = (value as { _bsontype?: string } | null)?._bsontype;
  if (type === undefined) return "object";
  const names: Readonly<Record<string, string>> = {
    Int32: "int",
    Long: "long",
    Double: "double",
    Decimal128: "decimal",
    BSONSymbol: "symbol",
    Binary: "binData",
    UUID: "binData",
    ObjectId: "objectId",
    Timestamp: "timestamp",
    BSONRegExp: "regex",
    MinKey: "minKey",
    MaxKey: "maxKey",
  };
  return names[type] ?? "object";
}

/** Returns the value of a field, which may be in an inner document: `meta.updatedAt`. */
function valueAt(document: Doc, field: string): unknown {
  let value: unknown = document;
  for (const name of field.split(".")) {
    if (typeof value !== "object" || value === null) return undefined;
    value = (value as Doc)[name];
  }
  return value;
}
