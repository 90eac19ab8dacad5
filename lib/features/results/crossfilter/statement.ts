import type { Field, FieldType } from "@/lib/base/values/fields";
import { AppError } from "@/lib/platform/http/errors";
import type { Shift } from "./period";
import type { AggregateSpec, Condition, TimeUnit } from "./spec";

/*
 * Statements for tables that crossfilter has created from stored results. Columns are named by index (`c0`, `c1`), so
 * no user-supplied name is part of a statement; values are bound.
 */

/** Conversion of the statement's columns, beginning at `at`, to a value. */
export type Finish =
  | { kind: "as-is"; at: number }
  /** An integer received as text: a number while that is exact. */
  | { kind: "whole"; at: number }
  /** A sum of decimals divided by a count: done exactly, outside the database, which would divide in binary. */
  | { kind: "quotient"; sum: number; count: number; isDecimal: boolean };

/** A query of a table. */
export type Question = { sql: string; values: (string | number | boolean)[] };

export type Statement = Question & {
  fields: Field[];
  /** One for each field. */
  finish: Finish[];
  /** The statement selects one row more than this, to detect further rows. */
  limit: number;
};

/** A column of a table. */
export type TableField = Field & {
  /** Text with few distinct values: the table stores their numbers (`toWordStatements`). */
  isWord?: true;
  /** Times finer than a microsecond. */
  isNanos?: true;
  /**
   * Times stored as text, since no type of the engine holds all of them. A separate clock column has their local time,
   * null for no time.
   */
  isTimeText?: true;
  /** A value outside the column's declared type, for messages. */
  odd?: string;
};
type Column = { index: number; field: TableField; isWord: boolean };
export const TIMES: ReadonlySet<FieldType> = new Set(["date", "timestamp", "timestamptz"]);
export const WHOLE: ReadonlySet<FieldType> = new Set(["int32", "int64"]);
/**
 * Maximum number of distinct texts in a word column: their numbers take two bytes a row, and the list of them little.
 */
const WORDS_MAX = 50_000;
/** Maximum number of column names in an error message. */
const NAMES_SHOWN = 20;
/** Maximum characters of a value in an error message. */
const SHOWN_CHARS = 40;
const COUNTED: Field = { name: "count", type: "int64", dbType: "BIGINT" };

/**
 * Returns the statement that counts a file's rows, and the approximate number of distinct texts of each text column. A
 * column that contains U+0000 counts as 0: the engine's driver cuts words there.
 */
export function toCountStatement(table: string, file: string, fields: readonly Field[]) {
  const counts = textsOf(fields).map((index) => {
    const column = `#${index + 1}`;
    return `case when bool_or(contains(${column}, chr(0))) then 0 else approx_count_distinct(${column}) end`;
  });
  const columns = ["count(*)", ...counts].map((sql, index) => `${sql} as n${index}`);
  return {
    sql: `create or replace table ${table} as select ${columns.join(", ")} from read_parquet($1)`,
    values: [file],
  };
}

/** @param counts from `toCountStatement`. @returns the columns with few enough distinct texts to be stored as words */
export function wordsOf(fields: readonly Field[], [rows, ...texts]: readonly number[]): number[] {
  return textsOf(fields).filter((_, at) => {
    const count = texts[at] ?? 0;
    // A column with hardly any repeated text gains nothing.
    return count > 0 && count <= WORDS_MAX && count * 2 <= (rows ?? 0);
  });
}

/**
 * Returns the statements that create a table's word types, in alphabetical order, so that they sort as texts do.
 * @param file named by us: this statement takes no values
 */
export function toWordStatements(table: string, file: string, words: readonly number[]): string[] {
  return words.map(
    (index) =>
      `create type ${wordType(table, index)} as enum (select distinct #${index + 1} as word from read_parquet('${file}') where #${index + 1} is not null order by word)`,
  );
}

/** Returns the statements that drop a table and its word types. */
export function toDropStatements(table: string, fields: readonly TableField[]): string[] {
  const words = fields.flatMap(({ isWord }, index) => (isWord ? [index] : []));
  return [`drop table if exists ${table}`, ...words.map((index) => `drop type if exists ${wordType(table, index)}`)];
}

/**
 * Returns the columns of a table for `create table`: each by its index, and an instant also with its local time in the
 * page's zone.
 * @param casts types of columns that the file stores as text
 */
export function toLoadStatement(
  table: string,
  file: string,
  fields: readonly TableField[],
  zone: string,
  words: readonly number[] = [],
  casts: ReadonlyMap<number, string> = new Map(),
) {
  const values = [file];
  const columns = fields.map((_, index) => {
    const type = words.includes(index) ? wordType(table, index) : casts.get(index);
    return `#${index + 1}${type === undefined ? "" : `::${type}`} as c${index}`;
  });
  const clocks = fields.flatMap(({ type, isTimeText }, index) => {
    const column = `#${index + 1}`;
    if (type === "timestamptz") {
      values.push(zone);
      // An instant may be within the calendar in UTC but outside it in the zone.
      return [`try(timezone($${values.length}::varchar, try_cast(${column} as timestamptz))) as l${index}`];
    }
    return isTimeText ? [`try_cast(${column} as ${type}) as l${index}`] : [];
  });
  return {
    sql: `create or replace table ${table} as select ${[...columns, ...clocks].join(", ")} from read_parquet($1)`,
    values,
  };
}

function textsOf(fields: readonly Field[]): number[] {
  return fields.flatMap(({ type }, index) => (type === "string" ? [index] : []));
}

function wordType(table: string, index: number): string {
  return `${table}w${index}`;
}

/**
 * Returns the statement for groups, or for rows where the spec has neither dimensions nor measures.
 * @throws AppError `invalid_request` for an unknown column, or one of an unsuitable type
 * @param shift moves the clock of a column forward, so that a previous period matches the days of the current one
 */
export function toAggregateStatement(
  table: string,
  fields: readonly TableField[],
  spec: AggregateSpec,
  conditions: readonly Condition[],
  shift: Shift | null = null,
): Statement {
  const build = new Builder(table, fields, shift);
  const dimensions = spec.dimensions.map((each) => build.dimension(each, spec.timeUnit));
  const measures = spec.measures.map((each) => build.measure(each));
  const isGrouped = dimensions.length + measures.length > 0;
  if (!isGrouped) for (const { name } of fields) build.dimension({ field: name });
  const where = build.where(conditions);
  const group = isGrouped && dimensions.length > 0 ? ` group by ${dimensions.map(({ sql }) => sql).join(", ")}` : "";
  const order = build.order(spec.sort, isGrouped ? dimensions.map(({ name }) => name) : []);
  const { limit } = spec;
  return {
    sql: `select ${build.selected.join(", ")} from ${table}${where}${group}${order} limit ${limit + 1}`,
    values: build.values,
    fields: build.fields,
    finish: build.finish,
    limit,
  };
}

/**
 * Returns the statement for a filter's list: the values of a column with the number of rows of each, the most frequent
 * first.
 * @param search text that the values must contain, ignoring case; empty for all values
 */
export function toListStatement(
  table: string,
  fields: readonly TableField[],
  { field, search, limit }: { field: string; search: string; limit: number },
  conditions: readonly Condition[],
): Statement {
  const narrowed: Condition[] = search === "" ? [] : [{ field, kind: "contains", text: search }];
  return toAggregateStatement(
    table,
    fields,
    {
      dimensions: [{ field, as: "value" }],
      measures: [{ op: "count", as: "count" }],
      sort: [{ by: "count", order: "desc" }],
      limit,
    },
    [...conditions, ...narrowed],
  );
}

/** Builds one statement, part by part. */
export class Builder {
  readonly selected: string[] = [];
  readonly values: (string | number | boolean)[] = [];
  readonly fields: Field[] = [];
  readonly finish: Finish[] = [];
  readonly #table: string;
  readonly #columns: Map<string, Column>;
  /** Sort expressions of the statement, by column name. */
  readonly #sortable = new Map<string, string[]>();

  constructor(
    table: string,
    fields: readonly TableField[],
    private readonly shift: Shift | null,
  ) {
    this.#table = table;
    const columns = fields.map(
      ({ isWord = false, ...field }, index) => [field.name, { index, field, isWord }] as const,
    );
    // Of two columns with one name the first counts, as in a result's own lists.
    this.#columns = new Map(columns.toReversed());
  }

  dimension(
    { field: name, timeUnit, as }: { field: string; timeUnit?: TimeUnit | undefined; as?: string | undefined },
    usual?: TimeUnit,
  ): { name: string; sql: string } {
    const column = this.#column(name);
    const field = toField(column);
    const isTime = TIMES.has(field.type);
    if (timeUnit !== undefined && !isTime) throw unfit(field, `is not a date or time, so ${timeUnit} is not supported`);
    const unit = isTime ? (timeUnit ?? usual) : undefined;
    const sql = unit === undefined ? this.#raw(column) : this.#unit(column, unit);
    const type = unit === undefined ? field : toUnitField(field, unit);
    const called = this.#add({ ...type, name: as ?? name }, { kind: "as-is", at: this.selected.length }, sql);
    return { name: called, sql };
  }

  measure({ field: name, op, by, as }: AggregateSpec["measures"][number]): void {
    if (name === undefined) {
      this.#add({ ...COUNTED, name: as ?? "count" }, { kind: "as-is", at: this.selected.length }, "count(*)");
      return;
    }
    if (op === "ratio") {
      this.#ratio(name, by ?? name, as);
      return;
    }
    const { field: held, index } = this.#column(name);
    const field = toField({ field: held });
    const column = `c${index}`;
    const called = as ?? `${op}_${name}`;
    const at = this.selected.length;
    const add = (type: FieldType, finish: Finish, ...sql: [string, ...string[]]) =>
      this.#add({ name: called, type, dbType: field.dbType }, finish, ...sql);
    if (op === "count") this.#add({ ...COUNTED, name: called }, { kind: "as-is", at }, `count(${column})`);
    else if (op === "countDistinct")
      this.#add({ ...COUNTED, name: called }, { kind: "as-is", at }, `count(distinct ${column})`);
    else if (op === "min" || op === "max") {
      if (!isOrdered(field)) throw unfit(field, "has no sort order");
      if (held.isTimeText && held.odd !== undefined) throw unfit(held, `holds ${shown(held.odd)}, which is not a time`);
      // Texts with equal clocks differ in digits below a microsecond; without the zone designator the shorter one sorts
      // first.
      const sql = held.isTimeText
        ? `arg_${op}(${column}, {clock: l${index}, digits: rtrim(${column}, 'Z')})`
        : `${op}(${column})`;
      this.#add({ ...field, name: called }, { kind: "as-is", at }, sql);
    } else if (field.type === "float64") {
      // The last digits of a plain sum depend on the order in which threads add up.
      const quantile = (part: number) => `quantile_cont(${column}, ${part})`;
      const sql = {
        sum: `fsum(${column})`,
        avg: `favg(${column})`,
        median: quantile(0.5),
        q1: quantile(0.25),
        q3: quantile(0.75),
      }[op];
      add("float64", { kind: "as-is", at }, sql);
    } else if (WHOLE.has(field.type) || field.type === "decimal") {
      const isDecimal = field.type === "decimal";
      const exact = isDecimal ? column : `${column}::decimal(38, 0)`;
      if (op === "sum")
        add(isDecimal ? "decimal" : "int64", { kind: isDecimal ? "as-is" : "whole", at }, `sum(${exact})`);
      else if (op === "avg") {
        const finish: Finish = { kind: "quotient", sum: at, count: at + 1, isDecimal };
        add(isDecimal ? "decimal" : "float64", finish, `sum(${exact})`, `count(${column})`);
      } else if (op === "q1" || op === "q3") {
        // A value of the column: the engine would interpolate in binary.
        const sql = `quantile_disc(${exact}, ${op === "q1" ? 0.25 : 0.75})`;
        add(isDecimal ? "decimal" : "int64", { kind: isDecimal ? "as-is" : "whole", at }, sql);
      } else {
        // The lower and the upper of the two middle values, which coincide for an odd count.
        const middle = `quantile_disc(${exact}, 0.5) - quantile_disc(-${exact}, 0.5)`;
        const two = `case when count(${column}) = 0 then null else 2 end`;
        const finish: Finish = { kind: "quotient", sum: at, count: at + 1, isDecimal };
        add(isDecimal ? "decimal" : "float64", finish, middle, two);
      }
    } else {
      const lacking = `so ${op} is not supported`;
      if (held.odd === undefined) throw unfit(field, `is not a number, ${lacking}`);
      throw unfit(field, `holds ${shown(held.odd)}, which is not a number, ${lacking}. Cast or filter it in the query`);
    }
  }

  /** Divides two sums. A ratio of groups is that of their rows, never a mean of ratios. */
  #ratio(name: string, by: string, as: string | undefined): void {
    const [dividend = "", divisor = ""] = [name, by].map((each) => {
      const { field, index } = this.#column(each);
      if (field.type === "float64") return `fsum(c${index})`;
      if (!WHOLE.has(field.type) && field.type !== "decimal")
        throw unfit(field, "is not a number, so ratios are not supported");
      return `sum(c${index})::double`;
    });
    const field: Field = { name: as ?? `${name}_per_${by}`, type: "float64", dbType: "DOUBLE" };
    this.#add(field, { kind: "as-is", at: this.selected.length }, `${dividend} / nullif(${divisor}, 0)`);
  }

  where(conditions: readonly Condition[]): string {
    const parts = conditions.map((condition) => this.#judge(condition));
    return parts.length === 0 ? "" : ` where ${parts.join(" and ")}`;
  }

  /** Sorts nulls last in both directions. Ties are in the order of the dimensions, so that answers are stable. */
  order(sort: AggregateSpec["sort"], dimensions: string[]): string {
    const named = sort.flatMap(({ by, order }) => this.sortKeys(by).map((key) => `${key} ${order} nulls last`));
    const rest = dimensions.filter((name) => !sort.some(({ by }) => by === name));
    const all = [...named, ...rest.map((name) => `${this.#sortable.get(name)?.[0]} asc nulls last`)];
    return all.length === 0 ? "" : ` order by ${all.join(", ")}`;
  }

  /** Returns the sort expressions of a selected column. @throws AppError `invalid_request` for an unknown name */
  sortKeys(name: string): string[] {
    const keys = this.#sortable.get(name);
    if (keys !== undefined) return keys;
    const names = [...this.#sortable.keys()].join(", ");
    throw new AppError("invalid_request", `Unknown sort column ${name}. Columns: ${names}.`);
  }

  #add(field: Field, finish: Finish, ...sql: [string, ...string[]]): string {
    const { name } = field;
    if (this.#sortable.has(name)) {
      throw new AppError("invalid_request", `Duplicate column ${name}. Rename one with "as".`);
    }
    // An average is sorted by its value, not by its sum.
    this.#sortable.set(name, finish.kind === "quotient" ? quotientKeys(sql[0], sql[1] ?? "1") : [sql[0]]);
    this.selected.push(...sql);
    this.fields.push(field);
    this.finish.push(finish);
    return name;
  }

  /** Adds a part that no answer shows directly. @returns its index among the columns of the statement */
  part(sql: string): number {
    this.selected.push(sql);
    return this.selected.length - 1;
  }

  /** Returns the SQL expression of a column. @throws AppError `invalid_request` for an unknown name */
  column(name: string): { sql: string; field: TableField } {
    const { index, field } = this.#column(name);
    return { sql: `c${index}`, field };
  }

  #column(name: string): Column {
    const column = this.#columns.get(name);
    if (column) return column;
    const names = [...this.#columns.keys()].toReversed().slice(0, NAMES_SHOWN).join(", ");
    throw new AppError("invalid_request", `Unknown column ${name}. Columns: ${names}.`, {
      details: { column: name },
    });
  }

  #bind(value: string | number | boolean): string {
    this.values.push(value);
    return `$${this.values.length}`;
  }

  #judge(condition: Condition): string {
    const column = this.#column(condition.field);
    const { field, index } = column;
    if (condition.kind === "contains") {
      return `contains(lower(c${index}::varchar), lower(${this.#bind(condition.text)}::varchar))`;
    }
    if (condition.kind === "oneOf") return this.#oneOf(column, condition.values);
    if (condition.kind === "between") return this.#between(column, condition);
    if (!TIMES.has(field.type)) throw unfit(field, "is not a date or time, so date ranges are not supported");
    const clock = this.#clock(column);
    const { from, to } = condition;
    const ends = [
      from !== null && `${clock} >= ${this.#bind(from)}::varchar::date`,
      to !== null && `${clock} < ${this.#bind(to)}::varchar::date + 1`,
    ].filter((end) => end !== false);
    return ends.length === 0 ? "true" : ends.join(" and ");
  }

  #between({ field, index }: Column, { from, to }: { from: number | null; to: number | null }): string {
    if (!WHOLE.has(field.type) && field.type !== "decimal" && field.type !== "float64") {
      throw unfit(field, "is not a number, so number ranges are not supported");
    }
    const ends = [
      from !== null && `c${index} >= ${this.#bind(from)}::double`,
      to !== null && `c${index} <= ${this.#bind(to)}::double`,
    ].filter((end) => end !== false);
    return ends.length === 0 ? "true" : ends.join(" and ");
  }

  /** Returns a column's local time in the page's zone. */
  #clock(column: Column): string {
    const { field, index } = column;
    return this.#forward(column, field.type === "timestamptz" || field.isTimeText ? `l${index}` : `c${index}`);
  }

  #raw(column: Column): string {
    const { field, index } = column;
    if (field.isTimeText && this.shift?.field === field.name) return this.#clock(column);
    return TIMES.has(field.type) ? this.#forward(column, `c${index}`) : `c${index}`;
  }

  #forward({ field }: Column, sql: string): string {
    if (this.shift?.field !== field.name) return sql;
    const moved = `(${sql} + interval ${this.shift.count} ${this.shift.unit})`;
    return field.type === "date" ? `${moved}::date` : moved;
  }

  #unit(column: Column, unit: TimeUnit): string {
    if (unit === "hour") {
      if (column.field.type === "date") throw unfit(column.field, "is a date, so hour is not supported");
      return `date_trunc('hour', ${this.#clock(column)})`;
    }
    const clock = this.#clock(column);
    // The engine converts the month of infinity to a day in the year 5881580.
    return `case when isfinite(${clock}) then date_trunc('${unit}', ${clock})::date else ${clock}::date end`;
  }

  #oneOf({ index, field, isWord }: Column, values: (string | number | boolean | null)[]): string {
    const column = `c${index}`;
    const known = values.filter((value) => value !== null);
    const type = field.isTimeText ? "varchar" : (LITERALS[field.type] ?? "varchar");
    const bound = known.map((value) => {
      const text = `${this.#bind(toLiteral(value, field))}::varchar`;
      // The number of a word is looked up once; a text that is not a word of this column is null, which matches no row.
      if (isWord) return `try_cast(${text} as ${wordType(this.#table, index)})`;
      if (type === "blob") return `from_base64(${text})`;
      return `cast(${text} as ${field.isNanos ? "timestamp_ns" : type})`;
    });
    const compared = type === "varchar" && !isWord ? `${column}::varchar` : column;
    const parts = [
      bound.length > 0 && `${compared} in (${bound.join(", ")})`,
      known.length < values.length && `${column} is null`,
    ].filter((part) => part !== false);
    return parts.length === 0 ? "false" : `(${parts.join(" or ")})`;
  }
}

/** SQL types that texts of values are cast to, so that 1 and 1.00 are one value; the others are compared as text. */
const LITERALS: Partial<Record<FieldType, string>> = {
  int32: "decimal(38, 0)",
  int64: "decimal(38, 0)",
  float64: "double",
  boolean: "boolean",
  date: "date",
  timestamp: "timestamp",
  timestamptz: "timestamptz",
  binary: "blob",
};
const SHAPES: Partial<Record<FieldType, RegExp>> = {
  int32: /^-?\d{1,38}$/,
  int64: /^-?\d{1,38}$/,
  float64: /^(?:-?\d+(?:\.\d+)?(?:e[+-]?\d+)?|NaN|-?Infinity)$/i,
  boolean: /^(?:true|false)$/,
  date: /^(?:-?infinity|[+-]?\d{4,7}-\d{2}-\d{2})$/,
  timestamp: /^(?:-?infinity|[+-]?\d{4,6}-\d{2}-\d{2}[ T][\d:.]+)$/,
  timestamptz: /^(?:-?infinity|[+-]?\d{4,6}-\d{2}-\d{2}[ T][\d:.]+(?:Z|[+-]\d{2}:?\d{2})?)$/,
  binary: /^[A-Za-z0-9+/]*={0,2}$/,
};

/** @throws AppError `invalid_request` for a value that no row of this column can have */
function toLiteral(value: string | number | boolean, field: TableField): string {
  const text = String(value);
  const shape = SHAPES[field.type];
  // The engine reads years with more digits only without their plus sign.
  if (shape === undefined || shape.test(text)) return field.isTimeText ? text : text.replace(/^\+(?=\d+-)/, "");
  throw new AppError(
    "invalid_request",
    `${JSON.stringify(value)} is not a valid value for ${field.name} (${field.dbType}).`,
  );
}

/** An interval has no order: a month is 28 to 31 days. */
function isOrdered({ type }: Field): boolean {
  return type !== "json" && type !== "array" && type !== "binary" && type !== "interval";
}

/** Returns the field for an answer, without properties internal to the table. */
function toField({ field: { name, type, dbType } }: { field: TableField }): Field {
  return { name, type, dbType };
}

/**
 * Returns sort keys for exact averages: the integer quotient, then the remainder as a fraction, which a double
 * distinguishes for any count of rows. A double of the whole average would not.
 */
function quotientKeys(sum: string, count: string): [string, string] {
  const whole = `replace((${sum})::varchar, '.', '')::hugeint`;
  return [`${whole} // (${count})`, `(${whole} % (${count}))::double / (${count})`];
}

/** Shortens a value for a message. */
function shown(value: string): string {
  return `“${value.length > SHOWN_CHARS ? `${value.slice(0, SHOWN_CHARS)}…` : value}”`;
}

function toUnitField(field: Field, unit: TimeUnit): Field {
  return unit === "hour"
    ? { ...field, type: "timestamp", dbType: "TIMESTAMP" }
    : { ...field, type: "date", dbType: "DATE" };
}

function unfit({ name, dbType }: Field, why: string): AppError {
  return new AppError("invalid_request", `The column ${name} (${dbType}) ${why}.`, { details: { column: name } });
}
