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

/** Minimum fit of a name that needs no word about it. */
const CERTAIN = 2.5;

type Of<K extends Modifier["kind"]> = Extract<Modifier, { kind: K }>;

class Resolver {
  readonly #question: Question;
  readonly #schema: Schema;
  readonly #assumed: string[] = [];
  readonly #mentioned = new Set<Table>();
  readonly #joins: Step[] = [];
  #target: Table | null = null;
  #from: Table | null = null;

  constructor(question: Question, schema: Schema) {
    this.#question = question;
    this.#schema = schema;
  }

  resolve(): Resolved {
    const { items } = this.#question;
    this.#target = this.#findTarget();
    const grouped = this.#all("groups");
    const hasCount = items.some(({ kind }) => kind === "count");
    const hasAggregate = items.some(({ kind }) => kind === "aggregate");
    const counts = [...this.#all("most"), ...this.#all("having")];
    if (counts.length > 1) throw new Unresolved();
    if (this.#all("order").length > 1 || this.#all("extreme").length > 1) throw new Unresolved();
    const plan =
      counts.length === 1
        ? this.#ranked(counts[0] as Of<"most"> | Of<"having">)
        : hasCount || hasAggregate || grouped.length > 0
          ? this.#figures()
          : this.#rows();
    return { plan: { ...plan, joins: this.#joins }, assumed: this.#assumed };
  }

  #all<K extends Modifier["kind"]>(kind: K): Of<K>[] {
    return this.#question.modifiers.filter((one): one is Of<K> => one.kind === kind);
  }

  // --- names ------------------------------------------------------------------------------------------------------

  #findTarget(): Table {
    const { items, modifiers } = this.#question;
    for (const item of items) {
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
    const counted = [...this.#all("most"), ...this.#all("having")][0]?.table.table;
    if (best && counted && tables.some(({ table, fit }) => table === counted && fit === best.fit)) return counted;
    if (!best) {
      if (groupTable && "table" in groupTable) return groupTable.table.table;
      throw new Unresolved();
    }
    if (second && second.fit === best.fit) {
      // The same columns in two tables: only a filter or a group may tell which one is meant.
      const said = columns[0]?.said ?? "";
      throw new Unresolved({ said, options: tables.slice(0, 4).map(({ table }) => `${said} of ${table.name}`) });
    }
    return best.table;
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
    if (fit < CERTAIN) this.#assume(`I assumed that “${name.said}” means ${nameOf(best.ref)}.`);
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
    // Two tables beside the counted one may have the value: its nearness is no reason.
    if (!column && elsewhere && best.hit.ref.table !== target && elsewhere.hit.ref.table !== best.hit.ref.table) {
      const options = [best, elsewhere].map(({ hit }) => `${nameOf(hit.ref)} = ${hit.value}`);
      throw new Unresolved({ said: value.said, options });
    }
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
    for (const [table, predicates] of below) {
      // "Books borrowed last year" may count the books or the loans.
      if (predicates.some(({ kind }) => kind === "span")) throw new Unresolved();
      if (predicates.some((each) => "isNegated" in each && each.isNegated) || predicates.length > 1)
        throw new Unresolved();
      where.push(this.#exists(table, predicates, false));
    }
    for (const { table, isNegated } of this.#all("exists")) where.push(this.#exists(table.table, [], isNegated));
    for (const { table } of this.#all("scope")) {
      if (this.#isAbove(this.#from as Table, table.table)) continue;
      // Those that have a related row; a list might repeat them for each one.
      const isCount = this.#question.items.every((item) => item.kind === "count") || this.#question.isDistinct;
      if (!isCount) throw new Unresolved();
      where.push(this.#exists(table.table, [], false));
    }
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
        const ref = condition.column ? this.#pick(condition.column) : this.#timeColumn();
        if (ref.column.kind === "text" && condition.date.isBareYear && start && end && !condition.date.isOpen) {
          return { ref, predicate: { kind: "in", ref, values: [start.slice(0, 4)], isNegated: false } };
        }
        const isYears = start?.endsWith("-01-01") !== false && end?.endsWith("-01-01") !== false;
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

  /** Returns the only column that holds a time. */
  #timeColumn(): Ref {
    const table = this.#from as Table;
    const found = table.columns.filter(
      ({ kind, isYear, words }) => kind === "date" || isYear || words.join() === "year",
    );
    const [only] = found;
    if (!only || found.length > 1) throw new Unresolved();
    return { table, column: only };
  }

  // --- lists ------------------------------------------------------------------------------------------------------

  #rows(): Plan {
    const { items, isDistinct } = this.#question;
    const target = this.#target as Table;
    this.#from = target;
    const isWhole = items.every(({ kind }) => kind === "rows");
    const refs = isWhole
      ? displayed(target)
      : items.flatMap((item) => (item.kind === "column" ? [this.#pick(item.column)] : []));
    if (!isWhole && items.some(({ kind }) => kind !== "column")) throw new Unresolved();
    // "All product categories" may be rows or values.
    const [only] = refs;
    const isOpen = refs.length === 1 && !isDistinct && !isWhole;
    const hasFilter = this.#question.modifiers.some(({ kind }) => kind !== "scope");
    if (isOpen && !hasFilter && only?.column.kind === "text" && !displayColumns(only.table).includes(only.column)) {
      throw new Unresolved();
    }
    // The columns of two tables are read from the lower one.
    const lowest = refs.map(({ table }) => table).find((low) => refs.every(({ table }) => this.#isAbove(low, table)));
    if (!lowest) throw new Unresolved();
    if (!this.#isAbove(target, lowest)) {
      // "Descriptions of templates" are no descriptions of the documents that use them.
      const isNamed = this.#all("scope").some(({ table }) => table.table === target) || isWhole;
      if (isNamed || !this.#isAbove(lowest, target)) throw new Unresolved();
      this.#from = lowest;
    }
    for (const { table } of refs) this.#join(table);
    const where = this.#where();
    const outputs = outputsOf(refs);
    const plan = { ...empty(this.#from), where, outputs, isDistinct, limit: ROWS_MAX };
    if (isWhole && outputs.length < target.columns.length)
      this.#assume(`I assumed that the first ${outputs.length} columns of ${target.name} are enough.`);
    const isTelling = refs.some(({ table, column }) => column.isKey || displayColumns(table).includes(column));
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
      if (order.by && order.by.kind !== "column") throw new Unresolved();
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

  #finish(plan: Plan): Plan {
    return { ...plan, where: [...plan.where, ...this.#extra] };
  }

  // --- figures ----------------------------------------------------------------------------------------------------

  #figures(): Plan {
    const { items, modifiers } = this.#question;
    const target = this.#target as Table;
    const groupEntities = this.#all("groups").flatMap(({ entities }) => entities);
    const plainItems = items.filter((item): item is Extract<Item, { kind: "column" }> => item.kind === "column");
    const figures = items.filter((item) => item.kind === "count" || item.kind === "aggregate");
    if (items.some(({ kind }) => kind === "rows") || figures.length === 0) throw new Unresolved();
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
    const refs: Ref[] = plainItems.map(({ column }) => this.#pick(column));
    const hiddenKeys: Ref[] = [];
    for (const entity of groupEntities) {
      if ("column" in entity) {
        const ref = this.#pick(entity.column);
        // A key stands for a row that has a name.
        if (ref.column.isReference && !isKeySaid(entity.column)) throw new Unresolved();
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
      if (!modifiers.some(({ kind }) => kind === "groups")) throw new Unresolved();
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
        by?.kind === "column"
          ? outputs.find(({ ref }) => ref.column === this.#pick(by.column).column)?.alias
          : by === null
            ? outputs.length === 1
              ? outputs[0]?.alias
              : undefined
            : measures[figures.findIndex((item) => item.kind === by.kind)]?.alias;
      if (alias === undefined) throw new Unresolved();
      sorted = [{ alias, isDescending: order.isDescending ?? false }];
    }
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
    if (item.kind === "aggregate") {
      const ref = this.#pick(item.column, isNumberFor(item.fn));
      const verb = { sum: "total", avg: "average", min: "lowest", max: "highest" }[item.fn];
      return { alias: `${verb}_${ref.column.name}${suffix}`, fn: item.fn, ref };
    }
    if (item.kind !== "count") throw new Unresolved();
    if (item.entity && "column" in item.entity) {
      const ref = this.#pick(item.entity.column);
      if (!item.isDistinct) {
        // "How many countries" of a column counts its values.
        if (ref.column.kind !== "text" && !ref.column.isReference) throw new Unresolved();
        this.#assume(`I assumed that you mean different values of ${nameOf(ref)}.`);
      }
      return { alias: `${ref.column.name}_count${suffix}`, fn: "countDistinct", ref };
    }
    const table = item.entity && "table" in item.entity ? item.entity.table.table : (this.#from as Table);
    if (item.entity && table.columns.some(({ words }) => words.join() === "count")) throw new Unresolved();
    if (item.isDistinct && table !== this.#from) throw new Unresolved();
    if (!table.columns.some(({ isKey }) => isKey))
      this.#assume(`I assumed that each row of ${table.name} counts, since the table has no key.`);
    return { alias: `${table.name.toLowerCase()}_count${suffix}`, fn: "count" };
  }

  // --- rows by the number of their related rows ---------------------------------------------------------------------

  #ranked(modifier: Of<"most"> | Of<"having">): Plan {
    const { items } = this.#question;
    const target = this.#target as Table;
    const counted = modifier.table.table;
    if (this.#all("groups").length > 0 || this.#all("extreme").length > 0 || this.#all("order").length > 0)
      throw new Unresolved();
    const isCount = items.length === 1 && items[0]?.kind === "count";
    const isWhole = items.every(({ kind }) => kind === "rows");
    if (!isCount && !isWhole && items.some(({ kind }) => kind !== "column")) throw new Unresolved();
    if (isCount && modifier.kind === "most") throw new Unresolved();
    // Groups without rows have fewer than any number, and no group shows them.
    if (
      modifier.kind === "having" &&
      /^(?:<|<=|=|<>)$/.test(modifier.op) &&
      (modifier.op !== "=" || modifier.value === 0)
    ) {
      throw new Unresolved();
    }
    const asked = isWhole || isCount ? null : items.flatMap((item) => (item.kind === "column" ? [item.column] : []));
    // A column of the counted rows is a separate group: "which nationality has the most singers".
    const refs = asked?.map((column) => this.#pick(column)) ?? null;
    const isKey = (ref: Ref, i: number) => ref.column.isReference && !(asked?.[i] && isKeySaid(asked[i]));
    // A key stands for a row that has a name.
    if (refs?.some(isKey)) throw new Unresolved();
    const isColumn = refs?.every(({ table }) => table === counted) ?? false;
    const base = isColumn || target === counted ? counted : this.#rowsBetween(target, counted);
    this.#from = base;
    if (target === counted && !isColumn) throw new Unresolved();
    // A column without its table is the group itself: "which type code is used by the most documents".
    const isGroup = isColumn || (refs !== null && !this.#mentioned.has(target));
    const keys = isGroup ? [] : target.columns.filter(({ isKey }) => isKey);
    if (!isGroup && keys.length === 0) throw new Unresolved();
    // A row with a count stands for several.
    if (counted.columns.some(({ words }) => words.join() === "count")) throw new Unresolved();
    const shown = refs ?? (isWhole ? displayed(target) : keys.map((column) => ({ table: target, column })));
    for (const { table } of shown) {
      if (!isColumn && !this.#isAbove(target, table)) throw new Unresolved();
      this.#join(table);
    }
    const outputs = outputsOf(shown);
    const alias = `${counted.name.toLowerCase()}_count`;
    this.#assume(`I assumed that each row of ${base.name} counts, also if its values repeat.`);
    if (modifier.kind === "most") this.#assumeTies(modifier.limit);
    return this.#finish({
      ...empty(base),
      where: this.#where(),
      hiddenKeys: keys.map((column) => ({ table: target, column })),
      outputs,
      measures: [{ alias, fn: "count" }],
      having:
        modifier.kind === "having"
          ? [{ measure: 0, op: modifier.op === "<>" ? "=" : modifier.op, value: modifier.value }]
          : [],
      order: modifier.kind === "most" ? [{ alias, isDescending: modifier.isDescending }] : [],
      limit: modifier.kind === "most" ? modifier.limit : ROWS_MAX,
      countedAs: isCount ? `${target.name.toLowerCase()}_count` : null,
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
