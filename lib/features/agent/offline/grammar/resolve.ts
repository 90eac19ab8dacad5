import type { Grain } from "../dates";
import type { ValueHit } from "../link";
import type { Measure, Output, Plan, Predicate, Ref } from "../plan";
import { displayColumns, type Schema, type Step, type Table } from "../schema";
import { nameWords, stemOf } from "../words";
import type { ColumnName, ValueName } from "./names";
import type { Adjective, Aggregate, Condition, Entity, Item, Modifier, Question } from "./question";

/** Chooses the columns and joins of a question. */

/** A plan with what it assumes, or the reason why the question has none. */
export type Resolved = { plan: Plan; assumed: string[] };
/** A name with several meanings. */
export type Choice = { said: string; options: string[] };

/** A question without one certain meaning. */
class Unresolved extends Error {
  readonly choice: Choice | null;

  constructor(choice: Choice | null = null) {
    super("no certain meaning");
    this.choice = choice;
  }
}

/** Maximum rows of a list if the question names no number. */
const ROWS_MAX = 1000;
/** Maximum number of columns that a list of whole rows shows. */
const COLUMNS_MAX = 12;

export function resolveQuestion(question: Question, schema: Schema): Resolved | { choice: Choice | null } {
  try {
    return new Resolver(question, schema).resolve();
  } catch (error) {
    if (error instanceof Unresolved) return { choice: error.choice };
    throw error;
  }
}

/** Difference of rank within which the answer names the column that it chose. */
const RIVAL = 2.5;
/** Minimum fit of a name that needs no word about it. */
const CERTAIN = 2.5;

type Of<K extends Modifier["kind"]> = Extract<Modifier, { kind: K }>;

class Resolver {
  readonly #question: Question;
  readonly #schema: Schema;
  readonly #assumed: string[] = [];
  readonly #mentioned = new Set<Table>();
  readonly #joins: Step[] = [];
  #modifiers: readonly Modifier[];
  #target: Table | null = null;
  #from: Table | null = null;

  constructor(question: Question, schema: Schema) {
    this.#question = question;
    this.#schema = schema;
    this.#modifiers = question.modifiers;
  }

  resolve(): Resolved {
    const { items } = this.#question;
    this.#target = this.#findTarget();
    const grouped = this.#all("groups");
    const hasCount = items.some(({ kind }) => kind === "count");
    const hasAggregate = items.some(({ kind }) => kind === "aggregate");
    this.#applyTop();
    const counts = [...this.#all("most"), ...this.#all("having")];
    if (counts.length > 1) throw new Unresolved();
    if (this.#all("order").length > 1 || this.#all("extreme").length > 1) throw new Unresolved();
    const hasRatio = items.some(({ kind }) => (kind === "share" && grouped.length === 0) || kind === "ratio");
    const plan =
      counts.length === 1
        ? this.#ranked(counts[0] as Of<"most"> | Of<"having">)
        : hasRatio
          ? this.#ratio()
          : hasCount || hasAggregate || grouped.length > 0
            ? this.#figures()
            : this.#rows();
    return { plan: { ...plan, joins: this.#joins }, assumed: this.#assumed };
  }

  #all<K extends Modifier["kind"]>(kind: K): Of<K>[] {
    return this.#modifiers.filter((one): one is Of<K> => one.kind === kind);
  }

  /** "Top 5 by revenue" is a superlative of five rows. */
  #applyTop(): void {
    const [top, ...others] = this.#all("top");
    const [rank, ...ranks] = this.#all("rank");
    if (!top && !rank) return;
    if (!top || others.length > 0 || ranks.length > 0) throw new Unresolved();
    const superlatives = [...this.#all("most"), ...this.#all("extreme")];
    const rest = this.#modifiers.filter(
      (one) => one.kind !== "top" && one.kind !== "rank" && one.kind !== "most" && one.kind !== "extreme",
    );
    const [only] = superlatives;
    if (only && !rank && superlatives.length === 1 && only.limit === 1) {
      this.#modifiers = [...rest, { ...only, limit: top.limit }];
      return;
    }
    if (!rank || only) throw new Unresolved();
    const { isDescending, limit } = top;
    this.#modifiers = [...rest, this.#superlative(rank.by, isDescending, limit)];
  }

  #superlative(by: Item, isDescending: boolean, limit: number): Modifier {
    const target = this.#target as Table;
    if (by.kind === "count" && by.entity && "table" in by.entity && !by.isDistinct) {
      return { kind: "most", of: { table: by.entity.table }, isDescending, limit };
    }
    if (by.kind === "aggregate") return { kind: "most", of: { fn: by.fn, column: by.column }, isDescending, limit };
    if (by.kind !== "column" || by.isDistinct) throw new Unresolved();
    const ref = this.#pick(by.column, isNumberFor("sum"));
    const isGroup = this.#question.items.some(
      (item) => item.kind === "column" && this.#pick(item.column).table === ref.table,
    );
    if (this.#isAbove(target, ref.table) && !isGroup) {
      return { kind: "extreme", column: by.column, adjective: null, isDescending, limit };
    }
    this.#assume(`I assumed the sum of ${nameOf(ref)}.`);
    return { kind: "most", of: { fn: "sum", column: by.column }, isDescending, limit };
  }

  // --- names ------------------------------------------------------------------------------------------------------

  #findTarget(): Table {
    const { items } = this.#question;
    const modifiers = this.#modifiers;
    for (const item of items) {
      if (item.kind === "column" && item.owner) this.#mentioned.add(item.owner.table);
      if (item.kind === "display") this.#mentioned.add(item.table.table);
      if (item.kind === "rows") this.#mentioned.add(item.table.table);
      if (item.kind === "count" && item.entity && "table" in item.entity) this.#mentioned.add(item.entity.table.table);
    }
    for (const modifier of modifiers) {
      if (modifier.kind === "scope") this.#mentioned.add(modifier.table.table);
      if (modifier.kind === "groups") {
        for (const entity of modifier.entities) if ("table" in entity) this.#mentioned.add(entity.table.table);
      }
    }
    const rows = items.find((item) => item.kind === "rows");
    if (rows) return rows.table.table;
    const ratio = items.find((item) => item.kind === "ratio");
    if (ratio) return ratio.table.table;
    const [scope] = this.#all("scope");
    const countItem = items.find((item) => item.kind === "count" && item.entity && "table" in item.entity);
    if (countItem?.kind === "count" && countItem.entity && "table" in countItem.entity) {
      return countItem.entity.table.table;
    }
    if (scope) return scope.table.table;
    const groupTable = this.#all("groups")
      .flatMap(({ entities }) => entities)
      .find((entity) => "table" in entity);
    const columns = items.flatMap((item) =>
      item.kind === "column" || item.kind === "aggregate"
        ? [item.column]
        : item.kind === "count" && item.entity && "column" in item.entity
          ? [item.entity.column]
          : [],
    );
    if (columns.length === 0) throw new Unresolved();
    const tables = this.#schema.tables
      .map((table) => ({ table, fit: fitIn(table, columns) }))
      .filter(({ fit }) => fit > 0)
      .sort((a, b) => b.fit - a.fit);
    const [best, second] = tables;
    const owners = items.flatMap((item) => (item.kind === "column" && item.owner ? [item.owner.table] : []));
    const lowest = owners.find((low) => owners.every((owner) => this.#isAbove(low, owner)));
    if (lowest) return lowest;
    const equal = tables.filter(({ fit }) => fit === best?.fit).map(({ table }) => table);
    // A view repeats what its tables have.
    const real = equal.filter(({ isView }) => !isView);
    const tied = real.length > 0 ? real : equal;
    if (tied.length === 1 && tied[0]) return tied[0];
    // A key is that of the rows which it identifies.
    const isValues = this.#question.isDistinct || items.some(({ kind }) => kind === "count");
    const keyed = isValues
      ? undefined
      : tied.find((table) =>
          tied.every((other) => other === table || columns.every((column) => this.#isKeyOf(column, other, table))),
        );
    if (best && keyed) {
      if (second?.fit === best.fit) this.#assume(`I assumed that “${columns[0]?.said}” are those of ${keyed.name}.`);
      return keyed;
    }
    const [ranking] = [...this.#all("most"), ...this.#all("having")];
    const counted = ranking && countedTable(ranking);
    if (counted && tied.includes(counted)) return counted;
    if (!best) {
      if (groupTable && "table" in groupTable) return groupTable.table.table;
      throw new Unresolved();
    }
    if (second && second.fit === best.fit) {
      const fitting = tied.filter((table) => this.#hasConditions(table));
      if (fitting.length === 1 && fitting[0]) return fitting[0];
      // The same columns in two tables: only a filter or a group may tell which one is meant.
      const said = columns[0]?.said ?? "";
      throw new Unresolved({ said, options: tied.slice(0, 4).map(({ name }) => `${said} of ${name}`) });
    }
    return best.table;
  }

  /** Whether a column of one table references the same column of the other. */
  #isKeyOf(name: ColumnName, from: Table, to: Table): boolean {
    const columnOf = (table: Table) => name.options.find(({ ref }) => ref.table === table)?.ref.column;
    const [a, b] = [columnOf(from), columnOf(to)];
    return this.#schema.edges.some(
      (edge) =>
        edge.from === from && edge.to === to && edge.fromColumns[0] === a?.name && edge.toColumns[0] === b?.name,
    );
  }

  /** Whether all conditions are on columns of the table. */
  #hasConditions(table: Table): boolean {
    const conditions = this.#all("conditions").flatMap(({ conditions }) => conditions);
    return (
      conditions.length > 0 &&
      conditions.every(
        (condition) =>
          condition.kind !== "either" &&
          (!condition.column || condition.column.options.some(({ ref }) => ref.table === table)) &&
          (condition.kind !== "values" ||
            condition.values.every(({ hits }) => hits.some(({ ref }) => ref.table === table))),
      )
    );
  }

  #pick(name: ColumnName, wanted: (ref: Ref) => boolean = () => true): Ref {
    const target = this.#from ?? this.#target;
    const ranked = name.options
      .filter(({ ref }) => wanted(ref))
      .map(({ ref, fit }) => ({ ref, rank: fit + this.#nearness(ref.table, target) }))
      .sort((a, b) => b.rank - a.rank);
    const [best, second] = ranked;
    if (!best || best.rank < 0) throw new Unresolved();
    if (second && second.rank === best.rank && !this.#isSameKey(best.ref, second.ref)) {
      throw new Unresolved({ said: name.said, options: ranked.slice(0, 4).map(({ ref }) => nameOf(ref)) });
    }
    const { fit = 0 } = name.options.find(({ ref }) => ref === best.ref) ?? {};
    const isRivaled = second && second.rank > best.rank - RIVAL && !this.#isSameKey(best.ref, second.ref);
    if (fit < CERTAIN || isRivaled) this.#assume(`I assumed that “${name.said}” means ${nameOf(best.ref)}.`);
    return best.ref;
  }

  /** Of rows that share the last place, an answer shows some. */
  #assumeTies(limit: number): void {
    this.#assume(
      `I assumed that ${limit} ${limit === 1 ? "row is" : "rows are"} enough if others share the same rank.`,
    );
  }

  #assume(text: string): void {
    if (!this.#assumed.includes(text)) this.#assumed.push(text);
  }

  #nearness(table: Table, target: Table | null): number {
    if (table === target) return 2;
    if (this.#mentioned.has(table)) return 1;
    const path = target ? this.#schema.path(target, table) : null;
    if (path === null) return -9;
    return path.every(({ isUp }) => isUp) ? 0.3 - path.length * 0.05 : -path.length * 0.05;
  }

  /** Whether one column references the other. */
  #isSameKey(a: Ref, b: Ref): boolean {
    return this.#schema.edges.some(
      (edge) =>
        (edge.from === a.table && edge.to === b.table && edge.fromColumns[0] === a.column.name) ||
        (edge.from === b.table && edge.to === a.table && edge.fromColumns[0] === b.column.name),
    );
  }

  #pickValue(value: ValueName, column: ColumnName | null): ValueHit {
    const target = this.#from ?? this.#target;
    const rankOf = (hit: ValueHit) => {
      const option = column?.options.find(({ ref }) => ref.table === hit.ref.table && ref.column === hit.ref.column);
      if (column && !option) return -9;
      return (option?.fit ?? 0) + this.#nearness(hit.ref.table, target) + (hit.value === value.said ? 0.01 : 0);
    };
    const ranked = value.hits.map((hit) => ({ hit, rank: rankOf(hit) })).sort((a, b) => b.rank - a.rank);
    const [best] = ranked;
    if (!best || best.rank < -1) throw new Unresolved();
    const other = ranked.find(({ hit, rank }) => rank > best.rank - 0.02 && hit.ref.column !== best.hit.ref.column);
    if (other && !this.#isSameKey(best.hit.ref, other.hit.ref)) {
      const options = ranked.map(({ hit }) => `${nameOf(hit.ref)} = ${hit.value}`);
      throw new Unresolved({ said: value.said, options: [...new Set(options)].slice(0, 4) });
    }
    const elsewhere = ranked.find(
      ({ hit, rank }) => rank > -2 && !this.#isSameKey(best.hit.ref, hit.ref) && hit.ref.column !== best.hit.ref.column,
    );
    // Two tables may have the value: nearness is no reason.
    if (!column && elsewhere && elsewhere.hit.ref.table !== best.hit.ref.table) {
      const options = [best, elsewhere].map(({ hit }) => `${nameOf(hit.ref)} = ${hit.value}`);
      throw new Unresolved({ said: value.said, options });
    }
    const isSpelled = best.hit.value.toLowerCase() === value.said.toLowerCase();
    if (column && !isSpelled) this.#assume(`I assumed that “${value.said}” means “${best.hit.value}”.`);
    if (!column) {
      const other = elsewhere ? `, not a ${nameOf(elsewhere.hit.ref)}` : "";
      this.#assume(`I assumed that “${value.said}” is a ${nameOf(best.hit.ref)}${other}.`);
    }
    const spellings = ranked.filter(({ hit, rank }) => rank === best.rank && hit.ref.column === best.hit.ref.column);
    if (spellings.length > 1) throw new Unresolved();
    return best.hit;
  }

  #adjectiveColumn({ columns }: Adjective): Ref {
    const table = this.#from ?? this.#target;
    const found = (table?.columns ?? []).filter(
      ({ name, kind }) =>
        nameWords(name).some((word) => columns.map(stemOf).includes(word)) ||
        (kind === "date" && columns.includes("date")),
    );
    const [only] = found;
    if (table && found.length === 0) return this.#adjectiveAbove(table, columns);
    if (!table || !only || found.length > 1 || only.kind === "text") throw new Unresolved();
    return { table, column: only };
  }

  /** Returns the column of a row above, such as a player's person. */
  #adjectiveAbove(from: Table, names: readonly string[]): Ref {
    const found = this.#schema.edges
      .filter((edge) => edge.from === from)
      .flatMap(({ to }) => to.columns.map((column) => ({ table: to, column })))
      .filter(({ column }) => column.kind === "number" && names.includes(column.name.toLowerCase()));
    const [only] = found;
    if (!only || found.length > 1) throw new Unresolved();
    return only;
  }

  #extremeOf({ column, adjective, isDescending }: Of<"extreme">): { ref: Ref; isDescending: boolean } {
    if (column) {
      return {
        ref: this.#pick(column, (ref) => ref.column.kind === "number" || ref.column.kind === "date"),
        isDescending,
      };
    }
    if (!adjective) throw new Unresolved();
    const table = this.#from ?? this.#target;
    const { opposite } = adjective;
    const births = opposite
      ? table?.columns.filter(({ words }) => words.some((word) => word.startsWith(opposite)))
      : [];
    const dates = births?.filter(({ kind, isYear }) => kind === "date" || isYear);
    if (table && dates?.length === 1 && dates[0] && !table.columns.some(({ words }) => words.includes("age"))) {
      return { ref: { table, column: dates[0] }, isDescending: !isDescending };
    }
    return { ref: this.#adjectiveColumn(adjective), isDescending };
  }

  // --- joins ------------------------------------------------------------------------------------------------------

  #path(from: Table, to: Table): Step[] {
    const steps = this.#schema.path(from, to);
    if (!steps) throw new Unresolved();
    for (const { edge } of steps) {
      const same = this.#schema.edges.filter((other) => other.from === edge.from && other.to === edge.to);
      // Two keys between the same tables, such as home and away team, mean different joins.
      if (same.length > 1) {
        throw new Unresolved({ said: edge.to.name, options: same.map(({ fromColumns }) => fromColumns.join(", ")) });
      }
    }
    const between = steps.slice(0, -1).map(({ table }) => table.name);
    if (between.length > 0)
      this.#assume(`I assumed that ${from.name} and ${to.name} belong together through ${between.join(" and ")}.`);
    return steps;
  }

  #isAbove(from: Table, to: Table): boolean {
    return from === to || this.#schema.isAbove(from, to);
  }

  #join(table: Table): void {
    const from = this.#from as Table;
    for (const step of this.#path(from, table)) {
      if (!step.isUp) throw new Unresolved();
      if (!this.#joins.some((each) => each.table === step.table)) this.#joins.push(step);
    }
  }

  #where(): Predicate[] {
    const where: Predicate[] = [];
    const below = new Map<Table, Predicate[]>();
    const seen = new Set<string>();
    for (const condition of this.#all("conditions").flatMap(({ conditions }) => conditions)) {
      const { ref, predicate } = this.#predicate(condition);
      this.#checkBounds(ref, predicate);
      const key = `${ref.table.id} ${ref.column.name}`;
      // "Both A and B" of one column: no row has two values.
      const isEqual = predicate.kind === "in" && !predicate.isNegated;
      if (isEqual && seen.has(key)) throw new Unresolved();
      if (isEqual) seen.add(key);
      if (this.#isAbove(this.#from as Table, ref.table)) {
        this.#join(ref.table);
        where.push(predicate);
      } else below.set(ref.table, [...(below.get(ref.table) ?? []), predicate]);
    }
    const from = this.#from as Table;
    const named = this.#all("scope").flatMap(({ table: { table } }) => (this.#isAbove(from, table) ? [] : [table]));
    // A list of those that have a related row might repeat them for each one.
    const isOnce = this.#question.isDistinct || this.#question.items.every(({ kind }) => kind === "count");
    if (named.length > 0 && !isOnce) throw new Unresolved();
    for (const [table, predicates] of below) {
      // "Books borrowed last year" may count the books or the loans.
      if (predicates.some(({ kind }) => kind === "span") && !named.includes(table)) throw new Unresolved();
      if (predicates.some((each) => "isNegated" in each && each.isNegated) || predicates.length > 1)
        throw new Unresolved();
      where.push(this.#exists(table, predicates, false));
    }
    for (const { table, isNegated } of this.#all("exists")) where.push(this.#exists(table.table, [], isNegated));
    // "Users who wrote tips about businesses in Dallas": the way to the businesses goes through tips.
    const passed = where.flatMap((one) => (one.kind === "exists" ? one.steps.map(({ table }) => table) : []));
    for (const table of named) {
      if (passed.includes(table)) continue;
      where.push(this.#exists(table, [], false));
    }
    // Two related rows may be one row or several, and a negation may include the other one.
    if (where.filter(({ kind }) => kind === "exists").length > 1) throw new Unresolved();
    return where;
  }

  /** "Before 1945 and after 1955" speaks of two rows: no row is both. */
  #checkBounds(ref: Ref, predicate: Predicate): void {
    const key = `${ref.table.id} ${ref.column.name}`;
    const bounds = this.#bounds.get(key) ?? { low: null, high: null };
    this.#bounds.set(key, bounds);
    const yearOf = (day: string | null) => (day === null ? null : ref.column.isYear ? Number(day.slice(0, 4)) : day);
    const low = predicate.kind === "span" ? yearOf(predicate.start) : boundOf(predicate, /^(?:>|>=|=)$/);
    const high = predicate.kind === "span" ? yearOf(predicate.end) : boundOf(predicate, /^(?:<|<=|=)$/);
    bounds.low ??= low;
    bounds.high ??= high;
    // A second bound of the same side is another row too.
    const isSecond = (low !== null && bounds.low !== low) || (high !== null && bounds.high !== high);
    if (isSecond || (bounds.low !== null && bounds.high !== null && bounds.low > bounds.high)) throw new Unresolved();
  }
  readonly #bounds = new Map<string, { low: number | string | null; high: number | string | null }>();

  #exists(table: Table, where: Predicate[], isNegated: boolean): Predicate {
    const from = this.#from as Table;
    const steps = this.#path(from, table);
    if (steps.length === 0 || steps[0]?.isUp) throw new Unresolved();
    if (!isNegated)
      this.#assume(`I assumed that each row of ${from.name} counts once, also with several ${table.name}.`);
    return { kind: "exists", table, steps, where, isNegated };
  }

  #predicate(condition: Condition): { ref: Ref; predicate: Predicate } {
    switch (condition.kind) {
      case "compare": {
        const ref = condition.column
          ? this.#pick(condition.column)
          : this.#adjectiveColumn(condition.adjective as Adjective);
        const { op, value } = condition;
        if (ref.column.kind === "date" || ref.column.kind === "boolean") throw new Unresolved();
        // Keys have no order, and "papers in 2015" is no key.
        if (ref.column.isReference && !(condition.column && isKeySaid(condition.column))) throw new Unresolved();
        if (ref.column.kind === "text") {
          if (op !== "=" && op !== "<>") throw new Unresolved();
          const isNegated = op === "<>";
          return { ref, predicate: { kind: "in", ref, values: [String(value)], isNegated } };
        }
        return { ref, predicate: { kind: "compare", ref, op, value } };
      }
      case "numbers": {
        const ref = this.#pick(condition.column, ({ column }) => column.kind === "number");
        const { values, isNegated } = condition;
        return { ref, predicate: { kind: "in", ref, values, isNegated } };
      }
      case "years": {
        const ref = condition.column ? this.#pick(condition.column) : this.#timeColumn(true);
        if (ref.column.kind !== "number" || ref.column.isReference) throw new Unresolved();
        return { ref, predicate: { kind: "in", ref, values: condition.values, isNegated: false } };
      }
      case "between": {
        const ref = this.#pick(condition.column, ({ column }) => column.kind === "number");
        this.#extra.push({ kind: "compare", ref, op: "<=", value: condition.high });
        return { ref, predicate: { kind: "compare", ref, op: ">=", value: condition.low } };
      }
      case "values": {
        const hits = condition.values.map((value) => this.#pickValue(value, condition.column));
        const [first] = hits;
        if (!first || hits.some(({ ref }) => ref.column !== first.ref.column)) throw new Unresolved();
        const values = [...new Set(hits.map(({ value }) => value))];
        return { ref: first.ref, predicate: { kind: "in", ref: first.ref, values, isNegated: condition.isNegated } };
      }
      case "either": {
        const found = condition.conditions.map((each) => this.#predicate(each));
        const [first] = found;
        const values = found.flatMap(({ predicate }) =>
          predicate.kind === "in" && !predicate.isNegated && predicate.ref.column === first?.ref.column
            ? [predicate.values]
            : [],
        );
        if (!first || values.length < found.length) throw new Unresolved();
        const { ref } = first;
        return { ref, predicate: { kind: "in", ref, values: values.flat(), isNegated: false } };
      }
      case "text": {
        const ref = this.#pick(condition.column, ({ column }) => column.kind === "text");
        const { text, where, isNegated } = condition;
        return { ref, predicate: { kind: "contains", ref, text, where, isNegated } };
      }
      case "empty": {
        const ref = this.#pick(condition.column);
        return { ref, predicate: { kind: "null", ref, isNegated: condition.isNegated } };
      }
      case "date": {
        const { start, end } = condition.date;
        const isYears = start?.endsWith("-01-01") !== false && end?.endsWith("-01-01") !== false;
        const ref = condition.column ? this.#pick(condition.column) : this.#timeColumn(isYears);
        if (ref.column.kind === "text" && condition.date.isBareYear && start && end && !condition.date.isOpen) {
          return { ref, predicate: { kind: "in", ref, values: [start.slice(0, 4)], isNegated: false } };
        }
        if (ref.column.kind !== "date" && !(ref.column.isYear && isYears)) throw new Unresolved();
        if (!condition.date.isBareYear)
          this.#assume(
            `I assumed the time ${start ? `from ${start} on` : ""}${start && end ? ", " : ""}${end ? `before ${end}` : ""}.`,
          );
        return { ref, predicate: { kind: "span", ref, start, end, isNegated: false } };
      }
    }
  }
  /** The upper bounds of ranges. */
  readonly #extra: Predicate[] = [];

  /** Returns the only column that holds a time, or the only one that holds years. */
  #timeColumn(isYears = false): Ref {
    const from = this.#from as Table;
    const timesOf = (table: Table) => {
      const found = table.columns.filter(
        ({ kind, isYear, words }) => kind === "date" || isYear || words.join() === "year",
      );
      const years = found.filter(({ kind }) => kind !== "date");
      return (isYears && years.length === 1 ? years : found).map((column) => ({ table, column }));
    };
    const own = timesOf(from);
    // "Authors who published papers in 2015".
    const found = own.length > 0 ? own : this.#all("scope").flatMap(({ table }) => timesOf(table.table));
    const [only] = found;
    if (found.length > 1) {
      // Each row has the time at which it came to be; later events may never happen.
      const events = found.filter(
        ({ column }) =>
          !column.nullable && !column.words.some((word) => /^(?:birth|due|end|expir|updat|modifi)/.test(word)),
      );
      // A document store says of no field that each row has it.
      const created = found.filter(({ column }) =>
        column.words.some((word) => /^(?:creat|plac|order|borrow|join|issu)/.test(word)),
      );
      const [event, ...others] = events.length > 0 ? events : created;
      if (!event || others.length > 0)
        throw new Unresolved({ said: "the time", options: found.slice(0, 4).map(nameOf) });
      this.#assume(`I assumed the time of ${nameOf(event)}.`);
      return event;
    }
    if (!only) throw new Unresolved();
    return only;
  }

  // --- lists ------------------------------------------------------------------------------------------------------

  #rows(): Plan {
    const { items, isDistinct } = this.#question;
    const target = this.#target as Table;
    this.#from = target;
    const isWhole = items.every(({ kind }) => kind === "rows");
    const refs = isWhole
      ? displayed(target)
      : items.flatMap((item) =>
          item.kind === "column"
            ? [this.#pick(item.column)]
            : item.kind === "display"
              ? this.#named(item.table.table)
              : [],
        );
    if (!isWhole && items.some(({ kind }) => kind !== "column" && kind !== "display")) throw new Unresolved();
    // "All product categories" may be rows or values.
    const [only] = refs;
    const isOpen = refs.length === 1 && !isDistinct && !isWhole;
    const hasFilter = this.#modifiers.some(({ kind }) => kind !== "scope");
    if (isOpen && !hasFilter && only?.column.kind === "text" && !displayColumns(only.table).includes(only.column)) {
      throw new Unresolved();
    }
    // The columns of two tables are read from the lower one.
    const lowest = refs.map(({ table }) => table).find((low) => refs.every(({ table }) => this.#isAbove(low, table)));
    if (!lowest) throw new Unresolved();
    if (!this.#isAbove(target, lowest)) {
      // "Descriptions of templates" are no descriptions of the documents that use them.
      const isNamed = this.#all("scope").some(({ table }) => table.table === target) || isWhole;
      // "Owners and the names of their dogs" are one row for each dog.
      const isShown = refs.some(({ table }) => table === target);
      if ((isNamed && !isShown) || !this.#isAbove(lowest, target)) throw new Unresolved();
      this.#from = lowest;
      this.#assume(`I assumed one row for each row of ${lowest.name}.`);
    }
    for (const { table } of refs) this.#join(table);
    const where = this.#where();
    const outputs = outputsOf(refs);
    const plan = { ...empty(this.#from), where, outputs, isDistinct, limit: ROWS_MAX };
    if (isWhole && outputs.length < target.columns.length)
      this.#assume(`I assumed that the first ${outputs.length} columns of ${target.name} are enough.`);
    const isTelling = refs.some(
      ({ table, column }) => repeatedName(table) !== column && (column.isKey || displayColumns(table).includes(column)),
    );
    if (!isDistinct && !isTelling) this.#assume("I assumed that equal rows are listed as often as they occur.");
    const [order] = this.#all("order");
    const [extreme] = this.#all("extreme");
    if (order && extreme) throw new Unresolved();
    if (extreme) {
      const { ref, isDescending } = this.#extremeOf(extreme);
      if (!this.#isAbove(this.#from, ref.table)) throw new Unresolved();
      this.#join(ref.table);
      where.push({ kind: "null", ref, isNegated: true });
      this.#assumeTies(extreme.limit);
      return this.#finish({
        ...plan,
        order: [{ alias: addOutput(outputs, ref), isDescending }],
        limit: extreme.limit,
      });
    }
    if (order) {
      if (order.by === "figure" || (order.by && order.by.kind !== "column")) throw new Unresolved();
      const ref = order.by?.kind === "column" ? this.#pick(order.by.column) : refs.length === 1 ? refs[0] : null;
      if (!ref) throw new Unresolved();
      this.#join(ref.table);
      if (isDistinct && !refs.some((each) => each.column === ref.column)) throw new Unresolved();
      return this.#finish({
        ...plan,
        order: [{ alias: addOutput(outputs, ref), isDescending: order.isDescending ?? false }],
      });
    }
    return this.#finish(plan);
  }

  /** Returns what rows are called. */
  #named(table: Table): Ref[] {
    const columns = displayColumns(table).filter(({ kind, isReference }) => kind === "text" && !isReference);
    if (columns.length === 0) throw new Unresolved();
    this.#assume(`I assumed that ${columns.map(({ name }) => name).join(" and ")} of ${table.name} is enough.`);
    return columns.map((column) => ({ table, column }));
  }

  /** "Percentage of players that are Spanish", "average number of players per club". */
  #ratio(): Plan {
    const [item, ...others] = this.#question.items;
    const kinds = new Set(this.#modifiers.map(({ kind }) => kind));
    kinds.delete("scope");
    kinds.delete("conditions");
    if (!item || others.length > 0 || kinds.size > 0) throw new Unresolved();
    this.#from = this.#target as Table;
    if (item.kind === "ratio") {
      const per = item.per.table;
      const [key, ...rest] = per.columns.filter(({ isKey }) => isKey);
      const isCounted = per.columns.some(({ words }) => words.includes("count") || words.includes("number"));
      if (isCounted || isOfSeveral(this.#from)) throw new Unresolved();
      if (!key || rest.length > 0 || per === this.#from || !this.#isAbove(this.#from, per)) throw new Unresolved();
      this.#join(per);
      this.#assume(`I assumed that ${per.name} without ${this.#from.name} are left out.`);
      const alias = `${this.#from.name.toLowerCase()}_per_${per.name.toLowerCase()}`;
      return this.#finish({
        ...empty(this.#from),
        where: this.#where(),
        measures: [{ alias, fn: "ratio", of: { table: per, column: key } }],
      });
    }
    // Two conditions may both describe the part, or one of them all rows.
    if (this.#all("conditions").flatMap(({ conditions }) => conditions).length !== 1) throw new Unresolved();
    if (this.#all("scope").length !== 1) throw new Unresolved();
    const where = [...this.#where(), ...this.#extra.splice(0)];
    return this.#finish({ ...empty(this.#from), measures: [{ alias: "share", fn: "share", where }] });
  }

  #finish(plan: Plan): Plan {
    // A shown key needs no second place among the groups.
    const hiddenKeys = plan.hiddenKeys.filter(
      (key) => !plan.outputs.some(({ ref }) => ref.table === key.table && ref.column === key.column),
    );
    return { ...plan, hiddenKeys, where: [...plan.where, ...this.#extra] };
  }

  // --- figures ----------------------------------------------------------------------------------------------------

  /** Whether a column identifies rows that have a name. */
  #isReference({ table, column }: Ref): boolean {
    return (
      column.isKey ||
      this.#schema.edges.some(({ from, fromColumns }) => from === table && fromColumns.includes(column.name))
    );
  }

  #figures(): Plan {
    const { items } = this.#question;
    const modifiers = this.#modifiers;
    const target = this.#target as Table;
    const groupEntities = this.#all("groups").flatMap(({ entities }) => entities);
    const figures: Item[] = items.filter(({ kind }) => kind === "count" || kind === "aggregate" || kind === "share");
    // "Revenue by month" sums up.
    const summed = figures.length === 0 && groupEntities.length > 0 ? this.#summed() : null;
    if (summed) figures.push(summed);
    const [rows] = items;
    if (rows?.kind === "rows" && items.length === 1 && groupEntities.length > 0) {
      this.#assume(`I assumed the number of ${rows.table.table.name}.`);
      figures.push({ kind: "count", entity: { table: rows.table }, isDistinct: false });
    }
    const plainItems = items.filter(
      (item): item is Extract<Item, { kind: "column" }> => item.kind === "column" && !summed,
    );
    if (items.some(({ kind }) => kind === "display") || figures.length === 0) throw new Unresolved();
    // "Names of singers and the sales of their songs" are one row for each singer.
    const [owned, ...rest] = plainItems;
    if (
      owned?.owner &&
      groupEntities.length === 0 &&
      rest.every(({ owner }) => !owner || owner.table === owned.owner?.table)
    ) {
      groupEntities.push({ table: owned.owner });
    }
    const [extreme] = this.#all("extreme");
    const isTop = extreme?.column === null && extreme.adjective === null;
    if (extreme && !isTop) throw new Unresolved();
    this.#from = this.#base(figures, target);
    const groupTables = groupEntities.flatMap((entity) => ("table" in entity ? [entity.table.table] : []));
    // "Singers of each concert" are the rows between both.
    for (const table of groupTables) {
      if (this.#isAbove(this.#from, table)) continue;
      const between = this.#schema.tables.filter(
        (each) => this.#isAbove(each, table) && this.#isAbove(each, this.#from as Table) && each !== table,
      );
      const isCount = figures.every((item) => item.kind === "count" && !item.isDistinct);
      const direct = between.filter((each) => this.#path(each, table).length === 1);
      if (!isCount || direct.length !== 1 || !direct[0]) throw new Unresolved();
      this.#from = direct[0];
    }
    const refs: Ref[] = plainItems.map(({ column }) => {
      const isGrouped = groupTables.length > 0;
      const isOfGroup = isGrouped && column.options.some(({ ref }) => groupTables.includes(ref.table));
      const ref = this.#pick(column, ({ table }) => !isOfGroup || groupTables.includes(table));
      // Beside the name of a group, a column of the counted rows is a second group.
      if (isGrouped && !isOfGroup && ref.table === this.#from) throw new Unresolved();
      // The key of the group, not the one that references it.
      const edge = this.#schema.edges.find(
        ({ from, to, fromColumns }) =>
          from === ref.table && groupTables.includes(to) && fromColumns[0] === ref.column.name,
      );
      const key = edge?.to.columns.find(({ name }) => name === edge.toColumns[0]);
      return edge && key ? { table: edge.to, column: key } : ref;
    });
    const hiddenKeys: Ref[] = [];
    const times: { grain: Grain; ref: Ref }[] = [];
    for (const entity of groupEntities) {
      if ("grain" in entity) {
        times.push({ grain: entity.grain, ref: this.#groupTime(entity.grain, entity.column) });
        continue;
      }
      if ("column" in entity) {
        const ref = this.#pick(entity.column);
        // A key stands for a row that has a name.
        if (this.#isReference(ref) && !isKeySaid(entity.column)) throw new Unresolved();
        if (!refs.some((each) => each.column === ref.column)) refs.push(ref);
        continue;
      }
      const { table } = entity.table;
      if (table === this.#from) throw new Unresolved();
      this.#assume(`I assumed that ${table.name} without ${this.#from.name} are left out.`);
      const keys = table.columns.filter(({ isKey }) => isKey).map((column): Ref => ({ table, column }));
      hiddenKeys.push(...keys);
      if (!refs.some((ref) => ref.table === table))
        refs.push(...displayColumns(table).map((column) => ({ table, column })));
    }
    if (plainItems.length > 0 && groupEntities.length === 0 && !isTop) {
      // A column beside a figure groups by the column.
      const isDifferent = plainItems.every(({ isDistinct }) => isDistinct);
      if (!isDifferent && !modifiers.some(({ kind }) => kind === "groups")) throw new Unresolved();
    }
    for (const { table } of plainItems.map(({ column }) => this.#pick(column))) {
      if (!this.#mentioned.has(table)) continue;
      const keys = table === this.#from ? [] : table.columns.filter(({ isKey }) => isKey);
      for (const column of keys)
        if (!hiddenKeys.some((key) => key.column === column)) hiddenKeys.push({ table, column });
    }
    for (const ref of refs) {
      if (!this.#isAbove(this.#from, ref.table)) throw new Unresolved();
      this.#join(ref.table);
    }
    const outputs = outputsOf(refs);
    for (const { grain, ref } of times) {
      this.#join(ref.table);
      outputs.unshift({ alias: grain, kind: "time", ref, grain });
    }
    if (times.length > 1 || outputs.some(({ alias }, i) => outputs.findIndex((one) => one.alias === alias) !== i)) {
      throw new Unresolved();
    }
    const measures = figures.map((item, i) => this.#measure(item, i));
    const where = this.#where();
    if (outputs.length > 0 && where.some(({ kind }) => kind === "exists")) throw new Unresolved();
    if (isTop) this.#assumeTies(extreme.limit);
    const [order] = this.#all("order");
    if (order && outputs.length === 0) throw new Unresolved();
    let sorted: Plan["order"] = [];
    if (order) {
      const by = order.by;
      const alias =
        by === "figure"
          ? measures[0]?.alias
          : by?.kind === "column"
            ? outputs.find(({ ref }) => ref.column === this.#pick(by.column).column)?.alias
            : by === null
              ? outputs.length === 1
                ? outputs[0]?.alias
                : undefined
              : measures[figures.findIndex((item) => item.kind === by.kind)]?.alias;
      if (alias === undefined) throw new Unresolved();
      sorted = [{ alias, isDescending: order.isDescending ?? false }];
    } else if (times[0]) sorted = [{ alias: times[0].grain, isDescending: false }];
    return this.#finish({
      ...empty(this.#from),
      where,
      outputs,
      hiddenKeys,
      measures,
      order: sorted,
      limit: outputs.length === 0 ? null : isTop ? extreme.limit : ROWS_MAX,
    });
  }

  /** A number that is asked for by a group is summed. */
  #summed(): Item | null {
    const [item, ...others] = this.#question.items;
    if (item?.kind !== "column" || others.length > 0 || item.isDistinct) return null;
    const ref = this.#pick(item.column, isNumberFor("sum"));
    if (ref.column.isYear) throw new Unresolved();
    this.#assume(`I assumed the sum of ${nameOf(ref)}.`);
    return { kind: "aggregate", fn: "sum", column: item.column };
  }

  /** Returns the time by which rows are grouped. */
  #groupTime(grain: Grain, column: ColumnName | null): Ref {
    const ref = column
      ? this.#pick(column, ({ column: { kind } }) => kind === "date")
      : this.#timeColumn(grain === "year");
    if (ref.column.kind !== "date" && !(grain === "year" && ref.column.isYear)) throw new Unresolved();
    if (!column) this.#assume(`I assumed the time of ${nameOf(ref)}.`);
    return ref;
  }

  /** Returns the table whose rows are counted or summed. */
  #base(figures: readonly Item[], target: Table): Table {
    const tables = figures.flatMap((item) => {
      if (item.kind === "aggregate") return [this.#pick(item.column, isNumberFor(item.fn)).table];
      if (item.kind !== "count" || item.entity === null) return [target];
      return ["table" in item.entity ? item.entity.table.table : this.#pick(item.entity.column).table];
    });
    const [first] = tables;
    if (!first || tables.some((table) => table !== first)) throw new Unresolved();
    return first;
  }

  #measure(item: Item, place: number): Measure {
    const suffix = place === 0 ? "" : `_${place + 1}`;
    if (item.kind === "share") {
      // "Share of paid orders by channel" may be a part of the paid ones or of all.
      if (this.#all("conditions").length > 0 || place > 0) throw new Unresolved();
      return { alias: "share", fn: "share", where: null };
    }
    if (item.kind === "aggregate") {
      const ref = this.#pick(item.column, isNumberFor(item.fn));
      // The highest rank is the lowest number.
      if (item.fn !== "avg" && ref.column.words.some((word) => /^(?:rank|posit|place)/.test(word)))
        throw new Unresolved();
      const verb = { sum: "total", avg: "average", min: "lowest", max: "highest" }[item.fn];
      return { alias: `${verb}_${ref.column.name}${suffix}`, fn: item.fn, ref };
    }
    if (item.kind !== "count") throw new Unresolved();
    if (item.entity && "column" in item.entity) {
      const ref = this.#pick(item.entity.column);
      if (!item.isDistinct) {
        // "How many countries" of a column counts its values.
        if (ref.column.kind !== "text" && !ref.column.isReference) throw new Unresolved();
        // The values of a far table may be repeated by the rows between.
        if (ref.table !== this.#from) throw new Unresolved();
        const [group] = this.#all("groups").flatMap(({ entities }) => entities);
        if (group && "table" in group && this.#path(ref.table, group.table.table).length > 1) throw new Unresolved();
        this.#assume(`I assumed that you mean different values of ${nameOf(ref)}.`);
      }
      return { alias: `${ref.column.name}_count${suffix}`, fn: "countDistinct", ref };
    }
    const table = item.entity && "table" in item.entity ? item.entity.table.table : (this.#from as Table);
    if (item.entity && isOfSeveral(table)) throw new Unresolved();
    if (item.isDistinct && table !== this.#from) throw new Unresolved();
    const repeated = repeatedName(table);
    if (repeated && !item.isDistinct) {
      throw new Unresolved({ said: table.name, options: [`different ${repeated.name}`, `rows of ${table.name}`] });
    }
    if (!table.columns.some(({ isKey }) => isKey))
      this.#assume(`I assumed that each row of ${table.name} counts, since the table has no key.`);
    return { alias: `${table.name.toLowerCase()}_count${suffix}`, fn: "count" };
  }

  // --- rows by the number of their related rows ---------------------------------------------------------------------

  #ranked(modifier: Of<"most"> | Of<"having">): Plan {
    const { items } = this.#question;
    const target = this.#target as Table;
    const figure = "fn" in modifier.of ? modifier.of : null;
    const figureRef = figure && this.#pick(figure.column, isNumberFor(figure.fn));
    const counted = figureRef?.table ?? (countedTable(modifier) as Table);
    if (this.#all("groups").length > 0 || this.#all("extreme").length > 0 || this.#all("order").length > 0)
      throw new Unresolved();
    const isCount = items.length === 1 && items[0]?.kind === "count";
    // "And their number" is the figure that is compared.
    const columnItems = items.filter(
      (item) => item.kind !== "count" || (item.entity && "table" in item.entity && item.entity.table.table !== counted),
    );
    const isWhole = items.every(({ kind }) => kind === "rows");
    if (!isCount && !isWhole && columnItems.some(({ kind }) => kind !== "column")) throw new Unresolved();
    if (isCount && modifier.kind === "most") throw new Unresolved();
    // Groups without rows have fewer than any number, and no group shows them.
    if (modifier.kind === "having" && (modifier.op === "<>" || (modifier.op === "=" && modifier.value === 0))) {
      throw new Unresolved();
    }
    if (modifier.kind === "having" && /^<=?$/.test(modifier.op)) {
      if (isCount) throw new Unresolved();
      this.#assume(`I assumed that those without ${counted.name} are left out.`);
    }
    const [count] = items;
    const values =
      isCount && count?.kind === "count" && count.entity && "column" in count.entity ? count.entity.column : null;
    const asked = values
      ? [values]
      : isWhole || isCount
        ? null
        : items.flatMap((item) => (item.kind === "column" ? [item.column] : []));
    // A column of the counted rows is a separate group: "which nationality has the most singers".
    const refs = asked?.map((column) => this.#pick(column)) ?? null;
    const isKey = (ref: Ref, i: number) => this.#isReference(ref) && !(asked?.[i] && isKeySaid(asked[i]));
    // A key stands for a row that has a name.
    if (refs?.some(isKey)) throw new Unresolved();
    const isColumn = refs?.every(({ table }) => table === counted) ?? false;
    const base = isColumn || target === counted ? counted : this.#rowsBetween(target, counted);
    if (figure && base !== counted) throw new Unresolved();
    this.#from = base;
    if (target === counted && !isColumn) throw new Unresolved();
    // A column without its table is the group itself: "which type code is used by the most documents".
    const isGroup = isColumn || (refs !== null && !this.#mentioned.has(target));
    const keys = isGroup ? [] : target.columns.filter(({ isKey }) => isKey);
    if (!isGroup && keys.length === 0) throw new Unresolved();
    // A row with a count stands for several.
    if (isOfSeveral(counted)) throw new Unresolved();
    const shown = refs ?? (isWhole ? displayed(target) : keys.map((column) => ({ table: target, column })));
    for (const { table } of shown) {
      if (!isColumn && !this.#isAbove(target, table)) throw new Unresolved();
      this.#join(table);
    }
    const outputs = outputsOf(shown);
    const verb = figure && { sum: "total", avg: "average", min: "lowest", max: "highest" }[figure.fn];
    const alias = figureRef ? `${verb}_${figureRef.column.name}` : `${counted.name.toLowerCase()}_count`;
    if (!figure) this.#assume(`I assumed that each row of ${base.name} counts, also if its values repeat.`);
    if (modifier.kind === "most") this.#assumeTies(modifier.limit);
    return this.#finish({
      ...empty(base),
      where: this.#where(),
      hiddenKeys: keys.map((column) => ({ table: target, column })),
      outputs,
      measures: [figure && figureRef ? { alias, fn: figure.fn, ref: figureRef } : { alias, fn: "count" }],
      having:
        modifier.kind === "having"
          ? [{ measure: 0, op: modifier.op === "<>" ? "=" : modifier.op, value: modifier.value }]
          : [],
      order: modifier.kind === "most" ? [{ alias, isDescending: modifier.isDescending }] : [],
      limit: modifier.kind === "most" ? modifier.limit : ROWS_MAX,
      countedAs: isCount ? `${values ? (refs?.[0]?.column.name ?? "") : target.name.toLowerCase()}_count` : null,
    });
  }

  /** Returns the table whose rows belong to one target each, and stand for the counted rows. */
  #rowsBetween(target: Table, counted: Table): Table {
    if (this.#isAbove(counted, target)) {
      this.#path(counted, target);
      return counted;
    }
    const between = this.#schema.tables.filter(
      (each) =>
        each !== target &&
        each !== counted &&
        this.#schema.edges.some(({ from, to }) => from === each && to === target) &&
        this.#schema.edges.some(({ from, to }) => from === each && to === counted),
    );
    const [only] = between;
    if (!only || between.length > 1) throw new Unresolved();
    this.#path(only, target);
    return only;
  }
}

function fitIn(table: Table, columns: readonly ColumnName[]): number {
  const fits = columns.map(({ options }) =>
    Math.max(0, ...options.filter(({ ref }) => ref.table === table).map(({ fit }) => fit)),
  );
  return fits.some((fit) => fit === 0) ? 0 : fits.reduce((sum, fit) => sum + fit, 0);
}

/** Returns the table whose rows a superlative counts; undefined for a figure of a column. */
function countedTable(modifier: Of<"most"> | Of<"having">): Table | undefined {
  return "table" in modifier.of ? modifier.of.table.table : undefined;
}

/** Whether a row stands for several things, such as an item with its quantity. */
function isOfSeveral({ columns }: Table): boolean {
  return columns.some(({ words, kind }) => kind === "number" && /^(?:count|quantiti)$/.test(words.join()));
}

/** Returns the name that rows of a table share if it is a part of their key: a river in each of its states. */
function repeatedName(table: Table): Table["columns"][number] | null {
  const keys = table.columns.filter(({ isKey }) => isKey);
  const name = keys.find(({ kind, words }) => kind === "text" && /^(?:name|titl)$/.test(words.at(-1) ?? ""));
  return keys.length > 1 && name ? name : null;
}

function boundOf(predicate: Predicate, sides: RegExp): number | string | null {
  return predicate.kind === "compare" && sides.test(predicate.op) && typeof predicate.value !== "boolean"
    ? predicate.value
    : null;
}

function isKeySaid({ said }: ColumnName): boolean {
  return /\b(?:ids?|keys?|codes?|numbers?)\b/i.test(said);
}

/** Keys have a highest and a lowest value, but no sum. */
function isNumberFor(fn: Aggregate): (ref: Ref) => boolean {
  return ({ column }) => column.kind === "number" && (!column.isReference || fn === "max" || fn === "min");
}

function displayed(table: Table): Ref[] {
  const all = table.columns.map((column) => ({ table, column }));
  if (all.length <= COLUMNS_MAX) return all;
  const first = displayColumns(table);
  return [...first.map((column) => ({ table, column })), ...all.filter(({ column }) => !first.includes(column))].slice(
    0,
    COLUMNS_MAX,
  );
}

function outputsOf(refs: readonly Ref[]): Output[] {
  const outputs: Output[] = [];
  for (const ref of refs) addOutput(outputs, ref);
  return outputs;
}

/** Returns the alias of a column, which is added if it is missing. */
function addOutput(outputs: Output[], ref: Ref): string {
  const known = outputs.find((each) => each.ref.table === ref.table && each.ref.column === ref.column);
  if (known) return known.alias;
  const isTaken = (alias: string) => outputs.some((each) => each.alias === alias);
  let alias = isTaken(ref.column.name) ? `${ref.table.name}_${ref.column.name}` : ref.column.name;
  for (let n = 2; isTaken(alias); n++) alias = `${ref.column.name}_${n}`;
  outputs.push({ alias, kind: "column", ref });
  return alias;
}

function empty(from: Table): Plan {
  return {
    from,
    joins: [],
    where: [],
    hiddenKeys: [],
    outputs: [],
    measures: [],
    isDistinct: false,
    having: [],
    order: [],
    limit: null,
    countedAs: null,
  };
}

function nameOf({ table, column }: Ref): string {
  return `${table.name}.${column.name}`;
}

export type { Entity };
