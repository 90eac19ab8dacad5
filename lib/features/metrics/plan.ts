import { toSqlCondition } from "@/lib/base/sql/conditions";
import type { MetricGrain, MetricSql } from "@/lib/base/sql/dialects/metric-sql";
import { DIALECTS, type SqlDialect } from "@/lib/base/sql/dialects/registry";
import { toCombinedParts, toPartPrefix } from "@/lib/base/sql/grouped-parts";
import { toLocalSql } from "@/lib/base/sql/local-time";
import { quoteSqlName, toSqlPath, toSqlText } from "@/lib/base/sql/names";
import { before, type Period, type Shift, toBound, toStamp } from "@/lib/base/values/period";
import { AppError, invalidInput } from "@/lib/platform/http/errors";
import { type Aggregate, type Expression, walk } from "./expression";
import { columnOf, type Dataset, type Field, type Metric, type Model, targetOf } from "./file";
import type { FilterOp } from "./filter-ops";
import { type Joins, joinsOf } from "./join-paths";
import { toSql, toSqlAggregate } from "./print";

/** The dimension that stands for each metric's own time field. */
const TIME = "time";
/** Parts of the metrics that a metric is built from; each reference repeats those of its target. */
const REFERENCES_MAX = 1_000;

export type FilterValue = string | number | boolean | null;
export type Filter = { field: string; op: FilterOp; value?: FilterValue | FilterValue[] | undefined };
/** Returns the name of the column with the metric's value in the compared period. */
export const toPreviousName = (name: string) => `${name}_previous`;

export type Question = {
  /** `name` is the name of its column in the result. */
  metrics: readonly { name: string; model: Model; metric: Metric }[];
  dimensions: readonly { name: string; grain?: MetricGrain | undefined }[];
  filters: readonly Filter[];
  period: { from: Period["from"] | null; to: Period["to"] | null };
  zone: string;
  /** The period is complete if there is one. */
  shift: Shift | null;
  orderBy: readonly { by: string; order: "asc" | "desc" }[];
  limit: number | null;
};

type FieldOf = { dataset: Dataset; field: Field };
type Group = {
  model: Model;
  home: Dataset;
  metric: Metric;
  isBefore: boolean;
  parts: { column: string; aggregate: Aggregate }[];
};
type Reference = Extract<Expression, { kind: "reference" }>;
type TimeType = "date" | "time" | "instant";

/** The statement of a question, and the datasets that it reads. */
export type Plan = { sql: string; datasets: ReadonlySet<Dataset> };

/**
 * Plans a question as one statement. Each aggregate is computed from its own dataset, grouped by the dimensions; the
 * groups are put together by their dimensions. So a join never counts a row twice.
 * @throws AppError invalid_request for names that do not exist or are ambiguous, and for joins that would count twice
 */
export function planQuestion(question: Question, dialect: SqlDialect): Plan {
  const { metrics } = DIALECTS[dialect];
  if (!metrics) throw new AppError("invalid_request", "Metrics can't be queried on this type of connection.");
  return new Planner(question, dialect, metrics).plan();
}

class Planner {
  private readonly groups = new Map<string, Group>();
  private readonly used = new Set<Dataset>();
  private columns = 0;
  private references = 0;
  constructor(
    private readonly question: Question,
    private readonly dialect: SqlDialect,
    private readonly sql: MetricSql,
  ) {}

  plan(): Plan {
    const { metrics, dimensions, shift, limit } = this.question;
    const results: { name: string; sql: string }[] = [];
    for (const { name, model, metric } of metrics) {
      results.push({ name, sql: this.metric(model, metric, false) });
      if (shift) results.push({ name: toPreviousName(name), sql: this.metric(model, metric, true) });
    }
    const groups = [...this.groups.values()];
    const parts = groups.flatMap((group) => group.parts);
    const keys = dimensions.map((_, index) => `d${index + 1}`);
    const statements = groups.map((group) => this.group(group));
    const prefix = toPartPrefix([...this.used].map(({ source }) => source.table));
    const tables = statements.map((statement, index) => `${prefix}${index + 1} as (\n${statement}\n)`);
    if (groups.length > 1) {
      const grouped = groups.map((group) => ({
        columns: group.parts.map(({ column, aggregate }) => ({ name: column, isCount: aggregate.name === "count" })),
      }));
      tables.push(`${prefix} as (\n${toCombinedParts(grouped, keys, prefix)}\n)`);
    }
    const names = [...dimensions.map(({ name }) => name), ...results.map(({ name }) => name)];
    const columns = [...keys.map((key) => `m.${key}`), ...results.map(({ sql }) => sql)].map(
      (sql, index) => `${sql} as ${this.name(names[index] ?? "")}`,
    );
    const from = groups.length > 1 ? `${prefix} as m` : `${prefix}1 as m`;
    tables.push(`result as (\nselect ${columns.join(",\n  ")}\nfrom ${from}\n)`);
    if (parts.length === 0) throw new AppError("invalid_request", "Query at least one metric with an aggregate.");
    const page = limit === null ? "" : `\n${DIALECTS[this.dialect].toPage(limit, 0).trim()}`;
    const sql = `with ${tables.join(",\n")}\nselect *\nfrom result${this.order(names)}${page}`;
    return { sql, datasets: this.used };
  }

  private name(name: string): string {
    return quoteSqlName(name, this.dialect);
  }

  private order(names: readonly string[]): string {
    const { orderBy, dimensions } = this.question;
    for (const [index, { by }] of orderBy.entries()) {
      if (!names.includes(by)) {
        throw invalidInput(`orderBy.${index}.by`, `Unknown column “${by}”. Use one of ${names.join(", ")}.`);
      }
    }
    const given = orderBy.length > 0 ? orderBy : dimensions.map(({ name }) => ({ by: name, order: "asc" as const }));
    if (given.length === 0) return "";
    const terms = given.map(({ by, order }) => {
      const column = this.name(by);
      return `case when ${column} is null then 1 else 0 end, ${column}${order === "desc" ? " desc" : ""}`;
    });
    return `\norder by ${terms.join(", ")}`;
  }

  /** Returns a metric's expression over the columns of its aggregates. */
  private metric(model: Model, metric: Metric, isBefore: boolean): string {
    this.references += 1;
    if (this.references > REFERENCES_MAX) {
      throw new AppError("invalid_request", "The metrics refer to too many others. Query fewer at once.");
    }
    if (!metric.expression) throw new AppError("invalid_request", `${metric.name} has no expression in ANSI_SQL.`);
    return `(${toSql(metric.expression, {
      dialect: this.dialect,
      sql: this.sql,
      reference: (reference) => {
        const target = targetOf(model, reference, false);
        if (typeof target === "string" || !("metric" in target)) throw new AppError("invalid_request", String(target));
        return this.metric(model, target.metric, isBefore);
      },
      aggregate: (aggregate) => this.part(model, metric, aggregate, isBefore),
    })})`;
  }

  /** Registers an aggregate, and returns its column. */
  private part(model: Model, metric: Metric, aggregate: Aggregate, isBefore: boolean): string {
    const home = homeOf(model, metric, aggregate);
    const semi = metric.semiAdditive;
    const own = metric.time || semi ? metric.name : "";
    const key = JSON.stringify([
      this.question.metrics.findIndex((each) => each.model === model),
      home.name,
      own,
      isBefore,
    ]);
    const group = this.groups.get(key) ?? { model, home, metric, isBefore, parts: [] };
    this.groups.set(key, group);
    const column = `a${++this.columns}`;
    group.parts.push({ column, aggregate });
    return `m.${column}`;
  }

  /** Returns the statement of a group: its dimensions and aggregates. */
  private group(group: Group): string {
    const { model, home, metric, isBefore, parts } = group;
    const { dimensions, filters, period, shift, zone } = this.question;
    const semi = metric.semiAdditive;
    const isBounded = period.from !== null || period.to !== null;
    const time = isBounded || dimensions.some(({ name }) => name === TIME) ? this.timeOf(group) : null;
    const bounds =
      isBefore && shift && period.from && period.to
        ? before({ from: period.from, to: period.to }, shift, zone)
        : period;
    const keys = dimensions.map(({ name, grain }, index) => ({
      ...(name === TIME && time ? time : this.find(model, name, `dimensions.${index}.name`)),
      grain,
      path: `dimensions.${index}`,
    }));
    const conditions = filters.map((filter, index) => ({
      filter,
      ...(filter.field === TIME && time ? time : this.find(model, filter.field, `filters.${index}.field`)),
      path: `filters.${index}.value`,
    }));
    const needed = [
      ...[...keys, ...conditions, ...(time ? [time] : []), ...(semi ? [semi] : [])].map(({ dataset }) => dataset),
      ...parts.flatMap(({ aggregate }) => datasetsOf(model, aggregate)),
    ];
    const joins = joinsOf(model, home, needed);
    if (semi && joins.repeats) {
      throw new AppError("invalid_request", `${metric.name} can't be grouped or filtered by ${joins.root.name}.`);
    }
    const where = conditions.map((each) => this.condition(each));
    if (time && isBounded) where.push(...this.bounds(time, bounds));
    const columns = keys.map((key, index) => {
      const isShifted = isBefore && time?.field === key.field;
      return `${this.dimension(key, time?.field === key.field ? bounds : null, isShifted ? shift : null)} as d${index + 1}`;
    });
    const values = parts.map(({ aggregate }) => (aggregate.value ? this.row(model, aggregate.value) : null));
    const grouped = keys.length === 0 ? "" : `\ngroup by ${keys.map((_, index) => index + 1).join(", ")}`;
    if (!joins.repeats && !semi) {
      const aggregates = parts.map(({ column, aggregate }, index) => {
        return `${toSqlAggregate(aggregate, values[index] ?? "*", this.sql)} as ${column}`;
      });
      return `select ${[...columns, ...aggregates].join(",\n  ")}${this.from(joins)}${whereOf(where)}${grouped}`;
    }
    const inner = [...columns, ...values.map((value, index) => `${value ?? "1"} as v${index + 1}`)];
    if (joins.repeats) {
      const key = (home.keys[0] ?? []).map((column) => this.column(home, column));
      inner.push(...key.map((column, index) => `${column} as k${index + 1}`));
      where.push(`${key[0]} is not null`);
    }
    if (semi) {
      const over = this.field(semi);
      where.push(`${over} is not null`);
      const dims = columns.map((column) => column.replace(/ as d\d+$/, ""));
      const partition = dims.length === 0 ? "" : `partition by ${dims.join(", ")} `;
      inner.push(`dense_rank() over (${partition}order by ${over}${semi.take === "last" ? " desc" : ""}) as r`);
    }
    const aggregates = parts.map(
      ({ column, aggregate }, index) => `${toSqlAggregate(aggregate, `v${index + 1}`, this.sql)} as ${column}`,
    );
    const outer = [...keys.map((_, index) => `d${index + 1}`), ...aggregates].join(", ");
    const rows = `select ${joins.repeats ? "distinct " : ""}${inner.join(",\n  ")}${this.from(joins)}${whereOf(where)}`;
    return `select ${outer}\nfrom (\n${rows}\n) as x${semi ? "\nwhere r = 1" : ""}${grouped}`;
  }

  /** Returns the time field of a group: the one grouped by, the metric's own, or the only one of its dataset. */
  private timeOf({ model, home, metric }: Group): FieldOf {
    const grouped = this.question.dimensions.filter(({ name, grain }) => grain && name !== TIME);
    if (grouped.length === 1) return this.find(model, grouped[0]?.name ?? "", "dimensions");
    if (metric.time) return metric.time;
    const own = home.fields.filter(isTemporal).map((field) => ({ dataset: home, field }));
    const [only, another] = own;
    if (only && !another) return only;
    const choices = (own.length > 0 ? own : model.datasets.flatMap(timesOf)).map(nameOf);
    throw ambiguous("dimensions", `Choose the time of ${metric.name}: group by it, or set it in the file.`, choices);
  }

  /** Returns a field by its name. @throws AppError invalid_request with the choices if several datasets have it */
  private find(model: Model, name: string, path: string): FieldOf {
    const all = model.datasets.flatMap((dataset) => dataset.fields.map((field) => ({ dataset, field })));
    const exact = all.find((each) => nameOf(each) === name);
    if (exact) return exact;
    const found = all.filter(({ field }) => field.name === name);
    const [only, another] = found;
    if (!only) throw invalidInput(path, `Unknown field “${name}” in ${model.name}. Use dataset.field.`);
    if (another) throw ambiguous(path, `Several datasets have “${name}”.`, found.map(nameOf));
    return only;
  }

  private from({ root, steps }: Joins): string {
    const table = (dataset: Dataset) => {
      this.used.add(dataset);
      return `${toSqlPath([dataset.source.schema, dataset.source.table], this.dialect)} as ${this.name(dataset.name)}`;
    };
    const joins = steps.map(({ from, to, columns }) => {
      const equal = columns.map((each) => `${this.column(from, each.from)} = ${this.column(to, each.to)}`);
      return `\nleft join ${table(to)} on ${equal.join(" and ")}`;
    });
    return `\nfrom ${table(root)}${joins.join("")}`;
  }

  private column(dataset: Dataset, column: string): string {
    return `${this.name(dataset.name)}.${this.name(column)}`;
  }

  private field({ dataset, field }: FieldOf): string {
    if (!field.expression) {
      throw new AppError("invalid_request", `${dataset.name}.${field.name} has no expression in ANSI_SQL.`);
    }
    const reference = ({ name }: Reference) => this.column(dataset, columnOf(name));
    return toSql(field.expression, { dialect: this.dialect, sql: this.sql, reference });
  }

  /** Returns the value of an aggregate for one row. */
  private row(model: Model, tree: Expression): string {
    const reference = (each: Reference) => {
      const target = targetOf(model, each, true);
      if (typeof target === "string" || "metric" in target) throw new AppError("invalid_request", String(target));
      return "field" in target ? this.field(target) : this.column(target.dataset, target.column);
    };
    return toSql(tree, { dialect: this.dialect, sql: this.sql, reference });
  }

  private dimension(
    { grain, path, ...at }: FieldOf & { grain?: MetricGrain | undefined; path: string },
    bounds: Question["period"] | null,
    shift: Shift | null,
  ): string {
    const { field } = at;
    if (!grain) {
      if (shift) throw invalidInput(`${path}.grain`, "A comparison needs a grain, such as month.");
      return this.field(at);
    }
    if (!isTemporal(field)) throw invalidInput(`${path}.grain`, `“${field.name}” is not a time. Omit the grain.`);
    if (grain === "hour" && field.datatype === "Date") throw invalidInput(`${path}.grain`, "A date has no hours.");
    const local = this.local(at, bounds);
    return this.sql.truncate(shift ? this.sql.add(local, shift.count, shift.unit) : local, grain);
  }

  /** Returns the local time of a field, in the zone of the question. */
  private local(at: FieldOf, bounds: Question["period"] | null): string {
    const { zone } = this.question;
    const value = this.field(at);
    if (timeType(at.field) !== "instant") return value;
    const period = { from: bounds?.from?.instant ?? null, to: bounds?.to?.instant ?? null };
    return toLocalSql(value, { sql: this.sql, dialect: this.dialect, zone, period });
  }

  private bounds(at: FieldOf, { from, to }: Question["period"]): string[] {
    const type = timeType(at.field);
    const value = this.field(at);
    const compared = this.sql.comparable?.(value, type) ?? value;
    const literal = ({ local, instant }: Period["from"]) =>
      this.sql.literal(toStamp(type === "instant" ? instant : local, type === "date"), type);
    // A day that the period ends within counts.
    const isWithin = type === "date" && to !== null && to.local % 86_400_000 !== 0;
    return [
      ...(from ? [`${compared} >= ${literal(from)}`] : []),
      ...(to ? [`${compared} ${isWithin ? "<=" : "<"} ${literal(to)}`] : []),
    ];
  }

  private condition({ filter, path, ...at }: { filter: Filter; path: string } & FieldOf): string {
    const { op, value } = filter;
    const column = this.field(at);
    const isTime = isTemporal(at.field) && at.field.datatype !== null;
    const type = timeType(at.field);
    const compared = isTime ? (this.sql.comparable?.(column, type) ?? column) : column;
    const one = (each: unknown): string => {
      if (each === null || each === undefined || Array.isArray(each))
        throw invalidInput(path, `${op} takes one value.`);
      return this.literal(each as string | number | boolean, isTime ? type : null, path);
    };
    const list = (): FilterValue[] => {
      if (!Array.isArray(value) || value.length === 0) throw invalidInput(path, `${op} takes a list of values.`);
      return value;
    };
    const signs = { lt: "<", lte: "<=", gt: ">", gte: ">=" } as const;
    switch (op) {
      case "isNull":
        return `${column} is null`;
      case "notNull":
        return `${column} is not null`;
      case "eq":
        return value === null ? `${column} is null` : `${compared} = ${one(value)}`;
      case "ne":
        return value === null ? `${column} is not null` : `(${compared} <> ${one(value)} or ${column} is null)`;
      case "in":
      case "nin": {
        const values = list().filter((each) => each !== null);
        const hasNull = values.length < list().length;
        const inside =
          values.length === 0 ? "" : `${compared} ${op === "nin" ? "not " : ""}in (${values.map(one).join(", ")})`;
        const nulls = `${column} is ${op === "nin" && hasNull ? "not " : ""}null`;
        if (inside === "") return nulls;
        if (op === "in") return hasNull ? `(${inside} or ${nulls})` : inside;
        return hasNull ? `(${inside} and ${nulls})` : `(${inside} or ${nulls})`;
      }
      case "between": {
        const [low, high, more] = list();
        if (more !== undefined || high === undefined) throw invalidInput(path, "between takes two values.");
        return `${compared} between ${one(low)} and ${one(high)}`;
      }
      case "contains": {
        if (typeof value !== "string") throw invalidInput(path, "contains takes a text.");
        const kind = at.field.datatype === "String" ? "text" : "other";
        const target = { column, kind, dialect: this.dialect } as const;
        return toSqlCondition({ op: "holds", value }, target, (text) => toSqlText(text, this.dialect));
      }
      default:
        return `${compared} ${signs[op]} ${one(value)}`;
    }
  }

  private literal(value: string | number | boolean, type: TimeType | null, path: string): string {
    if (typeof value === "boolean") {
      return DIALECTS[this.dialect].booleanWords ? String(value) : String(Number(value));
    }
    if (typeof value === "number") {
      if (!Number.isFinite(value)) throw invalidInput(path, "Use a finite number.");
      return String(value);
    }
    if (type === null) return toSqlText(value, this.dialect);
    if (!/^\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?(?:Z|[+-]\d\d:\d\d)?)?$/.test(value)) {
      throw invalidInput(path, "Use 2026-05-31 or 2026-05-31T14:30:00.");
    }
    const bound = toBound(value.replace(" ", "T"), this.question.zone, false);
    if (Number.isNaN(bound.instant)) throw invalidInput(path, "This date does not exist.");
    return this.sql.literal(toStamp(type === "instant" ? bound.instant : bound.local, type === "date"), type);
  }
}

function whereOf(conditions: readonly string[]): string {
  return conditions.length === 0 ? "" : `\nwhere ${conditions.join("\n  and ")}`;
}

/** Returns the dataset whose rows an aggregate counts: the one from which it reads all others. */
function homeOf(model: Model, metric: Metric, aggregate: Aggregate): Dataset {
  const datasets = datasetsOf(model, aggregate);
  const [only] = datasets;
  if (only && datasets.length === 1) return only;
  if (!only) {
    // COUNT(*) counts what the metric's other aggregates read.
    const others = new Set<Dataset>();
    if (metric.expression) {
      walk(metric.expression, (part) => {
        if (part.kind !== "aggregate") return undefined;
        for (const each of datasetsOf(model, part)) others.add(each);
        return false;
      });
    }
    const [first, second] = others.size > 0 ? [...others] : model.datasets;
    if (first && !second) return first;
    throw new AppError(
      "invalid_request",
      `${metric.name}: COUNT(*) could count several datasets. Use COUNT(dataset.column).`,
    );
  }
  const home = datasets.find((each) => reachesAll(model, each, datasets));
  if (home) return home;
  const names = datasets.map(({ name }) => name).join(" and ");
  throw new AppError(
    "invalid_request",
    `${metric.name} combines ${names}, which are related many-to-many. Aggregate each of them.`,
  );
}

function reachesAll(model: Model, from: Dataset, targets: readonly Dataset[]): boolean {
  const reached = new Set([from]);
  for (const each of reached) for (const { from: a, to } of model.relationships) if (a === each) reached.add(to);
  return targets.every((each) => reached.has(each));
}

function datasetsOf(model: Model, aggregate: Aggregate): Dataset[] {
  const found = new Set<Dataset>();
  walk(aggregate, (part) => {
    const target = part.kind === "reference" ? targetOf(model, part, true) : null;
    if (target && typeof target !== "string" && "dataset" in target) found.add(target.dataset);
    return undefined;
  });
  return [...found];
}

function isTemporal({ isTime, datatype }: Field): boolean {
  return datatype === null ? isTime : datatype === "Date" || datatype === "DateTime" || datatype === "DateTimeTz";
}

function timesOf(dataset: Dataset): FieldOf[] {
  return dataset.fields.filter(isTemporal).map((field) => ({ dataset, field }));
}

function timeType({ datatype }: Field): TimeType {
  if (datatype === "Date") return "date";
  return datatype === "DateTimeTz" ? "instant" : "time";
}

function nameOf({ dataset, field }: FieldOf): string {
  return `${dataset.name}.${field.name}`;
}

function ambiguous(path: string, sentence: string, choices: string[]): AppError {
  const message = choices.length === 0 ? sentence : `${sentence} Use ${choices.join(" or ")}.`;
  return new AppError("invalid_request", message, { details: [{ path, message, choices }] });
}
