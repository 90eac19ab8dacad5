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
import { instantsOf, type Output, outputsOf, tablesOf } from "@/lib/base/questions/tables";
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
 * Renders a question about one collection as one aggregation, in the shell's language. A field that a document lacks is
 * null.
 * @param now the present moment, in ms since 1970; absent: that of the server, when the aggregation runs
 * @throws AppError invalid_request as `planQuestion`, and for joins
 */
export function planMongoQuestion(question: Question, [entity]: readonly Entity[], now?: number): QuestionPlan {
  if (!entity) throw invalidInput("table", "Choose a table.");
  if (question.joins.length > 0) throw unsupported("joins", "Joins");
  return new MongoPlanner(question, entity, now).plan();
}

class MongoPlanner {
  private readonly columns: Columns;
  private readonly outputs: Output[];

  constructor(
    private readonly question: Question,
    private readonly entity: Entity,
    private readonly now: number | undefined,
  ) {
    const tables = tablesOf(question, [entity]);
    this.columns = new Columns(question, tables, instantsOf(language));
    checkQuestion(question, tables, this.columns);
    this.outputs = outputsOf(question, tables);
  }

  plan(): QuestionPlan {
    const { question, outputs } = this;
    if (outputs.length > QUESTION_LIMITS.outputs) {
      throw invalidInput("columns", `At most ${QUESTION_LIMITS.outputs} columns. Choose some of ${outputs.length}.`);
    }
    const stages: Stage[] = [];
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
    else if (question.columns.length > 0) {
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
    return { sql: `${collectionText(this.entity)}.aggregate([${lines}\n])`, columns: outputs };
  }

  private grouped(): Stage[] {
    const { groups, summaries } = this.question;
    const keys = groups.map((group, index) => [`k${index}`, this.group(group, index)]);
    const parts = summaries.flatMap((summary, index) => this.accumulators(summary, index));
    const names = this.outputs.map(({ name }) => toField(name, "summaries"));
    const shown = this.outputs.map(({ role, index }, at) => [
      names[at],
      role === "group" ? `$_id.k${index}` : this.result(summaries[index], index),
    ]);
    const isIdShown = names.includes("_id");
    const stages: Stage[] = [
      { $group: { _id: keys.length === 0 ? null : Object.fromEntries(keys), ...Object.fromEntries(parts) } },
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

  private accumulators({ function: name, column }: QuestionSummary, index: number): [string, unknown][] {
    if (name === "count" || column === undefined) return [[`a${index}`, { $sum: 1 }]];
    const value = `$${this.field(column, `summaries.${index}.column`)}`;
    if (name === "distinct") return [[`a${index}`, { $addToSet: value }]];
    if (name !== "sum") return [[`a${index}`, { [`$${name}`]: value }]];
    const isNull = { $eq: [{ $ifNull: [value, null] }, null] };
    return [
      [`a${index}`, { $sum: value }],
      [`n${index}`, { $sum: { $cond: [isNull, 0, 1] } }],
    ];
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
    return toField(this.columns.of(ref, path).name, path);
  }

  private condition(filter: QuestionFilter, path: string): Stage {
    const { op, values } = filter;
    const found = this.columns.of(filter.column, `${path}.column`);
    const field = toField(found.name, `${path}.column`);
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
