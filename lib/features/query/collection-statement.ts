import type { Entity, Field, WireValue } from "@/lib/base/values/fields";
import { badValue } from "@/lib/features/connections/column-values";
import type { Driver, Statement } from "@/lib/features/connections/data-source";
import { AppError } from "@/lib/platform/http/errors";
import type { TableFilter, TableRowsBody } from "./schema";
import { type Cursor, readCursor, writeCount, writeCursor } from "./table-cursor";
import { checkNull, type TablePage } from "./table-statement";

/*
 * What is asked of a collection, as an operation for its database: values are values of an object there, never a part of
 * a text. A collection has no columns of its own: those that its first documents show say how a value is meant, and a
 * field that only later ones have is compared with all that the value can be.
 */

/** The columns of a page come from its documents, so many of which are looked at before the first row. */
export const COLLECTION_PAGE_MAX = 999;

type Values = Record<string, unknown>;

/** From the least to the greatest, as MongoDB orders values of different types. */
const ORDER = [
  ["minKey"],
  ["null"],
  ["int", "long", "double", "decimal"],
  ["string", "symbol"],
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
 * The operation of one page: one document more than the page has. Pages of the collection's own order follow its `_id`;
 * those of another order are counted.
 * @throws AppError `invalid_request` for a name that cannot be asked for, a value that its field is not compared with, or
 *   a page of another question
 */
export function toCollectionPage(_: Driver, entity: Entity, body: Omit<TableRowsBody, "table">): TablePage {
  const columns = entity.columns ?? [];
  // A view may leave the _id out, and a collection has it whether or not somebody has looked.
  const hasId = entity.kind === "collection" || columns.some(({ name }) => name === "_id");
  const first = body.sort[0];
  const isById = hasId && (first === undefined || first.column === "_id");
  const isDescending = isById && first?.descending === true;
  const after = body.after === undefined ? null : readCursor(body.after, (cursor) => fits(cursor, isById));
  const conditions = toConditions(entity, body.filters);
  if (after && "id" in after) conditions.push(toBehind(after.id, isDescending));
  const skipped = after && "skip" in after ? after.skip : 0;
  const before = after && "before" in after ? after.before : skipped;
  const sort = isById ? [] : body.sort.map(({ column, descending }) => [toField(column), descending ? -1 : 1]);
  const isIdAsked = sort.some(([name]) => name === "_id");
  const byId = hasId && !isIdAsked ? [["_id", isDescending ? -1 : 1]] : [];
  const order = Object.fromEntries([...sort, ...byId]);
  const query = {
    operation: "find",
    collection: entity.name,
    filter: toFilter(conditions),
    ...(Object.keys(order).length > 0 && { sort: order }),
    ...(skipped > 0 && { skip: skipped }),
    limit: body.limit + 1,
  };
  return {
    statement: { query },
    hidden: [],
    isStable: hasId,
    needsRow: false,
    toNext: (rows, fields) => {
      const rowCount = rows.length;
      const id = isById && skipped === 0 ? toId(rows.at(-1)?._id, fields) : null;
      // A page with ids of several types does not say which of them is the last one's: from there on rows are counted.
      return id === null ? writeCount(before + rowCount) : writeCursor({ id, before: before + rowCount });
    },
  };
}

/**
 * The operation that counts the documents which fit all filters.
 * @throws AppError as `toCollectionPage`
 */
export function toCollectionCount(_: Driver, entity: Entity, filters: TableRowsBody["filters"]): Statement {
  const filter = toFilter(toConditions(entity, filters));
  return { query: { operation: "countDocuments", collection: entity.name, filter } };
}

function fits(cursor: Cursor, isById: boolean): boolean {
  return "skip" in cursor || (isById && "id" in cursor);
}

function toFilter(conditions: Values[]): Values {
  if (conditions.length === 0) return {};
  return conditions.length === 1 ? (conditions[0] ?? {}) : { $and: conditions };
}

/** @throws AppError `invalid_request` for names that mean a path or an operator to MongoDB */
function toField(name: string): string {
  if (!name.includes(".") && !name.startsWith("$") && !name.includes("\0")) return name;
  throw new AppError("invalid_request", `Rows are not sorted or filtered by ${name} here. Write a query in a console.`);
}

function toConditions({ columns = [] }: Entity, filters: TableRowsBody["filters"]): Values[] {
  return filters.map((filter, i) => {
    checkNull(filter, i);
    const name = toField(filter.column);
    const type = columns.find((column) => column.name === name)?.type ?? "null";
    return toCondition(filter, name, type);
  });
}

function toCondition(filter: TableFilter, name: string, type: string): Values {
  const read = (value: string) => toValues(value, name, type);
  if (filter.op === "any") {
    // Null finds documents without the field, too.
    return { [name]: { $in: filter.values.flatMap((value) => (value === null ? [null] : read(value))) } };
  }
  const { op, value } = filter;
  if (value === null) return { [name]: op === "not" ? { $ne: null } : { $eq: null } };
  switch (op) {
    case "is":
      return { [name]: { $in: read(value) } };
    case "not":
      return { [name]: { $nin: read(value) } };
    case "holds":
      return toHolds(value, name, type);
    default: {
      const sign = { least: "$gte", most: "$lte", above: "$gt", below: "$lt" }[op];
      const each = read(value).map((known) => ({ [name]: { [sign]: known } }));
      return each.length === 1 ? (each[0] ?? {}) : { $or: each };
    }
  }
}

function toHolds(value: string, name: string, type: string): Values {
  const regex = value.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");
  if (type === "string") return { [name]: { $regex: regex, $options: "i" } };
  // What is no text is looked into as it is shown; lists and objects have no text.
  const input = { $convert: { input: `$${name}`, to: "string", onError: "", onNull: "" } };
  return { $expr: { $regexMatch: { input, regex, options: "i" } } };
}

/**
 * What a text can mean in a field, in MongoDB's Extended JSON.
 * @throws AppError `invalid_request` for nothing
 */
function toValues(text: string, name: string, type: string): unknown[] {
  const types = type === "null" ? ["int", "string", "bool", "date", "objectId", "uuid"] : type.split(" | ");
  const values = types.flatMap((each) => toValue(text, each) ?? []);
  if (values.length > 0) return values;
  throw badValue({ name, type }, "other values");
}

function toValue(text: string, type: string): unknown {
  switch (type) {
    case "int":
    case "long":
    case "double":
    case "decimal":
      return toNumber(text, type);
    case "bool":
      return /^(true|false)$/i.test(text) ? /^true$/i.test(text) : undefined;
    case "date":
      return toDate(text);
    case "objectId":
      return /^[\da-f]{24}$/i.test(text) ? { $oid: text.toLowerCase() } : undefined;
    case "uuid":
      return /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i.test(text) ? { $uuid: text.toLowerCase() } : undefined;
    case "string":
    case "symbol":
      return text;
    default:
      return undefined;
  }
}

/** Exact, where a float would not be; numbers of all types are compared with each other. */
function toNumber(text: string, type: string): unknown {
  const number = Number(text);
  if (text.trim() === "" || Number.isNaN(number)) return undefined;
  if (!Number.isFinite(number) || type === "double") return Number.isFinite(number) ? number : { $numberDouble: text };
  if (Number.isSafeInteger(number)) return number;
  // A decimal of any width is compared with a long digit by digit; the long itself would be read as a float.
  return { $numberDecimal: text };
}

/** A day, or a time of it with or without its zone: what has none is UTC, as it is shown. */
function toDate(text: string): unknown {
  if (!/^[+-]?\d{4,6}-\d\d-\d\d/.test(text)) return undefined;
  const written = text.replace(" ", "T");
  const hasZone = !written.includes("T") || /(?:Z|[+-]\d\d:?\d\d)$/.test(written);
  const date = new Date(hasZone ? written : `${written}Z`);
  return Number.isNaN(date.getTime()) ? undefined : { $date: date.toISOString() };
}

/** The last row's `_id` as what it is; null where it is not known, or nothing that rows follow by. */
function toId(value: WireValue | undefined, fields: readonly Field[]): Extract<Cursor, { id: unknown }>["id"] | null {
  const type = fields.find(({ name }) => name === "_id")?.dbType;
  if (value === null || value === undefined || typeof value === "object") return null;
  switch (type) {
    case "objectId":
      return { $oid: String(value) };
    case "uuid":
      return { $uuid: String(value) };
    case "date":
      return { $date: String(value) };
    case "long":
    case "decimal":
      return typeof value === "number" ? value : { $numberDecimal: String(value) };
    case "int":
    case "double":
      return typeof value === "number" ? value : null;
    case "string":
    case "bool":
      return value;
    default:
      return null;
  }
}

/** The documents behind one: of its own type, and of those types that stand behind it. */
function toBehind(id: Extract<Cursor, { id: unknown }>["id"], isDescending: boolean): Values {
  const at = ORDER.findIndex((types) => types.includes(typeOf(id)));
  const others = (isDescending ? ORDER.slice(0, at) : ORDER.slice(at + 1)).flat();
  return { $or: [{ _id: { [isDescending ? "$lt" : "$gt"]: id } }, { _id: { $type: others } }] };
}

function typeOf(id: Extract<Cursor, { id: unknown }>["id"]): string {
  if (typeof id === "object") {
    const names = { $oid: "objectId", $uuid: "binData", $date: "date", $numberDecimal: "decimal" };
    return names[Object.keys(id)[0] as keyof typeof names];
  }
  return typeof id === "string" ? "string" : typeof id === "boolean" ? "bool" : "double";
}
