import { z } from "zod";
import { ShellSyntaxError } from "@/lib/base/mongo-shell/lexer";
import { AppError, toInputProblems } from "@/lib/platform/http/errors";
import { positionOf } from "../shared/text-position";
import { plainCount, readObjectForm } from "./object-form";
import { parseShell, type ShellCall } from "./shell/parser";

export type Doc = Record<string, unknown>;

/**
 * Maximum characters of shell text, which is parsed on the event loop in at most 50 ms. Longer operations come as
 * objects.
 */
export const SHELL_CHARS_MAX = 256 * 1024;

/** Levels of the plan that replaces the documents: only the plan, or also the execution statistics. */
const VERBOSITIES = ["queryPlanner", "executionStats"] as const;
type Verbosity = (typeof VERBOSITIES)[number];

/** An operation on a collection, in any notation (docs/develop/api.md, Queries). */
export type Operation = { collection: string } & (
  | {
      kind: "find";
      filter: Doc;
      projection?: Doc;
      sort?: Doc;
      limit?: number;
      skip?: number;
      hint?: Doc | string;
      collation?: Doc;
      explain?: Verbosity;
    }
  | {
      kind: "aggregate";
      pipeline: Doc[];
      allowDiskUse?: boolean;
      collation?: Doc;
      hint?: Doc | string;
      explain?: Verbosity;
    }
  | { kind: "countDocuments"; filter: Doc; limit?: number; skip?: number }
  | { kind: "estimatedDocumentCount" }
  | { kind: "distinct"; field: string; filter: Doc }
  | { kind: "insertOne"; document: Doc }
  | { kind: "insertMany"; documents: Doc[] }
  | { kind: "updateOne" | "updateMany"; filter: Doc; update: Doc | Doc[]; upsert: boolean }
  | { kind: "replaceOne"; filter: Doc; replacement: Doc; upsert: boolean }
  | { kind: "deleteOne" | "deleteMany"; filter: Doc }
);

const doc = z.record(z.string(), z.unknown());
const docs = z.array(doc);
const whole = z.int().min(0);
const hint = z.union([doc, z.string()]);
const options = z.looseObject({
  upsert: z.boolean().optional(),
  allowDiskUse: z.boolean().optional(),
  collation: doc.optional(),
  hint: hint.optional(),
  limit: whole.optional(),
  skip: whole.optional(),
  sort: doc.optional(),
  projection: doc.optional(),
});
/** Options about batch size and time, which we set. */
const IGNORED_OPTIONS = new Set(["batchSize", "maxTimeMS", "comment", "cursor", "noCursorTimeout", "ordered"]);
const KNOWN_OPTIONS = new Set([...Object.keys(options.shape), ...IGNORED_OPTIONS]);

const collection = z.string().min(1, "Enter a collection.");
const operationObject = z.discriminatedUnion("operation", [
  z.strictObject({
    operation: z.literal("find"),
    collection,
    filter: doc.default({}),
    projection: doc.optional(),
    sort: doc.optional(),
    limit: whole.optional(),
    skip: whole.optional(),
    hint: hint.optional(),
    collation: doc.optional(),
  }),
  z.strictObject({
    operation: z.literal("aggregate"),
    collection,
    pipeline: docs,
    allowDiskUse: z.boolean().optional(),
    hint: hint.optional(),
    collation: doc.optional(),
  }),
  z.strictObject({
    operation: z.literal("countDocuments"),
    collection,
    filter: doc.default({}),
    limit: whole.optional(),
    skip: whole.optional(),
  }),
  z.strictObject({ operation: z.literal("estimatedDocumentCount"), collection }),
  z.strictObject({ operation: z.literal("distinct"), collection, field: z.string().min(1), filter: doc.default({}) }),
  z.strictObject({ operation: z.literal("insertOne"), collection, document: doc }),
  z.strictObject({ operation: z.literal("insertMany"), collection, documents: docs.min(1) }),
  ...(["updateOne", "updateMany"] as const).map((name) =>
    z.strictObject({
      operation: z.literal(name),
      collection,
      filter: doc,
      update: z.union([doc, docs]),
      upsert: z.boolean().default(false),
    }),
  ),
  z.strictObject({
    operation: z.literal("replaceOne"),
    collection,
    filter: doc,
    replacement: doc,
    upsert: z.boolean().default(false),
  }),
  ...(["deleteOne", "deleteMany"] as const).map((name) =>
    z.strictObject({ operation: z.literal(name), collection, filter: doc }),
  ),
]);

/**
 * Parses shell text or an operation object.
 * @throws AppError `query_failed` with the position of an error in a text, `invalid_request`, `not_allowed`,
 *   `too_large`
 */
export function readOperation(query: string | Record<string, unknown>): Operation {
  if (typeof query !== "string") return fromObject(query);
  if (query.length > SHELL_CHARS_MAX) {
    throw new AppError("too_large", `The text exceeds ${SHELL_CHARS_MAX / 1024} KiB. Send the operation as an object.`);
  }
  try {
    const { collection: name, calls } = parseShell(query);
    return fromCalls(name, calls);
  } catch (error) {
    if (error instanceof ShellSyntaxError) {
      throw new AppError("query_failed", error.message, { details: positionOf(query, error.offset) });
    }
    throw error;
  }
}

function fromObject(query: Record<string, unknown>): Operation {
  // Types that JSON lacks are written as MongoDB's Extended JSON: {"$oid": "..."}, {"$date": "..."}.
  let values: Doc;
  try {
    values = readObjectForm(query) as Doc;
    for (const name of ["limit", "skip"]) if (Object.hasOwn(values, name)) values[name] = plainCount(values[name]);
  } catch (error) {
    const message = error instanceof Error ? error.message : "";
    throw new AppError("invalid_request", `Invalid value. ${message}`, { cause: error });
  }
  const result = operationObject.safeParse(values);
  if (!result.success) {
    throw new AppError("invalid_request", "The operation is incomplete or not supported.", {
      details: toInputProblems(result.error.issues, ["query"]),
    });
  }
  const { operation, ...rest } = result.data;
  return { kind: operation, ...rest } as Operation;
}

type Reader = (args: unknown[], call: ShellCall) => DistributiveOmit<Operation, "collection">;
type DistributiveOmit<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never;

const METHODS: ReadonlyMap<string, Reader> = new Map<string, Reader>([
  ["find", ([filter, projection, more], call) => ({ kind: "find", filter: optionalDoc(filter, call), ...given("projection", projection, call), ...pick(more, call, ["sort", "limit", "skip", "hint", "collation"]) })],
  ["findOne", ([filter, projection, more], call) => ({ kind: "find", filter: optionalDoc(filter, call), ...given("projection", projection, call), ...pick(more, call, ["sort", "skip", "hint", "collation"]), limit: 1 })],
  ["aggregate", (args, call) => readAggregate(args, call)],
  ["countDocuments", ([filter, more], call) => ({ kind: "countDocuments", filter: optionalDoc(filter, call), ...pick(more, call, ["limit", "skip"]) })],
  ["count", ([filter, more], call) => ({ kind: "countDocuments", filter: optionalDoc(filter, call), ...pick(more, call, ["limit", "skip"]) })],
  ["estimatedDocumentCount", () => ({ kind: "estimatedDocumentCount" })],
  ["distinct", ([field, filter], call) => ({ kind: "distinct", field: textArgument(field, call), filter: optionalDoc(filter, call) })],
  ["insertOne", ([document], call) => ({ kind: "insertOne", document: docArgument(document, call) })],
  ["insertMany", ([documents], call) => ({ kind: "insertMany", documents: docsArgument(documents, call) })],
  ["updateOne", (args, call) => readUpdate("updateOne", args, call)],
  ["updateMany", (args, call) => readUpdate("updateMany", args, call)],
  ["replaceOne", ([filter, replacement, more], call) => ({ kind: "replaceOne", filter: docArgument(filter, call), replacement: docArgument(replacement, call), upsert: optionsOf(more, call).upsert ?? false })],
  ["deleteOne", ([filter], call) => ({ kind: "deleteOne", filter: docArgument(filter, call) })],
  ["deleteMany", ([filter], call) => ({ kind: "deleteMany", filter: docArgument(filter, call) })],
]); // biome-ignore format: one method a line

/** Chained methods that do not change the operation. */
const IGNORED_CALLS = new Set(["toArray", "pretty", "batchSize", "maxTimeMS", "comment"]);

function fromCalls(name: string, [method, ...chained]: ShellCall[]): Operation {
  if (!method) throw new ShellSyntaxError("Add a method, as in db.orders.find({}).", 0);
  const read = METHODS.get(method.name);
  if (!read) {
    throw new AppError("not_allowed", `${method.name.slice(0, 60)} is not supported. ${KNOWN}`);
  }
  let operation = { collection: name, ...read(method.args, method) } as Operation;
  for (const call of chained) operation = chain(operation, call);
  return operation;
}

const KNOWN = `Use one of: ${[...METHODS.keys()].join(", ")}.`;

function chain(operation: Operation, call: ShellCall): Operation {
  if (IGNORED_CALLS.has(call.name)) return operation;
  const [first] = call.args;
  if (call.name === "explain" && (operation.kind === "find" || operation.kind === "aggregate")) {
    const explain = VERBOSITIES.find((each) => each === (first ?? "queryPlanner"));
    if (explain) return { ...operation, explain };
    throw new ShellSyntaxError('explain accepts "queryPlanner" or "executionStats".', call.offset);
  }
  if (operation.kind === "find") {
    switch (call.name) {
      case "sort":
        return { ...operation, sort: docArgument(first, call) };
      case "project":
      case "projection":
        return { ...operation, projection: docArgument(first, call) };
      case "limit":
        return { ...operation, limit: Math.abs(wholeArgument(first, call)) };
      case "skip":
        return { ...operation, skip: wholeArgument(first, call) };
      case "hint":
        return { ...operation, hint: typeof first === "string" ? first : docArgument(first, call) };
      case "collation":
        return { ...operation, collation: docArgument(first, call) };
      case "allowDiskUse":
        return operation;
      case "count":
      case "size":
      case "itcount": {
        const { collection: name, filter, limit, skip } = operation;
        return {
          collection: name,
          kind: "countDocuments",
          filter,
          ...(limit ? { limit } : {}),
          ...(skip ? { skip } : {}),
        };
      }
    }
  }
  if (operation.kind === "aggregate" && call.name === "allowDiskUse") return { ...operation, allowDiskUse: true };
  throw new ShellSyntaxError(`${call.name.slice(0, 60)} is not allowed here.`, call.offset);
}

function readAggregate(args: unknown[], call: ShellCall) {
  const [first, second] = args;
  const isList = Array.isArray(first);
  const pipeline = docsArgument(isList ? first : args, call);
  return {
    kind: "aggregate" as const,
    pipeline,
    ...pick(isList ? second : undefined, call, ["allowDiskUse", "collation", "hint"]),
  };
}

function readUpdate(kind: "updateOne" | "updateMany", [filter, update, more]: unknown[], call: ShellCall) {
  return {
    kind,
    filter: docArgument(filter, call),
    update: Array.isArray(update) ? docsArgument(update, call) : docArgument(update, call),
    upsert: optionsOf(more, call).upsert ?? false,
  };
}

function optionsOf(value: unknown, call: ShellCall): z.infer<typeof options> {
  if (value === undefined || value === null) return {};
  const unknownName = isDoc(value) ? Object.keys(value).find((name) => !KNOWN_OPTIONS.has(name)) : undefined;
  if (unknownName !== undefined) {
    throw new ShellSyntaxError(`Option ${unknownName.slice(0, 60)} is not supported.`, call.offset);
  }
  const result = options.safeParse(value);
  if (!result.success) throw new ShellSyntaxError(`Invalid options for ${call.name}.`, call.offset);
  return result.data;
}

function pick<K extends keyof typeof options.shape>(value: unknown, call: ShellCall, names: readonly K[]) {
  const read = optionsOf(value, call);
  const kept = names.flatMap((name) => (read[name] === undefined ? [] : [[name, read[name]] as const]));
  return Object.fromEntries(kept) as Partial<Pick<z.infer<typeof options>, K>>;
}

function given(name: "projection", value: unknown, call: ShellCall): { projection?: Doc } {
  return value === undefined || value === null ? {} : { [name]: docArgument(value, call) };
}

function optionalDoc(value: unknown, call: ShellCall): Doc {
  return value === undefined || value === null ? {} : docArgument(value, call);
}

function docArgument(value: unknown, call: ShellCall): Doc {
  if (!isDoc(value)) throw new ShellSyntaxError(`${call.name} expects an object, as in {status: "paid"}.`, call.offset);
  return value;
}

function docsArgument(value: unknown, call: ShellCall): Doc[] {
  if (!Array.isArray(value)) throw new ShellSyntaxError(`${call.name} expects an array of objects.`, call.offset);
  return value.map((item) => docArgument(item, call));
}

function textArgument(value: unknown, call: ShellCall): string {
  if (typeof value !== "string" || value === "")
    throw new ShellSyntaxError(`${call.name} expects a field name.`, call.offset);
  return value;
}

function wholeArgument(value: unknown, call: ShellCall): number {
  const number = Number(String(value));
  if (!Number.isInteger(number)) throw new ShellSyntaxError(`${call.name} expects a whole number.`, call.offset);
  return number;
}

function isDoc(value: unknown): value is Doc {
  return (
    typeof value === "object" &&
    value !== null &&
    !Array.isArray(value) &&
    Object.getPrototypeOf(value) === Object.prototype
  );
}
