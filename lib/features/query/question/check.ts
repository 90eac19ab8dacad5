import { grainsOf, isTemporal, opsOf, type QuestionKind, valueCountOf } from "@/lib/base/questions/kinds";
import {
  type ColumnRef,
  isSummarized,
  joinName,
  QUESTION_LIMITS,
  type Question,
  type QuestionFilter,
  type QuestionGrain,
  type QuestionSummary,
} from "@/lib/base/questions/question";
import { columnFinder, type FoundColumn, type NamedTable, reachable } from "@/lib/base/questions/tables";
import { rescale, toNumberText, toScaled } from "@/lib/base/values/exact-number";
import { toBound } from "@/lib/base/values/period";
import { type AppError, invalidInput } from "@/lib/platform/http/errors";

export type Column = FoundColumn;
/**
 * A value as literals: a day of a time ends at `end`, excluded; null for a single value, and "never" for the last day,
 * after which databases have no time.
 */
export type Span = { start: string; end: string | typeof NEVER | null };
export const NEVER = Symbol("never");

/** Larger exponents stay: no decimal has as many digits. With one, many databases read a literal as a double. */
const PLAIN_EXPONENT_MAX = 80;
const DAY_MS = 86_400_000;

/** Finds the columns and tables of a question. */
export class Columns {
  private readonly find: (ref: ColumnRef) => Column | null;

  constructor(
    private readonly question: Question,
    private readonly tables: readonly NamedTable[],
    instants: RegExp | undefined,
  ) {
    this.find = columnFinder(question, tables, instants);
  }

  /** @throws AppError invalid_request */
  of(ref: ColumnRef, path: string): Column {
    const found = this.find(ref);
    if (found) return found;
    if (ref.table !== undefined) this.table(ref.table, path);
    throw invalidInput(path, `Unknown column “${ref.column}”${ref.table === undefined ? "" : ` in ${ref.table}`}.`);
  }

  /** @throws AppError invalid_request */
  table(name: string, path: string): NamedTable {
    const found = this.tables.find((each) => each.name === name);
    if (found) return found;
    throw invalidInput(path, `Unknown table “${name}”. Use one of ${this.tables.map((each) => each.name).join(", ")}.`);
  }

  /**
   * Returns the table whose rows a summary counts; null for one that repeated rows do not change.
   * @param keysRepeat whether several rows may have one primary key
   * @throws AppError invalid_request for a formula of tables whose rows repeat each other
   */
  homeOf({ function: name, column, table }: QuestionSummary, index: number, keysRepeat: boolean): NamedTable | null {
    const path = `summaries.${index}`;
    if (name === "count") return table === undefined ? null : this.table(table, `${path}.table`);
    if ((name !== "sum" && name !== "avg") || column === undefined) return null;
    const names = this.tablesOf(this.of(column, `${path}.column`));
    const homes = names.length === 0 ? [this.tables[0]?.name ?? ""] : names;
    const reaches = (each: string) => reachable(this.tables, each, keysRepeat);
    const home = homes.find((each) => homes.every((other) => reaches(each).has(other)));
    if (home !== undefined) return this.table(home, path);
    throw invalidInput(
      `${path}.column`,
      `Rows of ${homes.join(" and ")} can match several of each other. Summarize each column separately.`,
    );
  }

  /** Returns the tables that a column or a formula reads. */
  tablesOf({ table, name }: Column): string[] {
    if (table) return [table.name];
    const formula = this.question.formulas.find((each) => each.name === name);
    const refs = [formula?.left.column, formula?.right.column].filter((ref) => ref !== undefined);
    return [...new Set(refs.flatMap((ref) => this.tablesOf(this.of(ref, "formulas"))))];
  }
}

/** @throws AppError invalid_request with the place of the first fault */
export function checkQuestion(question: Question, tables: readonly NamedTable[], columns: Columns): void {
  checkNames(question, tables, columns);
  for (const [index, filter] of question.filters.entries()) checkFilter(filter, `filters.${index}`, columns);
  for (const [index, { column, grain, bin }] of question.groups.entries()) {
    const { kind, name } = columns.of(column, `groups.${index}.column`);
    if (grain !== undefined && !grainsOf(kind).includes(grain)) {
      const message = kind === "date" ? "A date has no hours and minutes." : `“${name}” is not a time. Omit the grain.`;
      throw invalidInput(`groups.${index}.grain`, message);
    }
    if (bin !== undefined && kind !== "number") {
      throw invalidInput(`groups.${index}.bin`, `“${name}” is not a number. Omit the range.`);
    }
  }
  for (const [index, { function: name, column, table }] of question.summaries.entries()) {
    const path = `summaries.${index}`;
    if (table !== undefined) columns.table(table, `${path}.table`);
    if (name === "count") {
      if (column !== undefined) throw invalidInput(`${path}.column`, "A count takes no column. Use distinct.");
      continue;
    }
    if (column === undefined) throw invalidInput(`${path}.column`, "Choose a column.");
    const found = columns.of(column, `${path}.column`);
    if ((name === "sum" || name === "avg") && found.kind !== "number" && found.kind !== "other") {
      throw invalidInput(`${path}.column`, `“${found.name}” is not a number.`);
    }
  }
  if (isSummarized(question) && question.columns.length > 0) {
    throw invalidInput("columns", "A question with summaries or groups has no other columns. Remove them.");
  }
  for (const [index, ref] of question.columns.entries()) columns.of(ref, `columns.${index}`);
}

function checkNames(question: Question, tables: readonly NamedTable[], columns: Columns): void {
  const names = new Set([question.table.name.toLowerCase()]);
  for (const [index, join] of question.joins.entries()) {
    const name = joinName(join);
    if (names.has(name.toLowerCase())) {
      throw invalidInput(`joins.${index}.as`, `Several tables are named “${name}”. Give each another name.`);
    }
    names.add(name.toLowerCase());
    const table = columns.table(name, `joins.${index}`);
    for (const [at, { from, column }] of join.on.entries()) {
      const path = `joins.${index}.on.${at}`;
      if (!table.entity.columns?.some((each) => each.name === column)) {
        throw invalidInput(`${path}.column`, `Unknown column “${column}” in ${name}.`);
      }
      const found = columns.of(from, `${path}.from`);
      if (!found.table || tables.indexOf(found.table) > index) {
        throw invalidInput(`${path}.from`, "Use a column of a table before this join.");
      }
    }
  }
  const formulas = new Map<string, number>();
  for (const [index, { name, left, right }] of question.formulas.entries()) {
    const path = `formulas.${index}`;
    let terms = 0;
    if (formulas.has(name) || tables[0]?.entity.columns?.some((each) => each.name === name)) {
      throw invalidInput(`${path}.name`, `“${name}” already exists. Choose another name.`);
    }
    for (const [side, part] of Object.entries({ left, right })) {
      const { column, number } = part;
      if ((column === undefined) === (number === undefined)) {
        throw invalidInput(`${path}.${side}`, "Use a column or a number.");
      }
      terms += (column?.table === undefined && formulas.get(column?.column ?? "")) || 1;
      if (column === undefined) continue;
      // A formula reads only those before it, so that none reads itself.
      const isLater =
        column.table === undefined && question.formulas.slice(index).some((each) => each.name === column.column);
      if (isLater) throw invalidInput(`${path}.${side}.column`, "Use a column, or a formula before this one.");
      if (columns.of(column, `${path}.${side}.column`).kind !== "number") {
        throw invalidInput(`${path}.${side}.column`, `“${column.column}” is not a number.`);
      }
    }
    if (terms > QUESTION_LIMITS.terms) {
      const message = `“${name}” has more than ${QUESTION_LIMITS.terms} terms with those of its formulas. Use a console.`;
      throw invalidInput(path, message);
    }
    formulas.set(name, terms);
  }
}

function checkFilter(filter: QuestionFilter, path: string, columns: Columns): void {
  const { op, values, count, unit } = filter;
  const { kind, name } = columns.of(filter.column, `${path}.column`);
  if (!opsOf(kind).includes(op)) throw invalidInput(`${path}.op`, `“${name}” can't be filtered by ${op}.`);
  const { min, max } = valueCountOf(op);
  if (values.length < min || values.length > max) {
    const wanted =
      max === 0 ? "no value" : min === max ? `${min} ${min === 1 ? "value" : "values"}` : "at least one value";
    throw invalidInput(`${path}.values`, `${op} takes ${wanted}.`);
  }
  const takesNull = op === "in" || op === "nin" || op === "eq" || op === "ne";
  if (!takesNull && values.includes(null)) throw invalidInput(`${path}.values`, `${op} takes no null.`);
  if (max > 0 || op === "isNull" || op === "notNull") return;
  if (count === undefined) throw invalidInput(`${path}.count`, "Enter a number of units.");
  if (unit === undefined || !grainsOf(kind).includes(unit)) {
    throw invalidInput(`${path}.unit`, unit === undefined ? "Choose a unit." : "A date has no hours and minutes.");
  }
}

/** Bounds of a relative date, in units from the start of the present one; `ahead` is excluded. */
export function spanOf(filter: QuestionFilter | undefined): {
  count: number;
  unit: QuestionGrain;
  back: number;
  ahead: number;
} {
  const { op, count = 1, unit = "day" } = filter ?? {};
  if (op === "next") return { count, unit, back: 0, ahead: count };
  return op === "previous" ? { count, unit, back: -count, ahead: 0 } : { count, unit, back: 1 - count, ahead: 1 };
}

const TIME = /^(?!0000)\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,6})?)?(?:Z|[+-]\d\d:\d\d)?)?$/;

/**
 * Reads a day, or a time with or without its zone, in ms since 1970. A day of a time ends at `end`, excluded. An
 * `instant` has its own zone.
 * @throws AppError invalid_request
 */
export function momentOf(
  text: string,
  kind: QuestionKind,
  zone: string,
  path: string,
): { start: number; end: number | null; instant?: number } {
  if (!TIME.test(text)) throw invalidInput(path, "Use 2026-05-31 or 2026-05-31T14:30:00.");
  const isDay = text.length === "2026-05-31".length;
  if (kind === "date" && !isDay) throw invalidInput(path, "Use a date such as 2026-05-31.");
  const { local, instant } = toBound(text.replace(" ", "T"), zone, false);
  if (Number.isNaN(instant)) throw invalidInput(path, "This date does not exist.");
  if (isDay) return { start: local, end: isTemporal(kind) && kind !== "date" ? local + DAY_MS : null };
  const isZoned = /(?:Z|[+-]\d\d:\d\d)$/.test(text);
  return { start: local, end: null, ...(isZoned && kind === "instant" && { instant }) };
}

/** Returns a number as a literal with all its digits. @throws AppError invalid_request */
export function toDecimal(value: string | number, path = ""): string {
  const text = String(value).trim();
  const [, digits, exponent = "0"] = /^(-?\d+(?:\.\d+)?)(?:e([+-]?\d{1,3}))?$/i.exec(text) ?? [];
  const scaled = digits === undefined ? null : toScaled(digits);
  if (scaled === null) throw invalidInput(path, "Use a number such as 12.5.");
  if (Math.abs(Number(exponent)) > PLAIN_EXPONENT_MAX) return text;
  const places = scaled.scale - Number(exponent);
  return toNumberText(rescale(scaled, scaled.scale + Math.max(0, -places)), Math.max(0, places));
}

/** A part that this type of connection lacks. */
export function unsupported(path: string, what: string): AppError {
  return invalidInput(path, `${what} are not supported on this type of connection. Use a console.`);
}
