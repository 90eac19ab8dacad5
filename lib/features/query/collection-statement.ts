import type { Entity, WireValue } from "@/lib/base/values/fields";
import { badValue } from "@/lib/features/connections/column-values";
import type { Driver, Statement } from "@/lib/features/connections/data-source";
import { AppError } from "@/lib/platform/http/errors";
import {
  shownListOrObject,
  toBinaries,
  toDate,
  toKey,
  toNumber,
  toObjectId,
  toRegex,
  toTimestamp,
  toUuid,
} from "./collection-values";
import { CHANGED_VALUE_CHARS_MAX, CURSOR_CHARS_MAX, CURSOR_VALUE_CHARS_MAX } from "./limits";
import type { TableFilter, TableRowsBody } from "./schema";
import { badCursor, type Cursor, type OrderCursor, readCursor, writeCount, writeCursor } from "./table-cursor";
import { checkNull, type TablePage } from "./table-statement";

/*
 * Builds the requests for a collection as operations of its database: values are values of an object, never part of a
 * text. A collection has no declared columns: those of its first documents determine the type of a value. A field that
 * only later documents have is compared with every type that the value can have.
 */

/** Maximum number of rows of a page. Its columns come from its documents, which are examined before the first row. */
export const COLLECTION_PAGE_MAX = 999;

type Values = Record<string, unknown>;

/** Types from the least to the greatest, in MongoDB's order of values of different types. */
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
/** Types of the forms of Extended JSON. */
const FORM_TYPES: Readonly<Record<string, string>> = {
  $minKey: "minKey",
  $maxKey: "maxKey",
  $numberInt: "int",
  $numberLong: "long",
  $numberDouble: "double",
  $numberDecimal: "decimal",
  $symbol: "symbol",
  $binary: "binData",
  $oid: "objectId",
  $date: "date",
  $timestamp: "timestamp",
  $regularExpression: "regex",
};

/** Fields that a page adds to its documents: the sort values, and those of the row before the page. */
const ORDER_FIELD = "_millrace_order";
const BEFORE_FIELD = "_millrace_before";

type OrderItem = { name: string; descending: boolean; alias: string };

/**
 * Returns the operation of one page: one document more than the page has. A page starts after a document that is
 * identified by its sort values, the last of which is its `_id`. Pages of documents without an `_id` are counted.
 * @throws AppError `invalid_request` for a name that cannot be queried, a value that cannot be compared with its field,
 *   or a cursor of another request
 */
export function toCollectionPage(_: Driver, entity: Entity, body: Omit<TableRowsBody, "table">): TablePage {
  const columns = entity.columns ?? [];
  // A view may omit the _id. A collection has it, even if its schema was not read.
  const isUnique = entity.kind === "collection";
  const hasId = isUnique || columns.some(({ name }) => name === "_id");
  const asked = body.sort.map(({ column, descending }) => [toField(column), descending ? -1 : 1] as const);
  const isIdAsked = asked.some(([name]) => name === "_id");
  // JavaScript puts the integer keys of an object first, and the driver sorts in that order.
  const sort = Object.fromEntries([...asked, ...(hasId && !isIdAsked ? [["_id", 1] as const] : [])]);
  const entries = Object.entries(sort);
  // The _id is unique in a collection, so fields after it do not matter. Documents of a view may share one, after $unwind
  // for example: the cursor counts those that came before.
  const items = entries
    .slice(0, entries.findIndex(([name]) => name === "_id") + 1)
    .map(([name, direction], index): OrderItem => {
      return { name, descending: direction < 0, alias: `${ORDER_FIELD}_${index + 1}` };
    });
  const after = body.after === undefined ? null : readCursor(body.after, (cursor) => fits(cursor, items));
  const behind = after && "order" in after ? after : null;
  const skipped = after && "skip" in after ? after.skip : (behind?.equal ?? 0);
  const before = behind?.before ?? skipped;
  const conditions = toConditions(entity, body.filters);
  const filter = toFilter(behind && items.length === 1 ? [...conditions, toBehindId(items, behind)] : conditions);
  // Fields as texts to edit: the page has no place for sort values then, and is counted.
  const { exact } = body;
  const isExact = exact !== undefined;
  const needsRow = behind !== null && items.length > 1 && behind.order.includes(true);
  const query = hasId
    ? {
        operation: "aggregate",
        collection: entity.name,
        pipeline: [
          { $match: filter },
          ...(behind && items.length > 1 ? toBehind(entity.name, items, behind) : []),
          { $sort: sort },
          ...(skipped > 0 ? [{ $skip: skipped }] : []),
          { $limit: body.limit + 1 },
          ...(needsRow ? [{ $project: { [BEFORE_FIELD]: 0 } }] : []),
          ...(isExact
            ? []
            : [{ $addFields: Object.fromEntries(items.map((item) => [item.alias, toOrderValue(item)])) }]),
        ],
        allowDiskUse: true,
      }
    : {
        operation: "find",
        collection: entity.name,
        filter,
        ...(entries.length > 0 && { sort }),
        ...(skipped > 0 && { skip: skipped }),
        limit: body.limit + 1,
      };
  const aliases = isExact ? [] : items.map(({ alias }) => alias);
  return {
    statement: {
      query,
      ...(isExact && { exactFields: { names: exact, charsMax: CHANGED_VALUE_CHARS_MAX, isEdited: true as const } }),
      ...(aliases.length > 0 && { exactFields: { names: aliases, charsMax: CURSOR_VALUE_CHARS_MAX } }),
    },
    hidden: aliases,
    isStable: isUnique,
    needsRow,
    toNext: (rows) => {
      const count = before + rows.length;
      const equal = isUnique || aliases.length === 0 ? undefined : countEqual(rows, aliases, behind);
      const isNamed = rows.length > 0 && aliases.length > 0 && equal !== null;
      return (isNamed ? toNextCursor(rows.at(-1) ?? {}, aliases, { count, equal }) : null) ?? writeCount(count);
    },
  };
}

/**
 * Counts the rows at the end, and those before the page, whose sort values equal those of the last row.
 * @returns null if a sort value is too long for a cursor: then pages are counted
 */
function countEqual(
  rows: readonly Record<string, WireValue>[],
  aliases: readonly string[],
  behind: OrderCursor | null,
): number | null {
  const last = rows.at(-1);
  if (!last || aliases.some((alias) => last[alias] === "")) return null;
  const keyOf = (texts: readonly unknown[]) => JSON.stringify(texts.map(toEqualityKey));
  const key = keyOf(aliases.map((alias) => last[alias] ?? null));
  const isOther = (row: Record<string, WireValue>) => keyOf(aliases.map((alias) => row[alias] ?? null)) !== key;
  const count = rows.length - 1 - rows.findLastIndex(isOther);
  const isContinued = count === rows.length && behind !== null && keyOf(behind.order) === key;
  return count + (isContinued ? (behind.equal ?? 0) : 0);
}

/** Digits that write out every double in full. */
const DOUBLE_DIGITS = 100;

/** Returns a value in Extended JSON with one form for all numbers that MongoDB treats as equal. */
function toEqualityKey(text: unknown): unknown {
  if (typeof text !== "string") return text;
  return JSON.parse(text, (_, value: unknown) => {
    if (typeof value !== "object" || value === null) return value;
    const { $numberInt, $numberLong, $numberDouble, $numberDecimal } = value as Record<string, unknown>;
    const double = Number($numberDouble);
    const exact = Number.isFinite(double) ? double.toPrecision(DOUBLE_DIGITS) : $numberDouble;
    const number = $numberInt ?? $numberLong ?? $numberDecimal ?? exact;
    return typeof number === "string" ? { number: canonicalNumber(number) } : value;
  });
}

function canonicalNumber(text: string): string {
  const [, sign = "", whole = "", fraction = "", exponent = "0"] =
    /^([+-]?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text) ?? [];
  if (whole === "") return text;
  const digits = `${whole}${fraction}`.replace(/^0+/, "");
  const significant = digits.replace(/0+$/, "");
  if (significant === "") return "0";
  const power = Number(exponent) - fraction.length + digits.length - significant.length;
  return `${sign === "-" ? "-" : ""}${significant}e${power}`;
}

/** Returns null if the `_id` is too long for a cursor: then pages are counted. */
function toNextCursor(
  last: Record<string, WireValue>,
  aliases: readonly string[],
  { count, equal }: { count: number; equal: number | undefined },
): string | null {
  const order = aliases.map((alias) => {
    const text = last[alias] ?? null;
    if (text === null) return null;
    const isNamed = typeof text === "string" && text !== "" && text.length <= CURSOR_VALUE_CHARS_MAX;
    return isNamed ? text : (true as const);
  });
  if (typeof order.at(-1) !== "string") return null;
  const cursor = writeCursor({ order, ...(equal !== undefined && { equal }), before: count });
  return cursor.length <= CURSOR_CHARS_MAX ? cursor : null;
}

/**
 * Returns the sort value of a document. For a list it is the smallest item, or the largest in descending order. An
 * empty list has no value and sorts before null; a missing field is null.
 */
function toOrderValue({ name, descending }: OrderItem): unknown {
  const value = `$${name}`;
  if (name === "_id") return value;
  const sign = descending ? "$gt" : "$lt";
  const first = {
    $reduce: {
      input: value,
      initialValue: { $arrayElemAt: [value, 0] },
      in: { $cond: [{ [sign]: ["$$this", "$$value"] }, "$$this", "$$value"] },
    },
  };
  const ofList = { $cond: [{ $eq: [value, []] }, "$$REMOVE", first] };
  return { $cond: [{ $isArray: [value] }, ofList, { $ifNull: [value, null] }] };
}

/** Returns the stages that match the documents after the cursor. */
function toBehind(collection: string, items: readonly OrderItem[], { order, equal }: OrderCursor): Values[] {
  const known = order.map((place, index) => {
    if (place === null) return "$$REMOVE";
    if (place !== true) return { $literal: parsed(place) };
    return { $arrayElemAt: [`$${BEFORE_FIELD}.${items[index]?.alias}`, 0] };
  });
  const values = items.map(toOrderValue);
  const steps = items.map(({ descending }, index) => ({
    $and: [
      ...values.slice(0, index).map((value, at) => ({ $eq: [value, known[at]] })),
      { [descending ? "$lt" : "$gt"]: [values[index], known[index]] },
    ],
  }));
  if (equal !== undefined) steps.push({ $and: values.map((value, at) => ({ $eq: [value, known[at]] })) });
  if (!order.includes(true)) return [{ $match: { $expr: { $or: steps } } }];
  // Values too long for a cursor are read from their document, which may have been deleted.
  const long = items.filter((_, index) => order[index] === true);
  const pipeline = [
    { $match: { _id: { $eq: parsed(order.at(-1)) } } },
    { $limit: 1 },
    { $project: { _id: 0, ...Object.fromEntries(long.map((item) => [item.alias, toOrderValue(item)])) } },
  ];
  return [
    { $lookup: { from: collection, pipeline, as: BEFORE_FIELD } },
    { $match: { $expr: { $and: [{ $eq: [{ $size: `$${BEFORE_FIELD}` }, 1] }, { $or: steps }] } } },
  ];
}

/**
 * Matches the documents after one in the order of their `_id`: those of the same type, and of the types that sort after
 * it.
 */
function toBehindId([item]: readonly OrderItem[], { order, equal }: OrderCursor): Values {
  const isDescending = item?.descending === true;
  const id = parsed(order[0]);
  const at = ORDER.findIndex((types) => types.includes(typeOf(id)));
  const others = (isDescending ? ORDER.slice(0, at) : ORDER.slice(at + 1)).flat();
  const further = [
    ...toFurtherIds(id, isDescending).map((condition) => ({ _id: condition })),
    ...(others.length > 0 ? [{ _id: { $type: others } }] : []),
    ...(equal === undefined ? [] : [{ _id: { $eq: id } }]),
  ];
  // An empty list matches nothing.
  return further.length > 0 ? { $or: further } : { _id: { $in: [] } };
}

/** Returns the conditions for the ids after one. NaN is the smallest number, and no comparison matches it. */
function toFurtherIds(id: unknown, isDescending: boolean): unknown[] {
  const number =
    typeof id === "object" && id !== null ? ((id as Values).$numberDouble ?? (id as Values).$numberDecimal) : null;
  if (number === "NaN") return isDescending ? [] : [{ $gte: { $numberDouble: "-Infinity" } }];
  const further = { [isDescending ? "$lt" : "$gt"]: id };
  return isDescending && ORDER[2]?.includes(typeOf(id)) ? [further, { $eq: { $numberDouble: "NaN" } }] : [further];
}

/** @throws AppError `invalid_request` */
function parsed(place: OrderCursor["order"][number] | undefined): unknown {
  try {
    return JSON.parse(String(place));
  } catch {
    throw badCursor();
  }
}

function typeOf(value: unknown): string {
  if (value === null) return "null";
  if (typeof value === "string") return "string";
  if (typeof value === "boolean") return "bool";
  return FORM_TYPES[Object.keys(value as object)[0] ?? ""] ?? "object";
}

/**
 * Returns the operation that counts the documents matching all filters.
 * @throws AppError as `toCollectionPage`
 */
export function toCollectionCount(_: Driver, entity: Entity, filters: TableRowsBody["filters"]): Statement {
  const filter = toFilter(toConditions(entity, filters));
  return { query: { operation: "countDocuments", collection: entity.name, filter } };
}

function fits(cursor: Cursor, items: readonly OrderItem[]): boolean {
  if ("skip" in cursor) return true;
  return cursor.order.length === items.length && typeof cursor.order.at(-1) === "string";
}

function toFilter(conditions: Values[]): Values {
  if (conditions.length === 0) return {};
  return conditions.length === 1 ? (conditions[0] ?? {}) : { $and: conditions };
}

/** @throws AppError `invalid_request` for names that are a path or an operator in MongoDB */
function toField(name: string): string {
  if (!name.includes(".") && !name.startsWith("$") && !name.includes("\0")) return name;
  throw new AppError("invalid_request", `Sorting and filtering by ${name} is not supported. Use a console.`);
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
  if (filter.op === "any") return toEqual(filter.values, name, type);
  const { op, value } = filter;
  if (op === "is") return toEqual([value], name, type);
  if (op === "not") return { $nor: [toEqual([value], name, type)] };
  if (value === null) return toEqual([null], name, type);
  if (op === "holds") return toHolds(value, name, type);
  const sign = { least: "$gte", most: "$lte", above: "$gt", below: "$lt" }[op];
  const each = toValues(value, name, type).map((known) => ({ [name]: { [sign]: known } }));
  return each.length === 1 ? (each[0] ?? {}) : { $or: each };
}

/**
 * Matches the documents that show one of the texts; a missing field is shown as null, too.
 * @throws AppError `invalid_request` for a text that no value of the field is shown as
 */
function toEqual(texts: readonly (string | null)[], name: string, type: string): Values {
  const types = typesOf(type);
  const mayNest = types.some((each) => each === "array" || each === "object");
  const field = `$${name}`;
  const values: unknown[] = [];
  const expressions: unknown[] = [];
  for (const text of texts) {
    if (text === null) {
      values.push(null);
      continue;
    }
    const nested = mayNest ? shownListOrObject(text, field) : null;
    // A regular expression among the values would match texts.
    const regex = types.includes("regex") ? toRegex(text) : undefined;
    const known = valuesOf(text, types);
    if (nested !== null) expressions.push(nested);
    if (regex !== undefined) expressions.push({ $eq: [field, { $literal: regex }] });
    if (nested === null && regex === undefined && known.length === 0)
      throw badValue({ name, type }, "displayed values");
    values.push(...known);
  }
  const conditions = expressions.map((expression): Values => ({ $expr: expression }));
  if (values.length > 0 || conditions.length === 0) {
    // A comparison also examines the items of a list, which itself equals none of them.
    conditions.push({ [name]: { $in: values, $not: { $type: "array" } } });
  }
  return conditions.length === 1 ? (conditions[0] ?? {}) : { $or: conditions };
}

function toHolds(value: string, name: string, type: string): Values {
  const regex = value.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");
  if (type === "string") return { [name]: { $regex: regex, $options: "i" } };
  // Other types are searched in their displayed form; of lists and objects, each item and each name.
  const field = `$${name}`;
  const texts = (list: unknown, text: unknown) => ({
    $reduce: { input: list, initialValue: "", in: { $concat: ["$$value", "\n", text] } },
  });
  const isObject = { $eq: [{ $type: field }, "object"] };
  const ofObject = texts({ $objectToArray: field }, { $concat: ["$$this.k", "\n", toText("$$this.v")] });
  const ofList = texts(field, toText("$$this"));
  const input = { $cond: [{ $isArray: [field] }, ofList, { $cond: [isObject, ofObject, toText(field)] }] };
  return { $expr: { $regexMatch: { input, regex, options: "i" } } };
}

/**
 * Converts a value to its displayed text; an empty one for values without it. A server before MongoDB 8.0 refuses to
 * convert bytes: that fails, instead of finding nothing.
 */
function toText(input: string): unknown {
  const text = { $convert: { input, to: "string", onError: "", onNull: "" } };
  return { $cond: [{ $eq: [{ $type: input }, "binData"] }, { $toString: input }, text] };
}

/** Possible types of an unknown field. */
const ANY_TYPES = ["int", "string", "bool", "date", "objectId", "uuid", "binData", "array", "object"];

function typesOf(type: string): string[] {
  return type === "null" ? ANY_TYPES : type.split(" | ");
}

/**
 * Returns the values that a text can mean in a field, in MongoDB's Extended JSON.
 * @throws AppError `invalid_request` if there is none
 */
function toValues(text: string, name: string, type: string): unknown[] {
  const values = valuesOf(text, typesOf(type));
  if (values.length > 0) return values;
  throw badValue({ name, type }, "other values");
}

function valuesOf(text: string, types: readonly string[]): unknown[] {
  return types.flatMap((each) => toValue(text, each) ?? []);
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
      return toObjectId(text);
    case "uuid":
      return toUuid(text);
    case "binData":
      return toBinaries(text);
    case "timestamp":
      return toTimestamp(text);
    case "minKey":
    case "maxKey":
      return toKey(text);
    case "string":
    case "symbol":
      return text;
    default:
      return undefined;
  }
}
