import type { Dialect } from "@/lib/base/sql/dialects/dialect";
import { DIALECTS, type SqlDialect } from "@/lib/base/sql/dialects/registry";
import { toSqlName, toSqlTable, toSqlText } from "@/lib/base/sql/names";
import type { Grain } from "./dates";
import type { Measure, Plan, Predicate, Ref } from "./plan";
import type { Step, Table } from "./schema";

/** Renders a plan as one SELECT in the database's dialect. */
export function toSql(plan: Plan, dialect: SqlDialect): string {
  return new Writer(plan, dialect).write();
}

class Writer {
  readonly #plan: Plan;
  readonly #dialect: SqlDialect;
  readonly #rules: Dialect;
  /** The alias of each table; a single table with a one-word name needs none. */
  readonly #aliases = new Map<Table, string>();

  constructor(plan: Plan, dialect: SqlDialect) {
    this.#plan = plan;
    this.#dialect = dialect;
    this.#rules = DIALECTS[dialect];
    if (plan.joins.length > 0 || plan.where.some(({ kind }) => kind === "exists")) {
      for (const table of [plan.from, ...plan.joins.map((step) => step.table)]) this.#alias(table);
    }
  }

  write(): string {
    const { countedAs } = this.#plan;
    const text = this.#select();
    return countedAs === null ? text : `select count(*) as ${this.#quote(countedAs)} from (\n${text}\n) as found`;
  }

  #select(): string {
    const { countedAs } = this.#plan;
    const { from, joins, where, hiddenKeys, outputs, measures, isDistinct, having, order, limit } = this.#plan;
    const isCompared = isDistinct || measures.length > 0;
    const columns = [
      ...outputs.map((output) => {
        const shown = output.kind === "time" ? this.#truncated(output.ref, output.grain) : this.#shown(output.ref);
        const value = (isCompared && this.#rules.toGroupable?.(shown, output.ref.column.type)) || shown;
        return value === this.#quote(output.alias) ? value : `${value} as ${this.#quote(output.alias)}`;
      }),
      ...measures.map((measure) => `${this.#measure(measure)} as ${this.#quote(measure.alias)}`),
    ];
    const isGrouped = measures.length > 0 && outputs.length > 0;
    const groups = isGrouped
      ? [...hiddenKeys.map((ref) => this.#ref(ref)), ...outputs.map((_, i) => String(i + 1))]
      : [];
    return [
      `select ${isDistinct ? "distinct " : ""}${columns.join(", ")}`,
      `from ${this.#source(from)}`,
      ...joins.map((step) => `join ${this.#source(step.table)} on ${this.#on(step)}`),
      ...(where.length > 0 ? [`where ${where.map((each) => this.#predicate(each)).join(" and ")}`] : []),
      ...(groups.length > 0 ? [`group by ${groups.join(", ")}`] : []),
      ...(having.length > 0
        ? [
            `having ${having.map(({ measure, op, value }) => `${this.#figure(measures[measure] as Measure)} ${op} ${value}`).join(" and ")}`,
          ]
        : []),
      ...(order.length > 0 && countedAs === null
        ? [
            `order by ${order.map(({ alias, isDescending }) => `${this.#place(alias)}${isDescending ? " desc" : ""}`).join(", ")}`,
          ]
        : []),
      ...(limit !== null && countedAs === null ? [`limit ${limit}`] : []),
    ].join("\n");
  }

  /** Returns the number of an output: a sort column is always shown. */
  #place(alias: string): number {
    const { outputs, measures } = this.#plan;
    return [...outputs, ...measures].findIndex((each) => each.alias === alias) + 1;
  }

  #quote(name: string): string {
    return toSqlName(name, this.#dialect);
  }

  #alias(table: Table): string {
    const known = this.#aliases.get(table);
    if (known) return known;
    const taken = new Set(this.#aliases.values());
    const letters =
      table.words
        .map((word) => word[0] ?? "")
        .join("")
        .replace(/[^a-z]/g, "") || "t";
    let alias = letters;
    for (let n = 2; taken.has(alias) || RESERVED_ALIASES.has(alias); n++) alias = `${letters}${n}`;
    this.#aliases.set(table, alias);
    return alias;
  }

  #source(table: Table): string {
    const alias = this.#aliases.get(table);
    return `${toSqlTable(table, this.#dialect)}${alias ? ` as ${alias}` : ""}`;
  }

  #ref({ table, column }: Ref): string {
    const alias = this.#aliases.get(table);
    return `${alias ? `${alias}.` : ""}${this.#quote(column.name)}`;
  }

  /** Returns a column's value in the usual unit. */
  #shown(ref: Ref): string {
    return ref.column.unit === 1 ? this.#ref(ref) : `${this.#ref(ref)} / ${ref.column.unit}.0`;
  }

  #on({ edge }: Step): string {
    return edge.fromColumns
      .map((name, i) => {
        const left = `${this.#alias(edge.from)}.${this.#quote(name)}`;
        return `${left} = ${this.#alias(edge.to)}.${this.#quote(edge.toColumns[i] ?? name)}`;
      })
      .join(" and ");
  }

  #measure(measure: Measure): string {
    switch (measure.fn) {
      case "count":
        return "count(*)";
      case "countDistinct":
        return `count(distinct ${this.#ref(measure.ref)})`;
      case "ratio":
        return `count(*) * 1.0 / count(distinct ${this.#ref(measure.of)})`;
      case "share": {
        const { where, of } = measure;
        if (where === null) {
          const amount = of ? `sum(${this.#product(of)})` : "count(*)";
          return `100.0 * ${amount} / sum(${amount}) over ()`;
        }
        const condition = where.map((each) => this.#predicate(each)).join(" and ");
        return of
          ? `100.0 * sum(case when ${condition} then ${this.#product(of)} else 0 end) / sum(${this.#product(of)})`
          : `100.0 * sum(case when ${condition} then 1 else 0 end) / count(*)`;
      }
      default: {
        const { fn, ref, times } = measure;
        const inner = this.#product({ ref, times });
        const unit = ref.column.unit * (times?.column.unit ?? 1);
        const value = (fn === "avg" && !times && this.#rules.toNumeric?.(inner, ref.column.type)) || inner;
        return `${fn}(${value})${unit === 1 ? "" : ` / ${unit}.0`}`;
      }
    }
  }

  #product({ ref, times }: { ref: Ref; times?: Ref | undefined }): string {
    return times ? `${this.#ref(ref)} * ${this.#ref(times)}` : this.#ref(ref);
  }

  #text(value: string): string {
    return toSqlText(value, this.#dialect);
  }

  #literal({ column }: Ref, value: string | number | boolean): string {
    if (typeof value === "boolean") {
      // MySQL's type for them is tinyint(1).
      const isWord = /^(?:nullable\()?bool/i.test(column.type) && this.#rules.booleanWords;
      return isWord ? String(value) : value ? "1" : "0";
    }
    if (typeof value === "number") return String(value * column.unit);
    return this.#text(value);
  }

  /** Returns a figure for a comparison with a number. */
  #figure(measure: Measure): string {
    const figure = this.#measure(measure);
    const isAverage = measure.fn === "avg" || !("ref" in measure) || measure.fn === "countDistinct";
    return (!isAverage && this.#rules.toNumeric?.(figure, measure.ref.column.type)) || figure;
  }

  /** Returns a column for a comparison with a value. */
  #compared(ref: Ref, value: string | number | boolean): string {
    const column = this.#ref(ref);
    return (typeof value === "number" && this.#rules.toNumeric?.(column, ref.column.type)) || column;
  }

  #predicate(predicate: Predicate): string {
    switch (predicate.kind) {
      case "compare":
        return `${this.#compared(predicate.ref, predicate.value)} ${predicate.op} ${this.#literal(predicate.ref, predicate.value)}`;
      case "in": {
        const { ref, values, isNegated } = predicate;
        const [only] = values;
        if (values.length === 1 && only !== undefined) {
          return `${this.#compared(ref, only)} ${isNegated ? "<>" : "="} ${this.#literal(ref, only)}`;
        }
        return `${this.#compared(ref, only ?? "")} ${isNegated ? "not " : ""}in (${values.map((value) => this.#literal(ref, value)).join(", ")})`;
      }
      case "null":
        return `${this.#ref(predicate.ref)} is ${predicate.isNegated ? "not " : ""}null`;
      case "contains": {
        const { ref, where, isNegated } = predicate;
        const text = predicate.text.toLowerCase();
        const column = `lower(${this.#ref(ref)})`;
        const literal = this.#text(text);
        const length = [...text].length;
        if (where === "anywhere") {
          return `${this.#rules.position}(${column}, ${literal}) ${isNegated ? "= 0" : "> 0"}`;
        }
        const part =
          where === "start"
            ? `substr(${column}, 1, ${length})`
            : `substr(${column}, length(${column}) - ${length - 1})`;
        return `${part} ${isNegated ? "<>" : "="} ${literal}`;
      }
      case "span": {
        const { ref, start, end, isNegated } = predicate;
        const column = this.#ref(ref);
        const bounds = [
          ...(start
            ? [`${column} >= ${ref.column.isYear ? Number(start.slice(0, 4)) : this.#rules.toDay(this.#text(start))}`]
            : []),
          ...(end
            ? [`${column} < ${ref.column.isYear ? Number(end.slice(0, 4)) : this.#rules.toDay(this.#text(end))}`]
            : []),
        ].join(" and ");
        return isNegated ? `not (${bounds})` : bounds;
      }
      case "exists": {
        const [first, ...rest] = predicate.steps;
        if (!first) return "1 = 1";
        // The inner tables get new aliases, and the outer ones keep theirs.
        for (const step of predicate.steps) this.#alias(step.table);
        const inner = [
          `select 1 from ${this.#source(first.table)}`,
          ...rest.map((step) => `join ${this.#source(step.table)} on ${this.#on(step)}`),
          `where ${[this.#on(first), ...predicate.where.map((each) => this.#predicate(each))].join(" and ")}`,
        ].join(" ");
        for (const step of predicate.steps) this.#release(step.table);
        return `${predicate.isNegated ? "not " : ""}exists (${inner})`;
      }
    }
  }

  #release(table: Table): void {
    if (table !== this.#plan.from && !this.#plan.joins.some((step) => step.table === table))
      this.#aliases.delete(table);
  }

  #truncated(ref: Ref, grain: Grain): string {
    const column = this.#ref(ref);
    return ref.column.isYear ? column : this.#rules.toGrain(column, grain);
  }
}

/** Keywords that an alias of one or two letters may equal. */
const RESERVED_ALIASES = new Set(["as", "at", "by", "do", "if", "in", "is", "no", "of", "on", "or", "to"]);
