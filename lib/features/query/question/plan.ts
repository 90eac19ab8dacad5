import { isTemporal } from "@/lib/base/questions/kinds";
import {
  isSummarized,
  QUESTION_LIMITS,
  type Question,
  type QuestionFormula,
  type QuestionSummary,
} from "@/lib/base/questions/question";
import {
  instantsOf,
  type NamedTable,
  type Output,
  outputsOf,
  primaryKeyOf,
  tablesOf,
  unrepeated,
} from "@/lib/base/questions/tables";
import { toSqlCondition, toSqlLike } from "@/lib/base/sql/conditions";
import { DIALECTS, type SqlDialect } from "@/lib/base/sql/dialects/registry";
import { toCombinedParts, toPartPrefix } from "@/lib/base/sql/grouped-parts";
import { toLocalSql } from "@/lib/base/sql/local-time";
import { toSqlName, toSqlTable, toSqlText } from "@/lib/base/sql/names";
import type { Entity } from "@/lib/base/values/fields";
import { toFreeName } from "@/lib/base/values/names";
import { ofLocal, toStamp } from "@/lib/base/values/period";
import { AppError, invalidInput } from "@/lib/platform/http/errors";
import {
  type Column,
  Columns,
  checkQuestion,
  momentOf,
  NEVER,
  type Span,
  spanOf,
  toDecimal,
  unsupported,
} from "./check";

/** The database that a question is asked. */
export type QuestionEngine = {
  dialect: SqlDialect;
  /** Suffix that puts rows without a value last; null where that needs an expression. */
  nullsLast: string | null;
  /** Whether several rows may have the same primary key. */
  keysRepeat: boolean;
  /** The present moment, in ms since 1970. Absent: that of the database, when the statement runs. */
  now?: number;
};

/** A statement, and the columns of its result. */
export type QuestionPlan = { sql: string; columns: Output[] };

/** A summary's SQL, and the column of the grouped part that it is in. */
type Part = { home: NamedTable | null; summaries: { name: string; summary: QuestionSummary; index: number }[] };

/** A column that numbers the rows of a table, which nothing else identifies. */
type Numbered = { table: NamedTable; column: string };

/** Days are the shortest span of a dialect without the SQL of metrics. */
const PLAIN_GRAINS = ["day", "week", "month", "quarter", "year"] as const;
/** A relative date's bounds are computed by the database later: offsets are written from here on. */
const DAY_MS = 86_400_000;
const UNIT_DAYS = { minute: 1, hour: 1, day: 1, week: 7, month: 31, quarter: 92, year: 366 } as const;
/** Times that all databases read. */
const TIMES = { first: Date.parse("0001-01-01T00:00:00Z"), last: Date.parse("9999-12-31T23:59:59.999Z") } as const;
const DAY_CHARS = "2026-05-31".length;
const MILLISECONDS = "2026-05-31 14:30:00.000";
const SIGNS = { lt: "<", lte: "<=", gt: ">", gte: ">=" } as const;

/**
 * Renders a question as one statement. A sum, an average or a count of a table that joins repeat is computed from its
 * rows by primary key, each once in every group.
 * @param entities the tables of the question, the first one first
 * @throws AppError invalid_request for unknown columns, values that do not fit, and summaries without a right answer
 */
export function planQuestion(question: Question, entities: readonly Entity[], engine: QuestionEngine): QuestionPlan {
  return new Planner(question, entities, engine).plan();
}

class Planner {
  private readonly tables: NamedTable[];
  private readonly columns: Columns;
  private readonly dialect: SqlDialect;
  private readonly formulas = new Map<string, string>();
  /** Columns in the statement, by table. */
  private readonly used = new Map<string, Set<string>>();

  constructor(
    private readonly question: Question,
    entities: readonly Entity[],
    private readonly engine: QuestionEngine,
  ) {
    this.dialect = engine.dialect;
    this.tables = tablesOf(question, entities);
    this.columns = new Columns(question, this.tables, instantsOf(this.dialect));
    checkQuestion(question, this.tables, this.columns);
  }

  private get sql() {
    return DIALECTS[this.dialect].metrics;
  }

  plan(): QuestionPlan {
    const { question } = this;
    const columns = outputsOf(question, this.tables);
    if (columns.length > QUESTION_LIMITS.outputs) {
      throw invalidInput("columns", `At most ${QUESTION_LIMITS.outputs} columns. Choose some of ${columns.length}.`);
    }
    if (!isSummarized(question)) {
      const values = columns.map(({ column, name, index }) =>
        this.value(this.columns.of(column ?? { column: name }, `columns.${index}.column`)),
      );
      return { sql: this.select(columns, values, `${this.joined()}`), columns };
    }
    const parts = this.parts();
    const [only] = parts;
    const groups = question.groups.map((_, index) => this.group(index));
    if (only && parts.length === 1 && only.home === null) {
      const values = [...groups, ...only.summaries.map(({ summary, index }) => this.plain(summary, index))];
      const from = `${this.joined()}${groupBy(groups.length)}`;
      return { sql: this.select(columns, values, from), columns };
    }
    const keys = groups.map((_, index) => `d${index + 1}`);
    const prefix = toPartPrefix(this.tables.map(({ entity }) => entity.name));
    const tables = parts.map((part, index) => `${prefix}${index + 1} as (\n${this.part(part, groups)}\n)`);
    if (parts.length > 1) {
      const grouped = parts.map((part) => ({
        columns: part.summaries.map(({ name, summary }) => ({ name, isCount: isCount(summary) })),
      }));
      tables.push(`${prefix} as (\n${toCombinedParts(grouped, keys, prefix)}\n)`);
    }
    const values = [...keys, ...question.summaries.map((_, index) => `a${index + 1}`)].map((key) => `m.${key}`);
    const from = parts.length > 1 ? `\nfrom ${prefix} as m` : `\nfrom ${prefix}1 as m`;
    return { sql: `with ${tables.join(",\n")}\n${this.select(columns, values, from)}`, columns };
  }

  /** @param values the SQL of each column */
  private select(columns: readonly Output[], values: readonly string[], from: string): string {
    const named = values.map((value, index) => `${value} as ${toSqlName(columns[index]?.name ?? "", this.dialect)}`);
    return `select\n  ${named.join(",\n  ")}${from}${this.order(columns, values)}${this.page()}`;
  }

  /** Divides the summaries by the table whose rows they count once; null for the rows after joining. */
  private parts(): Part[] {
    const whole = unrepeated(this.tables, this.engine.keysRepeat);
    const parts = new Map<string, Part>();
    const add = (home: NamedTable | null, summary: QuestionSummary, index: number) => {
      const part = parts.get(home?.name ?? "") ?? { home, summaries: [] };
      part.summaries.push({ name: `a${index + 1}`, summary, index });
      parts.set(home?.name ?? "", part);
    };
    for (const [index, summary] of this.question.summaries.entries()) {
      const home = this.columns.homeOf(summary, index, this.engine.keysRepeat);
      add(home && whole.has(home.name) ? null : home, summary, index);
    }
    // Without summaries, the groups are those of the joined rows.
    return parts.size > 0 ? [...parts.values()] : [{ home: null, summaries: [] }];
  }

  /** Returns the statement of one part, with the columns d1, d2 ... and those of its summaries. */
  private part({ home, summaries }: Part, groups: readonly string[]): string {
    const dims = groups.map((value, index) => `${value} as d${index + 1}`);
    if (home === null) {
      const values = summaries.map(({ name, summary, index }) => `${this.plain(summary, index)} as ${name}`);
      return `select ${[...dims, ...values].join(",\n  ")}${this.joined()}${groupBy(groups.length)}`;
    }
    const key = home.entity.columns?.filter(({ primaryKey }) => primaryKey) ?? [];
    // SQLite allows several rows whose key is null.
    const isKey = !this.engine.keysRepeat && key.every(({ nullable }) => !nullable);
    const keys = isKey ? key.map(({ name }) => name) : [];
    const rowNumber =
      keys.length === 0 ? toFreeName("row_number", home.entity.columns?.map(({ name }) => name) ?? []) : null;
    const ids = rowNumber === null ? keys : [rowNumber];
    const inner = [
      ...dims,
      ...summaries.map(({ summary, name, index }) =>
        summary.column
          ? `${this.summarized(summary.function, this.columns.of(summary.column, `summaries.${index}.column`))} as v${name}`
          : `1 as v${name}`,
      ),
      ...ids.map((id, index) => `${this.column(home, id)} as k${index + 1}`),
    ];
    const values = [
      ...groups.map((_, index) => `d${index + 1}`),
      ...summaries.map(({ name, summary }) => `${this.aggregate(summary, `v${name}`)} as ${name}`),
    ];
    const isFound = `${this.column(home, ids[0] ?? "")} is not null`;
    const numbered = rowNumber === null ? null : { table: home, column: rowNumber };
    const rows = `select distinct ${inner.join(",\n  ")}${this.joined([isFound], numbered)}`;
    return `select ${values.join(", ")}\nfrom (\n${rows}\n) as x${groupBy(groups.length)}`;
  }

  /** Returns a summary over the joined rows. */
  private plain(summary: QuestionSummary, index: number): string {
    const { function: name, column, table } = summary;
    if (column !== undefined) {
      const found = this.columns.of(column, `summaries.${index}.column`);
      const value = this.summarized(name, found);
      // Values such as JSON have no equality; their texts do.
      const isText = name === "distinct" && found.kind === "other";
      return this.aggregate(summary, isText ? `cast(${value} as ${DIALECTS[this.dialect].textType})` : value);
    }
    const home = table === undefined ? null : this.columns.table(table, `summaries.${index}.table`);
    if (name !== "count" || home?.join == null) return "count(*)";
    // A row that a left join did not find has neither.
    const key = primaryKeyOf(home.entity)[0] ?? home.join.on[0]?.column ?? "";
    return `count(${this.column(home, key)})`;
  }

  private summarized(name: QuestionSummary["function"], found: Column): string {
    const value = this.value(found);
    return (name === "avg" && DIALECTS[this.dialect].toNumeric?.(value, found.column?.type ?? "")) || value;
  }

  private aggregate({ function: name }: QuestionSummary, value: string): string {
    if (name === "count") return "count(*)";
    if (name === "distinct") return `count(distinct ${value})`;
    if (name === "avg") return this.sql?.aggregates.avg?.(value, "") ?? `avg(${value})`;
    return `${name}(${value})`;
  }

  /**
   * Returns the joined and filtered rows.
   * @param numbered column to add to a table, which numbers its rows
   */
  private joined(more: readonly string[] = [], numbered: Numbered | null = null): string {
    const [first, ...others] = this.tables;
    if (!first) throw new AppError("invalid_request", "Choose a table.");
    // The conditions come first: they use columns, too.
    const where = this.where(more);
    const on = others.map((table, index) => {
      const pairs = table.join?.on.map(({ from, column }, at) => {
        const other = this.value(this.columns.of(from, `joins.${index}.on.${at}.from`));
        return `${other} = ${this.column(table, column)}`;
      });
      return pairs?.join(" and ");
    });
    const joins = others.map((table, index) => {
      const join = table.join?.kind === "inner" ? "join" : "left join";
      return `\n${join} ${this.source(table, numbered)} on ${on[index]}`;
    });
    return `\nfrom ${this.source(first, numbered)}${joins.join("")}${where}`;
  }

  /** Returns a table under its name; as a query of its used columns where those of the table do not suffice. */
  private source({ name, entity, join }: NamedTable, numbered: Numbered | null): string {
    const table = toSqlTable(entity, this.dialect);
    const alias = toSqlName(name, this.dialect);
    const { toOptional } = DIALECTS[this.dialect];
    const optional = (join?.kind === "left" && toOptional) || ((value: string) => value);
    const number = numbered?.table.name === name ? numbered.column : null;
    if (number === null && (join?.kind !== "left" || !toOptional)) {
      return table === alias ? table : `${table} as ${alias}`;
    }
    const used = (entity.columns ?? []).filter((column) => this.used.get(name)?.has(column.name));
    const columns = used.map((column) => {
      const quoted = toSqlName(column.name, this.dialect);
      const value = optional(quoted, column.type);
      return value === quoted ? quoted : `${value} as ${quoted}`;
    });
    if (number !== null) columns.push(`${optional("row_number() over ()", "")} as ${toSqlName(number, this.dialect)}`);
    return `(select ${columns.join(", ")} from ${table}) as ${alias}`;
  }

  private where(more: readonly string[]): string {
    const all = [...this.question.filters.map((_, index) => this.condition(index)), ...more];
    return all.length === 0 ? "" : `\nwhere ${all.join("\n  and ")}`;
  }

  private order(columns: readonly Output[], values: readonly string[]): string {
    const groups = columns.filter(({ role }) => role === "group");
    const sorts =
      this.question.sorts.length > 0
        ? this.question.sorts
        : groups.map(({ name }) => ({ by: name, order: "asc" as const }));
    const terms = sorts.map(({ by, order }, index) => {
      const output = columns.find(({ name }) => name === by);
      if (!output) {
        throw invalidInput(
          `sorts.${index}.by`,
          `Unknown column “${by}”. Use one of ${columns.map(({ name }) => name).join(", ")}.`,
        );
      }
      const name = toSqlName(by, this.dialect);
      const direction = order === "desc" ? " desc" : "";
      if (!this.mayBeNull(output)) return `${name}${direction}`;
      const { nullsLast } = this.engine;
      // A name within an expression would be that of a table's column.
      const value = values[columns.indexOf(output)];
      return nullsLast === null ? `${value} is null, ${name}${direction}` : `${name}${direction}${nullsLast}`;
    });
    return terms.length === 0 ? "" : `\norder by ${terms.join(", ")}`;
  }

  private mayBeNull({ role, index, column }: Output): boolean {
    const summary = role === "summary" ? this.question.summaries[index] : undefined;
    if (summary) return !isCount(summary);
    const found = column && this.columns.of(column, "");
    return found?.column?.nullable !== false || found.table?.join?.kind === "left";
  }

  private page(): string {
    const { limit } = this.question;
    return limit === undefined ? "" : `\n${DIALECTS[this.dialect].toPage(limit, 0).trim()}`;
  }

  private column({ name }: NamedTable, column: string): string {
    this.used.set(name, (this.used.get(name) ?? new Set()).add(column));
    return `${toSqlName(name, this.dialect)}.${toSqlName(column, this.dialect)}`;
  }

  /** Returns a column, or the expression of a formula. */
  private value({ table, column, name }: Column): string {
    if (table && column) return this.column(table, column.name);
    const known = this.formulas.get(name);
    if (known !== undefined) return known;
    const index = this.question.formulas.findIndex((each) => each.name === name);
    const formula = this.question.formulas[index];
    if (!formula) throw invalidInput("formulas", `Unknown formula “${name}”.`);
    const { toConstant } = DIALECTS[this.dialect];
    const [left, right] = (["left", "right"] as const).map((side) => {
      const { column: ref, number } = formula[side];
      if (ref) return this.value(this.columns.of(ref, `formulas.${index}.${side}.column`));
      const digits = toDecimal(number ?? 0, `formulas.${index}.${side}.number`);
      return `(${toConstant ? toConstant(digits, this.typesIn(formula)) : digits})`;
    }) as [string, string];
    const sql =
      formula.sign === "/"
        ? (this.sql?.divide(left, right) ?? `(${left} * 1.0 / nullif(${right}, 0))`)
        : `(${left} ${formula.sign} ${right})`;
    this.formulas.set(name, sql);
    return sql;
  }

  /** Returns the database's types of a formula's columns; a quotient is a float. */
  private typesIn({ left, right, sign }: QuestionFormula): string[] {
    const types = [left, right].flatMap(({ column }): string[] => {
      if (!column) return [];
      const found = this.columns.of(column, "formulas");
      const inner = this.question.formulas.find(({ name }) => !found.table && name === found.name);
      return inner ? this.typesIn(inner) : [found.column?.type ?? ""];
    });
    return sign === "/" ? [...types, "Float64"] : types;
  }

  private group(index: number): string {
    const path = `groups.${index}`;
    const { column, grain, bin } = this.question.groups[index] ?? { column: { column: "" } };
    const found = this.columns.of(column, `${path}.column`);
    const value = this.value(found);
    if (bin !== undefined) {
      if (!this.sql) throw unsupported(path, "Ranges of numbers");
      return this.sql.bin(value, toDecimal(bin), found.column?.type ?? "");
    }
    if (grain === undefined) {
      return DIALECTS[this.dialect].toGroupable?.(value, found.column?.type ?? "") ?? value;
    }
    if (this.sql) return this.sql.truncate(this.local(found, null), grain);
    const plain = PLAIN_GRAINS.find((each) => each === grain);
    if (!plain || (found.kind === "instant" && this.question.timezone !== "UTC")) {
      throw unsupported(path, "Hours, minutes and time zones");
    }
    return DIALECTS[this.dialect].toGrain(value, plain);
  }

  /** Returns the local time of a column. @param from moment before all values of interest, in ms; null for none */
  private local(found: Column, from: number | null): string {
    return this.toLocal(this.value(found), found.kind, from);
  }

  private toLocal(value: string, kind: Column["kind"], from: number | null): string {
    if (kind !== "instant" || !this.sql) return value;
    const { timezone: zone } = this.question;
    // Databases that know no zones store instants in UTC.
    if (zone === "UTC" && !this.sql.toLocal) return value;
    return toLocalSql(value, { sql: this.sql, dialect: this.dialect, zone, period: { from, to: null } });
  }

  private condition(index: number): string {
    const path = `filters.${index}`;
    const filter = this.question.filters[index];
    if (!filter) return "1 = 1";
    const { op, values } = filter;
    const found = this.columns.of(filter.column, `${path}.column`);
    const { kind } = found;
    const column = this.value(found);
    if (op === "isNull" || op === "notNull") return `${column} is ${op === "isNull" ? "" : "not "}null`;
    if (op === "last" || op === "previous" || op === "next") return this.relative(index, found);
    if (op === "contains" || op === "notContains" || op === "startsWith" || op === "endsWith") {
      return this.like(op, String(values[0]), column, kind, path);
    }
    // A moment is compared with its milliseconds, whole days are not.
    const isFine = isTemporal(kind) && kind !== "date" && values.some((value) => String(value).length > DAY_CHARS);
    const sides = values.map((value, at) =>
      value === null ? null : this.side(value, found, { path: `${path}.values.${at}`, isFine }),
    );
    const compared = isTemporal(kind)
      ? (this.sql?.comparable?.(column, kind, isFine) ?? column)
      : this.finer(column, found, sides);
    const isIn = ({ start, end }: Span) => {
      if (end === null) return `${compared} = ${start}`;
      return end === NEVER ? `${compared} >= ${start}` : `(${compared} >= ${start} and ${compared} < ${end})`;
    };
    const [low, high] = sides;
    switch (op) {
      case "between":
        return low && high
          ? `${this.compare(compared, "gte", low)} and ${this.compare(compared, "lte", high)}`
          : "1 = 0";
      case "eq":
      case "ne":
      case "in":
      case "nin":
        return toMembershipCondition(sides, { column, compared, isIn, isNegative: op === "ne" || op === "nin" });
      default:
        return low ? this.compare(compared, op, low) : "1 = 0";
    }
  }

  /** Returns a column for a comparison with values that may have more decimal places than its type. */
  private finer(value: string, { column, kind }: Column, sides: readonly (Span | null)[]): string {
    const finer = this.sql?.finer;
    if (!finer || kind !== "number" || column === null) return value;
    const places = /int/i.test(column.type) ? 0 : Number(/,\s*(\d+)\)/.exec(column.type)?.[1] ?? 0);
    const isFiner = sides.some((side) => (side?.start.split(".")[1]?.length ?? 0) > places);
    return isFiner ? finer(value) : value;
  }

  /** A day as the bound of a time is the whole day. */
  private compare(compared: string, op: keyof typeof SIGNS, { start, end }: Span): string {
    if (end === null) return `${compared} ${SIGNS[op]} ${start}`;
    if (end === NEVER && op === "lte") return `${compared} is not null`;
    if (end === NEVER) return op === "gt" ? "1 = 0" : `${compared} ${SIGNS[op]} ${start}`;
    if (op === "lte") return `${compared} < ${end}`;
    return op === "gt" ? `${compared} >= ${end}` : `${compared} ${SIGNS[op]} ${start}`;
  }

  private like(
    op: "contains" | "notContains" | "startsWith" | "endsWith",
    value: string,
    column: string,
    kind: Column["kind"],
    path: string,
  ): string {
    const target = { column, kind: kind === "text" ? "text" : "other", dialect: this.dialect } as const;
    const write = (text: string) => toSqlText(text, this.dialect);
    // Enums are not comparable with a text.
    const text =
      kind === "text" ? { ...target, column: DIALECTS[this.dialect].toTextColumn?.(column) ?? column } : target;
    if (op === "contains") return toSqlCondition({ op: "holds", value }, text, write);
    if (op === "notContains") {
      return `(not ${toSqlCondition({ op: "holds", value }, text, write)} or ${column} is null)`;
    }
    if (DIALECTS[this.dialect].toContains) throw unsupported(path, "Starts with and ends with");
    const sides = op === "startsWith" ? ({ start: "", end: "%" } as const) : ({ start: "%", end: "" } as const);
    return toSqlLike({ ...sides, value }, text, write);
  }

  /** Returns the span that a value stands for, as literals. */
  private side(
    value: string | number | boolean,
    { kind, name, column }: Column,
    { path, isFine }: { path: string; isFine: boolean },
  ): Span {
    // Some databases store booleans as numbers.
    if (kind === "number" && typeof value === "boolean") return { start: String(Number(value)), end: null };
    if (kind === "boolean" || typeof value === "boolean") {
      const isTrue = value === true || /^true$/i.test(String(value));
      if (kind !== "boolean" || (!isTrue && value !== false && !/^false$/i.test(String(value)))) {
        throw invalidInput(path, `“${name}” takes ${kind === "boolean" ? "true or false" : "other values"}.`);
      }
      return { start: DIALECTS[this.dialect].booleanWords ? String(isTrue) : String(Number(isTrue)), end: null };
    }
    if (kind === "number") {
      const digits = toDecimal(value, path);
      const { toNumber } = DIALECTS[this.dialect];
      return { start: column && toNumber ? toNumber(digits, column.type) : digits, end: null };
    }
    if (!isTemporal(kind)) return { start: toSqlText(String(value), this.dialect), end: null };
    const moment = momentOf(String(value), kind, this.question.timezone, path);
    const literal = (ms: number, micros = "") => {
      const stamp = toStamp(Math.min(Math.max(ms, TIMES.first), TIMES.last), kind === "date");
      // A text of the database has as many digits as the compared form.
      const isPadded = micros !== "" || (isFine && this.sql?.comparable !== undefined);
      return this.literal(isPadded ? `${stamp.padEnd(MILLISECONDS.length, ".000")}${micros}` : stamp, kind);
    };
    // Moments have milliseconds.
    const micros = /\.\d{3}(\d+)/.exec(String(value))?.[1];
    if (moment.instant !== undefined) return { start: literal(moment.instant, micros), end: null };
    const zoned = (local: number) => (kind === "instant" ? ofLocal(local, this.question.timezone).instant : local);
    const end = moment.end === null ? null : zoned(moment.end);
    return {
      start: literal(zoned(moment.start), micros),
      end: end === null ? null : end > TIMES.last ? NEVER : literal(end),
    };
  }

  private literal(text: string, kind: "date" | "time" | "instant"): string {
    if (this.sql) return this.sql.literal(text, kind);
    const written = toSqlText(kind === "instant" ? `${text} UTC` : text, this.dialect);
    if (!DIALECTS[this.dialect].typedTimes) return toSqlText(text, this.dialect);
    return `${kind === "date" ? "date" : "timestamp"} ${written}`;
  }

  /** Returns the condition of a relative date, which the database computes when the statement runs. */
  private relative(index: number, found: Column): string {
    const path = `filters.${index}`;
    const { sql } = this;
    if (!sql) throw unsupported(path, "Relative dates");
    const filter = this.question.filters[index];
    const { count, unit, back, ahead } = spanOf(filter);
    const earliest = (this.engine.now ?? Date.now()) - (count + 2) * UNIT_DAYS[unit] * DAY_MS;
    const present = this.engine.now === undefined ? sql.now : sql.literal(toStamp(this.engine.now, false), "instant");
    const today = this.toLocal(present, "instant", earliest);
    const start = sql.truncate(today, unit);
    const isInstant = found.kind === "instant";
    const bound = (units: number) => {
      const moved = units === 0 ? start : sql.add(start, ...toAddable(units, unit));
      if (found.kind === "date") return sql.truncate(moved, "day");
      if (isInstant && sql.toInstant) return sql.toInstant(moved, toSqlText(this.question.timezone, this.dialect));
      return sql.comparable?.(moved, "time") ?? moved;
    };
    const own = isInstant && !sql.toInstant ? this.local(found, earliest) : this.value(found);
    const kind = found.kind === "date" ? "date" : "time";
    const compared = isInstant && sql.toInstant ? own : (sql.comparable?.(own, kind) ?? own);
    return `${compared} >= ${bound(back)} and ${compared} < ${bound(ahead)}`;
  }
}

function groupBy(count: number): string {
  return count === 0 ? "" : `\ngroup by ${Array.from({ length: count }, (_, index) => index + 1).join(", ")}`;
}

function isCount(summary: QuestionSummary): boolean {
  return summary.function === "count" || summary.function === "distinct";
}

/** Returns a condition that any of the values, or none of them, is equal. A negative one keeps rows without a value. */
function toMembershipCondition(
  sides: readonly (Span | null)[],
  {
    column,
    compared,
    isIn,
    isNegative,
  }: { column: string; compared: string; isIn: (span: Span) => string; isNegative: boolean },
): string {
  const spans = sides.filter((each) => each !== null);
  const hasNull = spans.length < sides.length;
  const isPlain = spans.every(({ end }) => end === null);
  const not = isNegative ? "not " : "";
  const found =
    spans.length === 0
      ? null
      : spans.length === 1 && isPlain
        ? `${compared} ${isNegative ? "<>" : "="} ${spans[0]?.start}`
        : isPlain
          ? `${compared} ${not}in (${spans.map(({ start }) => start).join(", ")})`
          : `${not}(${spans.map(isIn).join(" or ")})`;
  if (found === null) return `${column} is ${not}null`;
  if (isNegative) return hasNull ? `(${found} and ${column} is not null)` : `(${found} or ${column} is null)`;
  return hasNull ? `(${found} or ${column} is null)` : found;
}

/** Returns units of time as those that a dialect adds. */
function toAddable(count: number, unit: keyof typeof UNIT_DAYS): [number, "month" | "day" | "minute"] {
  const [times, as] = (
    {
      minute: [1, "minute"],
      hour: [60, "minute"],
      day: [1, "day"],
      week: [7, "day"],
      month: [1, "month"],
      quarter: [3, "month"],
      year: [12, "month"],
    } as const
  )[unit];
  return [count * times, as];
}
