import { collectionText, quotedPattern, ShellText, toShell } from "@/lib/base/mongo-shell/write";
import { isTemporal } from "@/lib/base/questions/kinds";
import {
  type ColumnRef,
  isSummarized,
  QUESTION_LIMITS,
  type Question,
  type QuestionFilter,
  type QuestionGroup,
  type QuestionSummary,
  type QuestionValue,
} from "@/lib/base/questions/question";
import { instantsOf, type NamedTable, type Output, outputsOf, tablesOf, unrepeated } from "@/lib/base/questions/tables";
import type { Entity } from "@/lib/base/values/fields";
import { ofLocal } from "@/lib/base/values/period";
import { invalidInput } from "@/lib/platform/http/errors";
import { type Column, Columns, checkQuestion, momentOf, spanOf, toDecimal, unsupported } from "./check";
import type { QuestionPlan } from "./plan";

type Stage = Record<string, unknown>;
type Value = QuestionValue | ShellText;
/** A value, or the span of times from `$gte` to `$lt`. */
type Bound = Value | { $gte: ShellText; $lt: ShellText };

const language = "mongodb";
const SIGNS = { lt: "$lt", lte: "$lte", gt: "$gt", gte: "$gte" } as const;
const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;
const ARITHMETIC = { "+": "$add", "-": "$subtract", "*": "$multiply" } as const;

/**
 * Renders a question about collections as one aggregation, in the shell's language. A field that a document lacks is
 * null. Documents of a joined collection are in a field of those of the first one.
 * @param now the present moment, in ms since 1970; absent: that of the server, when the aggregation runs
 * @throws AppError invalid_request as `planQuestion`, and for joins of fields
 *   that have no type in common
 */
export function planMongoQuestion(question: Question, entities: readonly Entity[], now?: number): QuestionPlan {
  return new MongoPlanner(question, entities, now).plan();
}

class MongoPlanner {
  private readonly columns: Columns;
  private readonly outputs: Output[];
  private readonly tables: NamedTable[];
  /** The field with the documents of a joined collection, by the name of the join. */
  private readonly joined = new Map<string, string>();

  constructor(
    private readonly question: Question,
    entities: readonly Entity[],
    private readonly now: number | undefined,
  ) {
    this.tables = tablesOf(question, entities);
    if (this.tables.length === 0) throw invalidInput("table", "Choose a table.");
    this.columns = new Columns(question, this.tables, instantsOf(language));
    checkQuestion(question, this.tables, this.columns);
    this.outputs = outputsOf(question, this.tables);
    const [first, ...others] = this.tables;
    const taken = new Set([...(first?.entity.columns ?? []), ...question.formulas].map(({ name }) => name));
    for (const [index, { name }] of others.entries()) {
      this.joined.set(name, /^[A-Za-z]\w*$/.test(name) && !taken.has(name) ? name : `__join${index}`);
    }
  }

  plan(): QuestionPlan {
    const { question, outputs } = this;
    if (outputs.length > QUESTION_LIMITS.outputs) {
      throw invalidInput("columns", `At most ${QUESTION_LIMITS.outputs} columns. Choose some of ${outputs.length}.`);
    }
    const stages = this.tables.flatMap((table, index) => this.join(table, index - 1));
    // Each stage may use the fields of the ones before it.
    for (const { name, left, sign, right } of question.formulas) {
      const sides = [left, right].map(({ column, number }, at) =>
        column ? `$${this.field(column, "formulas")}` : this.number(number ?? 0, `formulas.${at}`, ""),
      );
      const [, divisor] = sides;
      const value =
        sign === "/"
          ? { $cond: [{ $in: [{ $ifNull: [divisor, null] }, [null, 0]] }, null, { $divide: sides }] }
          : { [ARITHMETIC[sign]]: sides };
      stages.push({ $addFields: { [toField(name, "formulas")]: value } });
    }
    const conditions = question.filters.map((filter, index) => this.condition(filter, `filters.${index}`));
    if (conditions.length > 0) stages.push({ $match: conditions.length === 1 ? conditions[0] : { $and: conditions } });
    if (isSummarized(question)) stages.push(...this.grouped());
    else if (question.columns.length > 0 || question.joins.length > 0) {
      const shown = outputs.map(({ name, column }) => [
        toField(name, "columns"),
        { $ifNull: [`$${this.field(column ?? { column: name }, "columns")}`, null] },
      ]);
      const isIdShown = outputs.some(({ name }) => name === "_id");
      stages.push({ $project: { ...(!isIdShown && { _id: 0 }), ...Object.fromEntries(shown) } });
    }
    stages.push(...this.sorted());
    if (question.limit !== undefined) stages.push({ $limit: question.limit });
    const lines = stages.map((stage) => `\n  ${toShell(stage)}`).join(",");
    const from = collectionText({ name: this.tables[0]?.entity.name ?? "" });
    return { sql: `${from}.aggregate([${lines}\n])`, columns: outputs };
  }

  /** Returns the stages that join a collection: one document for each pair, as in SQL. */
  private join({ entity, name, join }: NamedTable, index: number): Stage[] {
    const as = this.joined.get(name);
    if (!join || as === undefined) return [];
    const pairs = join.on.map(({ from, column }, at) => {
      const path = `joins.${index}.on.${at}`;
      const found = this.columns.of(from, `${path}.from`);
      requireCommonType(found, entity, column, path);
      const joined = entity.columns?.find(({ name: each }) => each === column);
      const hasItems = [found.column, joined].some((each) => comparable(each?.type ?? "").has("array"));
      const foreign = toField(column, `${path}.column`);
      return { local: this.pathOf(found, `${path}.from`), foreign, variable: `on${at}`, hasItems };
    });
    const [first] = pairs;
    if (!first) throw invalidInput(`joins.${index}.on`, "Choose the columns to join by.");
    // A lookup finds null for null, also among items; a join does not.
    const conditions = pairs.flatMap(({ foreign, hasItems }) => (hasItems ? [] : [{ [foreign]: { $ne: null } }]));
    const compared = pairs.filter((pair) => pair.hasItems || pair !== first);
    const expressions = compared.map(({ foreign, variable, hasItems }) => {
      if (!hasItems) return { $eq: [`$${foreign}`, `$$${variable}`] };
      const items = { $setDifference: [toItems(`$${foreign}`), [null]] };
      return { $lt: [{ $size: { $setDifference: [items, toItems(`$$${variable}`)] } }, { $size: items }] };
    });
    const lookup = {
      ...{ from: entity.name, localField: first.local, foreignField: first.foreign },
      ...(compared.length > 0 && {
        let: Object.fromEntries(compared.map(({ local, variable }) => [variable, `$${local}`])),
      }),
      pipeline: [
        ...(conditions.length > 0 ? [{ $match: conditions.length === 1 ? conditions[0] : { $and: conditions } }] : []),
        ...(expressions.length > 0 ? [{ $match: { $expr: { $and: expressions } } }] : []),
      ],
      as,
    };
    return [{ $lookup: lookup }, { $unwind: { path: `$${as}`, preserveNullAndEmptyArrays: join.kind !== "inner" } }];
  }

  /**
   * Returns the table whose documents a summary uses once in a group although the joins repeat them; null for a summary
   * of the joined documents.
   */
  private homes(): (NamedTable | null)[] {
    const whole = unrepeated(this.tables, false);
    return this.question.summaries.map((summary, index) => {
      const home = this.columns.homeOf(summary, index, false);
      return home && whole.has(home.name) ? null : home;
    });
  }

  /** Returns the path of the `_id` of a table's documents, which a left join may not have found. */
  private idOf({ name }: NamedTable): string {
    const as = this.joined.get(name);
    return as === undefined ? "_id" : `${as}._id`;
  }

  /** Groups the joined documents. */
  private groupedTogether(): Stage {
    const { groups, summaries } = this.question;
    const keys = groups.map((group, index) => [`k${index}`, this.group(group, index)]);
    return {
      $group: {
        _id: keys.length === 0 ? null : Object.fromEntries(keys),
        ...Object.fromEntries(
          summaries.flatMap((summary, index) => accumulatorsOf(summary, index, this.valueOf(summary, index))),
        ),
      },
    };
  }

  /**
   * Groups the documents of each summary's table, each once for the values of the groups. Groups can be larger than the
   * memory of the server, which lists in them cannot.
   */
  private groupedOnce(homes: readonly (NamedTable | null)[]): Stage[] {
    const { groups, summaries } = this.question;
    const keys = groups.map((group, index) => [`k${index}`, this.group(group, index)]);
    const places = [...new Set(homes)];
    const parts = places.map((home, place) => {
      // The documents that are joined are known by all their ids.
      const ids = this.tables.map((table, index) => [`t${index}`, `$${this.idOf(table)}`]);
      const id = home ? `$${this.idOf(home)}` : Object.fromEntries(ids);
      const values = summaries.flatMap((summary, index) =>
        homes[index] === home ? [[`v${index}`, this.valueOf(summary, index) ?? true]] : [],
      );
      return { place, id, ...Object.fromEntries(values) };
    });
    return [
      { $project: { _id: 0, ...Object.fromEntries(keys), part: parts } },
      { $unwind: "$part" },
      { $match: { "part.id": { $ne: null } } },
      { $group: { _id: Object.fromEntries([...keys.map(([key]) => [key, `$${key}`]), ["part", "$part"]]) } },
      {
        $group: {
          _id: keys.length === 0 ? null : Object.fromEntries(keys.map(([key]) => [key, `$_id.${key}`])),
          ...Object.fromEntries(
            summaries.flatMap((summary, index) => accumulatorsOf(summary, index, `$_id.part.v${index}`)),
          ),
        },
      },
    ];
  }

  private grouped(): Stage[] {
    const { groups, summaries } = this.question;
    const homes = this.homes();
    const isOnce = homes.some((home) => home !== null);
    const names = this.outputs.map(({ name }) => toField(name, "summaries"));
    const shown = this.outputs.map(({ role, index }, at) => [
      names[at],
      role === "group" ? `$_id.k${index}` : this.result(summaries[index], index),
    ]);
    const isIdShown = names.includes("_id");
    const stages: Stage[] = [
      ...(isOnce ? this.groupedOnce(homes) : [this.groupedTogether()]),
      { $project: { ...(!isIdShown && { _id: 0 }), ...Object.fromEntries(shown) } },
    ];
    if (groups.length > 0) return stages;
    // Without rows there is no group, but one summary.
    const none = this.outputs.map(({ index }, at) => [names[at], isCount(summaries[index]) ? 0 : null]);
    const documents = [{ $documents: [Object.fromEntries(none)] }];
    return [...stages, { $unionWith: { pipeline: documents } }, { $limit: 1 }];
  }

  private group({ column, grain, bin }: QuestionGroup, index: number): unknown {
    const value = `$${this.field(column, `groups.${index}.column`)}`;
    if (grain !== undefined) {
      const { timezone } = this.question;
      const zone = timezone !== "UTC" && { timezone };
      return { $dateTrunc: { date: value, unit: grain, ...zone, ...(grain === "week" && { startOfWeek: "monday" }) } };
    }
    // A missing field and null are one group.
    if (bin === undefined) return { $ifNull: [value, null] };
    return toBin(value, toDecimal(bin));
  }

  /** Returns the value that a summary reads; null for a count of joined documents. */
  private valueOf({ column, table }: QuestionSummary, index: number): string | null {
    if (column) return `$${this.field(column, `summaries.${index}.column`)}`;
    const counted = table === undefined ? null : this.columns.table(table, `summaries.${index}.table`);
    return counted?.join ? `$${this.idOf(counted)}` : null;
  }

  private result(summary: QuestionSummary | undefined, index: number): unknown {
    if (summary?.function === "distinct") return { $size: { $setDifference: [`$a${index}`, [null]] } };
    // A sum of no values is null.
    return summary?.function === "sum" ? { $cond: [{ $eq: [`$n${index}`, 0] }, null, `$a${index}`] } : `$a${index}`;
  }

  /** Sorts rows without a value last. */
  private sorted(): Stage[] {
    const { sorts, summaries } = this.question;
    const groups = this.outputs.filter(({ role }) => role === "group");
    const asked = sorts.length > 0 ? sorts : groups.map(({ name }) => ({ by: name, order: "asc" as const }));
    if (asked.length === 0) return [];
    const added: Stage = {};
    const order: Record<string, 1 | -1> = {};
    for (const [index, { by, order: direction }] of asked.entries()) {
      const output = this.outputs.find(({ name }) => name === by);
      if (!output) throw unknownSort(by, index, this.outputs);
      const field = toField(by, `sorts.${index}.by`);
      if (output.role !== "summary" || !isCount(summaries[output.index])) {
        added[`__null${index}`] = { $eq: [{ $ifNull: [`$${field}`, null] }, null] };
        order[`__null${index}`] = 1;
      }
      // JavaScript puts names that are whole numbers before all others.
      const key = /^\d+$/.test(field) ? `__key${index}` : field;
      if (key !== field) added[key] = `$${field}`;
      order[key] = direction === "desc" ? -1 : 1;
    }
    const names = Object.keys(added);
    if (names.length === 0) return [{ $sort: order }];
    return [{ $addFields: added }, { $sort: order }, { $project: Object.fromEntries(names.map((name) => [name, 0])) }];
  }

  private field(ref: ColumnRef, path: string): string {
    return this.pathOf(this.columns.of(ref, path), path);
  }

  private pathOf({ table, name }: Column, path: string): string {
    const as = this.joined.get(table?.name ?? "");
    return `${as === undefined ? "" : `${as}.`}${toField(name, path)}`;
  }

  private condition(filter: QuestionFilter, path: string): Stage {
    const { op, values } = filter;
    const found = this.columns.of(filter.column, `${path}.column`);
    const field = this.pathOf(found, `${path}.column`);
    if (op === "isNull" || op === "notNull") return { [field]: op === "isNull" ? null : { $ne: null } };
    if (op === "last" || op === "previous" || op === "next") return this.relative(filter, field);
    if (op === "contains" || op === "notContains" || op === "startsWith" || op === "endsWith") {
      const pattern = quotedPattern(String(values[0]));
      const $regex = `${op === "startsWith" ? "^" : ""}${pattern}${op === "endsWith" ? "$" : ""}`;
      const match = { $regex, $options: "i" };
      return { [field]: op === "notContains" ? { $not: match } : match };
    }
    const sides = values.map((value, at) => this.bound(value, found, `${path}.values.${at}`));
    const [low = null, high = null] = sides;
    switch (op) {
      case "eq":
      case "in":
        return sides.length === 1 ? { [field]: low } : { $or: sides.map((side) => ({ [field]: side })) };
      case "ne":
      case "nin":
        return { $nor: sides.map((side) => ({ [field]: side })) };
      case "between":
        return { $and: [{ [field]: compare("gte", low) }, { [field]: compare("lte", high) }] };
      default:
        return { [field]: compare(op, low) };
    }
  }

  /** Returns the value or the times that a value of a filter stands for. */
  private bound(value: QuestionValue, { kind, name, column }: Column, path: string): Bound {
    const type = column?.type ?? "";
    if (value === null) return null;
    if (kind === "boolean" || typeof value === "boolean") {
      const isTrue = value === true || /^true$/i.test(String(value));
      if (kind === "boolean" && (isTrue || value === false || /^false$/i.test(String(value)))) return isTrue;
      throw invalidInput(path, `“${name}” takes ${kind === "boolean" ? "true or false" : "other values"}.`);
    }
    if (kind === "number") return this.number(value, path, type);
    if (!isTemporal(kind)) {
      const isId = type.includes("objectId") && /^[\da-f]{24}$/i.test(String(value));
      const isUuid = type === "uuid" && UUID.test(String(value));
      const wrapper = isId ? "ObjectId" : isUuid ? "UUID" : null;
      return wrapper === null ? String(value) : new ShellText(`${wrapper}(${JSON.stringify(value)})`);
    }
    const { timezone } = this.question;
    const moment = momentOf(String(value), kind, timezone, path);
    const start = toDate(moment.instant ?? ofLocal(moment.start, timezone).instant);
    return moment.end === null ? start : { $gte: start, $lt: toDate(ofLocal(moment.end, timezone).instant) };
  }

  /** Returns a number of the column's type: a decimal is not equal to the double of the same digits. */
  private number(value: string | number, path: string, type: string): Value {
    const digits = toDecimal(value, path);
    if (type === "decimal") return new ShellText(`NumberDecimal(${JSON.stringify(digits)})`);
    const double = Number(digits);
    if (Number.isFinite(double) && (type === "double" || toDecimal(double) === digits)) return double;
    const isWhole = /^-?\d{1,18}$/.test(digits);
    return new ShellText(
      isWhole ? `NumberLong(${JSON.stringify(digits)})` : `NumberDecimal(${JSON.stringify(digits)})`,
    );
  }

  /** Returns the condition of a relative date, which the server computes when the aggregation runs. */
  private relative(filter: QuestionFilter, field: string): Stage {
    const { unit, back, ahead } = spanOf(filter);
    const zone = { timezone: this.question.timezone };
    const date = this.now === undefined ? "$$NOW" : toDate(this.now);
    const start = { $dateTrunc: { date, unit, ...zone, ...(unit === "week" && { startOfWeek: "monday" }) } };
    const bound = (amount: number) =>
      amount === 0 ? start : { $dateAdd: { startDate: start, unit, amount, ...zone } };
    return { $expr: { $and: [{ $gte: [`$${field}`, bound(back)] }, { $lt: [`$${field}`, bound(ahead)] }] } };
  }
}

/**
 * Returns the lower bound of the range of numbers that a value is in: the double nearest to a multiple of the width, so
 * that comparisons with it find the same documents. Doubles beyond the exact whole numbers are single.
 * @param width a positive decimal
 */
function toBin(value: string, width: string): Stage {
  const places = width.split(".")[1]?.length ?? 0;
  const [step, scale] = [Number(width.replace(".", "")), 10 ** places];
  const bound = (moved: number) => ({
    $divide: [{ $multiply: [moved === 0 ? "$$count" : { $add: ["$$count", moved] }, step] }, scale],
  });
  const choose = (condition: Stage, value: unknown, otherwise: unknown) => ({ $cond: [condition, value, otherwise] });
  const below = choose({ $gt: [bound(0), value] }, bound(-1), bound(0));
  const near = choose({ $lte: [bound(1), value] }, bound(1), below);
  const count = { $floor: { $divide: [{ $multiply: [value, scale] }, step] } };
  const isFar = { $gt: [{ $max: [value, { $multiply: [value, -1] }] }, Number.MAX_SAFE_INTEGER / scale] };
  const found = choose(isFar, value, { $let: { vars: { count }, in: near } });
  return choose({ $eq: [{ $ifNull: [value, null] }, null] }, null, found);
}

/** Returns the accumulators of a summary. @param value what it reads; null to count each document */
function accumulatorsOf({ function: name }: QuestionSummary, index: number, value: string | null): [string, unknown][] {
  if (value === null) return [[`a${index}`, { $sum: 1 }]];
  // A left join may have found no document.
  const found = { $sum: { $cond: [isNull(value), 0, 1] } };
  if (name === "count") return [[`a${index}`, found]];
  if (name === "distinct") return [[`a${index}`, { $addToSet: value }]];
  if (name !== "sum") return [[`a${index}`, { [`$${name}`]: value }]];
  return [
    [`a${index}`, { $sum: value }],
    [`n${index}`, found],
  ];
}

function isNull(value: string): Stage {
  return { $eq: [{ $ifNull: [value, null] }, null] };
}

/** Types whose values can be equal. */
function comparable(type: string): Set<string> {
  const types = type.split(" | ").filter((each) => each !== "null" && each !== "");
  return new Set(types.map((each) => (/^(?:int|long|double|decimal)$/.test(each) ? "number" : each)));
}

/** Returns the values that a field joins by, as an expression: the items of a list, or its one value. */
function toItems(value: string): Stage {
  return { $cond: [{ $isArray: value }, value, [value]] };
}

/** @throws AppError invalid_request for fields without a type in common: no value of one equals one of the other */
function requireCommonType({ name, column: from }: Column, entity: Entity, column: string, path: string): void {
  const joined = entity.columns?.find((each) => each.name === column);
  const [own, other] = [comparable(from?.type ?? ""), comparable(joined?.type ?? "")];
  // The items of a list are joined.
  const isKnown = own.size > 0 && other.size > 0 && !own.has("array") && !other.has("array");
  if (!isKnown || [...own].some((type) => other.has(type))) return;
  throw invalidInput(
    `${path}.column`,
    `“${name}” is ${from?.type} and “${column}” is ${joined?.type}. MongoDB joins only values of one type. Choose other columns, or convert one in a console.`,
  );
}

/** Compares with a value; a day as the bound of a time is the whole day. */
function compare(op: keyof typeof SIGNS, bound: Bound): Stage {
  if (typeof bound !== "object" || bound === null || !("$gte" in bound)) return { [SIGNS[op]]: bound };
  if (op === "lte") return { $lt: bound.$lt };
  return op === "gt" ? { $gte: bound.$lt } : { [SIGNS[op]]: bound.$gte };
}

function toDate(ms: number): ShellText {
  return new ShellText(`ISODate(${JSON.stringify(new Date(ms).toISOString())})`);
}

/** @throws AppError invalid_request for a name that a path would read as another field */
function toField(name: string, path: string): string {
  if (!/^\$|\.|\0/.test(name)) return name;
  throw unsupported(path, "Names that start with $ or contain a dot");
}

function isCount(summary: QuestionSummary | undefined): boolean {
  return summary?.function === "count" || summary?.function === "distinct";
}

function unknownSort(by: string, index: number, outputs: readonly Output[]) {
  const known = outputs.map(({ name }) => name).join(", ");
  return invalidInput(`sorts.${index}.by`, `Unknown column “${by}”. Use one of ${known}.`);
}
